import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { kindsOf, waitingStatuses } from "./order-states.ts";
import { directDebitInvariants } from "./verify-direct-debits.ts";

const standingOrderKinds = kindsOf("standingOrder");

/** Something that should hold and does not. */
export type Breach = { invariant: string; subject: string; expected: string; found: string };

/** A breach in one line. */
export const describeBreach = ({ invariant, subject, expected, found }: Breach): string =>
  `${invariant}: ${subject} should be ${expected} and is ${found}`;

/** What must hold at any moment: `breaches` selects subject, expected and found. */
export type Invariant = { name: string; breaches: Sql };

// of each invariant: a broken ledger breaks in many places at once
const shown = 20;

/**
 * Finds what breaks the invariants of the ledger and the orders; none is good. It is one statement
 * and so sees one moment: it may run while payments are made.
 */
export async function verifyInvariants(on: Queryable): Promise<Breach[]> {
  const checks = invariants
    .map(
      ({ name, breaches }) => sql`(
        select ${name}::text as invariant, b.subject::text as subject,
          coalesce(b.expected::text, 'nothing') as expected,
          coalesce(b.found::text, 'nothing') as found
        from (${breaches}) as b(subject, expected, found) order by 2 limit ${shown}::integer)`,
    )
    .reduce((all, check) => sql`${all} union all ${check}`);
  return on.query<Breach>(checks);
}

const ledger: readonly Invariant[] = [
  {
    name: "postings balance",
    breaches: sql`select currency, 0, sum(balance_minor) from ledger_account
      group by currency having sum(balance_minor) <> 0`,
  },
  {
    name: "a balance is the sum of its postings",
    breaches: sql`select a.account_id, coalesce(m.amount, 0), a.balance_minor
      from ledger_account a left join (
        select account_id, sum(amount) as amount from (
          select debit_account_id as account_id, -amount_minor as amount from posting
          union all select credit_account_id, amount_minor from posting
        ) legs group by account_id
      ) m on m.account_id = a.account_id
      where a.balance_minor <> coalesce(m.amount, 0)`,
  },
  {
    name: "what is held is the sum of the holds",
    breaches: sql`select a.account_id, coalesce(h.amount, 0), a.held_minor
      from ledger_account a left join (
        select account_id, sum(amount_minor) as amount from hold group by account_id
      ) h on h.account_id = a.account_id
      where a.held_minor <> coalesce(h.amount, 0)`,
  },
  {
    name: "a customer's account keeps to its limit",
    breaches: sql`select account_id, 'at least ' || -overdraft_limit_minor,
        (balance_minor - held_minor)::text
      from ledger_account
      where kind = 'customer' and balance_minor - held_minor < -overdraft_limit_minor`,
  },
  {
    name: "a line of an account is one side of a posting",
    breaches: sql`select t.transaction_id, t.indicator || ' ' || t.amount_minor,
        'posting ' || coalesce(t.posting_id, 'without id')
      from account_transaction t left join posting p on p.posting_id = t.posting_id
        and p.amount_minor = t.amount_minor and p.currency = t.currency
        and t.account_id = case t.indicator when 'Debit' then p.debit_account_id
          else p.credit_account_id end
      where t.status = 'Booked' and p.posting_id is null`,
  },
  {
    // the history starts from what the account was opened with
    name: "the lines of an account sum to its balance",
    breaches: sql`select a.account_id, a.balance_minor - coalesce(o.amount, 0),
        coalesce(t.amount, 0)
      from ledger_account a
      left join (
        select account_id,
          sum(case indicator when 'Credit' then amount_minor else -amount_minor end) as amount
        from account_transaction where status = 'Booked' group by account_id
      ) t on t.account_id = a.account_id
      left join (
        select account_id, sum(amount) as amount from (
          select debit_account_id as account_id, -amount_minor as amount from posting
          where purpose = 'opening'
          union all select credit_account_id, amount_minor from posting where purpose = 'opening'
        ) legs group by account_id
      ) o on o.account_id = a.account_id
      where a.kind = 'customer'
        and a.balance_minor - coalesce(o.amount, 0) <> coalesce(t.amount, 0)`,
  },
  {
    name: "a card's hold is a pending transaction",
    breaches: sql`select coalesce(h.hold_id, t.transaction_id),
        t.account_id || ' ' || t.amount_minor, h.account_id || ' ' || h.amount_minor
      from (
        select transaction_id, account_id, amount_minor from account_transaction
        where status = 'Pending'
      ) t
      full join (
        select hold_id, account_id, amount_minor from hold where purpose = 'card'
      ) h on h.hold_id = t.transaction_id
      where (t.account_id, t.amount_minor) is distinct from (h.account_id, h.amount_minor)`,
  },
];

