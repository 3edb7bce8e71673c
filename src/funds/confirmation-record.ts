import type { Money } from "#src/lib/money.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A TPP's question about the funds of an account, with the bank's answer. */
export type FundsConfirmation = {
  fundsConfirmationId: string;
  askedAt: Temporal.Instant;
  reference: string;
  amount: Money;
  /** Null if the bank could not answer. */
  isAvailable: boolean | null;
  /** Why the bank could not answer. */
  reason: "other currency" | null;
};

/**
 * Stores a question with its answer. Returns false, and stores nothing, if a question with the same
 * reference has been answered under the consent. Source: C-074, C-087.
 */
export async function storeConfirmation(
  on: Queryable,
  consentId: string,
  given: FundsConfirmation,
): Promise<boolean> {
  const { amountMinor, currency } = given.amount;
  const stored = await on.query(sql`
    insert into funds_confirmation (funds_confirmation_id, consent_id, asked_at, reference,
      amount_minor, currency, is_available, reason)
    values (${given.fundsConfirmationId}, ${consentId}, ${given.askedAt}, ${given.reference},
      ${amountMinor}, ${currency}, ${given.isAvailable}, ${given.reason})
    on conflict (consent_id, reference) where is_available is not null do nothing
    returning funds_confirmation_id`);
  return stored.length === 1;
}

/**
 * Lists questions under a consent, newest first: at most `limit`, and only those that come after
 * the question `after` in this order. Source: C-113.
 */
export async function listConfirmations(
  on: Queryable,
  consentId: string,
  limit: number,
  after: Pick<FundsConfirmation, "askedAt" | "fundsConfirmationId"> | null = null,
): Promise<FundsConfirmation[]> {
  const time = after?.askedAt ?? null;
  const id = after?.fundsConfirmationId ?? null;
  const rows = await on.query<
    Omit<FundsConfirmation, "amount"> & { amountMinor: bigint; currency: string }
  >(sql`
    select funds_confirmation_id as "fundsConfirmationId", asked_at as "askedAt", reference,
      amount_minor as "amountMinor", currency, is_available as "isAvailable", reason
    from funds_confirmation
    where consent_id = ${consentId} and (${time}::timestamptz is null
      or (asked_at, funds_confirmation_id) < (${time}::timestamptz, ${id}::text))
    order by asked_at desc, funds_confirmation_id desc limit ${limit}`);
  return rows.map(({ amountMinor, currency, ...row }) => ({
    ...row,
    amount: { amountMinor, currency },
  }));
}

const perRead = 500;

/** Reads all questions under a consent in pieces, newest first. Source: C-113. */
export async function* readConfirmations(
  on: Queryable,
  consentId: string,
): AsyncGenerator<FundsConfirmation[]> {
  let last: FundsConfirmation | null = null;
  do {
    const read: FundsConfirmation[] = await listConfirmations(on, consentId, perRead, last);
    if (read.length > 0) yield read;
    last = read.length === perRead ? (read.at(-1) ?? null) : null;
  } while (last !== null);
}
