import { countUnattended } from "#src/consents/unattended-access.ts";
import { present } from "#src/lib/assert.ts";
import type { Money } from "#src/lib/money.ts";
import type { Queryable } from "#src/storage/database.ts";
import {
  ofConsent,
  type PersonalTable,
  personalTable,
  whyStays,
} from "#src/storage/personal-table.ts";
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

/** Whether a question was stored; if not, the reason. */
export type Storing = "stored" | "reference used" | "allowance used";

/**
 * Stores a question with its answer, unless a question with the same reference has been answered
 * under the consent, or the day's allowance is used up (0: no limit). The same statement counts the
 * question for all processes. Source: C-074, C-087.
 */
export async function storeConfirmation(
  on: Queryable,
  consentId: string,
  given: FundsConfirmation,
  perDay: number,
): Promise<Storing> {
  const { amountMinor, currency } = given.amount;
  const access = { consentId, operationId: "CreateFundsConfirmations", accountId: null };
  const counting =
    perDay === 0 ? sql`counted as (select)` : countUnattended(perDay, access, given.askedAt);
  const [row] = await on.query<{ isCounted: boolean; isStored: boolean }>(sql`
    with ${counting}, stored as (
      insert into funds_confirmation (funds_confirmation_id, consent_id, asked_at, reference,
        amount_minor, currency, is_available, reason)
      select ${given.fundsConfirmationId}::text, ${consentId}::text,
        ${given.askedAt}::timestamptz, ${given.reference}::text, ${amountMinor}::bigint,
        ${currency}::text, ${given.isAvailable}::boolean, ${given.reason}::text
      from counted
      on conflict (consent_id, reference) where is_available is not null do nothing
      returning funds_confirmation_id)
    select exists (select from counted) as "isCounted", exists (select from stored) as "isStored"`);
  const { isCounted, isStored } = present(row, "the outcome of storing a question");
  if (!isCounted) return "allowance used";
  return isStored ? "stored" : "reference used";
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

/** The questions about a customer's funds. */
export const fundsTables: readonly PersonalTable[] = [
  personalTable("funds_confirmation", whyStays.consent, ofConsent),
];
