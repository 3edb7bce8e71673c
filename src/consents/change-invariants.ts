import type { InvariantGroup } from "#src/storage/invariants.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** The status of an object after the last change of its history, as a lateral join `h`. */
export const lastChange = (objectId: Sql): Sql => sql`
  left join lateral (
    select h.after->>'status' as status from change h where h.object_id = ${objectId}
    order by h.sequence desc limit 1
  ) h on true`;

/** The invariants of the history of consents and orders, and of authorisations. */
export const changeInvariantGroups: readonly InvariantGroup[] = [
  {
    what: "changes",
    key: { table: sql`change`, column: sql`object_id`, perSlice: 20_000 },
    invariants: [
      {
        name: "each change starts from the state that the previous change left",
        breaches: (within) => sql`
          select c.object_id || ' ' || c.sequence, c.previous, c.before
          from (
            select object_id, sequence, before::text,
              lag(after::text) over (partition by object_id order by sequence) as previous
            from change where ${within(sql`object_id`)}
          ) c
          where c.before is distinct from c.previous`,
      },
    ],
  },
  {
    what: "histories of consents",
    key: { table: sql`consent`, column: sql`consent_id`, perSlice: 10_000 },
    invariants: [
      {
        name: "a consent's status is that of its last change",
        breaches: (within) => sql`select c.consent_id, c.status, h.status
          from consent c ${lastChange(sql`c.consent_id`)}
          where ${within(sql`c.consent_id`)} and h.status is distinct from c.status`,
      },
      {
        name: "the grant of an active consent is its only open authorisation",
        breaches: (within) => sql`select c.consent_id, c.grant_id, a.grants
          from consent c cross join lateral (
            select string_agg(a.grant_id, ', ') as grants from consent_authorisation a
            where a.consent_id = c.consent_id and a.ended_at is null
          ) a
          where ${within(sql`c.consent_id`)} and a.grants is distinct from
            case when c.status in ('AUTH', 'COND') and c.deleted_at is null then c.grant_id end`,
      },
      {
        // access to accounts has permissions; any other consent is a payment's, of one account
        name: "an authorised consent covers an account, and a payment consent exactly one",
        breaches: (within) => sql`select c.consent_id, c.kind, a.accounts
          from consent c cross join lateral (
            select count(*)::integer as accounts from consent_account a
            where a.consent_id = c.consent_id and a.covered_until is null
          ) a
          where ${within(sql`c.consent_id`)} and c.status in ('AUTH', 'COND')
            and (a.accounts = 0 or a.accounts > 1 and c.permissions = '{}')`,
      },
    ],
  },
];
