import type { Bank, BankAccount, InternationalTerms } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import type { ConsentTerms, FileTerms } from "#src/consents/terms.ts";
import type { Money } from "#src/lib/money.ts";
import { capitalised, countOf } from "#src/lib/plain-text.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import {
  moneyText,
  numberText,
  onceApproved,
  weekdayText,
  youCanCancel,
} from "#src/pages/wording.ts";
import { bankDate, type Holidays, workingDayFrom } from "#src/payments/calendar/timing.ts";
import type { ListedOrder } from "#src/payments/definitions/payment-kind.ts";
import { splitCharges } from "#src/payments/international/charges.ts";
import { asItIs, debitRow, type PricedPart } from "#src/payments/international/debit.ts";
import { confirmedCost } from "#src/payments/international/summary.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";

/** `3 payments in one file`. */
const countText = ({ count }: Pick<FileTerms, "count">): string =>
  count === 1 ? "1 payment in a file" : `${numberText(count)} payments in one file`;

// Nobody reads more than this many amounts in one line; the rows show them.
const mostInLine = 3;

/** The total of a file: `£12.00`, `£12.00 and €5.00`. Currencies are not added up. */
const totalText = ({ totals }: Pick<FileTerms, "totals">): string =>
  totals.length > mostInLine
    ? `Amounts in ${countOf(totals.length, "currency", "currencies")}`
    : listText.format(totals.map(amountText));

const listText = new Intl.ListFormat("en-GB", { type: "conjunction" });

const amountText = ({ amountMinor, currency }: Money): string => moneyText(amountMinor, currency);

/** Shows the number of a file's payments in place of a payee. Source: SCA-RTS article 5(3)(b). */
export const listedFile = (file: FileTerms): ListedOrder => ({
  amount: totalText(file),
  payee: countText(file),
  noun: "file of payments",
  lines: (day) => [day],
  rows: (day) => [{ label: "Date", value: day }],
});

/**
 * The rows of a file: reference, fingerprint, payment dates, totals and charges. With its
 * fingerprint, the customer authorises exactly this file.
 */
export function fileRows(
  request: PaymentRequest,
  terms: ConsentTerms,
  file: FileTerms,
  { askedDay, ...start }: FileStart & { askedDay: SummaryRow[] },
): SummaryRow[] {
  const reference = request.file?.reference ?? file.messageId;
  return [
    ...(reference === null ? [] : [{ label: "File reference", value: reference }]),
    ...fingerprintRows(request),
    ...currencyRows(file),
    ...abroadRows(file),
    ...chargeRows(terms),
    ...chargedDebitRows(terms, file),
    ...(file.firstDay === null ? askedDay : []),
    { label: "Payment date", ...daysOf(file, start), about: "when" },
  ];
}

/** When the payments of a file begin. */
type FileStart = {
  /** The first day; null for payments that are made at once, or once all have approved. */
  first: Temporal.PlainDate | null;
  /** The day before which those are not made, because today's cut-off has passed; null for none. */
  notBefore: string | null;
  waitsForOthers: boolean;
};

const fingerprintRows = ({ file }: PaymentRequest): SummaryRow[] =>
  file?.hash
    ? [{ label: "File fingerprint", value: file.hash, confirmed: true, isFingerprint: true }]
    : [];

/** The total per currency, if there are several. */
const currencyRows = ({ totals }: FileTerms): SummaryRow[] =>
  totals.length < 2
    ? []
    : totals.map((total) => ({
        label: `Total in ${total.currency}`,
        value: `${amountText(total)}, ${paymentsText(total.count)}`,
        about: "cost",
        confirmed: true,
      }));

const abroadRows = ({ abroad }: FileTerms): SummaryRow[] =>
  abroad === 0
    ? []
    : [
        {
          label: "International",
          value: `${paymentsText(abroad)}, each at the exchange rate at the time it is made`,
          about: "cost",
          confirmed: true,
        },
      ];

const paymentsText = (count: number): string =>
  count === 1 ? "1 payment" : `${numberText(count)} payments`;

/** The bank's charges for all payments, and its deductions from what payees receive. */
function chargeRows(terms: ConsentTerms): SummaryRow[] {
  const { charge, deduction } = splitCharges(terms);
  return [
    ...(charge ? [confirmedCost("Bank charges", `${amountText(charge)} for all payments`)] : []),
    ...(deduction ? [confirmedCost("Deducted from payees", amountText(deduction))] : []),
  ];
}

