import { statementMembers, statementTables } from "#src/accounts/resources/statements.ts";
import type { StatementFacts } from "#src/accounts/statement-file/statement-facts.ts";
import type { StatementReference } from "#src/bank/port.ts";
import type { PostalAddress } from "#src/standard/shared/accounts/facts.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A statement with what its head says. */
export type PrintedStatement = StatementFacts & {
  holderName: string;
  sortCodeAccountNumber: string | null;
  iban: string | null;
  maskedPan: string | null;
  lineCount: number;
  /** Null when the bank knows none. */
  address: PostalAddress | null;
};

/**
 * Loads a statement with its addressee: the company that owns the account, or otherwise the
 * customer. Returns null if there is no such statement.
 */
export async function loadStatement(
  on: Queryable,
  { accountId, statementId, customerId }: StatementReference,
): Promise<PrintedStatement | null> {
  const row = await first<{ facts: PrintedStatement }>(
    on,
    sql`select json_build_object(${statementMembers}, 'holderName', a.holder_name,
        'sortCodeAccountNumber', a.sort_code_account_number, 'iban', a.iban,
        'maskedPan', a.masked_pan, 'lineCount', s.credit_count + s.debit_count,
        'address', coalesce(o.contact, c.contact)->'address') as facts
      from ${statementTables}
      left join party o on o.party_id = a.company_id
      left join party c on c.party_id = ${customerId}
      where s.account_id = ${accountId} and s.statement_id = ${statementId}`,
  );
  return row?.facts ?? null;
}
