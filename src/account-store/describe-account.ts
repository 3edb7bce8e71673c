import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** An account, for whoever asks what its id means. */
export type DescribedAccount = {
  accountId: string;
  type: string;
  currency: string;
  status: string;
  statusUpdatedAt: Temporal.Instant;
  isSwitched: boolean;
  /** The customers who may use it, each with their role. */
  holders: { customerId: string; role: string }[];
};

/** Describes an account; undefined if there is none with this id. */
export const describeAccount = (
  on: Queryable,
  accountId: string,
): Promise<DescribedAccount | undefined> =>
  first<DescribedAccount>(
    on,
    sql`select a.account_id as "accountId", a.account_type || ' ' || a.account_sub_type as type,
        a.currency, a.status, a.status_updated_at as "statusUpdatedAt",
        a.is_switched as "isSwitched",
        (select coalesce(json_agg(json_build_object('customerId', h.customer_id, 'role', h.role)
            order by h.customer_id), '[]'::json)
          from account_holder h where h.account_id = a.account_id) as holders
      from account a where a.account_id = ${accountId}`,
  );

/** What an id of account data belongs to, and whose it is. */
export type OwnedFact = { what: string; owner: string };

/** Finds what an id of account data belongs to; undefined if nothing has it. */
export const findOwnedFact = (on: Queryable, id: string): Promise<OwnedFact | undefined> =>
  first<OwnedFact>(
    on,
    sql`select what, owner from (
        select 'beneficiary' as what, 'the customer ' || customer_id as owner
          from beneficiary where beneficiary_id = ${id}
        union all select 'direct debit', 'the account ' || account_id
          from direct_debit where direct_debit_id = ${id}
        union all select 'standing order of the bank''s own channel', 'the account ' || account_id
          from channel_standing_order where standing_order_id = ${id}
        union all select 'scheduled payment of the bank''s own channel',
            'the account ' || account_id
          from channel_scheduled_payment where scheduled_payment_id = ${id}
        union all select 'offer', 'the account ' || account_id from offer where offer_id = ${id}
        union all select 'party', name from party where party_id = ${id}
        union all select 'product', name from product where product_id = ${id}
      ) found limit 1`,
  );
