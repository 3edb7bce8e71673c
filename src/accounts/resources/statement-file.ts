import Type from "typebox";
import { defineAccountResource } from "#src/accounts/resource.ts";
import { openStatementFile } from "#src/accounts/statement-file/open-statement-file.ts";
import type { PrintedStatement } from "#src/accounts/statement-file/printed-statement.ts";
import { sql } from "#src/storage/sql.ts";
import { statementMembers, statementRow, statementWithin } from "./statements.ts";

/**
 * A statement as the customer knows it, on paper or as a table. Whom it is addressed to is the
 * company that owns the account, or else the holder who authorised. Source: digest 3.13, A-218.
 */
export const statementFile = defineAccountResource<PrintedStatement>({
  ...statementRow,
  path: "/accounts/:AccountId/statements/:StatementId/file",
  operationId: "GetAccountsAccountIdStatementsStatementIdFile",
  summary: "Get the file of a statement",
  permissions: [["ReadStatementsDetail"]],
  schema: Type.String({ format: "binary" }),
  part: statementWithin,
  from: sql`${statementRow.from}
    left join company o on o.company_id = a.company_id
    left join customer c on c.customer_id = r.customer_id`,
  where: sql`s.account_id = r.account_id and s.statement_id = r.statement_id`,
  item: sql`json_build_object(${statementMembers}, 'holderName', a.holder_name,
    'sortCodeAccountNumber', a.sort_code_account_number, 'iban', a.iban,
    'maskedPan', a.masked_pan, 'lineCount', s.credit_count + s.debit_count,
    'address', coalesce(o.contact, c.contact)->'address')::text`,
  window: { ...statementRow.window, parameters: null, historyStart: sql`r.starts_at` },
  paged: false,
  file: { contentTypes: ["application/pdf", "text/csv"], open: openStatementFile },
});
