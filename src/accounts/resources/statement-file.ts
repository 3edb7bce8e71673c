import Type from "typebox";
import type { AccountRow, ResourceView } from "#src/accounts/resource.ts";
import {
  openStatementFile,
  type RequestedStatement,
  statementFileTypes,
} from "#src/accounts/statement-file/open-statement-file.ts";
import { sql } from "#src/storage/sql.ts";
import { statementMembers, statementRow, statementSource, statementWithin } from "./statements.ts";

/** The view in every version. */
export const statementFileView = {
  schema: Type.String({ format: "binary" }),
  render: null,
  file: { contentTypes: statementFileTypes, open: openStatementFile },
} satisfies ResourceView<RequestedStatement>;

/** A statement as the bank's own document or as a table. Source: A-218. */
export const statementFile: AccountRow<RequestedStatement> = {
  ...statementRow,
  path: "/accounts/:AccountId/statements/:StatementId/file",
  operationId: "GetAccountsAccountIdStatementsStatementIdFile",
  summary: "Get the file of a statement",
  source: {
    ...statementSource,
    permissions: [["ReadStatementsDetail"]],
    part: statementWithin,
    where: sql`s.account_id = r.account_id and s.statement_id = r.statement_id`,
    facts: sql`json_build_object(${statementMembers}, 'customerId', r.customer_id)::text`,
    window: { ...statementSource.window, parameters: null, historyStart: sql`r.starts_at` },
    paged: false,
  },
};
