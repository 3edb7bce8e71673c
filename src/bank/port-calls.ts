import Type, { type TSchema } from "typebox";
import { exchangedKindIds, publishedKindIds, publishedPaymentIds } from "#src/standard/kind-id.ts";
import { accountKinds } from "#src/standard/shared/accounts/account-kinds.ts";
import { explanationCodes, refusalCodes } from "#src/standard/shared/error-codes.ts";
import { type BankPart, bankParts, listAboutFaults } from "./parts.ts";
import type { Bank } from "./port.ts";

/**
 * Calls that share connections, a deadline and a circuit breaker. Groups do not delay each other.
 */
export type CallGroup = "identify" | "read" | "document" | "quote" | "execute" | "tell";

/** The groups of calls, each with its own deadline and limit. */
export const callGroups: readonly CallGroup[] = [
  "identify",
  "read",
  "document",
  "quote",
  "execute",
  "tell",
];

type CallNames = {
  [Name in Exclude<keyof Bank, "close">]-?: NonNullable<Bank[Name]> extends (
    ...given: never[]
  ) => Promise<unknown>
    ? Name
    : never;
};

/** The name of a call of the port. */
export type CallName = CallNames[keyof CallNames];

const text = Type.String();
const textOrNull = Type.Union([text, Type.Null()]);
const orNull = (schema: TSchema): TSchema => Type.Union([Type.Null(), schema]);
const isInstant = (value: unknown): boolean => value instanceof Temporal.Instant;
const instant = Type.Refine(Type.Unknown(), isInstant, () => "must be a Temporal.Instant");
const isMap = (value: unknown): boolean => value instanceof Map;
const map = Type.Refine(Type.Unknown(), isMap, () => "must be a Map");
const isBytes = (value: unknown): boolean => value instanceof Uint8Array;
const bytes = Type.Refine(Type.Unknown(), isBytes, () => "must be a Uint8Array");
const money = Type.Object({ amountMinor: Type.BigInt(), currency: text });
const moneyOrNull = orNull(money);
const anything = Type.Unknown();
const received = Type.Object({
  paymentId: text,
  debtorAccountId: text,
  amount: money,
  receivedAt: instant,
});

const customer = Type.Object({ customerId: text, login: text, name: text });
const signatory = Type.Object({ customerId: text, name: text });
const challenge = Type.Object({
  challengeId: text,
  method: Type.Enum(["code", "redirect", "decoupled"]),
  expiresAt: instant,
  sentTo: Type.Optional(text),
});
const accountMembers = {
  accountId: text,
  accountType: Type.Enum(["Personal", "Business"]),
  accountSubType: Type.Enum(Object.keys(accountKinds)),
  currency: text,
  nickname: textOrNull,
  holderName: text,
  sortCodeAccountNumber: textOrNull,
  secondaryIdentification: Type.Optional(textOrNull),
  iban: textOrNull,
  maskedPan: textOrNull,
  signatoriesRequired: Type.Integer({ minimum: 1 }),
  status: Type.Enum(["Enabled", "Disabled", "Deleted"]),
};
const account = Type.Object(accountMembers);
const funds = Type.Object({
  bookedMinor: Type.BigInt(),
  availableMinor: Type.BigInt(),
  currency: text,
});
const listedAccount = Type.Object({ ...accountMembers, funds: Type.Optional(orNull(funds)) });
const creditor = Type.Object({
  schemeName: text,
  identification: text,
  name: textOrNull,
  secondaryIdentification: textOrNull,
});
const payeeCheck = Type.Union([
  Type.Object({ result: Type.Enum(["match", "no match", "unavailable"]) }),
  Type.Object({ result: Type.Literal("close match"), name: text }),
]);
// the pages show plain text, and a TPP gets the reason in error_description
const assessment = Type.Union([
  Type.Object({ result: Type.Literal("allow") }),
  Type.Object({
    result: Type.Literal("refuse"),
    customerText: Type.String({ minLength: 1, maxLength: 500, pattern: "^[^\\x00-\\x1f\\x7f]+$" }),
    reason: Type.Object({
      code: Type.Enum([...Object.keys(refusalCodes), ...Object.keys(explanationCodes)]),
      text: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: "^[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]+$",
      }),
    }),
  }),
]);
const beneficiary = Type.Object({
  beneficiaryId: text,
  creditor,
  creditorBic: textOrNull,
  reference: textOrNull,
  isTrusted: Type.Boolean(),
});
const directDebit = Type.Object({
  directDebitId: text,
  accountId: text,
  originatorName: text,
  mandateReference: text,
  isActive: Type.Boolean(),
  nextAt: orNull(instant),
  previous: orNull(Type.Object({ at: instant, amount: money })),
});
const rate = { unitCurrency: text, otherCurrency: text, rate: text };
const quote = Type.Object({ ...rate, expiresAt: orNull(instant) });
const contract = Type.Object({
  ...rate,
  contractId: text,
  accountId: text,
  remaining: money,
  expiresAt: instant,
});
const price = Type.Object({
  debit: money,
  charge: moneyOrNull,
  credit: money,
  deducted: moneyOrNull,
  rate: orNull(Type.Object(rate)),
});
const list = Type.Array(anything);

