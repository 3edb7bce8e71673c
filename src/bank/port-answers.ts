import Type, { type TSchema } from "typebox";
import { isStorable } from "#src/lib/plain-text.ts";
import { explanationCodes, refusalCodes } from "#src/standard/error-codes.ts";
import { isIban, isSortCodeAccountNumber } from "#src/standard/shared/account-schemes.ts";
import { accountKinds } from "#src/standard/shared/accounts/account-kinds.ts";
import { currencyCodes } from "#src/standard/shared/currency-codes.ts";
import type { AppOffer, Challenge, PasskeyOffer, PasskeyRequest } from "./challenge.ts";
import type {
  AccountReference,
  Bank,
  BankAccount,
  BankCustomer,
  Beneficiary,
  DirectDebit,
  ExchangeContract,
  ExchangeRate,
  ListedAccount,
  Price,
  RateQuote,
  Reason,
  ReceivedPayment,
  Signatory,
} from "./port.ts";

// What a core may answer. A module of the bank and a core over HTTP write some values differently:
// the rules here are made for each of the two from one table.

/** The values that a module of the bank and JSON write differently. */
export type PortValues = {
  instant: TSchema;
  money: TSchema;
  /** The booked and the available balance of an account. */
  funds: TSchema;
  bytes: TSchema;
};

type CallNames = {
  [Name in Exclude<keyof Bank, "close">]-?: NonNullable<Bank[Name]> extends (
    ...given: never[]
  ) => Promise<unknown>
    ? Name
    : never;
};

/** The name of a call of the port. */
export type CallName = CallNames[keyof CallNames];

/** How the items of an answer are checked, each alone. */
type AnswerItems = {
  schema: TSchema;
  /** The member by which the log names an item; null if the answer is a Map, for its keys. */
  id: string | null;
};

/** The rules of one answer: either as a whole, or of each of its items. */
type PortAnswer = { answer: TSchema; items?: AnswerItems };

// an answer that the database cannot store is invalid, before it fails together with others
const text = Type.Refine(Type.String(), isStorable, () => "must be Unicode text without NUL");
const textOrNull = Type.Union([text, Type.Null()]);
const orNull = (schema: TSchema): TSchema => Type.Union([Type.Null(), schema]);
/** A text that pages and TPPs read as more than a text, by the rule of the feed. */
const textThat = (check: (value: string) => boolean, words: string): TSchema =>
  Type.Refine(text, check, () => `must be ${words}`);
const isMap = (value: unknown): boolean => value instanceof Map;
const map = Type.Refine(Type.Unknown(), isMap, () => "must be a Map");
const list = Type.Array(Type.Unknown());
const anything = Type.Unknown();

type Members<Shape> = [Shape] extends [never]
  ? Record<string, TSchema>
  : { [Name in keyof Shape]-?: TSchema };

/** The schema of an object, which has each member of its type and no other. */
export const schemaOf = <Shape = never>(title: string, members: Members<Shape>): TSchema =>
  Type.Object(members, { title });

const customer = schemaOf<BankCustomer>("Customer", { customerId: text, login: text, name: text });
const signatory = schemaOf<Signatory>("Signatory", { customerId: text, name: text });
const accountMembers: Members<BankAccount> = {
  accountId: text,
  accountType: Type.Enum(["Personal", "Business"]),
  accountSubType: Type.Enum(Object.keys(accountKinds)),
  currency: textThat((code) => currencyCodes.has(code), "a currency of ISO 4217"),
  nickname: textOrNull,
  holderName: text,
  sortCodeAccountNumber: Type.Union([textThat(isSortCodeAccountNumber, "14 digits"), Type.Null()]),
  secondaryIdentification: Type.Optional(textOrNull),
  iban: Type.Union([textThat(isIban, "an IBAN without spaces"), Type.Null()]),
  maskedPan: textOrNull,
  signatoriesRequired: Type.Integer({ minimum: 1 }),
  status: Type.Enum(["Enabled", "Disabled", "Deleted"]),
};
const account = schemaOf<BankAccount>("Account", accountMembers);

