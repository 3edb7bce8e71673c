import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { AccountFact, Versioned } from "./facts.ts";

/**
 * Loads an account with its version and locks it until the end of the transaction, for a bank that
 * changes some of its members. Returns undefined if the account is not in the store.
 */
export async function loadAccountFact(
  on: Queryable,
  accountId: string,
): Promise<Versioned<AccountFact> | undefined> {
  await on.query(sql`select lock_accounts(${[accountId]}::text[])`);
  return first<Versioned<AccountFact>>(
    on,
    sql`select account_id as "accountId", account_type as "accountType",
        account_sub_type as "accountSubType", currency, nickname, description,
        holder_name as "holderName", opened_on as "openedOn", matures_on as "maturesOn", status,
        status_updated_at as "statusUpdatedAt", is_switched as "isSwitched",
        sort_code_account_number as "sortCodeAccountNumber",
        secondary_identification as "secondaryIdentification", iban, masked_pan as "maskedPan",
        signatories_required as "signatoriesRequired", product_id as "productId",
        company_id as "companyId", servicer, statement_deliveries as "statementDeliveries", version
      from account where account_id = ${accountId}`,
  );
}
