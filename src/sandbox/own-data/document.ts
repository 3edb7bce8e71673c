import Type, { type Static, type TSchema } from "typebox";
import { transactionTypes } from "#src/sandbox/bank/transaction-codes.ts";
import { bankProducts } from "#src/sandbox/products/list-products.ts";

// the kinds of account that the sandbox's ledger can hold and that both API versions can show
const accountTypes = [
  "CurrentAccount",
  "Savings",
  "CreditCard",
  "ChargeCard",
  "EMoney",
  "Loan",
  "Mortgage",
] as const;
/** The most transactions of one document. */
export const mostTransactions = 10_000;

/** The most transactions of one account. */
export const mostPerAccount = 5000;

const closed = { additionalProperties: false };
const words = <const Word extends string>(all: readonly Word[], description?: string) =>
  Type.Enum([...all], { type: "string", ...(description === undefined ? {} : { description }) });
const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) });
const patterned = (pattern: string, description: string) => Type.String({ pattern, description });
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const list = <Schema extends TSchema>(of: Schema, maxItems: number, description?: string) =>
  Type.Optional(
    Type.Array(of, { maxItems, ...(description === undefined ? {} : { description }) }),
  );

const amount = (description: string) => patterned("^\\d{1,11}(\\.\\d{1,2})?$", description);
const balance = (description: string) => patterned("^-?\\d{1,11}(\\.\\d{1,2})?$", description);
const login = patterned("^[a-z][a-z0-9]{0,15}$", "1 to 16 lower-case letters and digits.");
const day = (description: string) => patterned("^\\d{4}-\\d{2}-\\d{2}$", description);
const dayOfMonth = Type.Integer({ minimum: 1, maximum: 31 });
const lastFour = patterned("^\\d{4}$", "The last four digits of the card.");
const scheme = words(["AmericanExpress", "Diners", "Discover", "MasterCard", "VISA"]);

const address = Type.Object(
  {
    buildingNumber: optional(text(16)),
    streetName: optional(text(70)),
    townName: optional(text(35)),
    countrySubDivision: optional(text(35)),
    postCode: optional(text(16)),
    country: optional(patterned("^[A-Z]{2}$", "GB by default.")),
  },
  { ...closed, title: "CustomerAddress" },
);
const phone = "^\\+\\d{1,3}-\\d{1,29}$";
const contact = Type.Object(
  {
    fullLegalName: optional(text(350)),
    email: optional(text(256)),
    phone: optional(patterned(phone, "Such as +44-2079460112.")),
    mobile: optional(patterned(phone, "Such as +44-7700900118.")),
    address: optional(address),
  },
  { ...closed, title: "CustomerContact" },
);
const accountAtBank = {
  schemeName: words(["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"]),
  identification: text(34, "14 digits of sort code and account number, or an IBAN."),
};
const party = Type.Object(
  { ...accountAtBank, name: optional(text(70)) },
  { ...closed, title: "OtherAccount" },
);
const payee = Type.Object(
  {
    name: text(70),
    number: patterned(
      "^(\\d{14}|[A-Z]{2}\\d{2}[A-Z0-9]{1,30})$",
      "14 digits of sort code and account number, or an IBAN.",
    ),
  },
  { ...closed, title: "OrderPayee" },
);

