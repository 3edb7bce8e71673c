import Type from "typebox";
import { defineAccountResource, type ResourceView } from "#src/accounts/resource.ts";
import { openStatementFile } from "#src/accounts/statement-file/open-statement-file.ts";
import type { PrintedStatement } from "#src/accounts/statement-file/printed-statement.ts";
import { sql } from "#src/storage/sql.ts";
import { statementMembers, statementRow, statementSource, statementWithin } from "./statements.ts";

const fileView = {
  schema: Type.String({ format: "binary" }),
  render: null,
  file: { contentTypes: ["application/pdf", "text/csv"], open: openStatementFile },
} satisfies ResourceView<PrintedStatement>;

/**
 * A statement as a PDF or a table. It is addressed to the company that owns the account, or
 * otherwise to the holder who authorised. Source: A-218.
 */
export const statementFile = defineAccountResource<PrintedStatement>({
  ...statementRow,
  path: "/accounts/:AccountId/statements/:StatementId/file",
  operationId: "GetAccountsAccountIdStatementsStatementIdFile",
  summary: "Get the file of a statement",
  source: {
    ...statementSource,
    permissions: [["ReadStatementsDetail"]],
    part: statementWithin,
    from: sql`${statementSource.from}
      left join party o on o.party_id = a.company_id
      left join party c on c.party_id = r.customer_id`,
    where: sql`s.account_id = r.account_id and s.statement_id = r.statement_id`,
    facts: sql`json_build_object(${statementMembers}, 'holderName', a.holder_name,
      'sortCodeAccountNumber', a.sort_code_account_number, 'iban', a.iban,
      'maskedPan', a.masked_pan, 'lineCount', s.credit_count + s.debit_count,
      'address', coalesce(o.contact, c.contact)->'address')::text`,
    window: { ...statementSource.window, parameters: null, historyStart: sql`r.starts_at` },
    paged: false,
  },
  views: { "aisp-v3.1": fileView, "aisp-v4.0": fileView },
});
