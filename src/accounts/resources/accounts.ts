import type { AgentFact } from "#src/account-store/facts.ts";
import { type AccountResource, defineAccountResource } from "#src/accounts/resource.ts";
import { renderAgentV3, renderServicerV4 } from "#src/accounts/views/creditor.ts";
import { renderAddressV4 } from "#src/accounts/views/postal-address.ts";
import { type Account as AccountV3, readAccount } from "#src/standard/aisp-v3.1/read-account.ts";
import { accountSubTypes } from "#src/standard/aisp-v3.1/words.ts";
import {
  type Account as AccountV4,
  readAccount as readAccountV4,
} from "#src/standard/aisp-v4.0/read-account.ts";
import {
  accountTypeCodes,
  newStatementCodes,
  statementChannels,
  statementFormatCodes,
  statementFrequencies,
} from "#src/standard/aisp-v4.0/words.ts";
import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type { StatementDelivery } from "#src/standard/shared/accounts/facts.ts";
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

// The releases of v4.0 differ only in the codes of statements.
const renderV4 = (hidden: ReadonlySet<string>) => (account: AccountFacts) => [
  {
    ...({
      ...identityOf(account),
      AccountCategory: account.category,
      AccountTypeCode: accountTypeCodes[account.kind],
      ...descriptionOf(account, account.description),
      Account: identifications(account).map((each) =>
        account.lei === null ? each : { ...each, LEI: account.lei },
      ),
    } satisfies AccountV4),
    // JSON leaves out what is undefined
    StatementFrequencyAndFormat: deliveriesOf(account, hidden),
    Servicer: renderServicerV4(account.servicer),
  },
];

// Source: AISP resource pages, Accounts, A-140…A-149.
const row: Omit<AccountResource<AccountFacts>, "path" | "operationId" | "summary"> = {
  tag: "Accounts",
  arrayName: "Account",
  source: {
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
  views: {
    "aisp-v3.1": {
      schema: readAccount,
      detailMembers: ["Account", "Servicer"],
      render: (account) => [
        {
          ...({
            ...identityOf(account),
            AccountType: account.category,
            AccountSubType: accountSubTypes[account.kind],
            ...descriptionOf(account, descriptionV3(account)),
            Account: identifications(account),
          } satisfies AccountV3),
          // JSON leaves out what is undefined
          Servicer: renderAgentV3(account.servicer),
        },
      ],
    },
    "aisp-v4.0": {
      schema: readAccountV4,
      detailMembers: ["Account", "Servicer", "StatementFrequencyAndFormat"],
      render: renderV4(new Set()),
      vocabularies: { "4.0.0": { render: renderV4(newStatementCodes) } },
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
  ...(account.maturesOn === null ? {} : { MaturityDate: `${account.maturesOn}T00:00:00+00:00` }),
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

/**
 * How the customer gets statements, without the codes that a release does not have. Source: E-028,
 * E-029, E-030.
 */
function deliveriesOf({ statementDeliveries }: AccountFacts, hidden: ReadonlySet<string>) {
  const known = <Code extends string>(code: Code | undefined) =>
    code === undefined || hidden.has(code) ? undefined : code;
  const all = statementDeliveries.map(({ frequency, channel, format, address }) => ({
    Frequency: known(frequency && statementFrequencies[frequency]),
    CommunicationMethod: channel && statementChannels[channel],
    DeliveryAddress: address && renderAddressV4(address),
    Format: known(format && statementFormatCodes[format]),
  }));
  const shown = all.filter((one) => Object.values(one).some((value) => value !== undefined));
  return shown.length > 0 ? shown : undefined;
}