const statements: readonly Invariant[] = [
  {
    name: "a statement is the sum of its lines",
    breaches: sql`select s.statement_id,
        coalesce(t.credits, 0) || ' in and ' || coalesce(t.debits, 0) || ' out',
        s.credits_minor || ' in and ' || s.debits_minor || ' out'
      from account_statement s left join (
        select account_id, date_trunc('month', booked_at, 'UTC') as month,
          sum(amount_minor) filter (where indicator = 'Credit') as credits,
          sum(amount_minor) filter (where indicator = 'Debit') as debits
        from account_transaction where status = 'Booked'
        group by account_id, date_trunc('month', booked_at, 'UTC')
      ) t on t.account_id = s.account_id and t.month = s.starts_at
      where (s.credits_minor, s.debits_minor)
        <> (coalesce(t.credits, 0), coalesce(t.debits, 0))`,
  },
  {
    name: "a statement begins with what the one before it ended with",
    breaches: sql`select statement_id, before, found from (
        select statement_id,
          lag(ends_at || ' ' || closing_minor) over (partition by account_id order by starts_at)
            as before,
          starts_at || ' ' || opening_minor as found
        from account_statement
      ) s where before <> found`,
  },
];

const bankPayments: readonly Invariant[] = [
  {
    name: "a payment's hold is of a payment that is reserved",
    breaches: sql`select coalesce(h.hold_id, b.payment_id),
        b.debtor_account_id || ' ' || b.amount_minor + b.charge_minor,
        h.account_id || ' ' || h.amount_minor
      from (
        select payment_id, debtor_account_id, amount_minor, charge_minor from bank_payment
        where state = 'reserved'
      ) b
      full join (
        select hold_id, account_id, amount_minor from hold where purpose = 'payment'
      ) h on h.hold_id = b.payment_id
      where (b.debtor_account_id, b.amount_minor + b.charge_minor)
        is distinct from (h.account_id, h.amount_minor)`,
  },
  {
    name: "money moves once for a payment, and comes back once when it is returned",
    breaches: sql`select coalesce(b.payment_id, p.payment_id),
        case when b.state in ('pending', 'settled') then '1 posting'
          when b.state = 'returned' then '1 posting and 1 return' else 'no posting' end,
        format('%s and %s as %s', coalesce(p.forward, 0), coalesce(p.back, 0),
          coalesce(b.state, 'unknown'))
      from bank_payment b full join (
        select payment_id, count(*) filter (where purpose = 'payment') as forward,
          count(*) filter (where purpose = 'payment-return') as back,
          min(amount_minor) as least, max(amount_minor) as most
        from posting where purpose in ('payment', 'payment-return') group by payment_id
      ) p on p.payment_id = b.payment_id
      where b.payment_id is null
        or coalesce(p.forward, 0) <> (b.state in ('pending', 'settled', 'returned'))::integer
        or coalesce(p.back, 0) <> (b.state = 'returned')::integer
        or p.least <> b.amount_minor or p.most <> b.amount_minor`,
  },
  {
    // a payment that was returned has still been made
    name: "a payment that has been made is charged for once",
    breaches: sql`select coalesce(b.payment_id, p.payment_id), b.charge_minor, p.amount_minor
      from (
        select payment_id, debtor_account_id, charge_minor from bank_payment
        where charge_minor > 0 and state in ('pending', 'settled', 'returned')
      ) b
      full join (
        select payment_id, debit_account_id, amount_minor from posting
        where purpose = 'payment-charge'
      ) p on p.payment_id = b.payment_id and p.debit_account_id = b.debtor_account_id
      where b.charge_minor is distinct from p.amount_minor`,
  },
  {
    name: "what the bank was given is a payment of an order",
    breaches: sql`select b.payment_id,
        format('%s %s + %s %s', p.debtor_account_id, p.amount_minor, p.charge_minor, p.currency),
        format('%s %s + %s %s', b.debtor_account_id, b.amount_minor, b.charge_minor, b.currency)
      from bank_payment b left join payment p on p.payment_id = b.payment_id
      where (p.debtor_account_id, p.amount_minor, p.charge_minor, p.currency)
        is distinct from (b.debtor_account_id, b.amount_minor, b.charge_minor, b.currency)
        and b.international is null
        or (p.international is null) <> (b.international is null)`,
  },
  {
    // while an engine has leased a payment, it may be between the bank's answer and its writing
    name: "a payment that nobody works on is where the bank has it",
    breaches: sql`select p.payment_id, array_to_string(s.states, ' or '), coalesce(b.state, 'none')
      from payment p
      join ledger_account a on a.account_id = p.debtor_account_id
      left join bank_payment b on b.payment_id = p.payment_id
      left join (values
        ('RCVD', array['none']), ('PDNG', array['none']), ('PATC', array['none']),
        ('ACTC', array['none']), ('ACCP', array['none']), ('CANC', array['none']),
        ('ACFC', array['reserved']), ('ACSP', array['reserved', 'pending']),
        ('ACWC', array['reserved', 'pending']), ('ACSC', array['pending']),
        ('ACCC', array['settled']), ('ACWP', array['settled']), ('BLCK', array['settled']),
        ('RJCT', array['none', 'refused', 'returned', 'released'])
      ) s(status, states) on s.status = p.status
      where p.lease_owner is null
        and (s.status is null or coalesce(b.state, 'none') <> all(s.states))`,
  },
];

