import { toInternationalRecord } from "#src/bank/international-record.ts";
import type { InternationalTerms, PaymentInstruction, Price } from "#src/bank/port.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { pricePayment } from "./exchange/price.ts";
import type { Provoked } from "./scheme.ts";

/**
 * A payment as input for `bank_reserve`: columns of `bank_payment`, and the reason if it is
 * refused.
 */
type Given = { payment_id: string; refuse_code?: string } & Record<string, unknown>;

/**
 * Converts payments for `bank_reserve`. An international payment gets its price now; if the payment
 * is sent again, its debit stays the same.
 */
export async function prepareReservations(
  database: Database,
  payments: PaymentInstruction[],
  at: Temporal.Instant,
  provoked: Provoked,
): Promise<Given[]> {
  const abroad = payments.filter(({ international }) => international !== null);
  const currencies = abroad.length === 0 ? new Map() : await loadCurrencies(database, abroad);
  return payments.map((payment) => {
    const { international } = payment;
    const asked = provoked(payment);
    const refused = asked?.kind === "refuseByBank" ? { refuse_code: asked.reason.code } : {};
    if (international === null) return { ...toGiven(payment), ...refused };
    const currency = currencies.get(payment.debtorAccountId);
    const given = { ...toGiven(payment), international: toInternationalRecord(international) };
    // the ledger reports an unknown account
    if (currency === undefined) return given;
    const price = pricePayment({ ...payment, international }, currency, at);
    if ("refused" in price) return { ...given, refuse_code: price.refused };
    return { ...given, ...priced(international, price), ...refused };
  });
}

async function loadCurrencies(
  database: Database,
  payments: PaymentInstruction[],
): Promise<Map<string, string>> {
  const ids = payments.map(({ debtorAccountId }) => debtorAccountId);
  const rows = await database.query<{ accountId: string; currency: string }>(sql`
    select account_id as "accountId", currency from account
    where account_id = any(${ids}::text[])`);
  return new Map(rows.map(({ accountId, currency }) => [accountId, currency]));
}

const toGiven = (payment: PaymentInstruction): Given => ({
  payment_id: payment.paymentId,
  debtor_account_id: payment.debtorAccountId,
  amount_minor: payment.amount.amountMinor.toString(),
  charge_minor: (payment.charge?.amountMinor ?? 0n).toString(),
  currency: payment.amount.currency,
  creditor: payment.creditor,
  // null members are left out, because PostgreSQL parses every member
  end_to_end_id: payment.endToEndId ?? undefined,
  reference: payment.reference ?? undefined,
  local_instrument: payment.localInstrument ?? undefined,
  deducted_minor: "0",
});

const priced = (
  { contractId }: InternationalTerms,
  { debit, charge, credit, deducted, rate }: Price,
): object => ({
  amount_minor: debit.amountMinor.toString(),
  currency: debit.currency,
  charge_minor: (charge?.amountMinor ?? 0n).toString(),
  transfer_minor: (credit.amountMinor + (deducted?.amountMinor ?? 0n)).toString(),
  transfer_currency: credit.currency,
  deducted_minor: (deducted?.amountMinor ?? 0n).toString(),
  exchange_rate: rate?.rate ?? null,
  contract_id: contractId,
});