/** How the items of an answer are checked, each alone. */
type AnswerItems = {
  schema: TSchema;
  /** The member by which the log names an item; null if the answer is a Map, for its keys. */
  id: string | null;
};

/**
 * A call of the port: its group, and the schema of its response. An item that does not match the
 * schema of `items` is left out, and the rest of the answer is used. A core may omit an optional
 * call.
 */
type PortCall = {
  group: CallGroup;
  answer: TSchema;
  items?: AnswerItems;
  /** The parts that need the call; absent if every core needs it. */
  parts?: readonly BankPart[];
  isOptional?: true;
};

// an account is found by its number, and asked for funds, for every kind but access to accounts
const numbered: readonly BankPart[] = publishedKindIds.slice(1);

/**
 * Every call of the port. A core is checked against this table when it is loaded, and its responses
 * at every call. Members that the port does not define are ignored.
 *
 * The items of a list are checked one by one if the customer only sees fewer of them when one is
 * left out. Outcomes of payments are checked one by one too: an invalid outcome leaves only its own
 * payment in doubt, because no payment may be left out. Any other answer is about one customer, one
 * account or one price, and is used as a whole or not at all.
 */
export const portCalls: Readonly<Record<CallName, PortCall>> = {
  authenticate: { group: "identify", answer: orNull(customer) },
  challenge: { group: "identify", answer: challenge },
  verify: { group: "identify", answer: Type.Boolean() },
  loadCustomer: { group: "identify", answer: orNull(customer) },
  listAccounts: {
    group: "read",
    answer: list,
    items: { schema: listedAccount, id: "accountId" },
  },
  loadAccount: { group: "read", answer: orNull(account) },
  findAccount: {
    group: "read",
    answer: Type.Union([Type.Null(), Type.Literal("ambiguous"), account]),
    parts: numbered,
  },
  loadFunds: { group: "read", answer: map, items: { schema: funds, id: null } },
  listBeneficiaries: {
    group: "read",
    answer: list,
    items: { schema: beneficiary, id: "beneficiaryId" },
    parts: ["payees"],
  },
  saveBeneficiary: { group: "read", answer: Type.Boolean(), parts: ["payees"] },
  trustBeneficiary: { group: "read", answer: Type.Boolean(), parts: ["payees"] },
  removeBeneficiary: { group: "read", answer: Type.Boolean(), parts: ["payees"] },
  listDirectDebits: {
    group: "read",
    answer: list,
    items: { schema: directDebit, id: "directDebitId" },
    parts: ["mandates"],
  },
  cancelDirectDebit: { group: "read", answer: Type.Boolean(), parts: ["mandates"] },
  confirmFunds: { group: "read", answer: Type.Boolean(), parts: numbered },
  quoteRate: { group: "quote", answer: orNull(quote), parts: exchangedKindIds },
  loadContract: { group: "quote", answer: orNull(contract), parts: exchangedKindIds },
  price: { group: "quote", answer: orNull(price), parts: publishedPaymentIds },
  reserve: { group: "execute", answer: list, parts: publishedPaymentIds },
  execute: { group: "execute", answer: list, parts: publishedPaymentIds },
  ask: { group: "execute", answer: list, parts: publishedPaymentIds },
  release: { group: "execute", answer: anything, parts: publishedPaymentIds },
  listPayments: { group: "read", answer: Type.Array(received), isOptional: true },
  listSignatories: {
    group: "read",
    answer: list,
    items: { schema: signatory, id: "customerId" },
    isOptional: true,
  },
  confirmPayee: { group: "read", answer: payeeCheck, isOptional: true },
  assess: { group: "read", answer: assessment, isOptional: true },
  loadStatementDocument: { group: "document", answer: orNull(bytes), isOptional: true },
  tell: { group: "tell", answer: anything, isOptional: true },
};

