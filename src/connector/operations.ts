// A core over HTTP: each call of the port as an operation, with its arguments by name, in order.
import Type, { type TSchema } from "typebox";
import { bankParts } from "#src/bank/parts.ts";
import type { AccountFunds, BankAccount, PaymentOutcome } from "#src/bank/port.ts";
import { type CallName, outcomeOf, portAnswers } from "#src/bank/port-answers.ts";
import { portCalls } from "#src/bank/port-calls.ts";
import { changesSchema } from "./changes.ts";
import { jsonPort } from "./json-values.ts";
import { judgement } from "./judgement.ts";
import { given } from "./requests.ts";

/** The version of the contract, as the header `Aldgate-Contract` names it. */
export const contractVersion = 1;

/** How the answer to a call is written as the body of a response. */
type AnswerForm = {
  /** The body. */
  schema: TSchema;
  /** The items that are checked each alone, with the member of the body that lists them. */
  items?: { member: string; schema: TSchema; id: string; areOutcomes?: true };
  /** Returns what the port returns, of a body with the values of the port. */
  read(body: never, given: readonly unknown[]): unknown;
  /** Returns the body, with the values of the port. */
  write(result: never, given: readonly unknown[]): object;
};

/** A call of the port as an operation: `POST` with its arguments. */
type CallRow = {
  path: string;
  summary: string;
  arguments: Readonly<Record<string, TSchema>>;
  answer: AnswerForm;
};

const answers = portAnswers(jsonPort);
const { text, textOrNull } = given;

/** The answer is a member of the body. */
function member(name: string, call: CallName): AnswerForm {
  const { answer, items } = answers[call];
  const schema = Type.Object({ [name]: items ? Type.Array(items.schema) : answer });
  return {
    schema,
    ...(items?.id ? { items: { member: name, schema: items.schema, id: items.id } } : {}),
    read: (body: Record<string, unknown>) => body[name],
    write: (result) => ({ [name]: result }),
  };
}

/** The answer is the body. */
const whole = (call: CallName): AnswerForm => ({
  schema: answers[call].answer,
  read: (body) => body,
  write: (result) => result,
});

const done: AnswerForm = { schema: Type.Object({}), read: () => undefined, write: () => ({}) };

const foundAccount: AnswerForm = {
  schema: Type.Object({
    account: answers.loadAccount.answer,
    isAmbiguous: Type.Optional(Type.Boolean()),
  }),
  read: ({ account, isAmbiguous }: { account: BankAccount | null; isAmbiguous?: boolean }) =>
    isAmbiguous ? "ambiguous" : account,
  write: (found: BankAccount | "ambiguous" | null) =>
    found === "ambiguous" ? { account: null, isAmbiguous: true } : { account: found },
};

const accountFunds = Type.Object(
  { accountId: text, funds: jsonPort.funds },
  { title: "FundsOfAccount" },
);
type FundsItem = { accountId: string; funds: AccountFunds };
const fundsByAccount: AnswerForm = {
  schema: Type.Object({ accounts: Type.Array(accountFunds) }),
  items: { member: "accounts", schema: accountFunds, id: "accountId" },
  read: ({ accounts }: { accounts: FundsItem[] }) =>
    new Map(accounts.map(({ accountId, funds }) => [accountId, funds])),
  write: (found: Map<string, AccountFunds>) => ({
    accounts: [...found].map(([accountId, funds]) => ({ accountId, funds })),
  }),
};

const outcomeItem = Type.Union(
  (outcomeOf(jsonPort, { paymentId: text }) as unknown as { anyOf: TSchema[] }).anyOf,
  { title: "PaymentOutcome" },
);

/** The id of a payment, which a call names by it or as a whole. */
export const paymentIdOf = (payment: unknown): string =>
  typeof payment === "string" ? payment : (payment as { paymentId: string }).paymentId;

/** Outcomes name their payments, so their order does not matter. */
const outcomes: AnswerForm = {
  schema: Type.Object({ outcomes: Type.Array(outcomeItem) }),
  items: { member: "outcomes", schema: outcomeItem, id: "paymentId", areOutcomes: true },
  read({ outcomes: found }: { outcomes: (PaymentOutcome & { paymentId: string })[] }, [asked]) {
    const byId = Map.groupBy(found, ({ paymentId }) => paymentId);
    return (asked as unknown[]).map((payment): PaymentOutcome => {
      const [only, ...more] = byId.get(paymentIdOf(payment)) ?? [];
      if (!only || more.length > 0) return { state: "failed", inDoubt: true };
      const { paymentId: _, ...outcome } = only;
      return outcome;
    });
  },
  write: (result: PaymentOutcome[], [asked]) => ({
    outcomes: result.map((one, index) => ({
      paymentId: paymentIdOf((asked as unknown[])[index]),
      ...one,
    })),
  }),
};

const { customerId, accountId } = { customerId: text, accountId: text };
const payeeOf = { customerId, beneficiaryId: text };