const transaction = Type.Object(
  {
    at: Type.String({
      format: "date-time",
      description: "When it was booked; for a pending one, when it is expected to be booked.",
    }),
    amount: amount("Greater than 0, such as 12.50."),
    indicator: words(["Credit", "Debit"]),
    type: optional(words(transactionTypes, "FPI for a credit and FPO for a debit by default.")),
    text: text(500, "The text on the customer's statement."),
    reference: optional(text(140)),
    status: optional(words(["Booked", "Pending"], "Booked by default.")),
    counterparty: optional(party),
    merchant: optional(
      Type.Object(
        { name: text(350), categoryCode: optional(patterned("^\\d{4}$", "ISO 18245.")) },
        { ...closed, title: "OwnMerchant" },
      ),
    ),
    card: optional(
      Type.Object(
        {
          scheme,
          lastFour,
          authorisation: optional(words(["ConsumerDevice", "Contactless", "None", "PIN"])),
        },
        { ...closed, title: "OwnCardUse" },
      ),
    ),
  },
  { ...closed, title: "OwnTransaction" },
);
const directDebit = Type.Object(
  {
    reference: text(35, "Transactions of the type DD with this reference are its collections."),
    originator: text(70),
    amount: amount("What is collected each month, or the least of it."),
    mostAmount: optional(amount("The most that is collected, if the amount varies.")),
    dayOfMonth,
  },
  { ...closed, title: "OwnDirectDebit" },
);
const standingOrder = Type.Object(
  {
    payee,
    amount: amount("What is paid each month."),
    reference: text(
      18,
      "Transactions of the type SO to this payee with this amount are its payments, if they have " +
        "this reference or their text ends with it.",
    ),
    dayOfMonth,
  },
  { ...closed, title: "OwnStandingOrder" },
);
const scheduledPayment = Type.Object(
  {
    on: day("A day after the bank's today."),
    payee,
    amount: amount("Such as 12.50."),
    reference: text(18),
  },
  { ...closed, title: "OwnScheduledPayment" },
);
const key = patterned(
  "^[a-z0-9][a-z0-9-]{0,15}$",
  "Names the account: its id is acc-LOGIN-KEY, and its nth transaction is tx-LOGIN-KEY-00000n.",
);
const account = Type.Object(
  {
    key,
    type: words(accountTypes),
    currency: optional(words(["GBP", "EUR", "USD"], "GBP by default.")),
    nickname: optional(text(70)),
    product: optional(
      words(
        bankProducts.map(({ details }) => details.ProductName),
        "The account's terms. By default the usual product of its type, if there is one.",
      ),
    ),
    holderName: optional(text(70, "The customer's name by default.")),
    holders: list(
      Type.Object(
        { login, role: words(["owner", "joint", "signatory"]) },
        { ...closed, title: "OwnHolder" },
      ),
      10,
      "The customer alone by default. Others must be customers of the sandbox.",
    ),
    signatoriesRequired: optional(Type.Integer({ minimum: 1, maximum: 10 })),
    number: optional(
      patterned("^0010\\d{10}$", "Sort code and account number. By default from login and key."),
    ),
    card: optional(Type.Object({ scheme, lastFour }, { ...closed, title: "OwnCard" })),
    openedOn: optional(day("Two years ago by default.")),
    limit: optional(
      amount("How far below zero the account may go: its overdraft, credit limit or loan."),
    ),
    balance: balance("The booked balance now. Negative if the customer owes it."),
    transactions: list(transaction, mostPerAccount, "The newest ones. They end in the balance."),
    directDebits: list(directDebit, 100),
    standingOrders: list(standingOrder, 100),
    scheduledPayments: list(scheduledPayment, 100),
  },
  { ...closed, title: "OwnAccount" },
);
const beneficiary = Type.Object(
  {
    ...accountAtBank,
    name: text(70),
    reference: optional(text(35)),
    isTrusted: optional(Type.Boolean()),
  },
  { ...closed, title: "OwnBeneficiary" },
);

/** A customer with everything that a developer brings: the body of `POST /sandbox/v1/customers`. */
export const customerDocument = Type.Object(
  {
    login,
    name: text(70),
    kind: optional(words(["personal", "business"], "personal by default.")),
    description: optional(text(200, "What the customer is good for, for those who list them.")),
    contact: optional(contact),
    asOf: optional(
      Type.String({
        format: "date-time",
        description: "The bank's time for which the dates are written: that of the export.",
      }),
    ),
    accounts: Type.Array(account, { minItems: 1, maxItems: 50 }),
    beneficiaries: list(beneficiary, 200),
  },
  { ...closed, title: "OwnCustomer" },
);

/** A customer as a developer brings it, after the schema has accepted it. */
export type CustomerDocument = Static<typeof customerDocument>;

/** An account of such a customer. */
export type OwnAccount = CustomerDocument["accounts"][number];

/** A transaction of such an account. */
export type OwnTransaction = NonNullable<OwnAccount["transactions"]>[number];

/** The most bytes of one document. */
export const longestDocument = 4 * 1024 * 1024;

/** The id of an account, which depends only on the document. */
export const ownAccountId = (login: string, accountKey: string): string =>
  `acc-${login}-${accountKey}`;
