import type { StatementCost, StatementOccasion } from "#src/account-store/facts.ts";
import type { AccountPart, AccountRow, ResourceSource } from "#src/accounts/resource.ts";
import type { StatementFacts } from "#src/accounts/statement-file/statement-facts.ts";
import {
  amount,
  localAmountOf,
  type SubTypes,
  signedAmount,
  withSubType,
} from "#src/accounts/views/signed-amount.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import type { Statement } from "#src/standard/shared/accounts/statement.ts";
import type { AmountFacts } from "#src/standard/shared/amount.ts";
import { sql } from "#src/storage/sql.ts";
import { exactInstant, instant } from "./facts-sql.ts";

/** SQL: members of `StatementFacts` for `json_build_object`, from `statementTables`. */
export const statementMembers = sql`'accountId', s.account_id,
  'kind', a.account_sub_type, 'currency', s.currency, 'currencyKind', s.currency_kind,
  'statementId', s.statement_id, 'number', s.number, 'startsAt', ${instant(sql`s.starts_at`)},
  'endsAt', ${exactInstant(sql`s.ends_at`)},
  'createdAt', ${instant(sql`s.created_at`)},
  'opening', s.opening_minor::text, 'closing', s.closing_minor::text,
  'credits', s.credits_minor::text, 'debits', s.debits_minor::text,
  'limit', s.limit_minor::text, 'costs', s.costs, 'productName', p.name,
  'periodName', s.period_name, 'minimumPayment', s.minimum_payment_minor::text,
  'paymentDueAt', ${instant(sql`s.payment_due_at`)}, 'rates', s.rates,
  'particulars', s.particulars`;

/** The tables of a statement with its account and product. */
export const statementTables = sql`account_statement s
  join account a on a.account_id = s.account_id
  left join product p on p.product_id = a.product_id`;

/** A statement that a path names, whatever the consent's window. */
export const anyStatement: AccountPart = {
  belongsTo: "statements",
  parameter: "StatementId",
  noun: "statement",
  table: sql`account_statement part`,
  accountColumn: sql`part.account_id`,
  idColumn: sql`part.statement_id`,
  columns: sql`part.statement_id, part.starts_at, part.ends_at`,
};

/** The same, if it is entirely within the consent's window. Source: A-214, A-215. */
export const statementWithin: AccountPart = {
  ...anyStatement,
  seenWhen: sql`part.starts_at >= coalesce(access.consent_transactions_from, '-infinity')
    and date_trunc('second', part.ends_at - interval '1 microsecond')
      <= coalesce(access.consent_transactions_to, 'infinity')`,
};

/** The names of every resource of statements. */
export const statementRow = { tag: "Statements", arrayName: "Statement" };

/** The source of every resource of statements. */
export const statementSource = {
  cluster: "statements",
  permissions: [["ReadStatementsBasic", "ReadStatementsDetail"]],
  detailPermission: "ReadStatementsDetail",
  from: statementTables,
  key: {
    columns: [
      { column: sql`s.starts_at`, type: "timestamptz" },
      { column: sql`s.statement_id`, type: "text" },
    ],
    descending: true,
  },
  facts: sql`json_build_object(${statementMembers})::text`,
  window: {
    parameters: { from: "fromStatementDateTime", to: "toStatementDateTime" },
    column: sql`s.starts_at`,
    endColumn: sql`date_trunc('second', s.ends_at - interval '1 microsecond')`,
    historyStart: sql`(select min(h.starts_at) from account_statement h
      where h.account_id = r.account_id)`,
    openDays: 90,
  },
} satisfies Partial<ResourceSource>;

/**
 * Makes the renderer of a version. The words differ only for kinds of currency: the others are
 * namespaced. Source: E-062…E-064.
 */
export const statementsIn = (subTypes: SubTypes<string>) => ({
  render: (stored: StatementFacts) => [
    {
      ...renderStatement(stored),
      StatementAmount: amountsOf(stored, subTypes).map((each) =>
        withSubType(each, stored, subTypes),
      ),
      // JSON leaves out what is undefined
      TotalValue: moneyOf(stored.particulars?.totalValue),
    },
  ],
});

const moneyOf = <Given extends AmountFacts | undefined>(money: Given) =>
  money && amount(BigInt(money.amountMinor), money.currency);

/** The statements of an account, newest first. Source: A-213, A-214, A-217. */
export const statements: AccountRow<StatementFacts> = {
  ...statementRow,
  path: "/accounts/:AccountId/statements",
  operationId: "GetAccountsAccountIdStatements",
  summary: "Get the statements of an account",
  source: { ...statementSource, where: sql`s.account_id = r.account_id`, paged: true },
  bulk: {
    path: "/statements",
    operationId: "GetStatements",
    summary: "Get the statements of all accounts",
  },
};

/** One statement, in an array too. */
export const statement: AccountRow<StatementFacts> = {
  ...statementRow,
  path: "/accounts/:AccountId/statements/:StatementId",
  operationId: "GetAccountsAccountIdStatementsStatementId",
  summary: "Get one statement",
  source: {
    ...statementSource,
    part: statementWithin,
    where: sql`s.account_id = r.account_id and s.statement_id = r.statement_id`,
    window: { ...statementSource.window, parameters: null, historyStart: sql`r.starts_at` },
    paged: false,
  },
};

// Both versions have the same words. Source: OBInternalStatementType1Code
const occasionTypes: Record<StatementOccasion, Statement["Type"]> = {
  "account-opening": "AccountOpening",
  "account-closure": "AccountClosure",
  "year-end": "Annual",
  interim: "Interim",
};