// A payment abroad moves in two legs, each in its own currency, over the exchange accounts.
const international: readonly Invariant[] = [
  {
    name: "an international payment that was reserved is what was ordered",
    breaches: sql`select b.payment_id,
        format('%s %s %s', p.debtor_account_id, p.amount_minor, p.currency),
        format('%s %s %s for %s %s', b.debtor_account_id, b.amount_minor, b.currency,
          b.transfer_minor, b.transfer_currency)
      from bank_payment b join payment p on p.payment_id = b.payment_id
      where b.international is not null and b.state <> 'refused' and (
        p.debtor_account_id <> b.debtor_account_id
        or p.international->>'transferCurrency' <> b.transfer_currency
        or (p.international->>'rate')::numeric <> b.exchange_rate
        or (p.amount_minor, p.currency) not in (
          (b.amount_minor, b.currency), (b.transfer_minor, b.transfer_currency)))`,
  },
  {
    name: "what is exchanged is sent, and comes back whole when it is returned",
    breaches: sql`select coalesce(b.payment_id, p.payment_id),
        format('%s out, %s kept, in %s', b.transfer_minor - b.deducted_minor, b.deducted_minor,
          b.transfer_currency),
        format('%s out, %s kept, %s and %s back, in %s', p.sent, p.kept, p.back, p.given,
          p.currency)
      from (
        select payment_id, state, transfer_minor, deducted_minor, transfer_currency
        from bank_payment
        where international is not null and state in ('pending', 'settled', 'returned')
      ) b
      full join (
        select payment_id, min(currency) as currency,
          coalesce(sum(amount_minor) filter (where purpose = 'payment-out'), 0) as sent,
          coalesce(sum(amount_minor) filter (where purpose = 'payment-deduction'), 0) as kept,
          coalesce(sum(amount_minor) filter (where purpose = 'payment-return-in'), 0) as back,
          coalesce(sum(amount_minor)
            filter (where purpose = 'payment-deduction-return'), 0) as given
        from posting where purpose in ('payment-out', 'payment-deduction', 'payment-return-in',
          'payment-deduction-return')
        group by payment_id
      ) p on p.payment_id = b.payment_id
      where (b.transfer_minor - b.deducted_minor, b.deducted_minor, b.transfer_currency)
          is distinct from (p.sent, p.kept, p.currency)
        or p.back <> case b.state when 'returned' then p.sent else 0 end
        or p.given <> case b.state when 'returned' then p.kept else 0 end`,
  },
  {
    name: "a contract is not used beyond its amount",
    breaches: sql`select contract_id, 'at least 0', exchange_contract_left(contract_id)::text
      from exchange_contract where exchange_contract_left(contract_id) < 0`,
  },
];

