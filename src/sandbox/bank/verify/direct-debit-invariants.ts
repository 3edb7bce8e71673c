import type { Invariant } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";

/** The invariants of each mandate and its collections. */
export const mandateInvariants: readonly Invariant[] = [
  {
    name: "a collection has one posting, which debits its mandate's account",
    breaches: (within) => sql`select c.direct_debit_id || ' ' || c.due_on,
        format('%s to %s %s %s', d.account_id, m.creditor_account_id, c.amount_minor, c.currency),
        format('%s to %s %s %s', p.debit_account_id, p.credit_account_id, p.amount_minor,
          p.currency)
      from direct_debit_collection c
      join direct_debit d on d.direct_debit_id = c.direct_debit_id
      join sandbox_mandate m on m.direct_debit_id = c.direct_debit_id
      left join posting p on p.posting_id = c.posting_id
      where ${within(sql`c.direct_debit_id`)} and c.outcome = 'collected'
        and (p.debit_account_id, p.credit_account_id, p.amount_minor, p.currency)
          is distinct from (d.account_id, m.creditor_account_id, c.amount_minor, c.currency)`,
  },
  {
    name: "the last collection is the newest posting of its mandate",
    breaches: (within) => sql`select f.direct_debit_id, f.booked_at, f.newest
      from (
        select c.direct_debit_id, p.booked_at,
          max(p.booked_at) over (partition by c.direct_debit_id) as newest,
          row_number() over (partition by c.direct_debit_id order by c.due_on desc) as place
        from direct_debit_collection c join posting p on p.posting_id = c.posting_id
        where ${within(sql`c.direct_debit_id`)} and c.outcome = 'collected'
      ) f where f.place = 1 and f.booked_at <> f.newest`,
  },
  {
    name: "a mandate shows the last collection that was paid",
    breaches: (within) => sql`select d.direct_debit_id, format('%s at %s', c.amount_minor, c.at),
        format('%s at %s', d.previous_minor, d.previous_at)
      from direct_debit d left join lateral (
        select l.amount_minor, p.booked_at as at
        from direct_debit_collection l join posting p on p.posting_id = l.posting_id
        where l.direct_debit_id = d.direct_debit_id and l.outcome = 'collected'
        order by l.due_on desc limit 1
      ) c on true
      where ${within(sql`d.direct_debit_id`)}
        and (c.amount_minor, c.at) is distinct from (d.previous_minor, d.previous_at)`,
  },
  {
    name: "a mandate has a next collection only while it is active",
    breaches: (within) => sql`select m.direct_debit_id, d.status, m.due_at::text
      from sandbox_mandate m join direct_debit d on d.direct_debit_id = m.direct_debit_id
      where ${within(sql`m.direct_debit_id`)} and (d.status = 'Active') <> (m.due_at is not null)`,
  },
  {
    name: "the next collection is after those already decided",
    breaches: (within) => sql`select d.direct_debit_id, 'after ' || c.last_on, d.next_on::text
      from sandbox_mandate d join (
        select direct_debit_id, max(due_on) as last_on from direct_debit_collection
        where ${within(sql`direct_debit_id`)}
        group by direct_debit_id
      ) c on c.direct_debit_id = d.direct_debit_id
      where d.next_on <= c.last_on`,
  },
  {
    name: "a mandate that has ended has no later collections",
    breaches: (
      within,
    ) => sql`select d.direct_debit_id, 'until ' || d.status_updated_at, c.decided_at::text
      from direct_debit d
      join direct_debit_collection c on c.direct_debit_id = d.direct_debit_id
      where ${within(sql`d.direct_debit_id`)} and d.status <> 'Active' and c.decided_at > d.status_updated_at`,
  },
];

/** The invariants of each posting of a direct debit. */
export const collectionInvariants: readonly Invariant[] = [
  {
    name: "every direct debit from an account is a collection",
    breaches: (within) => sql`select p.posting_id, '1 collection', 'none'
      from posting p left join direct_debit_collection c on c.posting_id = p.posting_id
      where ${within(sql`p.posting_id`)} and p.purpose = 'direct-debit' and c.posting_id is null`,
  },
];