/** What leaves the account with the charges, if nothing needs an exchange. */
function chargedDebitRows(terms: ConsentTerms, { totals, abroad }: FileTerms): SummaryRow[] {
  const { charge } = splitCharges(terms);
  const isPlain = abroad === 0 && totals.every(({ currency }) => currency === charge?.currency);
  if (charge === null || !isPlain) return [];
  return [debitRow({ payments: totals.map(asItIs), charge: asItIs(charge) })];
}

/**
 * The debit for all payments of a file at current rates, if some need an exchange. It is then an
 * estimate, because each payment is exchanged and rounded separately.
 */
export async function filePriceRows(
  bank: Bank,
  { terms }: Pick<Consent, "terms">,
  { accountId }: Pick<BankAccount, "accountId">,
): Promise<SummaryRow[]> {
  const { file } = terms;
  if (!file || file.abroad === 0) return [];
  const { charge } = splitCharges(terms);
  const prices = await Promise.all(
    file.totals.map((total, index) =>
      bank.price({
        debtorAccountId: accountId,
        amount: total,
        // the charges are for all payments, so they are counted once
        international: {
          ...anyTerms,
          transferCurrency: total.currency,
          charge: index ? null : charge,
        },
      }),
    ),
  );
  const payments: PricedPart[] = [];
  let charged: PricedPart | null = null;
  for (const [index, from] of file.totals.entries()) {
    const price = prices[index] ?? null;
    if (price === null) return [];
    payments.push({ from, to: price.debit });
    if (price.charge) charged = { from: charge ?? price.charge, to: price.charge };
  }
  return [debitRow({ payments, charge: charged })];
}

// Terms that do not change the price of an exchange at the current rate.
const anyTerms = {
  rate: null,
  contractId: null,
  deduction: null,
  network: "SWIFT",
  creditorAgent: null,
  fundsAtOnce: false,
} as const satisfies Partial<InternationalTerms>;

/**
 * The note about cancelling: a file can be cancelled as a whole while all its payments are in the
 * future. `first`: the first day, if it is fixed.
 */
export function fileNotes(
  { lastDay }: Pick<FileTerms, "lastDay">,
  first: Temporal.PlainDate | null,
  { now, waits }: { now: Temporal.Instant; waits: boolean },
): string[] {
  if (first === null || Temporal.PlainDate.compare(first, bankDate(now)) <= 0) return [];
  const can = youCanCancel(waits);
  return [
    (lastDay ?? first).equals(first)
      ? `The money leaves your account on that day. ${can} in online banking until then.`
      : `${can} the whole file in online banking until the first of these days.`,
  ];
}

/** The first day on which a file pays: its payments' own, or the file's; null for at once. */
export function firstDayOf(
  { executionDate }: Pick<PaymentRequest, "executionDate">,
  { firstDay }: Pick<FileTerms, "firstDay">,
  holidays: Holidays,
): Temporal.PlainDate | null {
  const asked = executionDate?.local.toPlainDate();
  return firstDay ?? (asked ? workingDayFrom(asked, holidays) : null);
}

/** The days of a file. A start without a day may change with the account: nobody confirms it. */
function daysOf(
  { lastDay }: Pick<FileTerms, "lastDay">,
  { first, notBefore, waitsForOthers }: FileStart,
): Pick<SummaryRow, "value" | "confirmed" | "facts" | "paid"> {
  const last = lastDay === null || first?.equals(lastDay) ? null : weekdayText(lastDay);
  if (first === null) {
    const approved = onceApproved(notBefore);
    const start = notBefore ?? "today";
    if (waitsForOthers) return { value: last === null ? approved : `${approved}, until ${last}` };
    if (last === null) return { value: notBefore ?? "Now" };
    return { value: start === last ? start : `From ${start} to ${last}` };
  }
  const start = weekdayText(first);
  const paid = last === null ? `on ${start}` : `from ${start} to ${last}`;
  const value = last === null ? start : capitalised(paid);
  return { value, confirmed: true, facts: { firstOn: first.toString() }, paid };
}
