import type { AgentFact } from "#src/account-store/facts.ts";
import type { AccountRow } from "#src/accounts/resource.ts";
import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type { StatementDelivery } from "#src/standard/shared/accounts/facts.ts";
import { sql } from "#src/storage/sql.ts";
import { instant } from "./facts-sql.ts";

/** An account as it is stored. */
export type AccountFacts = {
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
  maturesOn: string | null;
  /** RFC 3339, UTC. */
  statusUpdatedAt: string;
  /** Whether it was switched to another bank. */
  isSwitched: boolean;
  sortCodeAccountNumber: string | null;
  secondaryIdentification: string | null;
  iban: string | null;
  maskedPan: string | null;
  /** The legal entity identifier of the company that owns the account. */
  lei: string | null;
  servicer: AgentFact | null;
  statementDeliveries: StatementDelivery[];
};

// Source: AISP resource pages, Accounts, A-140…A-149.
const row = {
  tag: "Accounts",
  arrayName: "Account",
  source: {
    cluster: "account",
    permissions: [["ReadAccountsBasic", "ReadAccountsDetail"]],
    detailPermission: "ReadAccountsDetail",
    from: sql`account a left join party o on o.party_id = a.company_id`,
    where: sql`a.account_id = r.account_id`,
    key: { columns: [{ column: sql`a.account_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', a.account_id, 'category', a.account_type,
      'kind', a.account_sub_type, 'currency', a.currency, 'nickname', a.nickname,
      'description', a.description, 'holderName', a.holder_name, 'openedOn', a.opened_on,
      'maturesOn', a.matures_on, 'isSwitched', a.is_switched,
      'statusUpdatedAt', ${instant(sql`a.status_updated_at`)},
      'sortCodeAccountNumber', a.sort_code_account_number,
      'secondaryIdentification', a.secondary_identification, 'iban', a.iban,
      'maskedPan', a.masked_pan, 'lei', o.lei, 'servicer', a.servicer,
      'statementDeliveries', a.statement_deliveries)::text`,
    paged: false,
    showsSwitched: true,
  },
} satisfies Partial<AccountRow>;

/** The accounts that the customer chose for this consent. */
export const accounts: AccountRow<AccountFacts> = {
  ...row,
  path: "/accounts",
  operationId: "GetAccounts",
  summary: "Get the accounts of the consent",
};

/** One account, in an array too. */
export const account: AccountRow<AccountFacts> = {
  ...row,
  path: "/accounts/:AccountId",
  operationId: "GetAccountsAccountId",
  summary: "Get one account",
};

/** The id, the state and the currency of an account. */
export const accountIdentityOf = ({
  accountId,
  isSwitched,
  statusUpdatedAt,
  currency,
}: AccountFacts) => ({
  AccountId: accountId,
  // an account in any other state is not readable
  Status: isSwitched ? ("Deleted" as const) : ("Enabled" as const),
  StatusUpdateDateTime: statusUpdatedAt,
  Currency: currency,
});

/** What the bank and the customer say about an account. */
export const accountDescriptionOf = (account: AccountFacts, description: string | null) => ({
  ...(description === null ? {} : { Description: description }),
  ...(account.nickname === null ? {} : { Nickname: account.nickname }),
  OpeningDate: `${account.openedOn}T00:00:00+00:00`,
  ...(account.maturesOn === null ? {} : { MaturityDate: `${account.maturesOn}T00:00:00+00:00` }),
  // only current accounts can be switched
  ...(account.kind === "CurrentAccount"
    ? { SwitchStatus: `UK.CASS.${account.isSwitched ? "SwitchCompleted" : "NotSwitched"}` }
    : {}),
});

/**
 * The numbers of an account. The bank stores only masked card numbers, so ReadPAN does not show
 * more. Source: A-143…A-145.
 */
export function identificationsOf(account: AccountFacts) {
  const schemes: [string, string | null][] = [
    ["UK.OBIE.SortCodeAccountNumber", account.sortCodeAccountNumber],
    ["UK.OBIE.IBAN", account.iban],
    ["UK.OBIE.PAN", account.maskedPan],
  ];
  return schemes.flatMap(([SchemeName, Identification]) =>
    Identification === null
      ? []
      : [{ SchemeName, Identification, Name: account.holderName, ...secondaryOf(account) }],
  );
}

// Source: A-140
const secondaryOf = ({ secondaryIdentification }: AccountFacts) =>
  secondaryIdentification === null
    ? {}
    : { SecondaryIdentification: secondaryIdentification.slice(0, 34) };
