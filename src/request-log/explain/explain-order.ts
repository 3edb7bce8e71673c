import { loadConsent } from "#src/consents/consent.ts";
import { isUsedUpByOrder } from "#src/consents/states.ts";
import { listChanges } from "#src/history/change.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { type KindId, kindNamed } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { askedFor, type ExplainedKind } from "./explain-consent.ts";
import type { Explanation, HistoryLine } from "./explanation.ts";
import {
  doneBy,
  type HistoryWords,
  isDue,
  lineOf,
  type TesterAct,
  tester,
} from "./history-line.ts";
import type { VersionWords } from "./version-words.ts";

/** An order, as an explanation needs it. */
export type OrderFacts = {
  kind: KindId;
  apiVersion: ApiVersionId;
  status: string;
  consentId: string;
  clientId: string;
  customerId: string;
  debtorAccountId: string;
  reasons: readonly { code: string; text: string }[];
  createdAt: Temporal.Instant;
  statusUpdatedAt: Temporal.Instant;
  /** Who has signed of those who must; null if one signature is enough. */
  signatures: string | null;
  /** What it pays, if its consent does not say it. */
  paid: Explanation["facts"];
};

/** Money that went back to the debtor after a payment of the order was settled. */
type ReturnedMoney = { at: string; amount: string; currency: string };

/** What has happened to an order outside of its history. */
type Besides = {
  returned: readonly ReturnedMoney[];
  acts: readonly TesterAct[];
  kinds: readonly ExplainedKind[];
  words: VersionWords;
};

/** Explains an order: its status, how it came to it, and what was returned since. */
export async function explainOrder(
  on: Queryable,
  orderId: string,
  order: OrderFacts,
  { returned, acts, kinds, words: allWords }: Besides,
): Promise<Explanation> {
  const changes = await listChanges(on, orderId);
  const kind = kindNamed(order.kind, kinds);
  const saysAll = isUsedUpByOrder(kind.course);
  const consent = saysAll ? await loadConsent(on, order.consentId) : undefined;
  const { status, reasons, createdAt, statusUpdatedAt } = order;
  const words: HistoryWords = {
    status: (one) => allWords.order(order, one),
    reason: (one) => allWords.reason(order, one),
  };
  const why = reasons.map((reason) => words.reason(reason)).join(" ");
  const latest = changes.findLast(({ before, after }) => before?.status !== after.status);
  const by = doneBy(latest, acts);
  const [firstReturn] = returned;
  return {
    subject: "order",
    id: orderId,
    summary: [
      `The order was created at ${createdAt}. ` +
        `It is ${words.status(status)} since ${statusUpdatedAt}, by ${by}.`,
      ...(firstReturn ? [`Money was returned to the debtor at ${firstReturn.at}.`] : []),
      ...(why === "" ? [] : [why]),
    ].join(" "),
    faults: [],
    signature: null,
    facts: [
      ...(consent ? askedFor(consent, kind) : order.paid),
      { name: "kind", value: order.kind },
      { name: "client", value: order.clientId },
      { name: "customer", value: order.customerId },
      { name: "debtor account", value: order.debtorAccountId },
      { name: "consent", value: order.consentId },
      ...(order.signatures === null ? [] : [{ name: "signatures", value: order.signatures }]),
    ],
    history: [
      ...changes.map((change) => lineOf(change, acts, words)),
      ...acts.filter((act) => changes.every((change) => !isDue(change, act))).flatMap(actLine),
      ...returned.map((posting) => returnLine(posting, acts)),
    ].toSorted((one, other) => Temporal.Instant.compare(one.at, other.at)),
    next:
      (firstReturn ? nextSteps.CANC : nextSteps[status]) ??
      "Read the order's payment-details: each payment has a status.",
  };
}

/** The words of acts that may have changed nothing which the history has. */
const actWords: Readonly<Record<string, string>> = {
  advance: "the next step was made due",
  refuse: "the payments were refused",
  delay: "the next step was delayed",
};

const actLine = ({ act, at }: TesterAct): HistoryLine[] =>
  Object.hasOwn(actWords, act)
    ? [{ at: at.toString(), what: actWords[act] ?? "", by: tester, interactionId: null }]
    : [];

function returnLine({ at, amount, currency }: ReturnedMoney, acts: readonly TesterAct[]) {
  const isActOfTester = acts.some((one) => one.act === "return" && one.at.equals(at));
  return {
    at,
    what: `returned: ${amount} ${currency} went back to the debtor; the status stays`,
    by: isActOfTester ? tester : "the bank",
    interactionId: null,
  };
}

const nextSteps: Readonly<Record<string, string>> = {
  PATC: "Wait for the further signatures. In a sandbox: POST /sandbox/v1/multi-authorisations/{id}.",
  RJCT: "Correct what the reason names, and ask the customer for a new consent.",
  CANC: "Ask the customer for a new consent if the payment is still wanted.",
};
