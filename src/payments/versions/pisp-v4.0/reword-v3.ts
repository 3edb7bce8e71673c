import type { ConsentBody } from "#src/consents/consent.ts";
import { addressTypeCodes } from "#src/standard/shared/v4/parties.ts";

type Json = Readonly<Record<string, unknown>>;
type Options = { creditorNameLength: number };

/**
 * Rewords a body of v3.1 in the members and codes of v4.0, wherever they are in the body. Members
 * and values without a successor stay as they are. Source: V-170, V-174…V-176.
 */
export const rewordV3 = (body: ConsentBody, options: Options): ConsentBody =>
  // safe: `Data` and `Risk` keep their names
  reword(body, options) as ConsentBody;

function reword(value: unknown, options: Options): unknown {
  if (Array.isArray(value)) return value.map((item) => reword(item, options));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const successor = successors[name];
    if (!successor) return [name, reword(member, options)];
    return [successor.name ?? name, successor.value?.(member, options) ?? member];
  });
  return Object.fromEntries(members);
}

const codes: Readonly<Record<string, string>> = addressTypeCodes;

/** The members that v4.0 has in another form: their new names and values. */
const successors: Readonly<
  Record<string, { name?: string; value?(member: unknown, options: Options): unknown }>
> = {
  // the name in v3.1 is misspelt
  ContractPresentInidicator: { name: "ContractPresentIndicator" },
  AddressType: { value: (word) => codes[String(word)] ?? word },
  RemittanceInformation: { value: (given) => rewordRemittance(given as Json) },
  CreditorAccount: {
    value: (given, { creditorNameLength }) => cutName(given as Json, creditorNameLength),
  },
};

function rewordRemittance({ Unstructured, Reference, ...others }: Json): Json {
  return {
    ...others,
    ...(Unstructured === undefined ? {} : { Unstructured: [Unstructured] }),
    ...(Reference === undefined
      ? {}
      : { Structured: [{ CreditorReferenceInformation: { Reference } }] }),
  };
}

/** Shortens a name to the characters that v4.0 allows. The stored name stays whole. */
const cutName = (account: Json, length: number): Json =>
  typeof account.Name === "string"
    ? { ...account, Name: [...account.Name].slice(0, length).join("") }
    : account;
