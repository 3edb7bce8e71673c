import Type, { type Static, type TSchema } from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { walletAmountOf } from "./balance.ts";
import { accountId, creditDebitIndicator } from "./parties.ts";

/** Words of the namespace of Open Banking. */
export const obie = (words: string): string[] => words.split(" ").map((word) => `UK.OBIE.${word}`);

const amountTypes = obie(
  "ArrearsClosingBalance AvailableBalance AverageBalanceWhenInCredit AverageBalanceWhenInDebit " +
    "AverageDailyBalance BalanceTransferClosingBalance CashClosingBalance ClosingBalance " +
    "CreditLimit CurrentPayment DirectDebitPaymentDue FSCSInsurance MinimumPaymentDue " +
    "PendingTransactionsBalance PreviousClosingBalance PreviousPayment PurchaseClosingBalance " +
    "StartingBalance TotalAdjustments TotalCashAdvances TotalCharges TotalCredits TotalDebits " +
    "TotalPurchases",
);
const dateTypes = obie(
  "BalanceTransferPromoEnd DirectDebitDue LastPayment LastStatement NextStatement PaymentDue " +
    "PurchasePromoEnd StatementAvailable",
);
/** Kinds of fee in every version. Source: OBInternalStatementFeeType1Code. */
export const feeTypes = obie(
  "Annual BalanceTransfer CashAdvance CashTransaction ForeignCashTransaction ForeignTransaction " +
    "Gambling LatePayment MoneyTransfer Monthly Overlimit PostalOrder PrizeEntry StatementCopy " +
    "Total",
);
const rateTypes = obie(
  "AnnualBalanceTransfer AnnualBalanceTransferAfterPromo AnnualBalanceTransferPromo AnnualCash " +
    "AnnualPurchase AnnualPurchaseAfterPromo AnnualPurchasePromo MonthlyBalanceTransfer " +
    "MonthlyCash MonthlyPurchase",
);
const valueTypes = obie(
  "AirMilesPoints AirMilesPointsBalance Credits Debits HotelPoints HotelPointsBalance " +
    "RetailShoppingPoints RetailShoppingPointsBalance",
);
/** Kinds of interest in every version. Source: OBInternalStatementInterestType1Code. */
export const interestTypes = obie("BalanceTransfer Cash EstimatedNext Purchase Total");

const feeFrequencies = obie(
  "ChargingPeriod PerTransactionAmount PerTransactionPercentage Quarterly StatementMonthly Weekly",
);
const interestFrequencies = obie(
  "Daily HalfYearly Monthly PerStatementDate Quarterly Weekly Yearly",
);
const interestRateTypes = obie("BOEBaseRate FixedRate Gross LoanProviderBaseRate Net");

/** The words in which the versions differ. Source: E-062, E-063, E-064. */
type StatementWords<SubType extends string, Rate extends TSchema> = {
  subTypes: readonly SubType[];
  feeTypes: readonly string[];
  interestTypes: readonly string[];
  rate: Rate;
};

const feeOf = (types: readonly string[]) =>
  open({
    Description: Type.Optional(text(128)),
    CreditDebitIndicator: creditDebitIndicator,
    Type: namespaced(types),
    Rate: Type.Optional(Type.Number()),
    RateType: Type.Optional(namespaced(obie("AER EAR"))),
    Frequency: Type.Optional(namespaced(feeFrequencies)),
    Amount: openAmount,
  });

const interestOf = (types: readonly string[]) =>
  open({
    Description: Type.Optional(text(128)),
    CreditDebitIndicator: creditDebitIndicator,
    Type: namespaced(types),
    Rate: Type.Optional(Type.Number()),
    RateType: Type.Optional(namespaced(interestRateTypes)),
    Frequency: Type.Optional(namespaced(interestFrequencies)),
    Amount: openAmount,
  });

const basicMembersOf = <SubType extends string, Rate extends TSchema>(
  words: StatementWords<SubType, Rate>,
) => ({
  AccountId: accountId,
  StatementId: Type.Optional(text(40)),
  StatementReference: Type.Optional(text(35)),
  Type: oneOf(["AccountClosure", "AccountOpening", "Annual", "Interim", "RegularPeriodic"]),
  StartDateTime: dateTime(),
  EndDateTime: dateTime(),
  CreationDateTime: dateTime(),
  StatementDescription: Type.Optional(Type.Array(text(500))),
  StatementBenefit: Type.Optional(
    Type.Array(
      open({
        Type: namespaced(obie("Cashback Insurance TravelDiscount TravelInsurance")),
        Amount: openAmount,
      }),
    ),
  ),
  StatementFee: Type.Optional(Type.Array(feeOf(words.feeTypes))),
  StatementInterest: Type.Optional(Type.Array(interestOf(words.interestTypes))),
  StatementDateTime: Type.Optional(
    Type.Array(open({ DateTime: dateTime(), Type: namespaced(dateTypes) })),
  ),
  StatementRate: Type.Optional(Type.Array(open({ Rate: words.rate, Type: namespaced(rateTypes) }))),
  StatementValue: Type.Optional(
    Type.Array(open({ Value: text(40), Type: namespaced(valueTypes) })),
  ),
});

const amountMembersOf = <SubType extends string>(subTypes: readonly SubType[]) => ({
  CreditDebitIndicator: creditDebitIndicator,
  Type: namespaced(amountTypes),
  Amount: walletAmountOf(subTypes),
});

/** The schemas of statements in a version's words. Source: OBReadStatement2. */
export const statementSchemas = <SubType extends string, Rate extends TSchema>(
  words: StatementWords<SubType, Rate>,
) => {
  const basicMembers = basicMembersOf(words);
  const amountMembers = amountMembersOf(words.subTypes);
  const statement = closed(
    {
      ...basicMembers,
      StatementAmount: Type.Optional(
        Type.Array(
          open({ ...amountMembers, LocalAmount: Type.Optional(walletAmountOf(words.subTypes)) }),
        ),
      ),
      TotalValue: Type.Optional(openAmount),
    },
    { title: "OBStatement2" },
  );
  return {
    basic: closed(basicMembers, { title: "OBStatement2Basic" }),
    detail: closed(
      { ...basicMembers, StatementAmount: Type.Optional(Type.Array(open(amountMembers))) },
      { title: "OBStatement2Detail" },
    ),
    read: closed(
      {
        Data: closed(
          { Statement: Type.Optional(Type.Array(statement)) },
          { title: "OBReadDataStatement2" },
        ),
        ...envelope,
      },
      { title: "OBReadStatement2" },
    ),
  };
};

/** A statement, whatever the words of its version. */
export type Statement = NonNullable<
  Static<ReturnType<typeof statementSchemas<string, TSchema>>["read"]>["Data"]["Statement"]
>[number];
