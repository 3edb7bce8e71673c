import Type from "typebox";
import { exchangedKindIds, publishedKindIds, publishedPaymentIds } from "#src/standard/kind-id.ts";
import { type BankPart, bankParts, listAboutFaults } from "./parts.ts";
import type { Bank } from "./port.ts";
import { type CallName, outcomeOf, type PortValues, portAnswers } from "./port-answers.ts";

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

const isInstant = (value: unknown): boolean => value instanceof Temporal.Instant;
const isBytes = (value: unknown): boolean => value instanceof Uint8Array;

// the values of a module of the bank
const inModule: PortValues = {
  instant: Type.Refine(Type.Unknown(), isInstant, () => "must be a Temporal.Instant"),
  money: Type.Object({ amountMinor: Type.BigInt(), currency: Type.String() }),
  funds: Type.Object({
    bookedMinor: Type.BigInt(),
    availableMinor: Type.BigInt(),
    currency: Type.String(),
  }),
  bytes: Type.Refine(Type.Unknown(), isBytes, () => "must be a Uint8Array"),
};

/** A call of the port: its group, and what needs it. A core may omit an optional call. */
type PortCall = {
  group: CallGroup;
  /** The parts that need the call; absent if every core needs it. */
  parts?: readonly BankPart[];
  isOptional?: true;
  /** What is known without it, if it is called although no part needs it. */
  absent?: object;
};

// an account is found by its number, and asked for funds, for every kind but access to accounts
const numbered: readonly BankPart[] = publishedKindIds.slice(1);

const payments = { group: "execute", parts: publishedPaymentIds } as const;

const calls: Readonly<Record<CallName, PortCall>> = {
  authenticate: { group: "identify" },
  challenge: { group: "identify" },
  verify: { group: "identify" },
  challengeResult: { group: "identify", isOptional: true },
  loadCustomer: { group: "identify" },
  listAccounts: { group: "read" },
  loadAccount: { group: "read", parts: numbered },
  findAccount: { group: "read", parts: numbered },
  loadFunds: { group: "read", parts: numbered, absent: new Map() },
  listBeneficiaries: { group: "read", parts: ["payees"] },
  saveBeneficiary: { group: "read", parts: ["payees"] },
  trustBeneficiary: { group: "read", parts: ["payees"] },
  removeBeneficiary: { group: "read", parts: ["payees"] },
  listDirectDebits: { group: "read", parts: ["mandates"] },
  cancelDirectDebit: { group: "read", parts: ["mandates"] },
  confirmFunds: { group: "read", parts: numbered },
  quoteRate: { group: "quote", parts: exchangedKindIds },
  loadContract: { group: "quote", parts: exchangedKindIds },
  price: { group: "quote", parts: publishedPaymentIds },
  reserve: payments,
  execute: payments,
  ask: payments,
  release: payments,
  listPayments: { group: "read", isOptional: true },
  listSignatories: { group: "read", isOptional: true },
  confirmPayee: { group: "read", isOptional: true },
  assess: { group: "read", isOptional: true },
  assessOrder: { group: "read", isOptional: true },
  loadStatementDocument: { group: "document", isOptional: true },
  tell: { group: "tell", isOptional: true },
};

type CheckedCall = PortCall & ReturnType<typeof portAnswers>[CallName];

/**
 * Every call of the port, with the rules of its answer (port-answers.ts). A core is checked against
 * this table when it is loaded, and its answers at every call. Members that the port does not
 * define are ignored. Outcomes of payments are checked one by one: an invalid outcome leaves only
 * its own payment in doubt, because no payment may be left out.
 */
export const portCalls = mapCalls(calls, portAnswers(inModule));

function mapCalls(
  rows: typeof calls,
  answers: ReturnType<typeof portAnswers>,
): Readonly<Record<CallName, CheckedCall>> {
  const names = Object.keys(rows) as CallName[]; // the table has no other keys
  const merged = names.map((name) => [name, { ...rows[name], ...answers[name] }]);
  return Object.fromEntries(merged) as Record<CallName, CheckedCall>; // a row for each name
}

/** The schema of a payment's charges. */
export const chargesSchema = Type.Array(
  Type.Object({
    chargeBearer: Type.String(),
    type: Type.String(),
    amount: Type.Object({ amountMinor: Type.BigInt({ minimum: 0n }), currency: Type.String() }),
  }),
);

/** The schema of one payment's outcome. */
export const outcomeSchema = outcomeOf(inModule);

/** Whether a core with these parts must have a call. */
export function isNeeded(name: CallName, given: readonly BankPart[]): boolean {
  const { parts, isOptional } = portCalls[name];
  return !isOptional && (parts?.some((part) => given.includes(part)) ?? true);
}

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
  const isList = Array.isArray(currencies) && currencies.every((one) => typeof one === "string");
  const mayOmitList =
    currencies === undefined && !publishedPaymentIds.some((one) => parts.includes(one));
  return [
    ...(missing.length > 0 ? [`these functions are missing: ${missing.join(", ")}`] : []),
    ...(wrong.length > 0 ? [`these members must be functions: ${wrong.join(", ")}`] : []),
    ...(isList || mayOmitList ? [] : ["exchangeCurrencies must be an array of currency codes"]),
    ...(["readsContext", "attachesData"] as const).flatMap((name) =>
      ["undefined", "boolean"].includes(typeof members[name])
        ? []
        : [`${name} must be true or false`],
    ),
    ...(members.attachesData === true && members.assess === undefined
      ? ["attachesData needs the function assess"]
      : []),
  ];
}

/** The calls that a core with these parts must have. */
function listNeeded(parts: readonly BankPart[]): string[] {
  const names = Object.keys(portCalls) as CallName[]; // the table has no other keys
  const hasCharges = publishedPaymentIds.some((part) => parts.includes(part));
  return [...names.filter((name) => isNeeded(name, parts)), ...(hasCharges ? ["chargesOf"] : [])];
}
