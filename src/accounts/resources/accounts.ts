import { type AccountResource, defineAccountResource } from "#src/accounts/resource.ts";
import { type Account as AccountV3, readAccount } from "#src/standard/aisp-v3.1/read-account.ts";
import { accountSubTypes } from "#src/standard/aisp-v3.1/words.ts";
import {
  type Account as AccountV4,
  readAccount as readAccountV4,
} from "#src/standard/aisp-v4.0/read-account.ts";
import { accountTypeCodes } from "#src/standard/aisp-v4.0/words.ts";
import type { AccountKind } from "#src/standard/shared/accounts/facts.ts";
import { sql } from "#src/storage/sql.ts";
import { instant } from "./facts-sql.ts";

type AccountFacts = {
  accountId: string;
  /** Whether a person's or a company's. */
  category: "Business" | "Personal";
  kind: AccountKind;
  currency: string;
  nickname: string | null;
  description: string | null;
  holderName: string;
  /** `2019-05-01` */
  openedOn: string;
  /** RFC 3339, UTC. */
  statusUpdatedAt: string;
  /** Whether it was switched to another bank. */
  isSwitched: boolean;
  sortCodeAccountNumber: string | null;
  iban: string | null;
  maskedPan: string | null;
};

// Source: AISP resource pages, Accounts, A-140…A-149.
const row: Omit<AccountResource<AccountFacts>, "path" | "operationId" | "summary"> = {
  tag: "Accounts",
  arrayName: "Account",
  source: {
    permissions: [["ReadAccountsBasic", "ReadAccountsDetail"]],
    detailPermission: "ReadAccountsDetail",
    from: sql`account a`,
    where: sql`a.account_id = r.account_id`,
    key: { columns: [{ column: sql`a.account_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', a.account_id, 'category', a.account_type,
      'kind', a.account_sub_type, 'currency', a.currency, 'nickname', a.nickname,
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
          ...identityOf(account),
          AccountType: account.category,
          AccountSubType: accountSubTypes[account.kind],
          ...descriptionOf(account, descriptionV3(account)),
          Account: identifications(account),
        } satisfies AccountV3,
      ],
    },
    "aisp-v4.0": {
      schema: readAccountV4,
      detailMembers: ["Account", "Servicer", "StatementFrequencyAndFormat"],
      render: (account) => [
        {
          ...identityOf(account),
          AccountCategory: account.category,
          AccountTypeCode: accountTypeCodes[account.kind],
          ...descriptionOf(account, account.description),
          Account: identifications(account),
        } satisfies AccountV4,
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

/** One account, in an array too. */
export const account = defineAccountResource({
  ...row,
  path: "/accounts/:AccountId",
  operationId: "GetAccountsAccountId",
  summary: "Get one account",
});

const identityOf = ({ accountId, isSwitched, statusUpdatedAt, currency }: AccountFacts) => ({
  AccountId: accountId,
  // an account in any other state is not readable
  Status: isSwitched ? ("Deleted" as const) : ("Enabled" as const),
  StatusUpdateDateTime: statusUpdatedAt,
  Currency: currency,
});

const descriptionOf = (account: AccountFacts, description: string | null) => ({
  ...(description === null ? {} : { Description: description }),
  ...(account.nickname === null ? {} : { Nickname: account.nickname }),
  OpeningDate: `${account.openedOn}T00:00:00+00:00`,
  // only current accounts can be switched
  ...(account.kind === "CurrentAccount"
    ? { SwitchStatus: `UK.CASS.${account.isSwitched ? "SwitchCompleted" : "NotSwitched"}` }
    : {}),
});

// A kind of account without a v3.1 word gets a description, unless the bank has given one. Source:
// E-027.
const descriptionV3 = ({ kind, description }: AccountFacts): string | null =>
  description ?? (accountSubTypes[kind] === kind ? null : kind.replace(/(?<=[a-z])[A-Z]/g, " $&"));

// The bank stores only masked card numbers, so ReadPAN does not show more. Source: A-143…A-145.
function identifications(account: AccountFacts) {
  const schemes: [string, string | null][] = [
    ["UK.OBIE.SortCodeAccountNumber", account.sortCodeAccountNumber],
    ["UK.OBIE.IBAN", account.iban],
    ["UK.OBIE.PAN", account.maskedPan],
  ];
  return schemes.flatMap(([SchemeName, Identification]) =>
    Identification === null ? [] : [{ SchemeName, Identification, Name: account.holderName }],
  );
}
