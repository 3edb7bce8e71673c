import type { ConsentBody } from "#src/consents/consent.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { EarlierBodies } from "#src/payments/formats/format.ts";
import { readV3Frequency } from "#src/payments/formats/v3-frequency.ts";
import { purposeCodes } from "#src/standard/shared/purpose-codes.ts";
import { codedFrequency } from "#src/standard/shared/v4/frequency.ts";
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
  AddressType: { value: (word) => codes[textOf(word)] ?? word },
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

/**
 * How v4.0 shows consents and orders of v3.1 to one payment. They cannot be used on it. Source:
 * F-005…F-013.
 */
export const shownFromV3: EarlierBodies = { reword: rewordPaymentV3, readOnly: true };

/**
 * Rewords a body whose initiation has members that v4.0 has elsewhere: the schedule and the
 * reference of a standing order, and the purpose of an international payment. Source: F-020, F-025,
 * F-029.
 */
function rewordPaymentV3(body: ConsentBody): ConsentBody {
  const { Data, ...rest } = rewordV3(body, { creditorNameLength: 350 });
  const { Purpose, Reference, ...initiation } = Data.Initiation as Json;
  const Initiation = {
    ...withMandate(initiation),
    ...(Reference === undefined ? {} : { RemittanceInformation: rewordRemittance({ Reference }) }),
  };
  const Risk = rest.Risk as Json | undefined;
  const isMoved =
    purposeCodes.includes(textOf(Purpose)) && Risk && Risk.PaymentPurposeCode === undefined;
  return {
    ...rest,
    Data: { ...Data, Initiation },
    ...(isMoved ? { Risk: { ...Risk, PaymentPurposeCode: Purpose } } : {}),
  };
}

const dates = ["FirstPaymentDateTime", "RecurringPaymentDateTime", "FinalPaymentDateTime"];

/** Moves a schedule to the member that v4.0 has for it. */
function withMandate({ Frequency, ...initiation }: Json): Json {
  if (typeof Frequency !== "string") return initiation;
  const entries = Object.entries(initiation);
  const rhythm = readV3Frequency(Frequency);
  return {
    ...Object.fromEntries(entries.filter(([name]) => !dates.includes(name))),
    MandateRelatedInformation: {
      ...Object.fromEntries(entries.filter(([name]) => dates.includes(name))),
      // without a code, v4.0 shows it as it was written
      Frequency: (rhythm && codedFrequency(rhythm)) ?? { Type: Frequency },
    },
  };
}