const orders: readonly Invariant[] = [
  {
    name: "an order has consumed its consent",
    breaches: sql`select o.order_id, 'COND', c.status
      from payment_order o join consent c on c.consent_id = o.consent_id
      where c.status <> 'COND' or c.kind <> o.kind`,
  },
  {
    name: "a consumed consent has one order",
    breaches: sql`select c.consent_id, 1, count(o.order_id)
      from consent c left join payment_order o on o.consent_id = c.consent_id
      where c.status = 'COND' group by c.consent_id having count(o.order_id) <> 1`,
  },
  {
    name: "an order has a payment, on its own account",
    breaches: sql`select o.order_id, o.debtor_account_id, p.debtor_account_id
      from payment_order o left join payment p on p.order_id = o.order_id
      where p.debtor_account_id is distinct from o.debtor_account_id`,
  },
];

// a payment of an order that has ended may wait under a lease, or for its engine, once its day came
const standingOrders: readonly Invariant[] = [
  {
    name: "a standing order that runs has one payment to come, until its last",
    breaches: sql`select o.order_id, case when s.ended then 'none' else 'one' end, s.waiting
      from payment_order o join lateral (
        select count(*) filter (where p.status = any(${waitingStatuses}::text[])) as waiting,
          bool_or(p.is_last and p.status <> all(${waitingStatuses}::text[])) as ended
        from payment p where p.order_id = o.order_id
      ) s on true
      where o.kind = any(${standingOrderKinds}::text[]) and o.status not in ('CANC', 'RJCT')
        and s.waiting <> (not s.ended)::integer`,
  },
  {
    name: "what has been cancelled or rejected plans nothing",
    breaches: sql`select o.order_id, 'nothing to come', p.scheduled_on
      from payment_order o join payment p on p.order_id = o.order_id
      where o.kind = any(${standingOrderKinds}::text[]) and o.status in ('CANC', 'RJCT')
        and p.status = any(${waitingStatuses}::text[]) and p.execute_at > o.status_updated_at`,
  },
  {
    name: "a standing order's payments count without a gap and follow each other",
    breaches: sql`select p.order_id, 'payment ' || p.position, 'payment ' || p.sequence
        || ' on ' || p.scheduled_on || ' after ' || p.before
      from (
        select p.order_id, p.sequence, p.scheduled_on,
          row_number() over steps as position, lag(p.scheduled_on) over steps as before
        from payment p join payment_order o on o.order_id = p.order_id
        where o.kind = any(${standingOrderKinds}::text[])
        window steps as (partition by p.order_id order by p.sequence)
      ) p
      where p.sequence <> p.position or p.scheduled_on is null or p.scheduled_on <= p.before`,
  },
];

const invariants = [
  ...ledger,
  ...statements,
  ...bankPayments,
  ...international,
  ...orders,
  ...standingOrders,
  ...directDebitInvariants,
];
