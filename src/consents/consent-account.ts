import { byCustomer, changed } from "#src/history/change.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Database } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** SQL: whether a consent covers an account. A condition for other rooms' statements. */
export const covers = (consentId: Sql, accountId: Sql): Sql => sql`exists (
  select from consent_account ca where ca.consent_id = ${consentId}
    and ca.account_id = ${accountId} and ca.covered_until is null)`;

/** SQL: the accounts that a consent covers, as a table with the column `account_id`. */
export const coveredAccounts = (consentId: Sql): Sql => sql`(
  select ca.account_id from consent_account ca
  where ca.consent_id = ${consentId} and ca.covered_until is null)`;

/** SQL: since when a consent covers an account, by the bank's clock; null if it never did. */
export const coveredSince = (consentId: Sql, accountId: Sql): Sql => sql`(
  select ca.covered_from from consent_account ca
  where ca.consent_id = ${consentId} and ca.account_id = ${accountId})`;

/** SQL: the ids of the accounts that a consent covers, as an ordered array. */
export const coveredAccountIds = (consentId: Sql): Sql => sql`array(
  select ca.account_id from consent_account ca
  where ca.consent_id = ${consentId} and ca.covered_until is null order by ca.account_id)`;

/** A customer's request to stop sharing one account of a consent. */
type Withdrawal = {
  consentId: string;
  kind: KindId;
  customerId: string;
  accountId: string;
  now: Temporal.Instant;
};

/**
 * Permanently withdraws one account from an access consent in use: a later authorisation does not
 * bring it back. Returns false if the consent does not cover the account, covers only this account,
 * or is another customer's. The consent's status, its StatusUpdateDateTime and its tokens do not
 * change. Source: A-124, AISP resource pages, Account Access Consents.
 */
export const withdrawAccount = (database: Database, given: Withdrawal): Promise<boolean> =>
  database.transaction(async (on) => {
    const { consentId, kind, customerId, accountId, now } = given;
    // a separate statement, so that the next one sees what was committed before the lock was
    // granted
    const found = await on.query(sql`
      select consent_id from consent
      where consent_id = ${consentId} and kind = ${kind} and status = 'AUTH'
        and deleted_at is null and customer_id = ${customerId}
      for update`);
    if (found.length === 0) return false;
    // the consent's row states the cause, and its trigger writes the history
    const withdrawn = await on.query(sql`
      with withdrawn as (
        update consent_account set covered_until = ${now}, reason = 'withdrawn'
        where consent_id = ${consentId} and account_id = ${accountId} and covered_until is null
          and exists (select from consent_account other
            where other.consent_id = ${consentId} and other.account_id <> ${accountId}
              and other.covered_until is null)
        returning consent_id)
      update consent set ${changed(byCustomer(now))}
      where consent_id in (select consent_id from withdrawn)
      returning consent_id`);
    return withdrawn.length === 1;
  });
