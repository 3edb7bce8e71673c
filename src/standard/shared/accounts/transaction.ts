import Type, { type TProperties } from "typebox";
import { currencyCode, openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId, creditDebitIndicator, supplementaryData } from "./parties.ts";

const currencyExchange = open(
  {
    SourceCurrency: currencyCode,
    TargetCurrency: Type.Optional(currencyCode),
    UnitCurrency: Type.Optional(currencyCode),
    ExchangeRate: Type.Number(),
    ContractIdentification: Type.Optional(text(35)),
    QuotationDate: Type.Optional(dateTime()),
    InstructedAmount: Type.Optional(openAmount),
  },
  { title: "OBCurrencyExchange5" },
);

const cardInstrument = closed(
  {
    CardSchemeName: oneOf(["AmericanExpress", "Diners", "Discover", "MasterCard", "VISA"]),
    AuthorisationType: Type.Optional(oneOf(["ConsumerDevice", "Contactless", "None", "PIN"])),
    Name: Type.Optional(text(70)),
    Identification: Type.Optional(text(34)),
  },
  { title: "OBTransactionCardInstrument1" },
);

/** Members of a transaction that ReadTransactionsBasic shows, with a version's words. */
export const basicTransactionMembers = <Status extends string>(statuses: readonly Status[]) => ({
  AccountId: accountId,
  TransactionId: Type.Optional(text(210)),
  TransactionReference: Type.Optional(text(210)),
  StatementReference: Type.Optional(Type.Array(text(35))),
  CreditDebitIndicator: creditDebitIndicator,
  Status: oneOf(statuses),
  TransactionMutability: Type.Optional(oneOf(["Mutable", "Immutable"])),
  BookingDateTime: dateTime(),
  ValueDateTime: Type.Optional(dateTime()),
  AddressLine: Type.Optional(text(70)),
  Amount: openAmount,
  ChargeAmount: Type.Optional(openAmount),
  CurrencyExchange: Type.Optional(currencyExchange),
  BankTransactionCode: Type.Optional(
    open(
      { Code: Type.String(), SubCode: Type.String() },
      { title: "OBBankTransactionCodeStructure1" },
    ),
  ),
  ProprietaryBankTransactionCode: Type.Optional(
    closed(
      { Code: text(35), Issuer: Type.Optional(text(35)) },
      { title: "ProprietaryBankTransactionCodeStructure1" },
    ),
  ),
  CardInstrument: Type.Optional(cardInstrument),
  SupplementaryData: Type.Optional(supplementaryData),
});

/** Members of a transaction that ReadTransactionsDetail shows, save the parties. */
export const detailTransactionMembers = <BalanceType extends string>(
  balanceTypes: readonly BalanceType[],
) => ({
  TransactionInformation: Type.Optional(text(500)),
  Balance: Type.Optional(
    closed(
      {
        CreditDebitIndicator: creditDebitIndicator,
        Type: oneOf(balanceTypes),
        Amount: openAmount,
      },
      { title: "OBTransactionCashBalance" },
    ),
  ),
  MerchantDetails: Type.Optional(
    open(
      {
        MerchantName: Type.Optional(text(350)),
        MerchantCategoryCode: Type.Optional(Type.String({ minLength: 3, maxLength: 4 })),
      },
      { title: "OBMerchantDetails1" },
    ),
  ),
});

/** The body of `GET /accounts/{AccountId}/transactions`. Source: OBReadTransaction6. */
export const readTransactionOf = <Members extends TProperties>(members: Members) =>
  closed(
    {
      Data: closed(
        {
          Transaction: Type.Optional(Type.Array(closed(members, { title: "OBTransaction6" }))),
        },
        { title: "OBReadDataTransaction6" },
      ),
      ...envelope,
    },
    { title: "OBReadTransaction6" },
  );