/** A party's account in the standard's terms, in answers as in requests. */
export const accountReference = schemaOf<AccountReference>("AccountReference", {
  schemeName: text,
  identification: text,
  name: textOrNull,
  secondaryIdentification: textOrNull,
});
/** What the payee's bank says about a name. */
export const payeeCheck = Type.Union(
  [
    Type.Object({ result: Type.Enum(["match", "no match", "unavailable"]) }),
    Type.Object({ result: Type.Literal("close match"), name: text }),
  ],
  { title: "PayeeCheck" },
);
// a TPP gets it in StatusReason and in error_description
const assessedReason = Type.Object(
  {
    code: Type.Enum([...Object.keys(refusalCodes), ...Object.keys(explanationCodes)]),
    text: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: "^[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]+$",
    }),
  },
  { title: "AssessmentReason" },
);
const allowed = Type.Object({ result: Type.Literal("allow") });
// one byte for each character, so that it comes back as it was in any language
const attachedData = Type.String({ minLength: 1, maxLength: 4096, pattern: "^[\\x20-\\x7e]+$" });
const allowedConsent = Type.Object({
  result: Type.Literal("allow"),
  attachedData: Type.Optional(attachedData),
});
// the pages show plain text
const customerText = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: "^[^\\x00-\\x1f\\x7f]+$",
});
const assessment = Type.Union(
  [
    allowedConsent,
    Type.Object({ result: Type.Literal("refuse"), customerText, reason: assessedReason }),
    Type.Object({ result: Type.Literal("step up"), customerText }),
  ],
  { title: "Assessment" },
);
const orderAssessment = ({ instant }: PortValues): TSchema =>
  Type.Union(
    [
      allowed,
      Type.Object({ result: Type.Literal("refuse"), reason: assessedReason }),
      Type.Object({ result: Type.Literal("later"), until: instant, reason: assessedReason }),
    ],
    { title: "OrderAssessment" },
  );
/** One unit of a currency in another one. */
export const rateMembers = { unitCurrency: text, otherCurrency: text, rate: text };
const rate = schemaOf<ExchangeRate>("ExchangeRate", rateMembers);
const reason = schemaOf<Reason>("Reason", { code: text, text });

/** The rules of a payment's outcome, with the members that every outcome has in this writing. */
export const outcomeOf = ({ instant }: PortValues, every: Record<string, TSchema> = {}): TSchema =>
  Type.Union([
    Type.Object({ ...every, state: Type.Enum(["reserved", "unknown"]) }),
    Type.Object({ ...every, state: Type.Enum(["refused", "returned"]), reason }),
    Type.Object({ ...every, state: Type.Literal("pending"), askAt: instant }),
    Type.Object({ ...every, state: Type.Literal("held"), until: instant }),
    Type.Object({ ...every, state: Type.Literal("settled"), posted: Type.Boolean() }),
    Type.Object({ ...every, state: Type.Literal("failed"), inDoubt: Type.Boolean() }),
  ]);

/** The methods that were really used. Source: RFC 8176 section 2. */
export const usedMethods = Type.Array(Type.String({ pattern: "^[a-z]{2,10}$" }), {
  minItems: 1,
  maxItems: 10,
});

const bytesText = (maxLength: number): TSchema =>
  Type.String({ pattern: "^[A-Za-z0-9_-]+$", minLength: 1, maxLength });
const passkeyRequest = schemaOf<PasskeyRequest>("PasskeyRequest", {
  challenge: bytesText(512),
  rpId: Type.String({ pattern: "^[a-z0-9.-]{1,253}$" }),
  allowCredentials: Type.Array(
    schemaOf<PasskeyRequest["allowCredentials"][number]>("PasskeyDescriptor", {
      type: Type.Enum(["public-key"]),
      // at most 1,023 bytes
      id: bytesText(1364),
      transports: Type.Optional(
        Type.Array(Type.String({ pattern: "^[a-z-]{1,20}$" }), { maxItems: 10 }),
      ),
    }),
    { minItems: 1, maxItems: 64 },
  ),
  userVerification: Type.Enum(["required"]),
});

const challengeSchema = (instant: TSchema): TSchema =>
  schemaOf<Challenge>("Challenge", {
    challengeId: text,
    method: Type.Enum(["code", "redirect", "decoupled", "passkey"]),
    expiresAt: instant,
    sentTo: Type.Optional(text),
    app: Type.Optional(
      schemaOf<AppOffer>("AppOffer", {
        digits: Type.Optional(Type.String({ pattern: "^\\d{2}$" })),
        appLink: Type.Optional(Type.String({ pattern: "^https?://[\\x21-\\x7e]{1,500}$" })),
        hasCode: Type.Optional(Type.Boolean()),
      }),
    ),
    passkey: Type.Optional(
      schemaOf<PasskeyOffer>("PasskeyOffer", {
        request: passkeyRequest,
        hasCode: Type.Optional(Type.Boolean()),
      }),
    ),
  });

