import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { verifyBalances } from "./verify-balances.ts";
import { collectionInvariants, mandateInvariants } from "./verify-direct-debits.ts";
import { accountInvariants, wholeLedger } from "./verify-ledger.ts";
import { consentInvariants, orderInvariants } from "./verify-orders.ts";
import { contractInvariants, paymentInvariants } from "./verify-payments.ts";

/** Something that should hold and does not. */
export type Breach = { invariant: string; subject: string; expected: string; found: string };

/** A breach in one line. */
export const describeBreach = ({ invariant, subject, expected, found }: Breach): string =>
  `${invariant}: ${subject} should be ${expected} and is ${found}`;

/** A condition that keeps a column to the ids of one slice. */
export type Within = (column: Sql) => Sql;

/** What must hold at any moment: `breaches` selects subject, expected and found in a slice. */
export type Invariant = { name: string; breaches(within: Within): Sql };

/** Invariants that are checked together, slice by slice of one kind of id. */
type Group = {
  /** What is checked, in the plural. */
  what: string;
  /** Where the ids are that divide the slices: a table's key; null checks all in one statement. */
  key: { table: Sql; column: Sql; perSlice: number } | null;
  invariants: readonly Invariant[];
};

/** How invariants are verified. */
export type VerifyOptions = {
  onProgress?: (text: string, done?: number, total?: number) => void;
  /** Ids per slice, in place of each group's number. */
  perSlice?: number;
  /** Accounts whose postings are summed in one pass. */
  perPass?: number;
};

// of each invariant: a broken ledger breaks in many places at once
const shown = 20;

const groups: readonly Group[] = [
  { what: "the ledger", key: null, invariants: wholeLedger },
  {
    what: "accounts",
    key: { table: sql`ledger_account`, column: sql`account_id`, perSlice: 200 },
    invariants: accountInvariants,
  },
  {
    what: "payments",
    key: { table: sql`payment`, column: sql`payment_id`, perSlice: 10_000 },
    invariants: paymentInvariants,
  },
  {
    what: "contracts",
    key: { table: sql`exchange_contract`, column: sql`contract_id`, perSlice: 500 },
    invariants: contractInvariants,
  },
  {
    what: "orders",
    key: { table: sql`payment_order`, column: sql`order_id`, perSlice: 10_000 },
    invariants: orderInvariants,
  },
  {
    what: "consents",
    key: { table: sql`consent`, column: sql`consent_id`, perSlice: 10_000 },
    invariants: consentInvariants,
  },
  {
    what: "mandates",
    key: { table: sql`direct_debit`, column: sql`direct_debit_id`, perSlice: 2_000 },
    invariants: mandateInvariants,
  },
  {
    what: "collections",
    key: { table: sql`direct_debit_collection`, column: sql`posting_id`, perSlice: 20_000 },
    invariants: collectionInvariants,
  },
];

/**
 * Finds what breaks the invariants of the ledger and the orders; an empty list is good. It may run
 * while payments are made. Each slice is one statement and so sees one moment, and no statement
 * takes longer than a slice or a pass over the accounts: vacuum can go on between them.
 */
export async function verifyInvariants(
  on: Queryable,
  options: VerifyOptions = {},
): Promise<Breach[]> {
  const found = await verifyBalances(on, shown, options);
  for (const group of groups) found.push(...(await verifyGroup(on, group, options)));
  return found;
}

type Slice = { after: string | null; upTo: string | null };

async function verifyGroup(
  on: Queryable,
  group: Group,
  { onProgress = () => undefined, perSlice = group.key?.perSlice ?? 0 }: VerifyOptions,
): Promise<Breach[]> {
  const text = `Checking ${group.what}`;
  const total = await estimate(on, group);
  const found = new Map<string, Breach[]>();
  const slice: Slice = { after: null, upTo: null };
  for (let done = 0; ; done += perSlice) {
    onProgress(text, Math.min(done, total), total);
    slice.upTo = await endOfSlice(on, group, slice.after, perSlice);
    for (const breach of await on.query<Breach>(breachesIn(group, slice))) {
      const same = found.get(breach.invariant) ?? [];
      if (same.length < shown) same.push(breach);
      found.set(breach.invariant, same);
    }
    if (slice.upTo === null) break;
    slice.after = slice.upTo;
  }
  return group.invariants.flatMap(({ name }) => found.get(name) ?? []);
}

// The last id of a slice; null for the last slice, which has no end. What no id divides, such as a
// hold of a payment that is not there, is in one slice all the same.
async function endOfSlice(
  on: Queryable,
  { key }: Group,
  after: string | null,
  perSlice: number,
): Promise<string | null> {
  if (!key) return null;
  const { table, column } = key;
  const row = await first<{ id: string }>(
    on,
    sql`select ${column} as id from ${table}
      where ${after === null ? sql`${column} is not null` : sql`${column} > ${after}`}
      order by ${column} offset ${perSlice - 1} limit 1`,
  );
  return row?.id ?? null;
}

function breachesIn({ invariants }: Group, { after, upTo }: Slice): Sql {
  const within: Within = (column) => {
    const begins = after === null ? sql`true` : sql`${column} > ${after}`;
    return upTo === null ? begins : sql`${begins} and ${column} <= ${upTo}`;
  };
  return invariants
    .map(
      ({ name, breaches }) => sql`(
        select ${name}::text as invariant, b.subject::text as subject,
          coalesce(b.expected::text, 'nothing') as expected,
          coalesce(b.found::text, 'nothing') as found
        from (${breaches(within)}) as b(subject, expected, found)
        order by 2 limit ${shown}::integer)`,
    )
    .reduce((all, check) => sql`${all} union all ${check}`);
}

// The planner's own count of the ids: for progress only.
async function estimate(on: Queryable, { key }: Group): Promise<number> {
  if (!key) return 0;
  const row = await first<{ rows: number }>(
    on,
    sql`select greatest(reltuples, 0)::float8 as rows from pg_class
      where oid = ${key.table.text}::regclass`,
  );
  return row?.rows ?? 0;
}
