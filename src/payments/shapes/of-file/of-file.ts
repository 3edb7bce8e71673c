import type { BankAccount } from "#src/bank/port.ts";
import type { FileTerms } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import { currencyText } from "#src/pages/wording.ts";
import { executionInstant, holidaysOf, processingInstant } from "#src/payments/calendar/timing.ts";
import {
  type DraftedOrder,
  defineOrderShape,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import { fileOperations } from "#src/payments/files/file-operations.ts";
import {
  fileNotes,
  filePriceRows,
  fileRows,
  firstDayOf,
  listedFile,
} from "#src/payments/files/file-summary.ts";
import { reportOperations } from "#src/payments/files/report-operations.ts";
import { createFrom, type Taking } from "#src/payments/order/create-order.ts";
import { filePaymentsInWork, filesInWork } from "#src/payments/order/order-states.ts";
import { usesUpConsent } from "#src/payments/shapes/order-steps.ts";
import {
  askedDayRows,
  cutOffNotes,
  isDueOnApproval,
  notBeforeOf,
  refundNotes,
  waitsForOthers,
  whyOtherCurrency,
} from "#src/payments/shapes/summary-parts.ts";
import type { Invariant } from "#src/storage/invariants.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** The invariants of orders with the payments of a file. */
const fileInvariants: readonly Invariant[] = [
  {
    name: "a file and its payments are marked while they are in progress",
    breaches: (within) => sql`select o.order_id, o.family || ' ' || o.status || ' ' || p.status,
        concat_ws(' ', o.file_in_work_since, p.in_work_of_file)
      from payment_order o join payment p on p.order_id = o.order_id
      where ${within(sql`o.order_id`)} and (
        o.file_in_work_since is distinct from case when o.family = 'file'
          and o.status = any(${[...filesInWork]}::text[]) then o.created_at end
        or p.in_work_of_file is distinct from case when o.family = 'file'
          and p.status = any(${[...filePaymentsInWork]}::text[]) then o.order_id end)`,
  },
];

/** The payments of a file which the TPP uploads for the consent. */
export const ofFile = defineOrderShape({
  ...usesUpConsent,
  noun: "file of payments",
  // the charges and the payments are known when the file has been uploaded
  chargesOf: () => [],
  lineOrigin: (consentId, line) => ({ of: "file", consentId, line }),
  payments: () => [],
  create: createOfFile,
  listed: ({ file }) => listedFile(present(file, "the file of an order")),
  summarise(plan, { terms }) {
    const { request, now, shownAt = now, config } = plan;
    const file = present(terms.file, "the file of a consent that waits for its customer");
    const { amount, payee } = listedFile(file);
    const holidays = holidaysOf(config);
    const planned = firstDayOf(request, file, holidays);
    const isDue = planned && isDueOnApproval(plan, processingInstant(planned, holidays));
    const first = isDue ? null : planned;
    const hasOwnDays = file.firstDay !== null;
    const late = hasOwnDays ? {} : notBeforeOf(plan);
    return {
      type: "payment",
      noun: "file of payments",
      amount,
      payeeName: payee,
      payeeAccount: "",
      rows: fileRows(request, terms, file, {
        first,
        notBefore: late.notBefore ?? null,
        waitsForOthers: waitsForOthers(plan),
        askedDay: askedDayRows(request, config),
      }),
      notes: [
        ...fileNotes(file, first, { now: shownAt, waits: waitsForOthers(plan) }),
        ...cutOffNotes(plan, hasOwnDays),
        ...refundNotes(plan),
      ],
      ...late,
    };
  },
  price: {
    dependsOnAccount: ({ terms }) => (terms.file?.abroad ?? 0) > 0,
    rows: (plan, account, bank) => filePriceRows(bank, plan, account),
  },
  whyOtherCurrency: (kind, consent, account) =>
    consent.terms.file
      ? whyNotPaidFrom(consent.terms.file, account)
      : whyOtherCurrency(kind, consent, account),
  invariants: { orders: fileInvariants },
  consentOperations: (kind, deps) => fileOperations(kind, deps),
  orderOperations: (kind, deps) => reportOperations(kind, deps),
});

/** Creates an order with the payments of the file that was uploaded to its consent. */
async function createOfFile(
  created: DraftedOrder,
  { config, database }: Pick<ShapeDeps, "config" | "database">,
): Promise<Taking> {
  const { kind, asked, order, notBefore = null } = created;
  const executeAt = executionInstant(kind, asked, order.createdAt, config);
  const { fileId } = present(order.consentTerms.file, "the file of an authorised consent");
  const waiting = order.authorisationStatus === "AWAF" || order.status === "RJCT";
  const rows = filePaymentRows(fileId, { executeAt, notBefore, now: order.createdAt, waiting });
  // the statement takes seconds, so it has a separate connection where no one waits behind it
  return database.transaction((on) => createFrom(on, created, rows));
}

/** The reason why a file cannot be paid from an account in this currency; null if it can. */
const whyNotPaidFrom = (
  { accountCurrency }: FileTerms,
  { currency }: Pick<BankAccount, "currency">,
): string | null =>
  accountCurrency === null || accountCurrency === currency
    ? null
    : `The file must be paid from an account in ${currencyText(accountCurrency)}. ` +
      `This one is in ${currencyText(currency)}.`;

/** The execution times of a file's payments. */
type FileTiming = {
  /** The time for payments without their own date; null means immediately. */
  executeAt: Temporal.Instant | null;
  /** The earliest time for every payment; null if there is none. */
  notBefore: Temporal.Instant | null;
  now: Temporal.Instant;
  /** Whether the engine ignores the payments: signatures are missing, or the file is rejected. */
  waiting: boolean;
};

/**
 * The payments of an uploaded file as rows of a query for `createOrders`. They are copied from one
 * table to another without passing through this process.
 */
const filePaymentRows = (
  fileId: string,
  { executeAt, notBefore, now, waiting }: FileTiming,
): Sql => sql`
  select i.payment_id, i.sequence,
    case when not ${waiting}::boolean and t.execute_at > ${now} then 'PDNG' end as status,
    i.amount_minor, i.charge_minor, i.currency, i.creditor, i.end_to_end_id, i.reference,
    i.local_instrument, t.execute_at,
    case when not ${waiting}::boolean then greatest(t.execute_at, ${now}::timestamptz)
      end as due_at,
    null::date as scheduled_on, null::boolean as is_last,
    i.international
  from payment_file_batch b, json_to_recordset(b.instructions) as i(payment_id text,
    sequence integer, amount_minor bigint, charge_minor bigint, currency text, creditor json,
    end_to_end_id text, reference text, local_instrument text, execute_at timestamptz,
    international json)
  cross join lateral (
    select greatest(coalesce(i.execute_at, ${executeAt}::timestamptz), ${notBefore}::timestamptz)
      as execute_at) t
  where b.file_id = ${fileId}`;