/** The operation of each call. */
export const callRows: Readonly<Record<CallName, CallRow>> = {
  authenticate: {
    path: "/customers/authenticate",
    summary: "Checks a login and a password. Takes the same time whether they are right or wrong.",
    arguments: { login: text, password: text },
    answer: member("customer", "authenticate"),
  },
  loadCustomer: {
    path: "/customers/read",
    summary: "Returns a customer, by the core's own id or after a login at the bank's provider.",
    arguments: { customerId, isSubject: Type.Optional(Type.Boolean()) },
    answer: member("customer", "loadCustomer"),
  },
  challenge: {
    path: "/challenges/start",
    summary: "Asks a customer for a second factor that confirms only this subject.",
    arguments: { customerId, subject: given.subject, request: Type.Optional(given.request) },
    answer: whole("challenge"),
  },
  verify: {
    path: "/challenges/verify",
    summary: "Checks the answer to a challenge, which can be answered once.",
    arguments: { challengeId: text, code: text },
    answer: judgement,
  },
  challengeResult: {
    path: "/challenges/result",
    summary: "Returns the answer that a customer has given in the app, as often as it is asked.",
    arguments: { challengeId: text },
    answer: member("result", "challengeResult"),
  },
  listAccounts: {
    path: "/customers/accounts",
    summary:
      "Lists the accounts that a customer holds or may sign for, in any status and in a stable order.",
    arguments: { customerId, wanted: Type.Optional(given.wanted) },
    answer: member("accounts", "listAccounts"),
  },
  loadAccount: {
    path: "/accounts/read",
    summary: "Returns an account.",
    arguments: { accountId },
    answer: member("account", "loadAccount"),
  },
  findAccount: {
    path: "/accounts/find",
    summary: "Finds the account of this bank with a number, among those that are not closed.",
    arguments: { schemeName: text, identification: text, secondaryIdentification: textOrNull },
    answer: foundAccount,
  },
  loadFunds: {
    path: "/accounts/funds",
    summary: "Returns the balances of accounts now.",
    arguments: { accountIds: given.texts },
    answer: fundsByAccount,
  },
  listSignatories: {
    path: "/accounts/signatories",
    summary: "Lists the customers who may sign for an account.",
    arguments: { accountId },
    answer: member("signatories", "listSignatories"),
  },
  confirmFunds: {
    path: "/accounts/confirm-funds",
    summary: "Says whether a debit of this amount would be covered now.",
    arguments: { accountId, amount: given.money },
    answer: member("isCovered", "confirmFunds"),
  },
  listBeneficiaries: {
    path: "/payees/list",
    summary: "Lists a customer's payees, the oldest first.",
    arguments: { customerId },
    answer: member("payees", "listBeneficiaries"),
  },
  saveBeneficiary: {
    path: "/payees/save",
    summary: "Adds a payee to a customer's list, unless its account is already on the list.",
    arguments: { customerId, payee: given.payee },
    answer: member("isDone", "saveBeneficiary"),
  },
  trustBeneficiary: {
    path: "/payees/trust",
    summary: "Marks a customer's payee as trusted or not.",
    arguments: { ...payeeOf, isTrusted: given.flag },
    answer: member("isDone", "trustBeneficiary"),
  },
  removeBeneficiary: {
    path: "/payees/remove",
    summary: "Removes a payee from a customer's list.",
    arguments: payeeOf,
    answer: member("isDone", "removeBeneficiary"),
  },
  confirmPayee: {
    path: "/payees/confirm",
    summary: "Asks the payee's bank whether an account belongs to a name.",
    arguments: { creditor: given.accountReference },
    answer: whole("confirmPayee"),
  },
  listDirectDebits: {
    path: "/mandates/list",
    summary: "Lists the direct debit mandates of a customer's accounts, active ones first.",
    arguments: { customerId },
    answer: member("mandates", "listDirectDebits"),
  },
  cancelDirectDebit: {
    path: "/mandates/cancel",
    summary: "Ends a direct debit mandate, so that nothing more is collected.",
    arguments: { customerId, directDebitId: text },
    answer: member("isDone", "cancelDirectDebit"),
  },
  assess: {
    path: "/consents/assess",
    summary: "Decides whether a customer may authorise a consent, after the customer's approval.",
    arguments: { consent: given.assessed },
    answer: whole("assess"),
  },
  assessOrder: {
    path: "/orders/assess",
    summary: "Decides whether an order is accepted, and from when it is paid.",
    arguments: { order: given.assessedOrder },
    answer: whole("assessOrder"),
  },
  quoteRate: {
    path: "/rates/quote",
    summary: "Quotes an exchange rate, or returns null if there is none of this type.",
    arguments: { pair: given.pair, type: given.rateType },
    answer: member("quote", "quoteRate"),
  },
  loadContract: {
    path: "/rates/contract",
    summary: "Returns a rate that the bank and a customer have agreed.",
    arguments: { contractId: text },
    answer: member("contract", "loadContract"),
  },
  price: {
    path: "/payments/price",
    summary: "Returns the price of an international payment now, or null if it cannot be made.",
    arguments: { payment: given.priced },
    answer: member("price", "price"),
  },
  reserve: {
    path: "/payments/reserve",
    summary: "Reserves the funds of payments: reserved or refused.",
    arguments: { payments: given.payments },
    answer: outcomes,
  },
  execute: {
    path: "/payments/execute",
    summary: "Executes reserved payments: settled, pending, held or refused.",
    arguments: { payments: given.payments },
    answer: outcomes,
  },
  ask: {
    path: "/payments/ask",
    summary: "Returns the outcomes of payments, and changes nothing.",
    arguments: { paymentIds: given.paymentIds },
    answer: outcomes,
  },
  release: {
    path: "/payments/release",
    summary: "Releases the funds of payments that will not be executed.",
    arguments: { paymentIds: given.paymentIds },
    answer: done,
  },
  listPayments: {
    path: "/payments/list",
    summary: "Lists the payments that were received since a time, page by page in a fixed order.",
    arguments: { since: given.instant, after: textOrNull },
    answer: member("payments", "listPayments"),
  },
  loadStatementDocument: {
    path: "/statements/document",
    summary: "Returns a statement as PDF, or null if there is none.",
    arguments: { statement: given.statement },
    answer: member("document", "loadStatementDocument"),
  },
  tell: {
    path: "/notices",
    summary:
      "Tells the core what has happened to consents and orders, in the order of the history.",
    arguments: { notices: given.notices },
    answer: done,
  },
};

