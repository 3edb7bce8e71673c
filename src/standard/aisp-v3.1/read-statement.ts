import Type, { type Static } from "typebox";
import { amountText, currencyCode, openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId, creditDebitIndicator } from "./parties.ts";
import { productRate } from "./product-parts.ts";

const obie = (words: string): string[] => words.split(" ").map((word) => `UK.OBIE.${word}`);

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
const feeTypes = obie(
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
const feeFrequencies = obie(
  "ChargingPeriod PerTransactionAmount PerTransactionPercentage Quarterly StatementMonthly Weekly",
);
const interestFrequencies = obie(
  "Daily HalfYearly Monthly PerStatementDate Quarterly Weekly Yearly",
);
const interestRateTypes = obie("BOEBaseRate FixedRate Gross LoanProviderBaseRate Net");

const walletAmount = open({
  Amount: amountText,
  Currency: currencyCode,
  SubType: Type.Optional(oneOf(["BaseCurrency", "LocalCurrency"])),
});

const fee = open({
  Description: Type.Optional(text(128)),
  CreditDebitIndicator: creditDebitIndicator,
  Type: namespaced(feeTypes),
  Rate: Type.Optional(Type.Number()),
  RateType: Type.Optional(namespaced(obie("AER EAR"))),
  Frequency: Type.Optional(namespaced(feeFrequencies)),
  Amount: openAmount,
});

const interest = open({
  Description: Type.Optional(text(128)),
  CreditDebitIndicator: creditDebitIndicator,
  Type: namespaced(obie("BalanceTransfer Cash EstimatedNext Purchase Total")),
  Rate: Type.Optional(Type.Number()),
  RateType: Type.Optional(namespaced(interestRateTypes)),
  Frequency: Type.Optional(namespaced(interestFrequencies)),
  Amount: openAmount,
});

const basicMembers = {
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
  StatementFee: Type.Optional(Type.Array(fee)),
  StatementInterest: Type.Optional(Type.Array(interest)),
  StatementDateTime: Type.Optional(
    Type.Array(open({ DateTime: dateTime(), Type: namespaced(dateTypes) })),
  ),
  StatementRate: Type.Optional(
    Type.Array(open({ Rate: productRate, Type: namespaced(rateTypes) })),
  ),
  StatementValue: Type.Optional(
    Type.Array(open({ Value: text(40), Type: namespaced(valueTypes) })),
  ),
};

const amountMembers = {
  CreditDebitIndicator: creditDebitIndicator,
  Type: namespaced(amountTypes),
  Amount: walletAmount,
};

/** A statement without ReadStatementsDetail. Source: OBStatement2Basic, digest 3.13. */
export const statementBasic = closed(basicMembers, { title: "OBStatement2Basic" });

/** A statement with ReadStatementsDetail. Source: OBStatement2Detail, digest 3.13. */
export const statementDetail = closed(
  { ...basicMembers, StatementAmount: Type.Optional(Type.Array(open(amountMembers))) },
  { title: "OBStatement2Detail" },
);

const statement = closed(
  {
    ...basicMembers,
    StatementAmount: Type.Optional(
      Type.Array(open({ ...amountMembers, LocalAmount: Type.Optional(walletAmount) })),
    ),
    TotalValue: Type.Optional(openAmount),
  },
  { title: "OBStatement2" },
);

/** Body of `GET /accounts/{AccountId}/statements`. Source: OBReadStatement2. */
export const readStatement = closed(
  {
    Data: closed(
      { Statement: Type.Optional(Type.Array(statement)) },
      { title: "OBReadDataStatement2" },
    ),
    ...envelope,
  },
  { title: "OBReadStatement2" },
);

/** One statement of it. */
export type Statement = Static<typeof statement>;
