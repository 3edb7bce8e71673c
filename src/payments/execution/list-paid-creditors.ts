import type { AccountReference } from "#src/bank/port.ts";
import { consentFacts } from "#src/consents/consent-facts.ts";
import { sql } from "#src/storage/sql.ts";
import { listOwnAccountIds, type OwnOrdersDeps } from "./own-accounts.ts";

/** A creditor whom a customer has paid, with the newest payment. */
export type PaidCreditor = {
  paymentId: string;
  creditor: AccountReference;
  /** BIC of the creditor's bank; null if the account number identifies the bank. */
  creditorBic: string | null;
  amountMinor: bigint;
  currency: string;
  reference: string | null;
  paidAt: Temporal.Instant;
};

// per account, and in total
const newestOrders = 50;
const shown = 20;

/**
 * The creditors that a customer's accounts have recently paid by orders, each once, newest first.
 */
export async function listPaidCreditors(
  { database, bank }: OwnOrdersDeps,
  customerId: string,
): Promise<PaidCreditor[]> {
  const accountIds = await listOwnAccountIds(bank, customerId);
  return database.query<PaidCreditor>(sql`
    select payment_id as "paymentId", amount_minor as "amountMinor", currency, reference,
      paid_at as "paidAt", creditor_bic as "creditorBic",
      json_build_object('schemeName', creditor->>'schemeName',
        'identification', creditor->>'identification', 'name', creditor->>'name',
        'secondaryIdentification', creditor->>'secondaryIdentification') as creditor
    from (
      select distinct on (p.creditor->>'schemeName', p.creditor->>'identification',
          p.creditor->>'secondaryIdentification', a.bic)
        p.payment_id, p.creditor, p.amount_minor, p.currency, p.reference,
        p.status_updated_at as paid_at, a.bic as creditor_bic
      from unnest(${accountIds}::text[]) as own(account_id)
      cross join lateral (
        select o.order_id, o.consent_id from payment_order o
        where o.debtor_account_id = own.account_id
        order by o.created_at desc limit ${newestOrders}
      ) newest
      join payment p on p.order_id = newest.order_id
      join ${consentFacts} c on c.consent_id = newest.consent_id
      -- an IBAN says its bank; that of a file is not that of each of its payments
      left join lateral (
        select agent->>'Identification' as bic
        from (select c.body->'Data'->'Initiation'->'CreditorAgent' as agent) given
        where agent->>'SchemeName' = 'UK.OBIE.BICFI' and c.terms->'file' is null
          and p.creditor->>'schemeName' <> 'UK.OBIE.IBAN'
      ) a on true
      where p.status in ('ACSC', 'ACCC', 'ACWP')
      order by p.creditor->>'schemeName', p.creditor->>'identification',
        p.creditor->>'secondaryIdentification', a.bic, p.status_updated_at desc
    ) paid order by paid_at desc, payment_id limit ${shown}`);
}
