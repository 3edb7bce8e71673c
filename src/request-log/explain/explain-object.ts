import type { DescribedAccount, OwnedFact } from "#src/account-store/describe-account.ts";
import type { ClientRecord } from "#src/clients/client-record.ts";
import type { AccountConsent } from "#src/consents/consents-of-account.ts";
import type { ShownEvent, StoredSubscription } from "#src/events/stored-events.ts";
import { countOf } from "#src/lib/plain-text.ts";
import type { LogEntry } from "#src/request-log/entry.ts";
import type { Explanation } from "./explanation.ts";
import type { VersionWords } from "./version-words.ts";

type NamedValue = [name: string, value: string | null];
type About = Pick<Explanation, "subject" | "id" | "summary" | "next"> & { facts: NamedValue[] };

const about = ({ facts, ...rest }: About): Explanation => ({
  ...rest,
  faults: [],
  signature: null,
  facts: facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
  history: [],
});

const states: Readonly<Record<string, string>> = {
  Enabled: "open",
  Disabled: "blocked",
  Deleted: "closed",
};

const reachOf = (consent: AccountConsent, words: VersionWords) => {
  const { consentId, clientId, kind, coveredUntil, expiresAt } = consent;
  const status = words.consent(consent, consent.status);
  const until = coveredUntil ? `, which the account left at ${coveredUntil}` : "";
  const end = !coveredUntil && expiresAt ? ` until ${expiresAt}` : "";
  return `${consentId} of ${clientId} (${kind}, ${status}${end})${until}`;
};

/** A call of the log, in words. */
export const callOf = ({ method, path, status, codes, interactionId }: LogEntry): string =>
  `${method} ${path} got ${status} ${codes.join(", ")} (${interactionId})`;

const reaches = ({ status, coveredUntil, expiresAt }: AccountConsent, now: Temporal.Instant) =>
  status === "AUTH" &&
  coveredUntil === null &&
  (expiresAt === null || Temporal.Instant.compare(expiresAt, now) > 0);

/** Explains an account: what it is, whose, which consents reach it, and what was refused. */
export function explainAccount(
  account: DescribedAccount,
  consents: readonly AccountConsent[],
  refused: readonly LogEntry[],
  { now, words }: { now: Temporal.Instant; words: VersionWords },
): Explanation {
  const { accountId, type, currency, status, statusUpdatedAt, isSwitched, holders } = account;
  const count = consents.filter((one) => reaches(one, now)).length;
  const state = isSwitched
    ? "closed, because the customer moved it to another bank"
    : states[status];
  const reached = `${countOf(count, "consent reaches", "consents reach")} it`;
  return about({
    subject: "account",
    id: accountId,
    summary: `The account is ${state ?? status} since ${statusUpdatedAt}. ${
      count === 0 ? "No consent reaches it" : reached
    } at the moment.`,
    facts: [
      ["type", `${type} in ${currency}`],
      ["holders", holders.map((one) => `${one.customerId} (${one.role})`).join(", ")],
      ...consents
        .map(
          (one): NamedValue => [
            reaches(one, now) ? "consent" : "without access",
            reachOf(one, words),
          ],
        )
        .toSorted(([one], [other]) => one.localeCompare(other)),
      ...refused.map((one): NamedValue => ["refused", callOf(one)]),
    ],
    next:
      refused[0] !== undefined
        ? `Explain the refused call: \`./aldgate explain ${refused[0].interactionId}\`.`
        : "Use the account with a token of a consent that reaches it.",
  });
}

/** Explains a client, or each client of a piece of software. */
export const explainClients = (
  id: string,
  subject: "client" | "software",
  clients: readonly ClientRecord[],
): Explanation =>
  about({
    subject,
    id,
    summary: clients
      .map(({ clientId, softwareName, organisationName, status, suspendedBecause }) => {
        const why = suspendedBecause === null ? "" : `, because ${suspendedBecause}`;
        const owner = organisationName === softwareName ? "" : ` of ${organisationName}`;
        return `The client ${clientId} is ${softwareName}${owner}. It is ${status}${why}.`;
      })
      .join(" "),
    facts: clients.flatMap(
      ({ clientId, softwareId, roles, createdAt, certificateSubject }): NamedValue[] => [
        ["client", clientId],
        ["software", softwareId],
        ["roles", roles.join(", ")],
        ["registered", createdAt.toString()],
        ["certificate", certificateSubject],
      ],
    ),
    next: `List its requests: \`./aldgate logs --client ${clients[0]?.clientId ?? id}\`.`,
  });

/** Explains an event by its jti. */
export const explainEvent = (event: ShownEvent & { clientId: string }): Explanation =>
  about({
    subject: "event",
    id: event.jti,
    summary:
      `The event ${event.types.join(", ")} about ${event.objectId} occurred at ` +
      `${event.occurredAt}. It is ${event.state}${
        event.attempts === 0 ? "" : ` after ${countOf(event.attempts, "try", "tries")}`
      }.`,
    facts: [
      ["client", event.clientId],
      ["about", `${event.objectKind} ${event.objectId}`],
      ["next try", event.nextTryAt],
      ["settled", event.settledAt],
      ["error", event.error && JSON.stringify(event.error)],
    ],
    next: `Explain what it is about: \`./aldgate explain ${event.objectId}\`.`,
  });

/** Explains an event subscription or a callback URL by its id. */
export const explainSubscription = (one: StoredSubscription): Explanation =>
  about({
    subject: "subscription",
    id: one.subscriptionId,
    summary: `The client ${one.clientId} gets events since ${one.since}. Its endpoint is ${one.status}.`,
    facts: [
      ["client", one.clientId],
      ["version", one.apiVersion],
      [
        "how",
        one.callbackUrl === null ? "the client polls" : "events are sent to its callback URL",
      ],
      ["event types", one.eventTypes.join(", ")],
    ],
    next: `List its events: \`./aldgate events list ${one.clientId}\`.`,
  });

/** Explains an id of account data, such as that of a beneficiary. */
export const explainFact = (id: string, { what, owner }: OwnedFact): Explanation =>
  about({
    subject: "account data",
    id,
    summary: `This is a ${what} of ${owner}.`,
    facts: [],
    next: "Explain the account to see which consents reach it.",
  });

/** What an approval without a browser has come to. */
export type BackchannelFacts = {
  consentId: string;
  clientId: string;
  outcome: string | null;
  /** That a sandbox's clock has ended it; null if it has not. */
  clockNote: string | null;
};

/** Explains an auth_req_id: the request, and the consent that it is about. */
export const explainBackchannel = (
  id: string,
  { clientId, consentId, outcome, clockNote }: BackchannelFacts,
  consent: Explanation | null,
): Explanation => ({
  ...about({
    subject: "approval request",
    id,
    summary:
      `The client ${clientId} asked for an approval of ${consentId} without a browser. ` +
      `${outcome === null ? "It waits for the customer." : `It has ended: ${outcome}.`} ` +
      (clockNote === null ? "" : `${clockNote} `) +
      (consent?.summary ?? ""),
    facts: [
      ["client", clientId],
      ["consent", consentId],
    ],
    next:
      outcome === null
        ? "Poll, or wait for the ping. In a sandbox, GET /sandbox/v1/approvals lists what waits."
        : (consent?.next ?? "Send a new request."),
  }),
  history: consent?.history ?? [],
});
