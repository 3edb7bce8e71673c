import { accountLabel, accountNumber } from "#src/auth/journey/eligible-accounts.ts";
import type { BankAccount } from "#src/bank/port.ts";
import { type ClientName, clientName, clientText } from "#src/clients/client-name.ts";
import { kindNamed } from "#src/consents/stored-kind.ts";
import { fromFileRecord, toTermsRecord } from "#src/consents/terms.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import type { OrderSummary, PaymentNoun, SummaryRow } from "#src/pages/consent-summary.ts";
import type { OwnPayment } from "#src/pages/own-bank.ts";
import { dateText, moneyText, sortCodeText, weekdayText } from "#src/pages/wording.ts";
import { requestOf } from "#src/payments/definitions/payment-kind.ts";
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
import { loadOrder, type OrderWithConsent, orderParties } from "#src/payments/order/load-order.ts";
import { fromScheduleRecord, type ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import { endText, frequencyText, scheduleRows } from "#src/payments/schedule/schedule-text.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { OwnPagesDeps } from "./deps.ts";

/** A payment that awaits the customer's signature, with everything that its page shows. */
type Approval = {
  orderId: string;
  askedBy: string;
  clientName: string;
  summary: OrderSummary;
  from: { label: string; number: string };
  /** The hash of everything that was ordered and that the bank promised. */
  termsHash: string;
};

/** The payments that await this customer's signature, without those already signed. */
export async function listApprovals(deps: OwnPagesDeps, customerId: string): Promise<OwnPayment[]> {
  const waiting = await listWaitingOrders(deps, customerId);
  return waiting
    .filter((order) => !order.signed)
    .map((order) => ({
      ...ownPayment(order),
      detail: [
        `${order.signatoriesReceived} of ${order.signatoriesRequired} approvals`,
        ...(order.expiresAt ? [`Waiting until ${dateText(order.expiresAt)}`] : []),
      ],
      rows: [],
    }));
}

/** One such payment, or null if it does not await this customer's signature. */
export async function loadApproval(
  deps: OwnPagesDeps,
  orderId: string,
  customerId: string,
): Promise<Approval | null> {
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
    summary: await withConsent(deps, order, ordered, account),
    from: accountText(account),
    termsHash: termsHash(ordered),
  };
}

const termsHash = ({ consentBody: body, consentTerms }: OrderWithConsent): string =>
  sha256(canonicalJson({ body, terms: toTermsRecord(consentTerms) }));

/** Adds what the consent promises: the price of an international payment, or a file's summary. */
async function withConsent(
  { bank, kinds }: OwnPagesDeps,
  order: WaitingOrder,
  ordered: OrderWithConsent,
  account: BankAccount,
): Promise<OrderSummary> {
  const summary = waitingSummary(order);
  const { amountMinor, currency, international } = order;
  if (international === null && order.file === null) return summary;
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
  label: "Approvals",
  value: `${order.signatoriesReceived} of ${order.signatoriesRequired} so far`,
});

function waitingSummary(order: WaitingOrder): OrderSummary {
  const rows = [
    order.reference !== null && { label: "Reference", value: order.reference },
    ...(order.schedule
      ? scheduleRows(fromScheduleRecord(order.schedule))
      : [
          {
            label: "Payment date",
            value: order.executeAt ? payDayText(order.executeAt) : "Once all have approved",
            about: "when" as const,
          },
        ]),
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

/** The future-dated payments and standing orders that the customer can still cancel. */
export async function listOwnUpcoming(
  deps: OwnPagesDeps,
  customerId: string,
): Promise<OwnPayment[]> {
  const [upcoming, accounts] = await Promise.all([
    listUpcoming(deps, customerId),
    deps.bank.listAccounts(customerId),
  ]);
  const labels = new Map(accounts.map((each) => [each.accountId, accountText(each).label]));
  return upcoming.map((payment) => ({
    ...ownPayment(payment),
    detail: upcomingLines(payment),
    rows: upcomingRows(payment, labels.get(payment.debtorAccountId)),
    fixed: payment.fixed,
  }));
}

function upcomingLines(payment: UpcomingPayment): string[] {
  const { schedule, reference } = payment;
  const date = payDayText(payment.executeAt);
  return [
    schedule ? `Next on ${date}` : date,
    schedule !== null && `Standing order ${repetitionText(schedule)}`,
    !payment.file && reference !== null && `Reference ${reference}`,
    payment.fixed && "The rate is fixed and the money is set aside",
  ].filter((line) => line !== false);
}

function upcomingRows(payment: UpcomingPayment, from: string | undefined): SummaryRow[] {
  const { schedule, reference } = payment;
  const date = payDayText(payment.executeAt);
  return [
    schedule !== null && { label: "How often", value: capitalised(repetitionText(schedule)) },
    { label: schedule ? "Next" : "Date", value: date },
    !payment.file && reference !== null && { label: "Reference", value: reference },
    from !== undefined && { label: "From", value: from },
  ].filter((row) => row !== false);
}

/** `on the 26th of every month, until you cancel it`. */
function repetitionText(record: ScheduleRecord): string {
  const schedule = fromScheduleRecord(record);
  const end = endText(schedule);
  return schedule.numberOfPayments === 1 ? end : `${frequencyText(schedule)}, ${end}`;
}

/** `Wednesday 3 March 2027`: the day of a payment, in London. */
const payDayText = (at: Temporal.Instant): string =>
  weekdayText(at.toZonedDateTimeISO("Europe/London").toPlainDate());

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const ownPayment = (order: WaitingOrder | UpcomingPayment) => ({
  id: order.orderId,
  amount: order.file
    ? totalText(fromFileRecord(order.file))
    : moneyText(order.amountMinor, order.currency),
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
