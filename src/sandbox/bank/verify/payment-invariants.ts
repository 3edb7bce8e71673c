import { paymentsToVerify } from "#src/payments/shapes/order-invariants.ts";
import type { Invariant } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";

/** The invariants of each payment. An international payment has two legs, each in one currency. */
export const paymentInvariants: readonly Invariant[] = [
  {
    name: "a payment's hold belongs to a reserved payment",
    breaches: (within) => sql`select coalesce(h.hold_id, b.payment_id),
        b.debtor_account_id || ' ' || b.amount_minor + b.charge_minor,
        h.account_id || ' ' || h.amount_minor
      from (
        select payment_id, debtor_account_id, amount_minor, charge_minor from bank_payment
        where state = 'reserved' and ${within(sql`payment_id`)}
      ) b
      full join (
        select hold_id, account_id, amount_minor from hold
        where purpose = 'payment' and ${within(sql`hold_id`)}
      ) h on h.hold_id = b.payment_id
      where (b.debtor_account_id, b.amount_minor + b.charge_minor)
        is distinct from (h.account_id, h.amount_minor)`,
  },
  {
    name: "a payment moves money once, and a return moves it back once",
    breaches: (within) => sql`select coalesce(b.payment_id, p.payment_id),
        case when b.state in ('pending', 'settled') then '1 posting'
          when b.state = 'returned' then '1 posting and 1 return' else 'no posting' end,
        format('%s and %s as %s', coalesce(p.forward, 0), coalesce(p.back, 0),
          coalesce(b.state, 'unknown'))
      from (
        select payment_id, state, amount_minor from bank_payment where ${within(sql`payment_id`)}
      ) b full join (
        select payment_id, count(*) filter (where purpose = 'payment') as forward,
          count(*) filter (where purpose = 'payment-return') as back,
          min(amount_minor) as least, max(amount_minor) as most
        from posting where purpose in ('payment', 'payment-return') and ${within(sql`payment_id`)}
        group by payment_id
      ) p on p.payment_id = b.payment_id
      where b.payment_id is null
        or coalesce(p.forward, 0) <> (b.state in ('pending', 'settled', 'returned'))::integer
        or coalesce(p.back, 0) <> (b.state = 'returned')::integer
        or p.least <> b.amount_minor or p.most <> b.amount_minor`,
  },
  {
    // a returned payment was made, so it is charged for
    name: "the charges for a payment are taken once, when it is made",
    breaches: (
      within,
    ) => sql`select coalesce(b.payment_id, p.payment_id), b.charge_minor, p.amount_minor
      from (
        select payment_id, debtor_account_id, charge_minor from bank_payment
        where ${within(sql`payment_id`)} and charge_minor > 0
          and state in ('pending', 'settled', 'returned')
      ) b
      full join (
        select payment_id, debit_account_id, amount_minor from posting
        where purpose = 'payment-charge' and ${within(sql`payment_id`)}
      ) p on p.payment_id = b.payment_id and p.debit_account_id = b.debtor_account_id
      where b.charge_minor is distinct from p.amount_minor`,
  },
  {
    name: "a payment at the bank matches a payment of an order",
    breaches: (within) => sql`select b.payment_id,
        format('%s %s + %s %s', p.debtor_account_id, p.amount_minor, p.charge_minor, p.currency),
        format('%s %s + %s %s', b.debtor_account_id, b.amount_minor, b.charge_minor, b.currency)
      from bank_payment b left join ${paymentsToVerify} p on p.payment_id = b.payment_id
      where ${within(sql`b.payment_id`)}
        and ((p.debtor_account_id, p.amount_minor, p.charge_minor, p.currency)
        is distinct from (b.debtor_account_id, b.amount_minor, b.charge_minor, b.currency)
        and b.international is null
        or (p.international is null) <> (b.international is null))`,
  },
  {
    // a leased payment may be between the bank's response and the engine's update
    name: "a payment that is not leased has the state that the bank reports",
    breaches: (
      within,
    ) => sql`select p.payment_id, array_to_string(s.states, ' or '), coalesce(b.state, 'none')
      from ${paymentsToVerify} p
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
      where ${within(sql`p.payment_id`)} and p.lease_owner is null
        and (s.status is null or coalesce(b.state, 'none') <> all(s.states))`,
  },
  {
    name: "a reserved international payment matches its order",
    breaches: (within) => sql`select b.payment_id,
        format('%s %s %s', p.debtor_account_id, p.amount_minor, p.currency),
        format('%s %s %s for %s %s', b.debtor_account_id, b.amount_minor, b.currency,
          b.transfer_minor, b.transfer_currency)
      from bank_payment b join ${paymentsToVerify} p on p.payment_id = b.payment_id
      where ${within(sql`b.payment_id`)} and b.international is not null
        and b.state <> 'refused' and (
        p.debtor_account_id <> b.debtor_account_id
        or p.international->>'transferCurrency' <> b.transfer_currency
        or (p.international->>'rate')::numeric <> b.exchange_rate
        or (p.amount_minor, p.currency) not in (
          (b.amount_minor, b.currency), (b.transfer_minor, b.transfer_currency)))`,
  },
  {
    name: "the exchanged amount is sent, and a return refunds all of it",
    breaches: (within) => sql`select coalesce(b.payment_id, p.payment_id),
        format('%s out, %s kept, in %s', b.transfer_minor - b.deducted_minor, b.deducted_minor,
          b.transfer_currency),
        format('%s out, %s kept, %s and %s back, in %s', p.sent, p.kept, p.back, p.given,
          p.currency)
      from (
        select payment_id, state, transfer_minor, deducted_minor, transfer_currency
        from bank_payment
        where ${within(sql`payment_id`)} and international is not null
          and state in ('pending', 'settled', 'returned')
      ) b
      full join (
        select payment_id, min(currency) as currency,
          coalesce(sum(amount_minor) filter (where purpose = 'payment-out'), 0) as sent,
          coalesce(sum(amount_minor) filter (where purpose = 'payment-deduction'), 0) as kept,
          coalesce(sum(amount_minor) filter (where purpose = 'payment-return-in'), 0) as back,
          coalesce(sum(amount_minor)
            filter (where purpose = 'payment-deduction-return'), 0) as given
        from posting where ${within(sql`payment_id`)}
          and purpose in ('payment-out', 'payment-deduction', 'payment-return-in',
          'payment-deduction-return')
        group by payment_id
      ) p on p.payment_id = b.payment_id
      where (b.transfer_minor - b.deducted_minor, b.deducted_minor, b.transfer_currency)
          is distinct from (p.sent, p.kept, p.currency)
        or p.back <> case b.state when 'returned' then p.sent else 0 end
        or p.given <> case b.state when 'returned' then p.kept else 0 end`,
  },
];

/** The invariants of each exchange rate contract. */
export const contractInvariants: readonly Invariant[] = [
  {
    name: "a contract is not used beyond its amount",
    breaches: (
      within,
    ) => sql`select contract_id, 'at least 0', exchange_contract_left(contract_id)::text
      from exchange_contract
      where ${within(sql`contract_id`)} and exchange_contract_left(contract_id) < 0`,
  },
];
