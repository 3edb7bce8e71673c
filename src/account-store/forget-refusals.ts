// Refused facts are listed by their keys, which name accounts and customers. What is removed is
// listed no longer, and what belongs to an erased account or customer is erased with it.
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { keyOfFact, type RefusedFact, storableText } from "./check-facts.ts";
import type { FactKind } from "./fact-rules.ts";

/** A refused fact, with the account and the customer that it is about; null if there is none. */
export type OwnedRefusal = RefusedFact & { accountId: string | null; customerId: string | null };

/** Adds to a refusal whom the fact is about. A fact that breaks a rule may have anything there. */
export function withOwners(refusal: RefusedFact, fact: object): OwnedRefusal {
  const { accountId, customerId, partyId } = fact as Readonly<Record<string, unknown>>;
  return {
    ...refusal,
    accountId: textOrNull(accountId),
    // a person's party has the customer's id
    customerId: textOrNull(customerId) ?? textOrNull(partyId),
  };
}

const textOrNull = (value: unknown): string | null =>
  typeof value === "string" ? storableText(value) : null;

/** A removal that has been made. */
type Removal = {
  kind: FactKind;
  /** The key as `removed_fact` has it. */
  key: string;
  fact: object;
};

/**
 * Forgets the refusals of removed facts, and of their removals. Those of an account or of a party
 * that is removed are forgotten with every refusal about it.
 */
export async function forgetRefusals(on: Queryable, removals: readonly Removal[]): Promise<void> {
  if (removals.length === 0) return;
  const [known] = await on.query<{ isAny: boolean }>(
    sql`select exists(select from fact_refusal) as "isAny"`,
  );
  if (!known?.isAny) return;
  const rows = removals.map(({ kind, key, fact }) => ({
    kind,
    refused: keyOfFact(kind, fact),
    account: kind === "accounts" ? key : null,
    customer: kind === "parties" ? key : null,
  }));
  await on.query(sql`
    delete from fact_refusal f
    using json_to_recordset(${JSON.stringify(rows)}::json)
      as g(kind text, refused text, account text, customer text)
    where (f.kind in (g.kind, 'removed ' || g.kind) and f.key = g.refused)
      or f.account_id = g.account or f.customer_id = g.customer`);
}
