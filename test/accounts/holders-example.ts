import Type from "typebox";
import { defineAccountResource } from "#src/accounts/resource.ts";
import { sql } from "#src/storage/sql.ts";

type HolderFacts = { accountId: string; role: string; name: string };

const listOf = (member: string) =>
  Type.Object({ Data: Type.Object({ [member]: Type.Array(Type.Object({})) }) });

/** The holders of an account. Their names need the Detail permission. */
export const holders = defineAccountResource<HolderFacts>({
  path: "/accounts/:AccountId/holders",
  operationId: "GetAccountsAccountIdHolders",
  summary: "Get the holders of an account",
  tag: "Holders",
  arrayName: "Holder",
  source: {
    cluster: "account",
    permissions: [["ReadParty"]],
    detailPermission: "ReadAccountsDetail",
    from: sql`account_holder h join party c on c.party_id = h.customer_id`,
    where: sql`h.account_id = r.account_id`,
    key: {
      columns: [
        { column: sql`h.account_id`, type: "text" },
        { column: sql`h.customer_id`, type: "text" },
      ],
      descending: false,
    },
    facts: sql`json_build_object('accountId', h.account_id, 'role', h.role, 'name', c.name)::text`,
    paged: true,
  },
  views: {
    "aisp-v3.1": {
      schema: listOf("Holder"),
      detailMembers: ["Name"],
      render: ({ accountId, role, name }) => [{ AccountId: accountId, Role: role, Name: name }],
    },
    "aisp-v4.0": {
      schema: listOf("Holder"),
      detailMembers: ["FullName"],
      render: ({ accountId, role, name }) => [
        { AccountId: accountId, RoleCode: role.slice(0, 4).toUpperCase(), FullName: name },
      ],
    },
  },
  bulk: { path: "/holders", operationId: "GetHolders", summary: "Get the holders of each account" },
});
