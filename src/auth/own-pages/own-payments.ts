import { accountLabel, accountNumber } from "#src/auth/journey/eligible-accounts.ts";
import { customerById } from "#src/auth/login/customers.ts";
import type { BankAccount } from "#src/bank/port.ts";
import { type ClientName, clientName, clientText } from "#src/clients/client-name.ts";
import { factsHash, factsOfRows } from "#src/consents/approved-facts.ts";
import { toTermsRecord } from "#src/consents/terms.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import { type OrderSummary, withRows } from "#src/pages/consent-summary.ts";
import type { OwnPayment } from "#src/pages/own-bank.ts";
import { dateTimeText } from "#src/pages/wording.ts";
import { type ListedOrder, planOf } from "#src/payments/definitions/payment-kind.ts";
import { listUpcoming, type UpcomingOrder } from "#src/payments/execution/cancellation.ts";
import {
  listWaitingOrders,
  type WaitingOrder,
} from "#src/payments/execution/multi-authorisation.ts";
import { orderParties } from "#src/payments/order/payment-order.ts";
import type { PlacedOrder } from "#src/payments/order/placed-order.ts";
import { dayText } from "#src/payments/shapes/summary-parts.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { OwnPagesDeps } from "./deps.ts";

/** A payment that awaits the customer's signature, with everything that its page shows. */
export type WaitingApproval = {
  orderId: string;
  askedBy: string;
  clientName: string;
  summary: OrderSummary;
  from: { label: string; number: string };
  /** The hash of everything that was ordered and that the bank promised. */
  termsHash: string;
  /** The facts that the customer approves. A price that may still move is not one of them. */
  facts: object;
  /** The hash of these facts, and of all others that its page shows. */
  pageHash: string;
};

/** The payments that await this customer's signature, without those already signed. */
export async function listApprovals(deps: OwnPagesDeps, customerId: string): Promise<OwnPayment[]> {
  const waiting = await listWaitingOrders(deps, customerId);
  return waiting
    .filter((order) => !order.signed)
    .map((order) => ({
      ...ownPayment(order, listed(deps, order)),
      detail: [
        `${order.signatoriesReceived} of ${order.signatoriesRequired} approvals`,
        ...(order.expiresAt ? [`Waiting until ${dateTimeText(order.expiresAt)}`] : []),
        ...orderedIn(deps, order)
          .summary.rows.filter(({ about, label }) => about === "when" || label === "Reference")
          .map(({ label, value }) => `${label}: ${value}`),
      ],
      rows: [],
    }));
}

/** One such payment, or null if it does not await this customer's signature. */
export async function loadApproval(
  deps: OwnPagesDeps,
  orderId: string,
  customerId: string,
): Promise<WaitingApproval | null> {
  const waiting = await listWaitingOrders(deps, customerId);
  const order = waiting.find((each) => each.orderId === orderId && !each.signed);
  if (!order) return null;
  const { ordered } = order;
  const [account, client] = await Promise.all([
    deps.bank.loadAccount(order.debtorAccountId),
    first<ClientName>(
      deps.database,
      sql`select n."softwareName", n."onBehalfOf" from ${orderParties} o
        cross join lateral (${clientName(sql`o.client_id`)}) n where o.order_id = ${orderId}`,
    ),
  ]);
  if (!account || !client) return null;
  const asker = await customerById(deps.bank, ordered.customerId);
  const asked = {
    orderId,
    askedBy: asker?.name ?? "Another signatory",
    clientName: clientText(client, "payments"),
  };
  const summary = await summaryOf(deps, order, account);
  const facts = signedFacts(order, account, summary);
  const { signatoriesReceived, signatoriesRequired, expiresAt } = order;
  const signing = { signatoriesReceived, signatoriesRequired, expiresAt };
  const unpriced = orderedIn(deps, order).summary.rows;
  return {
    ...asked,
    summary,
    from: accountText(account),
    termsHash: termsHash(ordered),
    facts,
    pageHash: factsHash({ facts, asked, signing, rows: factsOfRows(unpriced) }),
  };
}

const termsHash = ({ consentBody: body, consentTerms }: WaitingOrder["ordered"]): string =>
  sha256(canonicalJson({ body, terms: toTermsRecord(consentTerms) }));

