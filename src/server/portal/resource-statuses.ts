import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import type { ConsentCourse, ConsentEvent } from "#src/consents/states.ts";
import { fundsConfirmationKind } from "#src/funds/funds-confirmation-kind.ts";
import type { StatusWord } from "#src/pages/portal/api-document.ts";
import { type ServedKind, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import {
  exposeStatus,
  type OrderTransition,
  transitionsOf,
} from "#src/payments/order/order-states.ts";
import type { OfferedKind } from "#src/server/examples/example.ts";
import { sampleNames } from "#src/server/examples/reference-samples.ts";
import type { ApiVersion, ConsentStatus } from "#src/standard/api-version.ts";
import { statusValues } from "#src/standard/descriptions/status-values.ts";

// The tables of status words on the pages of resources. They are made from the tables that the bank
// follows when it changes a status.

const consentEvents: Readonly<Record<ConsentEvent, string>> = {
  upload: "the file is uploaded",
  authorise: "the customer approves",
  reject: "the customer or the bank refuses",
  consume: "its order is submitted",
  revoke: "the customer ends it at the bank",
  expire: "its time is over",
};

const orderEvents: Readonly<Record<OrderTransition["event"], string>> = {
  warehouse: "it is kept for its day",
  validate: "its form and authentication are right",
  awaitSignatures: "more people must approve",
  accept: "everybody who must approve has approved",
  reserve: "the funds suffice",
  submit: "the bank makes the payment",
  change: "something such as the date is changed",
  debit: "the payer's account is debited",
  credit: "the payee's account is credited",
  creditWithoutPosting: "the payee's bank accepts it and has not posted it",
  block: "the payee's bank holds the money back",
  reject: "it is refused",
  cancel: "the customer cancels it",
  complete: "everything is set up",
  fail: "something could not be set up",
};

/** A change of status in a version's words. */
type Change = { from: string; to: string; when: string };

/** The words of the resource that an operation creates, by the operation's id; none for others. */
export function statusesIn(
  api: ApiVersion,
  kinds: readonly OfferedKind[],
): ReadonlyMap<string, readonly StatusWord[]> {
  const served = kinds.flatMap(servedKinds).filter(({ format }) => format.version.id === api.id);
  return new Map([
    ["CreateAccountAccessConsents", consentStatuses(api, accountAccessKind.course)],
    ["CreateFundsConfirmationConsents", consentStatuses(api, fundsConfirmationKind.course)],
    ...served.flatMap((kind): [string, StatusWord[]][] => [
      [sampleNames(kind).consent, consentStatuses(api, kind.consent)],
      [sampleNames(kind).order, orderStatuses(kind)],
    ]),
  ]);
}

function consentStatuses({ consents: { words } }: ApiVersion, course: ConsentCourse): StatusWord[] {
  const changes: Change[] = [];
  const reached = new Set<ConsentStatus>([course.initial]);
  // a status that is reached joins the end of the set
  for (const status of reached) {
    for (const [event, next] of Object.entries(course.states[status] ?? {})) {
      const when = consentEvents[event as ConsentEvent];
      changes.push({ from: words[status], to: words[next], when });
      reached.add(next);
    }
  }
  return shownOf(words[course.initial], changes, statusValues["Consent.Status"] ?? {});
}

function orderStatuses({ family, format: { statuses } }: ServedKind): StatusWord[] {
  const changes = transitionsOf(family).map(({ from, event, to }) => ({
    from: exposeStatus(statuses, from),
    to: exposeStatus(statuses, to),
    when: orderEvents[event],
  }));
  const first = exposeStatus(statuses, "RCVD");
  return shownOf(first, changes, statusValues["Order.Status"] ?? {});
}

/** Each word once, in the order in which they are reached. */
function shownOf(
  first: string,
  changes: readonly Change[],
  meanings: Readonly<Record<string, string>>,
): StatusWord[] {
  const words = new Set([first, ...changes.map(({ to }) => to)]);
  return [...words].map((word) => {
    const next = new Map<string, Set<string>>();
    for (const { from, to, when } of changes) {
      // a version may have one word for both sides of a change
      if (from !== word || to === word) continue;
      next.set(to, (next.get(to) ?? new Set()).add(when));
    }
    return {
      word,
      meaning: (meanings[word] ?? "").split(": final")[0] ?? "",
      next: [...next].map(([to, whens]) => ({ word: to, when: [...whens].join(", or ") })),
    };
  });
}
