// bank.json: what the conformance kit has to know about a core, written by the bank's engineer.
import { readFileSync } from "node:fs";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { deepestFault } from "#src/bank/checked-answer.ts";
import { textOf } from "#src/lib/plain-text.ts";

const text = Type.String({ minLength: 1 });
const optionalText = Type.Optional(text);
const command = Type.Array(text, { minItems: 1 });
const closed = { additionalProperties: false };

const customer = Type.Object(
  { login: text, password: Type.String({ minLength: 6, maxLength: 200 }) },
  closed,
);

const schema = Type.Object(
  {
    /** Two test customers of the core. */
    customers: Type.Array(customer, { minItems: 2, maxItems: 2 }),
    /** Where second-factor codes come from, unless the core has the operation `readTestCode`. */
    code: Type.Optional(
      Type.Union([Type.Object({ fixed: text }, closed), Type.Object({ command }, closed)]),
    ),
    /**
     * Answers a challenge in the app of the first customer. Its last arguments are `approve` or
     * `decline`, and the id of the challenge.
     */
    app: Type.Optional(command),
    /** Ids of accounts: `own` is the first customer's alone, `other` the second customer's. */
    accounts: Type.Object(
      {
        own: text,
        other: text,
        joint: optionalText,
        blocked: optionalText,
        closed: optionalText,
        empty: optionalText,
        foreign: optionalText,
      },
      closed,
    ),
    /** The sum that may leave `own` in one run, in its currency. */
    mayBeSpent: Type.Optional(Type.String({ pattern: "^[0-9]{1,9}([.][0-9]{1,5})?$" })),
    /** Who is paid; `other` by default. */
    payee: Type.Optional(
      Type.Object({ schemeName: text, identification: text, name: text }, closed),
    ),
    /** Restarts the core. */
    restart: Type.Optional(command),
    /** How soon a change must be among the facts. */
    factsWithinSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3600 })),
    /** Cases and groups that are not asked, each with the reason. */
    skip: Type.Optional(Type.Record(Type.String(), Type.String({ minLength: 5 }))),
  },
  closed,
);

/** What the engineer says about a core. */
export type BankFile = Static<typeof schema>;

/** The file cannot be used: the message names the member. */
export class WrongBankFile extends Error {}

/** Reads bank.json. Throws WrongBankFile. `known` has the ids of the cases and the groups. */
export function readBankFile(path: string, known: ReadonlySet<string>): BankFile {
  return checkBankFile(parse(path), path, known);
}

function parse(path: string): unknown {
  let found: string;
  try {
    found = readFileSync(path, "utf8");
  } catch (error) {
    throw new WrongBankFile(`${path} cannot be read (${(error as { code?: string }).code})`);
  }
  try {
    return JSON.parse(found) as unknown;
  } catch (error) {
    throw new WrongBankFile(`${path} is not JSON: ${textOf(error)}`);
  }
}

/** Checks what bank.json says. Throws WrongBankFile. */
function checkBankFile(value: unknown, path: string, known: ReadonlySet<string>): BankFile {
  const validator = Compile(schema);
  if (!validator.Check(value)) {
    const { path: member, rule } = deepestFault(validator, value);
    const words = rule === "schema is false" ? "is not a member of bank.json" : rule;
    throw new WrongBankFile(`${path}: ${member || "the file"} ${words}`);
  }
  const { customers, accounts, skip = {} } = value;
  const [first, second] = customers;
  if (first?.login === second?.login) {
    throw new WrongBankFile(`${path}: /customers must have two different logins`);
  }
  if (accounts.own === accounts.other) {
    throw new WrongBankFile(`${path}: /accounts/other must be another account than /accounts/own`);
  }
  const unknown = Object.keys(skip).find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new WrongBankFile(`${path}: /skip/${unknown} is not a case, such as K4-12, or a group`);
  }
  return value;
}