/** The schema of a payment's charges. */
export const chargesSchema = Type.Array(
  Type.Object({
    chargeBearer: text,
    type: text,
    amount: Type.Object({ amountMinor: Type.BigInt({ minimum: 0n }), currency: text }),
  }),
);

const reason = Type.Object({ code: text, text });

/** The schema of one payment's outcome. */
export const outcomeSchema = Type.Union([
  Type.Object({ state: Type.Enum(["reserved", "unknown"]) }),
  Type.Object({ state: Type.Enum(["refused", "returned"]), reason }),
  Type.Object({ state: Type.Literal("pending"), askAt: instant }),
  Type.Object({ state: Type.Literal("held"), until: instant }),
  Type.Object({ state: Type.Literal("settled"), posted: Type.Boolean() }),
  Type.Object({ state: Type.Literal("failed"), inDoubt: Type.Boolean() }),
]);

/** Lists the faults of a core before it is called; empty if it has every member that it needs. */
export function listCoreFaults(core: unknown): string[] {
  if (core === null || typeof core !== "object") return ["createBank must return an object"];
  const members = core as Record<string, unknown>;
  const wrongAbout = listAboutFaults(members.about);
  if (wrongAbout.length > 0) return wrongAbout;
  // checked above
  const { parts = bankParts } = (members.about ?? {}) as Partial<NonNullable<Bank["about"]>>;
  const names = [...Object.keys(portCalls), "chargesOf"];
  const missing = listNeeded(parts).filter((name) => members[name] === undefined);
  const wrong = [...names, "close"].filter(
    (name) => members[name] !== undefined && typeof members[name] !== "function",
  );
  const currencies = members.exchangeCurrencies;
  const flag = members.readsContext;
  const isList = Array.isArray(currencies) && currencies.every((one) => typeof one === "string");
  const mayOmitList =
    currencies === undefined && !publishedPaymentIds.some((one) => parts.includes(one));
  return [
    ...(missing.length > 0 ? [`these functions are missing: ${missing.join(", ")}`] : []),
    ...(wrong.length > 0 ? [`these members must be functions: ${wrong.join(", ")}`] : []),
    ...(isList || mayOmitList ? [] : ["exchangeCurrencies must be an array of currency codes"]),
    ...(flag === undefined || typeof flag === "boolean"
      ? []
      : ["readsContext must be true or false"]),
  ];
}

/** The calls that a core with these parts must have. */
function listNeeded(parts: readonly BankPart[]): string[] {
  const rows = [
    ...Object.entries(portCalls),
    ["chargesOf", { parts: publishedPaymentIds }] as const,
  ];
  return rows.flatMap(([name, row]) => {
    if ("isOptional" in row && row.isOptional) return [];
    return row.parts && !row.parts.some((part) => parts.includes(part)) ? [] : [name];
  });
}
