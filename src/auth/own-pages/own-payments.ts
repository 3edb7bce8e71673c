import { accountLabel, accountNumber } from "#src/auth/journey/eligible-accounts.ts";
import type { BankAccount } from "#src/bank/port.ts";
import { kindNamed } from "#src/consents/stored-kind.ts";
import type { OrderSummary, PaymentNoun, SummaryRow } from "#src/pages/consent-summary.ts";
import type { OwnPayment } from "#src/pages/own-bank.ts";
import { dateText, moneyText, sortCodeText } from "#src/pages/wording.ts";
import { listUpcoming, type UpcomingPayment } from "#src/payments/execution/cancellation.ts";
import {
  listWaitingOrders,
  type WaitingOrder,
} from "#src/payments/execution/multi-authorisation.ts";
import {
  countText,
  filePriceRows,
  fileRows,
  summariseFile,
  totalText,
} from "#src/payments/files/file-summary.ts";
import { exchangeRows, priceRows } from "#src/payments/international/summary.ts";
import { requestOf } from "#src/payments/kinds/payment-kind.ts";
import { loadOrder, orderParties } from "#src/payments/order/load-order.ts";
import { fromScheduleRecord, type ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import { endText, frequencyText, scheduleRows } from "#src/payments/schedule/schedule-text.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { OwnPagesDeps } from "./deps.ts";

/** A payment that waits for the customer's signature, with all that its own page shows. */
export type Approval = {
  orderId: string;
  askedBy: string;
  clientName: string;
  summary: OrderSummary;
  from: { label: string; number: string };
};

/** The payments that wait for this customer's signature: those signed already are left out. */
export async function listApprovals(deps: OwnPagesDeps, customerId: string): Promise<OwnPayment[]> {
  const waiting = await listWaitingOrders(deps, customerId);
  return waiting
    .filter((order) => !order.signed)
    .map((order) => ({
      ...ownPayment(order),
      detail: [
        `${order.signatoriesReceived} of ${order.signatoriesRequired} approvals`,
        order.expiresAt && `waiting until ${dateText(order.expiresAt)}`,
      ]
        .filter((text) => text)
        .join(", "),
    }));
}

/** One of them, or null when it does not wait for this customer. */
export async function loadApproval(
  deps: OwnPagesDeps,
  orderId: string,
  customerId: string,
): Promise<Approval | null> {
  const waiting = await listWaitingOrders(deps, customerId);
  const order = waiting.find((each) => each.orderId === orderId && !each.signed);
  if (!order) return null;
  const [account, origin] = await Promise.all([
    deps.bank.loadAccount(order.debtorAccountId),
    first<{ clientName: string; customerId: string }>(
      deps.database,
      sql`select s.name as "clientName", o.customer_id as "customerId"
        from ${orderParties} o join client cl on cl.client_id = o.client_id
          join software s on s.software_id = cl.software_id
        where o.order_id = ${orderId}`,
    ),
  ]);
  const asker = origin && (await deps.bank.loadCustomer(origin.customerId));
  if (!account || !origin) return null;
  return {
    orderId,
    askedBy: asker?.name ?? "Another signatory",
    clientName: origin.clientName,
    summary: await withConsent(deps, order, account),
    from: accountText(account),
  };
}

/** With what the consent says: what a payment abroad will come to, or a file as a whole. */
async function withConsent(
  { bank, database, kinds }: OwnPagesDeps,
  order: WaitingOrder,
  account: BankAccount,
): Promise<OrderSummary> {
  const summary = waitingSummary(order);
  const { amountMinor, currency, international } = order;
  if (international === null && order.file === null) return summary;
  const ordered = await loadOrder(database, order.orderId);
  if (!ordered) return summary;
  const { consentVersion: apiVersion, consentBody: body, consentTerms: terms } = ordered;
  const consent = { apiVersion, body, terms };
  const request = requestOf(kindNamed(ordered.kind, kinds), consent);
  if (order.file || international === null) {
    const price = await filePriceRows(bank, consent, account);
    const rows = [...fileRows(request, consent.terms), ...price, signaturesRow(order)];
    return { ...summary, ...summariseFile(request, consent.terms), rows };
  }
  const payment = { amount: { amountMinor, currency }, international };
  const rows = [
    ...exchangeRows(consent.terms, request),
    ...(await priceRows(bank, payment, account, consent.terms)),
  ];
  return { ...summary, rows: [...summary.rows, ...rows] };
}

const signaturesRow = (order: WaitingOrder): SummaryRow => ({
  label: "Signatures",
  value: `${order.signatoriesReceived} of ${order.signatoriesRequired}`,
});

function waitingSummary(order: WaitingOrder): OrderSummary {
  const rows = [
    order.reference !== null && { label: "Reference", value: order.reference },
    ...(order.schedule
      ? scheduleRows(fromScheduleRecord(order.schedule))
      : [{ label: "When", value: order.executeAt ? dateText(order.executeAt) : "Once approved" }]),
    signaturesRow(order),
  ];
  return {
    type: "payment",
    ...nounOf(order),
    amount: moneyText(order.amountMinor, order.currency),
    payeeName: order.creditorName ?? "",
    payeeAccount: sortCodeText(order.creditorIdentification),
    rows: rows.filter((row) => row !== false),
    notes: [],
  };
}

/** The payments of a later day and the standing orders that the customer can still cancel. */
export async function listOwnUpcoming(
  deps: OwnPagesDeps,
  customerId: string,
): Promise<OwnPayment[]> {
  const upcoming = await listUpcoming(deps, customerId);
  return upcoming.map((payment) => ({
    ...ownPayment(payment),
    detail: [
      dateText(payment.executeAt),
      payment.schedule && repetitionText(payment.schedule),
      payment.file ? null : payment.reference,
      payment.fixed && "rate fixed, money set aside",
    ]
      .filter((text) => text)
      .join(", "),
    fixed: payment.fixed,
  }));
}

function repetitionText(record: ScheduleRecord): string {
  const schedule = fromScheduleRecord(record);
  const often = schedule.numberOfPayments === 1 ? "" : ` ${frequencyText(schedule)}`;
  return `standing order${often} (${endText(schedule)})`;
}

const ownPayment = (order: WaitingOrder | UpcomingPayment) => ({
  id: order.orderId,
  amount: order.file ? totalText(order.file) : moneyText(order.amountMinor, order.currency),
  payee: order.file
    ? countText(order.file)
    : (order.creditorName ?? sortCodeText(order.creditorIdentification)),
  ...nounOf(order),
});

const nounOf = ({
  schedule,
  file,
}: Pick<WaitingOrder, "schedule" | "file">): { noun?: PaymentNoun } =>
  schedule ? { noun: "standing order" } : file ? { noun: "file of payments" } : {};

/** An account as its customer knows it. */
export const accountText = (account: BankAccount): { label: string; number: string } => ({
  label: accountLabel(account),
  number: accountNumber(account),
});
