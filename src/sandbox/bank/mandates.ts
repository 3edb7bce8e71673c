import type { DirectDebitFact, Versioned } from "#src/account-store/facts.ts";
import { applyChanges } from "#src/account-store/feed.ts";
import type { Bank, DirectDebit } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Money } from "#src/lib/money.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Creates the bank's calls about mandates. */
export function createMandateCalls(
  database: Database,
  clock: Clock,
): Pick<Bank, "listDirectDebits" | "cancelDirectDebit"> {
  return {
    async listDirectDebits(customerId) {
      const rows = await database.query<MandateRow & Pick<DirectDebit, "isActive" | "nextAt">>(sql`
        select ${columns}, d.status = 'Active' as "isActive", m.due_at as "nextAt"
        from account_holder h
        join direct_debit d on d.account_id = h.account_id
        left join sandbox_mandate m on m.direct_debit_id = d.direct_debit_id
        where h.customer_id = ${customerId}
        order by m.due_at nulls last, d.originator_name, d.direct_debit_id`);
      return rows.map(({ isActive, nextAt, ...row }) => {
        const { directDebitId, accountId, originatorName, mandateReference, previous } =
          toMandate(row);
        const same = { directDebitId, accountId, originatorName, mandateReference, previous };
        return { ...same, isActive, nextAt };
      });
    },

    // A collection in progress has locked the mandate, so cancelling waits for it.
    async cancelDirectDebit(customerId, id) {
      return database.transaction(async (on) => {
        await on.query(sql`
          select from sandbox_mandate where direct_debit_id = ${id} for no key update`);
        const row = await first<MandateRow>(
          on,
          sql`select ${columns} from direct_debit d
            join account_holder h on h.account_id = d.account_id
            where d.direct_debit_id = ${id} and d.status = 'Active'
              and h.customer_id = ${customerId}`,
        );
        if (!row) return false;
        const mandate = toMandate(row);
        await on.query(sql`
          update sandbox_mandate set due_at = null where direct_debit_id = ${id}`);
        const version = mandate.version + 1n;
        await applyChanges(on, {
          directDebits: [{ ...mandate, version, state: "Cancelled", stateUpdatedAt: clock.now() }],
        });
        return true;
      });
    },
  };
}

type Mandate = Versioned<DirectDebitFact>;

type MandateRow = Omit<Mandate, "previous"> & {
  previousAt: Temporal.Instant | null;
  previousMinor: bigint | null;
  previousCurrency: string | null;
};

const columns = sql`d.direct_debit_id as "directDebitId", d.account_id as "accountId",
  d.mandate_reference as "mandateReference", d.originator_name as "originatorName", d.frequency,
  d.status as state, d.status_updated_at as "stateUpdatedAt", d.mandate,
  d.previous_at as "previousAt", d.previous_minor as "previousMinor",
  d.previous_currency as "previousCurrency", d.version`;

const toMandate = ({
  previousAt: at,
  previousMinor,
  previousCurrency,
  ...rest
}: MandateRow): Mandate => ({
  ...rest,
  previous:
    at !== null && previousMinor !== null && previousCurrency !== null
      ? { at, amount: { amountMinor: previousMinor, currency: previousCurrency } }
      : null,
});

/** Returns the next versions of mandates. `collected` has the newest collection per mandate id. */
export async function collectedMandates(
  on: Queryable,
  collected: ReadonlyMap<string, { at: Temporal.Instant; amount: Money }>,
): Promise<Mandate[]> {
  if (collected.size === 0) return [];
  const rows = await on.query<MandateRow>(sql`
    select ${columns} from direct_debit d
    where d.direct_debit_id = any(${[...collected.keys()]}::text[])`);
  return rows.map(toMandate).map((mandate) => ({
    ...mandate,
    version: mandate.version + 1n,
    previous: collected.get(mandate.directDebitId) ?? null,
  }));
}