function renderStatement(stored: StatementFacts): Omit<Statement, "StatementAmount"> {
  const { productName, kind, number, periodName, rates, createdAt, particulars } = stored;
  const { benefits, dates = [], values } = particulars ?? {};
  const end = lastSecond(stored);
  return {
    AccountId: stored.accountId,
    StatementId: stored.statementId,
    StatementReference: String(number),
    Type: particulars?.occasion ? occasionTypes[particulars.occasion] : "RegularPeriodic",
    StartDateTime: stored.startsAt,
    EndDateTime: end,
    CreationDateTime: createdAt,
    StatementDescription: [
      `${productName ?? kind}: statement ${number}${periodName ? `, ${periodName}` : ""}`,
    ],
    StatementFee: feesOf(stored),
    StatementInterest: interestOf(stored),
    StatementDateTime: [
      { DateTime: createdAt, Type: "UK.OBIE.StatementAvailable" },
      ...(stored.paymentDueAt === null
        ? []
        : [{ DateTime: stored.paymentDueAt, Type: "UK.OBIE.PaymentDue" }]),
      ...dates.map(({ type, at }) => ({
        DateTime: formatInstant(Temporal.Instant.from(at)),
        Type: type,
      })),
    ],
    ...(rates.length === 0
      ? {}
      : { StatementRate: rates.map(({ type, rate }) => ({ Rate: rate, Type: type })) }),
    ...(benefits
      ? {
          StatementBenefit: benefits.map((one) => ({
            Type: one.type,
            Amount: moneyOf(one.amount),
          })),
        }
      : {}),
    ...(values
      ? { StatementValue: values.map((one) => ({ Type: one.type, Value: one.value })) }
      : {}),
  };
}

const lastSecond = ({ endsAt }: StatementFacts): string =>
  Temporal.Instant.from(endsAt).subtract({ microseconds: 1 }).toString({ smallestUnit: "second" });

type Fee = NonNullable<Statement["StatementFee"]>[number];
type Interest = NonNullable<Statement["StatementInterest"]>[number];

// One line per kind of fee, and one for their total.
function feesOf({ costs, currency }: StatementFacts): Fee[] {
  const fees = costs.filter(({ type }) => type === "CHG");
  if (fees.length === 0) return [];
  const total = { ...costOf("Total of fees", signedSum(fees), currency), Type: "UK.OBIE.Total" };
  return [...sumByKind(fees, currency), total];
}

const interestOf = ({ costs, currency }: StatementFacts): Interest[] =>
  sumByKind(
    costs.filter(({ type }) => type !== "CHG"),
    currency,
  );

const costOf = (text: string, sum: bigint, currency: string) => ({
  ...(text === "" ? {} : { Description: text.slice(0, 128) }),
  ...signedAmount(sum, currency),
});

const signedSum = (costs: readonly StatementCost[]): bigint =>
  costs.reduce(
    (sum, { amount: minor, indicator }) =>
      sum + BigInt(minor) * (indicator === "Credit" ? 1n : -1n),
    0n,
  );

function sumByKind(costs: readonly StatementCost[], currency: string) {
  const kindOf = ({ text, code, frequency, rate, rateType }: StatementCost) =>
    JSON.stringify([text ?? "", code, frequency, rate, rateType]);
  const kinds = Map.groupBy(costs, kindOf).values();
  return [...kinds].flatMap((some) => {
    const { text, code, frequency, rate, rateType } = present(some[0], "a cost");
    // the standard lists no cost without a code
    if (!code) return [];
    return [
      {
        ...costOf(text ?? "", signedSum(some), currency),
        Type: code,
        ...(frequency ? { Frequency: frequency } : {}),
        ...(rate === undefined ? {} : { Rate: rate }),
        ...(rateType ? { RateType: rateType } : {}),
      },
    ];
  });
}

type Amount = Omit<NonNullable<Statement["StatementAmount"]>[number], "LocalAmount">;
type StatedAmount = Amount & ReturnType<typeof localAmountOf<string>>;

/**
 * The amounts that the bank states and, for every other type, the amount that follows from the
 * statement's sums.
 */
function amountsOf(stored: StatementFacts, subTypes: SubTypes<string>): StatedAmount[] {
  const stated = (stored.particulars?.amounts ?? []).map((one) => ({
    ...signedAmount(BigInt(one.amountMinor), stored.currency),
    Type: one.type,
    ...localAmountOf(one.localAmount, subTypes),
  }));
  const types = new Set(stated.map(({ Type }) => Type));
  return [...sumsOf(stored).filter(({ Type }) => !types.has(Type)), ...stated];
}

function sumsOf(stored: StatementFacts): Amount[] {
  const { currency, minimumPayment } = stored;
  const charged = signedSum(stored.costs.filter(({ type }) => type !== "INT"));
  const of = (type: string, minor: bigint): Amount => ({
    ...signedAmount(minor, currency),
    Type: `UK.OBIE.${type}`,
  });
  const all = [
    of("StartingBalance", BigInt(stored.opening)),
    of("ClosingBalance", BigInt(stored.closing)),
    of("TotalCredits", BigInt(stored.credits)),
    of("TotalDebits", -BigInt(stored.debits)),
    of("TotalCharges", charged),
  ];
  if (stored.kind !== "CreditCard") return all;
  const limit = BigInt(stored.limit);
  const available = limit + BigInt(stored.closing);
  return [
    ...all,
    {
      CreditDebitIndicator: "Credit",
      Type: "UK.OBIE.CreditLimit",
      Amount: amount(limit, currency),
    },
    of("AvailableBalance", available),
    ...(minimumPayment === null ? [] : [of("MinimumPaymentDue", -BigInt(minimumPayment))]),
  ];
}