/**
 * What a further customer approves: what was ordered and promised, what is paid for it, and from
 * which account.
 */
function signedFacts(
  order: WaitingOrder,
  { accountId, sortCodeAccountNumber, secondaryIdentification, iban, maskedPan }: BankAccount,
  { rows }: OrderSummary,
): object {
  const { consentVersion, consentBody, consentTerms } = order.ordered;
  const from = { accountId, sortCodeAccountNumber, secondaryIdentification, iban, maskedPan };
  const confirmed = factsOfRows(rows.filter((row) => row.confirmed));
  const asked = { consentVersion, consentBody, consentTerms };
  return { ...placedFacts(order), ...asked, from, rows: confirmed };
}

/** An order without what has become of it. */
export function placedFacts(order: PlacedOrder): PlacedOrder {
  const { orderId, kind, clientId, debtorAccountId, payment, schedule, file } = order;
  return { orderId, kind, clientId, debtorAccountId, payment, schedule, file };
}

/** The order as it is stored, as its customer reads it. */
function orderedIn(deps: OwnPagesDeps, order: WaitingOrder) {
  const kind = kindNamed(order.kind, deps.kinds);
  const { consentVersion: apiVersion, consentBody: body, consentTerms, createdAt } = order.ordered;
  const consent = { apiVersion, body, terms: consentTerms, createdAt };
  const shownAt = deps.clock.now();
  const plan = { ...planOf(kind, consent, createdAt, deps.config), placed: order, shownAt };
  return { kind, plan, summary: kind.shape.summarise(plan, consent) };
}

/** What the customer approves: the order, and its price from this account. */
async function summaryOf(
  deps: OwnPagesDeps,
  order: WaitingOrder,
  account: BankAccount,
): Promise<OrderSummary> {
  const { kind, plan, summary: whole } = orderedIn(deps, order);
  const { noun: _, rows, ...summary } = whole;
  const price = (await kind.shape.price?.rows(plan, account, deps.bank)) ?? [];
  const approvals = `${order.signatoriesReceived} of ${order.signatoriesRequired} so far`;
  const { noun } = listed(deps, order);
  const { expiresAt } = order;
  const signing = [
    { label: "Approvals", value: approvals },
    ...(expiresAt ? [{ label: "Approve by", value: dateTimeText(expiresAt) }] : []),
  ];
  return { ...summary, ...(noun ? { noun } : {}), rows: withRows(rows, [...price, ...signing]) };
}

/** The payments that wait for their day, and the standing orders. */
export async function listOwnUpcoming(
  deps: OwnPagesDeps,
  customerId: string,
): Promise<(OwnPayment & { order: UpcomingOrder })[]> {
  const [upcoming, accounts] = await Promise.all([
    listUpcoming(deps, customerId),
    deps.bank.listAccounts(customerId),
  ]);
  const labels = new Map(accounts.map((each) => [each.accountId, accountText(each).label]));
  return upcoming.map((order) => {
    const { fixed, executeAt, debtorAccountId } = order;
    const own = listed(deps, order);
    const day = dayText(executeAt);
    const from = labels.get(debtorAccountId);
    return {
      ...ownPayment(order, own),
      detail: [...own.lines(day), ...(fixed ? [fixedText(order)] : [])],
      rows: [...own.rows(day), ...(from === undefined ? [] : [{ label: "From", value: from }])],
      fixed,
      order,
    };
  });
}

const fixedText = ({ payment: { international } }: PlacedOrder): string =>
  international?.fundsAtOnce
    ? "The rate is fixed and the money is set aside, so it cannot be cancelled"
    : "You approved this for immediate payment, so it cannot be cancelled";

const listed = ({ kinds, config }: OwnPagesDeps, order: PlacedOrder): ListedOrder =>
  kindNamed(order.kind, kinds).shape.listed(order, config);

const ownPayment = ({ orderId: id }: PlacedOrder, own: ListedOrder) => ({
  id,
  amount: own.amount,
  payee: own.payee,
  ...(own.rule ? { rule: own.rule } : {}),
  ...(own.noun ? { noun: own.noun } : {}),
});

/** An account as its customer knows it. */
export const accountText = (account: BankAccount): { label: string; number: string } => ({
  label: accountLabel(account),
  number: accountNumber(account),
});