/** An operation that is no call of the port. */
type OtherRow = {
  method: "GET" | "POST";
  path: string;
  summary: string;
  /** Query parameters, each with what it means. */
  query?: Readonly<Record<string, string>>;
  arguments?: Readonly<Record<string, TSchema>>;
  answer: TSchema;
  /** When it is called, if not by every bank. */
  isOptional?: true;
};

const optionalCalls = (Object.keys(callRows) as CallName[]).filter(
  (name) => portCalls[name].isOptional,
);
const optionalOthers = ["readChanges", "listTestCustomers", "readTestCode"] as const;

/** The operations that a core may omit. It names those that it has. */
const optionalOperations = [...optionalCalls, ...optionalOthers] as const;

const tariffRow = Type.Object(
  {
    applies: Type.Object(
      {
        kinds: Type.Optional(given.texts),
        localInstruments: Type.Optional(given.texts),
        networks: Type.Optional(
          Type.Array(Type.Enum(["domestic", "SEPA", "SEPAInstant", "SWIFT"])),
        ),
        chargeBearers: Type.Optional(given.texts),
        isUrgent: Type.Optional(given.flag),
      },
      { title: "TariffCondition" },
    ),
    charge: Type.Object(
      { chargeBearer: textOrNull, type: text, amount: given.money },
      { title: "TariffCharge" },
    ),
  },
  { title: "TariffRow" },
);

const about = Type.Object({
  contract: Type.Literal(contractVersion),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  parts: Type.Array(Type.Enum([...bankParts]), { minItems: 1 }),
  operations: Type.Optional(Type.Array(Type.Enum([...optionalOperations]))),
  exchangeCurrencies: Type.Optional(Type.Array(Type.String({ pattern: "^[A-Z]{3}$" }))),
  readsContext: Type.Optional(given.flag),
  attachesData: Type.Optional(given.flag),
  tariff: Type.Optional(Type.Array(tariffRow)),
});

const testCustomer = Type.Object(
  { customerId, login: text, password: text, name: text, description: text },
  { title: "TestCustomer" },
);

/** The operations that are no calls of the port, by their ids. */
export const otherRows = {
  readAbout: {
    method: "GET",
    path: "/about",
    summary: "Says what the core has. Aldgate asks this when it starts.",
    answer: about,
  },
  readChanges: {
    method: "GET",
    path: "/changes",
    summary:
      "Returns account data that has changed after a cursor. Aldgate asks again with the cursor of " +
      "the answer: at once if it has moved and there were changes, otherwise after a second.",
    query: {
      after: "The last cursor that Aldgate has stored; absent at the first call.",
      limit: "The number of facts that Aldgate would like at most.",
    },
    answer: changesSchema,
    isOptional: true,
  },
  listTestCustomers: {
    method: "POST",
    path: "/test/customers",
    summary: "Lists customers as whom a sandbox may act. Only sandboxes call this.",
    arguments: {},
    answer: Type.Object({ customers: Type.Array(testCustomer) }),
    isOptional: true,
  },
  readTestCode: {
    method: "POST",
    path: "/test/code",
    summary: "Returns the code of a challenge to a test customer. Only sandboxes call this.",
    arguments: { challengeId: text },
    answer: Type.Object({ code: textOrNull }),
    isOptional: true,
  },
} as const satisfies Record<string, OtherRow>;
