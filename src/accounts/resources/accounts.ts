import { instant } from "#src/accounts/facts-sql.ts";
import { type AccountResource, defineAccountResource } from "#src/accounts/resource.ts";
import { readAccount } from "#src/standard/aisp-v3.1/read-account.ts";
import { sql } from "#src/storage/sql.ts";

type AccountFacts = {
  accountId: string;
  accountType: string;
  accountSubType: string;
  currency: string;
  nickname: string | null;
  description: string | null;
  holderName: string;
  /** `2019-05-01` */
  openedOn: string;
  /** RFC 3339, UTC. */
  statusUpdatedAt: string;
  /** Whether it has gone to another bank. */
  isSwitched: boolean;
  sortCodeAccountNumber: string | null;
  iban: string | null;
  maskedPan: string | null;
};

// Source: digest 3.2, A-140…A-149.
const row: Omit<AccountResource<AccountFacts>, "path" | "operationId" | "summary"> = {
  tag: "Accounts",
  arrayName: "Account",
  source: {
    permissions: [["ReadAccountsBasic", "ReadAccountsDetail"]],
    detailPermission: "ReadAccountsDetail",
    from: sql`account a`,
    where: sql`a.account_id = r.account_id`,
    key: { columns: [{ column: sql`a.account_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', a.account_id, 'accountType', a.account_type,
      'accountSubType', a.account_sub_type, 'currency', a.currency, 'nickname', a.nickname,
      'description', a.description, 'holderName', a.holder_name, 'openedOn', a.opened_on,
      'isSwitched', a.is_switched, 'statusUpdatedAt', ${instant(sql`a.status_updated_at`)},
      'sortCodeAccountNumber', a.sort_code_account_number, 'iban', a.iban,
      'maskedPan', a.masked_pan)::text`,
    paged: false,
    showsSwitched: true,
  },
  views: {
    "aisp-v3.1": {
      schema: readAccount,
      detailMembers: ["Account", "Servicer"],
      render: (account) => [
        {
          AccountId: account.accountId,
          // an account in any other state is not readable
          Status: account.isSwitched ? "Deleted" : "Enabled",
          StatusUpdateDateTime: account.statusUpdatedAt,
          Currency: account.currency,
          AccountType: account.accountType,
          AccountSubType: account.accountSubType,
          ...(account.description === null ? {} : { Description: account.description }),
          ...(account.nickname === null ? {} : { Nickname: account.nickname }),
          OpeningDate: `${account.openedOn}T00:00:00+00:00`,
          // only current accounts can be switched
          ...(account.accountSubType === "CurrentAccount"
            ? { SwitchStatus: `UK.CASS.${account.isSwitched ? "SwitchCompleted" : "NotSwitched"}` }
            : {}),
          Account: identifications(account),
        },
      ],
    },
  },
};

/** The accounts that the customer chose for this consent. */
export const accounts = defineAccountResource({
  ...row,
  path: "/accounts",
  operationId: "GetAccounts",
  summary: "Get the accounts of the consent",
});

/** One of them; an array all the same. */
export const account = defineAccountResource({
  ...row,
  path: "/accounts/:AccountId",
  operationId: "GetAccountsAccountId",
  summary: "Get one account",
});

// The bank keeps card numbers masked, so that ReadPAN shows no more. Source: A-143…A-145.
function identifications(account: AccountFacts): object[] {
  const schemes: [string, string | null][] = [
    ["UK.OBIE.SortCodeAccountNumber", account.sortCodeAccountNumber],
    ["UK.OBIE.IBAN", account.iban],
    ["UK.OBIE.PAN", account.maskedPan],
  ];
  return schemes.flatMap(([SchemeName, Identification]) =>
    Identification === null ? [] : [{ SchemeName, Identification, Name: account.holderName }],
  );
}
