import { accountEventResources } from "#src/accounts/event-resources.ts";
import type { Addresses } from "#src/config/addresses.ts";
import { consentSubjects } from "#src/consents/consent-facts.ts";
import type { EventDeps } from "#src/events/event-deps.ts";
import { createEventWork, type EventWork } from "#src/events/event-work.ts";
import { createWaitingPolls } from "#src/events/waiting-polls.ts";
import { createMessageSigner } from "#src/http/signature/message-signer.ts";
import { paymentEventResources } from "#src/payments/event-resources.ts";
import { orderSubjects } from "#src/payments/order/load-order.ts";
import type { Parts } from "./parts.ts";
import { signingOf } from "./register-apis.ts";

type EventOptions = Pick<
  Parts,
  | keyof Addresses
  | "app"
  | "config"
  | "database"
  | "clock"
  // TPPs compare the dates of signatures with their own clocks
  | "machineClock"
  | "keys"
  | "kinds"
>;

/** Joins the events with the owners of the resources that they are about. */
export function openEvents(options: EventOptions): { deps: EventDeps; work: EventWork } {
  const { app, config, database, clock, keys, kinds } = options;
  const onFailure = (error: unknown): void =>
    app.log.error({ err: error }, "the work on events failed; it will try again");
  const polls = createWaitingPolls();
  const signer = createMessageSigner({ ...signingOf(config, keys), clock: options.machineClock });
  const subjects = [
    { objectKind: "consent", rows: consentSubjects },
    { objectKind: "order", rows: orderSubjects },
  ] as const;
  return {
    deps: {
      database,
      clock,
      polls,
      longPollMs: config.EVENT_LONG_POLL_SECONDS * 1000,
      allowsLoopback: config.ALDGATE_PROFILE === "sandbox",
      resources: [...paymentEventResources(kinds), ...accountEventResources],
      issuer: options.publicUrl,
      base: options.mtlsUrl,
      sign: signer.signToken,
    },
    work: createEventWork({ database, clock, subjects, polls, onFailure }),
  };
}