/** Makes the rules of the objects that have amounts or times. */
function objectsOf({ instant, money, funds }: PortValues) {
  const challenge = challengeSchema(instant);
  const challengeResult = Type.Union([
    Type.Object({ state: Type.Enum(["pending", "declined", "expired"]) }),
    Type.Object({
      state: Type.Literal("approved"),
      at: instant,
      amr: usedMethods,
      subjectHash: text,
    }),
  ]);
  const beneficiary = schemaOf<Beneficiary>("Payee", {
    beneficiaryId: text,
    creditor: accountReference,
    creditorBic: textOrNull,
    reference: textOrNull,
    isTrusted: Type.Boolean(),
  });
  const directDebit = schemaOf<DirectDebit>("Mandate", {
    directDebitId: text,
    accountId: text,
    originatorName: text,
    mandateReference: text,
    isActive: Type.Boolean(),
    nextAt: orNull(instant),
    previous: orNull(schemaOf("Collection", { at: instant, amount: money })),
  });
  const contract = schemaOf<ExchangeContract>("RateContract", {
    ...rateMembers,
    contractId: text,
    accountId: text,
    remaining: money,
    expiresAt: instant,
  });
  const price = schemaOf<Price>("Price", {
    debit: money,
    charge: orNull(money),
    credit: money,
    deducted: orNull(money),
    rate: orNull(rate),
  });
  const received = schemaOf<ReceivedPayment>("ReceivedPayment", {
    paymentId: text,
    debtorAccountId: text,
    amount: money,
    receivedAt: instant,
  });
  const listedAccount = schemaOf<ListedAccount>("ListedAccount", {
    ...accountMembers,
    funds: Type.Optional(orNull(funds)),
  });
  const quote = schemaOf<RateQuote>("RateQuote", { ...rateMembers, expiresAt: orNull(instant) });
  const payments = { contract, price, received, listedAccount, quote };
  return { challenge, challengeResult, beneficiary, directDebit, ...payments };
}

/**
 * Makes the rules of every answer. The items of a list are checked one by one if the customer only
 * sees fewer of them when one is left out. Any other answer is about one customer, one account or
 * one price, and is used as a whole or not at all.
 */
export function portAnswers(values: PortValues): Record<CallName, PortAnswer> {
  const objects = objectsOf(values);
  const yesOrNo = { answer: Type.Boolean() };
  const outcomes = { answer: list };
  const listed = (schema: TSchema, id: string) => ({ answer: list, items: { schema, id } });
  return {
    authenticate: { answer: orNull(customer) },
    challenge: { answer: objects.challenge },
    verify: { answer: Type.Union([Type.Boolean(), Type.Object({ amr: usedMethods })]) },
    challengeResult: { answer: objects.challengeResult },
    loadCustomer: { answer: orNull(customer) },
    listAccounts: listed(objects.listedAccount, "accountId"),
    loadAccount: { answer: orNull(account) },
    findAccount: { answer: Type.Union([Type.Null(), Type.Literal("ambiguous"), account]) },
    loadFunds: { answer: map, items: { schema: values.funds, id: null } },
    listBeneficiaries: listed(objects.beneficiary, "beneficiaryId"),
    saveBeneficiary: yesOrNo,
    trustBeneficiary: yesOrNo,
    removeBeneficiary: yesOrNo,
    listDirectDebits: listed(objects.directDebit, "directDebitId"),
    cancelDirectDebit: yesOrNo,
    confirmFunds: yesOrNo,
    quoteRate: { answer: orNull(objects.quote) },
    loadContract: { answer: orNull(objects.contract) },
    price: { answer: orNull(objects.price) },
    reserve: outcomes,
    execute: outcomes,
    ask: outcomes,
    release: { answer: anything },
    listPayments: { answer: Type.Array(objects.received) },
    listSignatories: listed(signatory, "customerId"),
    confirmPayee: { answer: payeeCheck },
    assess: { answer: assessment },
    assessOrder: { answer: orderAssessment(values) },
    loadStatementDocument: { answer: orNull(values.bytes) },
    tell: { answer: anything },
  };
}
