import type { Counterparty } from "#src/account-store/transaction.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { stableId } from "./stable-id.ts";
import type { SeededHousehold } from "./store-direct-debits.ts";

/**
 * Stores as beneficiaries the people and companies that a household has really paid: each is on the
 * list of every customer who holds an account that has paid it. Whom a standing order pays has its
 * reference.
 */
export async function storeBeneficiaries(
  on: Queryable,
  { household, history, accountIds }: SeededHousehold,
): Promise<void> {
  const holders = new Map(household.accounts.map(({ key, holders: all }) => [key, all]));
  const customerIds = new Map(household.personas.map((each) => [each.login, each.customerId]));
  const rows = new Map<string, object>();
  for (const { from, fromLine, at } of history.movements) {
    if (!fromLine?.counterparty || !accountIds.has(from)) continue;
    const payee = fromLine.counterparty;
    for (const { login } of holders.get(from) ?? []) {
      const id = stableId("ben", `${login} ${payee.identification}`);
      const reference = fromLine.type === "SO" ? fromLine.reference : null;
      if (fromLine.type !== "SO" && fromLine.type !== "FPO") continue;
      rows.set(id, rows.get(id) ?? rowOf(payee, { id, reference, at }, customerIds.get(login)));
    }
  }
  if (rows.size === 0) return;
  await on.query(sql`
    insert into beneficiary (beneficiary_id, customer_id, scheme_name, identification, name,
      reference, created_at)
    select beneficiary_id, customer_id, scheme_name, identification, name, reference, created_at
    from json_populate_recordset(null::beneficiary, ${JSON.stringify([...rows.values()])}::json)`);
}

const rowOf = (
  { schemeName, identification, name }: Counterparty,
  { id, reference, at }: { id: string; reference: string | null; at: number },
  customerId: string | undefined,
): object => ({
  beneficiary_id: id,
  customer_id: customerId,
  scheme_name: schemeName,
  identification,
  name,
  reference,
  created_at: Temporal.Instant.fromEpochMilliseconds(at).toString(),
});
