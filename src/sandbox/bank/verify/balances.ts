import { present } from "#src/lib/assert.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import type { Breach, VerifyOptions } from "#src/storage/invariants.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

const invariant = "a balance is the sum of its postings";

// Postings per slice, and roughly how many postings a page of the table has.
const postingsPerSlice = 40_000;
const postingsPerPage = 40;

// How many accounts are summed in memory at the same time, at about 200 bytes each. Further
// accounts need another pass over the postings.
const accountsPerPass = 500_000;

/** Balances at one time, with the snapshot that decides which postings existed then. */
type Moment = {
  snapshot: string;
  /** The id of the verifying transaction, which sees its own postings; null if it has made none. */
  own: string | null;
  accounts: string[];
  balances: string[];
  pages: number;
  file: string;
};

/**
 * Finds accounts whose balance is not the sum of their postings. One statement reads the balances
 * together with its snapshot. The postings are then summed in slices of the table's pages, one
 * statement per slice, which skips postings made after the snapshot. The result is exact, because a
 * posting is never changed, deleted or moved. If the table is rewritten meanwhile (`vacuum full`),
 * the pass starts again.
 */
export async function verifyBalances(
  on: Queryable,
  most: number,
  options: VerifyOptions,
): Promise<Breach[]> {
  const { perPass = accountsPerPass } = options;
  const found: Breach[] = [];
  let after: string | null = null;
  for (;;) {
    const moment = await readBalances(on, after, perPass);
    const sums = await sumPostings(on, moment, options);
    if ((await fileOfPostings(on)) !== moment.file) continue;
    moment.accounts.forEach((subject, index) => {
      const balance = present(moment.balances[index], "the account's balance");
      const sum = String(sums.get(subject));
      if (sum !== balance) found.push({ invariant, subject, expected: sum, found: balance });
    });
    if (found.length >= most || moment.accounts.length < perPass) return found.slice(0, most);
    after = present(moment.accounts.at(-1), "the last account of the pass");
  }
}

async function readBalances(on: Queryable, after: string | null, perPass: number): Promise<Moment> {
  const moment = await first<Moment>(
    on,
    sql`select pg_current_snapshot()::text as snapshot,
        pg_current_xact_id_if_assigned()::text as own,
        coalesce(array_agg(a.account_id order by a.account_id), '{}') as accounts,
        coalesce(array_agg(a.balance_minor::text order by a.account_id), '{}') as balances,
        (pg_relation_size('posting') / current_setting('block_size')::integer)::float8 as pages,
        pg_relation_filenode('posting')::text as file
      from (
        select account_id, balance_minor from ledger_account
        where ${after === null ? sql`true` : sql`account_id > ${after}`}
        order by account_id limit ${perPass}::integer
      ) a`,
  );
  return present(moment, "the balances of one moment");
}

async function sumPostings(
  on: Queryable,
  moment: Moment,
  { onProgress = () => undefined, perSlice = postingsPerSlice }: VerifyOptions,
): Promise<Map<string, bigint>> {
  const sums = new Map(moment.accounts.map((account) => [account, 0n]));
  const step = Math.max(1, Math.floor(perSlice / postingsPerPage));
  for (let page = 0; page < moment.pages; page += step) {
    onProgress("Summing postings", page, moment.pages);
    const slice = sumsOfPages(moment, page, page + step);
    for (const { account, amount } of await on.query<{ account: string; amount: string }>(slice)) {
      const sum = sums.get(account);
      if (sum !== undefined) sums.set(account, sum + BigInt(amount));
    }
  }
  return sums;
}

function sumsOfPages({ snapshot, own, accounts }: Moment, from: number, to: number): Sql {
  return sql`select leg.account_id as account, sum(leg.amount)::text as amount
    from posting p cross join lateral (values
      (p.debit_account_id, -p.amount_minor), (p.credit_account_id, p.amount_minor)
    ) as leg(account_id, amount)
    where p.ctid >= ${`(${from},0)`}::tid and p.ctid < ${`(${to},0)`}::tid
      and ${wasMadeBy(snapshot, own)}
      and leg.account_id between ${accounts[0] ?? ""} and ${accounts.at(-1) ?? ""}
    group by leg.account_id`;
}

// A table that was restored from a dump has transaction ids of another server. If such an id is in
// this server's future, it is greater than the id of the transaction that restored the row, which
// the row's 32-bit `xmin` gives. That transaction then decides. A row that was made on this server
// never has a greater id: its `xmin` is `posted_in`, or the later id of a nested transaction.
function wasMadeBy(snapshot: string, own: string | null): Sql {
  const next = sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;
  const restoredIn = sql`
    greatest(0, ${next} - ((${next} - p.xmin::text::bigint) & 4294967295))::text::xid8`;
  return sql`(
    p.posted_in is null
    or pg_visible_in_snapshot(p.posted_in, ${snapshot}::pg_snapshot)
    or p.posted_in = ${own}::xid8
    or (${restoredIn} < p.posted_in
      and pg_visible_in_snapshot(${restoredIn}, ${snapshot}::pg_snapshot))
  )`;
}

async function fileOfPostings(on: Queryable): Promise<string | undefined> {
  const row = await first<{ file: string }>(
    on,
    sql`select pg_relation_filenode('posting')::text as file`,
  );
  return row?.file;
}
