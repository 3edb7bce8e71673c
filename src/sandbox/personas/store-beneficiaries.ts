import type { BeneficiaryFact, Versioned } from "#src/account-store/facts.ts";
import { applyChanges } from "#src/account-store/feed.ts";
import type { Counterparty } from "#src/account-store/transaction.ts";
import { present } from "#src/lib/assert.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { AccountProxy } from "#src/standard/shared/accounts/facts.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { SeededHousehold } from "./store-direct-debits.ts";

/**
 * Stores the people and companies that a household has paid as beneficiaries. Each is on the list
 * of every customer who holds an account that paid it. A standing order's payee has the order's
 * reference.
 */
export async function storeBeneficiaries(
  on: Queryable,
  { household, history, accountIds }: SeededHousehold,
): Promise<void> {
  const holders = new Map(household.accounts.map(({ key, holders: all }) => [key, all]));
  const customerIds = new Map(household.personas.map((each) => [each.login, each.customerId]));
  const rows = new Map<string, Versioned<BeneficiaryFact>>();
  for (const { from, fromLine, at, habit } of history.movements) {
    if (!fromLine?.counterparty || !accountIds.has(from)) continue;
    const payee = fromLine.counterparty;
    const proxy = habit?.habit.party?.proxy ?? null;
    for (const { login } of holders.get(from) ?? []) {
      const id = stableId("ben", `${login} ${payee.identification}`);
      const reference = fromLine.type === "SO" ? fromLine.reference : null;
      if (fromLine.type !== "SO" && fromLine.type !== "FPO") continue;
      rows.set(
        id,
        rows.get(id) ?? factOf(payee, { id, reference, at, proxy }, customerIds.get(login)),
      );
    }
  }
  await applyChanges(on, { beneficiaries: [...rows.values()] });
}

const factOf = (
  { schemeName, identification, name }: Counterparty,
  {
    id,
    reference,
    at,
    proxy,
  }: { id: string; reference: string | null; at: number; proxy: AccountProxy | null },
  customerId: string | undefined,
): Versioned<BeneficiaryFact> => ({
  version: 1n,
  beneficiaryId: id,
  customerId: present(customerId, "the customer of a login"),
  isTrusted: false,
  schemeName,
  identification,
  name,
  secondaryIdentification: null,
  proxy,
  creditorBic: null,
  reference,
  createdAt: Temporal.Instant.fromEpochMilliseconds(at),
});
