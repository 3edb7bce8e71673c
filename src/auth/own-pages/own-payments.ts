import { accountLabel, accountNumber } from "#src/auth/journey/eligible-accounts.ts";
import type { BankAccount } from "#src/bank/port.ts";
import { type ClientName, clientName, clientText } from "#src/clients/client-name.ts";
import { toTermsRecord } from "#src/consents/terms.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import { type OrderSummary, type SummaryRow, withRows } from "#src/pages/consent-summary.ts";
import type { OwnPayment } from "#src/pages/own-bank.ts";
import { dateTimeText } from "#src/pages/wording.ts";
import { type ListedOrder, planOf } from "#src/payments/definitions/payment-kind.ts";
import { listUpcoming } from "#src/payments/execution/cancellation.ts";
import {
  listWaitingOrders,
  type WaitingOrder,
} from "#src/payments/execution/multi-authorisation.ts";
import {
  loadOrder,
  type OrderWithConsent,
  orderParties,
} from "#src/payments/order/payment-order.ts";
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
  /** The rows of `summary` that the core's price has given. */
  price: SummaryRow[];
  /** The summary with the price of another moment. */
  summaryAt(price: readonly SummaryRow[]): OrderSummary;
  from: { label: string; number: string };
  /** The hash of everything that was ordered and that the bank promised. */
  termsHash: string;
};

/** The payments that await this customer's signature, without those already signed. */
export async function listApprovals(deps: OwnPagesDeps, customerId: string): Promise<OwnPayment[]> {
  const waiting = await listWaitingOrders(deps, customerId);
  return waiting
    .filter((order) => !order.signed)
    .map((order) => {
      const own = listed(deps, order);
      const { executeAt } = order.payment;
      return {
        ...ownPayment(order, own),
        detail: [
          `${order.signatoriesReceived} of ${order.signatoriesRequired} approvals`,
          ...(order.expiresAt ? [`Waiting until ${dateTimeText(order.expiresAt)}`] : []),
          // the amount of a standing order is that of one payment
          ...(order.schedule && executeAt ? own.lines(dayText(executeAt)) : []),
        ],
        rows: [],
      };
    });
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
  const [account, ordered, client] = await Promise.all([
    deps.bank.loadAccount(order.debtorAccountId),
    loadOrder(deps.database, orderId),
    first<ClientName>(
      deps.database,
      sql`select n."softwareName", n."onBehalfOf" from ${orderParties} o
        cross join lateral (${clientName(sql`o.client_id`)}) n where o.order_id = ${orderId}`,
    ),
  ]);
  if (!account || !ordered || !client) return null;
  const asker = await deps.bank.loadCustomer(ordered.customerId);
  return {
    orderId,
    askedBy: asker?.name ?? "Another signatory",
    clientName: clientText(client, "payments"),
    ...(await summaryOf(deps, order, ordered, account)),
    from: accountText(account),
    termsHash: termsHash(ordered),
  };
}

const termsHash = ({ consentBody: body, consentTerms }: OrderWithConsent): string =>
  sha256(canonicalJson({ body, terms: toTermsRecord(consentTerms) }));

/** What the customer approves: the order as it is stored, and its price from this account. */
async function summaryOf(
  deps: OwnPagesDeps,
  order: WaitingOrder,
  ordered: OrderWithConsent,
  account: BankAccount,
): Promise<Pick<WaitingApproval, "summary" | "price" | "summaryAt">> {
  const kind = kindNamed(order.kind, deps.kinds);
  const { consentVersion: apiVersion, consentBody: body, consentTerms: terms, createdAt } = ordered;
  const consent = { apiVersion, body, terms, createdAt };
  const shownAt = deps.clock.now();
  const plan = { ...planOf(kind, consent, createdAt, deps.config), placed: order, shownAt };
  const { noun: _, rows, ...summary } = kind.shape.summarise(plan, consent);
  const price = (await kind.shape.price?.rows(plan, account, deps.bank)) ?? [];
  const approvals = `${order.signatoriesReceived} of ${order.signatoriesRequired} so far`;
  const { noun } = listed(deps, order);
  const { expiresAt } = order;
  const signing = [
    { label: "Approvals", value: approvals },
    ...(expiresAt ? [{ label: "Approve by", value: dateTimeText(expiresAt) }] : []),
  ];
  const summaryAt = (priced: readonly SummaryRow[]): OrderSummary => ({
    ...summary,
    ...(noun ? { noun } : {}),
    rows: withRows(rows, [...priced, ...signing]),
    notes: [],
  });
  return { summary: summaryAt(price), price, summaryAt };
}

/** The payments that wait for their day, and the standing orders. */
export async function listOwnUpcoming(
  deps: OwnPagesDeps,
  customerId: string,
): Promise<OwnPayment[]> {
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
    };
  });
}

const fixedText = ({ payment: { international } }: PlacedOrder): string =>
  international?.fundsAtOnce
    ? "The rate is fixed and the money is set aside"
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
