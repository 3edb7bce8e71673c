import type { EventName } from "#src/standard/shared/events/event-types.ts";

/** A change that a TPP is notified of, for tests. */
export type EventScenario = {
  name: string;
  description: string;
  /** The act: `revoke` is done to the consent, the others to the account. */
  act: "block" | "reopen" | "close" | "revoke";
  /** The types of the event. */
  types: readonly EventName[];
  /** The published reason, if the event has one. */
  reason?: string;
};

const accountUpdate = ["account-access-consent-linked-account-update"] as const;

/**
 * The scenarios, for an authorised account access consent and a registration with `Version` 4.0.
 * They can be run one after another with the same consent.
 */
export const eventScenarios: readonly EventScenario[] = [
  {
    name: "Account blocked",
    description:
      "The bank blocks the account. It is missing from responses until it is open again.",
    act: "block",
    types: accountUpdate,
  },
  {
    name: "Account open again",
    description: "The account appears in responses again.",
    act: "reopen",
    types: accountUpdate,
  },
  {
    name: "Account closed",
    description: "The consent stays `AUTH`, even if it covers no other account.",
    act: "close",
    types: accountUpdate,
    reason: "UK.OBIE.AccountClosure",
  },
  {
    name: "Access withdrawn",
    description: "The customer withdraws the consent, which becomes `CANC`.",
    act: "revoke",
    types: ["resource-update", "consent-authorization-revoked"],
  },
];
