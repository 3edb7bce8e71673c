// How the values of the port are written in JSON: amounts as decimals, as the standard writes them,
// instants as RFC 3339, and bytes in base64.
import Type, { type TSchema } from "typebox";
import { jsonValues } from "#src/account-store/check-facts.ts";
import type { PortValues } from "#src/bank/port-answers.ts";
import { formatAmount, type Money, parseAmount } from "#src/lib/money.ts";
import { textOf } from "#src/lib/plain-text.ts";

type Json = Readonly<Record<string, unknown>>;

const currency = Type.String({ pattern: "^[A-Z]{3}$" });
const decimal = Type.String({ pattern: "^[0-9]{1,13}([.][0-9]{1,5})?$" });
const signed = Type.String({ pattern: "^-?[0-9]{1,13}([.][0-9]{1,5})?$" });
const tooExact = () => "must not have more decimals than the currency";

/** Reads a decimal of the object's currency; null if it is none. */
function readMinor(object: unknown, name: string): bigint | null {
  const { [name]: text, currency: code } = (object ?? {}) as Json;
  if (typeof text !== "string" || typeof code !== "string") return null;
  const minor = parseAmount(text.replace(/^-/, ""), code);
  return minor !== null && text.startsWith("-") ? -minor : minor;
}

const writeMinor = (minor: bigint, code: string): string =>
  minor < 0n ? `-${formatAmount(-minor, code)}` : formatAmount(minor, code);

/** Reads decimals that the rules have accepted. */
const accepted = (object: unknown, name: string): bigint => readMinor(object, name) ?? 0n;

/** Makes the rule of a value that `toJson` writes. */
const read = (schema: TSchema, decode: (value: never) => unknown): TSchema =>
  Type.Codec(schema)
    .Decode(decode as (value: unknown) => unknown) // the schema has been checked
    .Encode((value) => value);

const moneySchema = Type.Refine(
  Type.Object({ amount: decimal, currency }, { title: "Amount" }),
  (value) => readMinor(value, "amount") !== null,
  tooExact,
);

const fundsSchema = Type.Refine(
  Type.Object({ booked: signed, available: signed, currency }, { title: "Funds" }),
  (value) => readMinor(value, "booked") !== null && readMinor(value, "available") !== null,
  tooExact,
);

/** The values of the port in JSON. */
export const jsonPort: PortValues = {
  instant: jsonValues.instant,
  money: read(
    moneySchema,
    (value: Json): Money => ({
      amountMinor: accepted(value, "amount"),
      currency: value.currency as string,
    }),
  ),
  funds: read(fundsSchema, (value: Json) => ({
    bookedMinor: accepted(value, "booked"),
    availableMinor: accepted(value, "available"),
    currency: value.currency,
  })),
  bytes: read(
    Type.String({ pattern: "^[A-Za-z0-9+/]*={0,2}$", contentEncoding: "base64" }),
    (text: string) => Buffer.from(text, "base64"),
  ),
};

/** A whole number that JSON has as text. */
export const wholeNumber: TSchema = read(Type.String({ pattern: "^[0-9]{1,18}$" }), BigInt);

// the members of the port whose amounts are in minor units, as JSON names them
const decimals: Readonly<Record<string, string>> = {
  amountMinor: "amount",
  bookedMinor: "booked",
  availableMinor: "available",
};

/** Returns a value of the port as JSON has it, without the members that are undefined. */
export function toJson(value: unknown): unknown {
  if (typeof value === "bigint" || value instanceof Temporal.Instant) return value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return value;
  const { currency: code } = value as Json;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const decimalName = decimals[name];
    return decimalName !== undefined && typeof member === "bigint"
      ? [decimalName, writeMinor(member, textOf(code))]
      : [name, toJson(member)];
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
