import Type from "typebox";
import { defineAccountResource } from "#src/accounts/resource.ts";
import { sql } from "#src/storage/sql.ts";

type StoredHolder = { accountId: string; role: string; name: string };

/** Who holds an account; their names need the Detail code. */
export const holders = defineAccountResource<StoredHolder>({
  path: "/accounts/:AccountId/holders",
  operationId: "GetAccountsAccountIdHolders",
  summary: "Get who holds an account",
  tag: "Holders",
  permissions: [["ReadParty"]],
  detailPermission: "ReadAccountsDetail",
  detailMembers: ["Name"],
  arrayName: "Holder",
  schema: Type.Object({ Data: Type.Object({ Holder: Type.Array(Type.Object({})) }) }),
  from: sql`account_holder h join customer c on c.customer_id = h.customer_id`,
  where: sql`h.account_id = r.account_id`,
  key: {
    columns: [
      { column: sql`h.account_id`, type: "text" },
      { column: sql`h.customer_id`, type: "text" },
    ],
    descending: false,
  },
  item: sql`json_build_object('accountId', h.account_id, 'role', h.role, 'name', c.name)::text`,
  paged: true,
  render: ({ accountId, role, name }) => [{ AccountId: accountId, Role: role, Name: name }],
  bulk: { path: "/holders", operationId: "GetHolders", summary: "Get who holds each account" },
});
