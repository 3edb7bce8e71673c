// The values of which facts consist, with the words of their rules: texts, codes and numbers of the
// published schemas. fact-rules.ts makes the rules of each kind of facts from them.
import Type, { type TSchema } from "typebox";
import { isBic, isIban, isSortCodeAccountNumber } from "#src/standard/shared/account-schemes.ts";
import { currencyCodes } from "#src/standard/shared/currency-codes.ts";

/**
 * A rule with words: what a value must be. `shown` is the same in JSON Schema, as far as that can
 * say it: a document shows it, with the words.
 */
export const rule = (
  check: (value: unknown) => boolean,
  words: string,
  shown: object = {},
): TSchema =>
  Type.Refine(
    Type.Unknown({
      "x-shown": "enum" in shown ? shown : { ...shown, "x-rule": `must be ${words}` },
    }),
    check,
    () => `must be ${words}`,
  );
const textThat = (check: (text: string) => boolean, words: string, shown: object = {}): TSchema =>
  rule((value) => typeof value === "string" && check(value), words, { type: "string", ...shown });
const maybe = (schema: TSchema): TSchema => Type.Optional(Type.Union([Type.Null(), schema]));

const idOf = (longest: number): TSchema => {
  const pattern = new RegExp(`^[!-~]{1,${longest}}$`);
  const words = `1 to ${longest} ASCII characters without spaces`;
  return textThat((text) => pattern.test(text), words, { pattern: pattern.source });
};
const id = idOf(40);
const upTo = (longest: number): TSchema =>
  textThat(
    ({ length }) => length > 0 && length <= longest,
    `a text of 1 to ${longest} characters`,
    {
      minLength: 1,
      maxLength: longest,
    },
  );
const anyText = textThat(() => true, "a text");
const oneOf = (...words: readonly string[]): TSchema =>
  textThat((text) => words.includes(text), `one of ${words.join(", ")}`, { enum: words });
const currency = textThat((text) => currencyCodes.has(text), "a currency of ISO 4217");
const flag = Type.Boolean();
const sortCode = textThat(isSortCodeAccountNumber, "14 digits: the sort code and the number");
const iban = textThat(isIban, "an IBAN without spaces, with valid check digits");
const bic = textThat(isBic, "a BIC of 8 or 11 characters");
const lei = textThat((text) => /^[A-Z0-9]{18}[0-9]{2}$/.test(text), "an LEI");
const phone = textThat(
  (text) => /^\+[0-9]{1,3}-[0-9()+-]{1,30}$/.test(text),
  "a phone number such as +44-7700900123",
);
const email = textThat(
  (text) => text.length <= 256 && /^[^\s@]+@[^\s@]+$/.test(text),
  "an e-mail address",
);
const scheme = textThat(
  (text) => text.length <= 40 && /^[A-Z]\w*(?:\.\w+)+$/.test(text),
  "a scheme with its namespace, such as UK.OBIE.IBAN",
);
const isoDate = textThat((text) => /^\d{4}-\d{2}-\d{2}$/.test(text), "a date such as 2026-11-24");
const rate = textThat(
  (text) => /^-?[0-9]{1,3}(\.[0-9]{1,4})?$/.test(text),
  "a percentage with up to 3 digits before the point and 4 after it",
);
const currencyKind = maybe(oneOf("Base", "Local"));

// A creditor's number is checked by its scheme only if the scheme is one of the bank's own country.
const numbers: Readonly<Record<string, (text: string) => boolean>> = {
  "UK.OBIE.SortCodeAccountNumber": isSortCodeAccountNumber,
  "UK.OBIE.IBAN": isIban,
};
const fitsScheme = (value: unknown): boolean => {
  const { schemeName, identification } = value as { schemeName: string; identification: string };
  return numbers[schemeName]?.(identification) ?? true;
};
const accountNumber = (members: Record<string, TSchema>): TSchema =>
  Type.Refine(
    Type.Object({ schemeName: scheme, identification: upTo(256), ...members }),
    fitsScheme,
    () => "must have an identification that fits its schemeName",
  );

// a part that no version shows cannot be wrong, so a fact may have further members
const address = Type.Object({
  country: Type.Optional(textThat((text) => /^[A-Z]{2}$/.test(text), "two capital letters")),
  lines: Type.Optional(Type.Array(anyText)),
});
const proxy = maybe(
  Type.Object({ code: upTo(4), identification: upTo(2048), type: Type.Optional(upTo(35)) }),
);
const supplementary = maybe(Type.Object({}));
const agentMembers = {
  name: maybe(anyText),
  lei: Type.Optional(lei),
  address: Type.Optional(address),
};
const agent = maybe(Type.Object({ bic: maybe(bic), ...agentMembers }));
const creditor = accountNumber({
  name: maybe(anyText),
  secondaryIdentification: maybe(anyText),
  proxy,
});
const mandate = {
  identification: Type.Optional(anyText),
  classification: Type.Optional(oneOf("Fixed", "UsageBased", "Variable")),
  categoryPurpose: Type.Optional(upTo(4)),
  reason: Type.Optional(anyText),
};
const mandateState = oneOf("Active", "Cancelled", "Expired", "Suspended");
const transactionStatus = oneOf("Booked", "Future", "Information", "Pending", "Rejected");
const isoTransactionCode = textThat(
  (text) => /^[A-Z]{4}-[A-Z]{4}-[A-Z]{4}$/.test(text),
  "a bank transaction code of ISO 20022, such as PMNT-ICDT-DMCT",
);
const card = Type.Object({
  scheme: oneOf("AmericanExpress", "Diners", "Discover", "MasterCard", "VISA"),
  authorisation: maybe(oneOf("ConsumerDevice", "Contactless", "None", "PIN")),
  maskedPan: anyText,
});
const counterparty = Type.Object({
  schemeName: scheme,
  identification: anyText,
  name: maybe(anyText),
  secondaryIdentification: maybe(anyText),
});
const rhythm = rule(
  (value) => typeof value === "object" && value !== null && "unit" in value,
  'a rhythm such as { unit: "month", every: 1, day: 28 }',
  { type: "object", required: ["unit"] },
);

/** Rules of values. `maybe` allows null and absence; the others are what their names say. */
export const factValues = {
  textThat,
  maybe,
  idOf,
  id,
  upTo,
  anyText,
  oneOf,
  currency,
  flag,
  sortCode,
  iban,
  bic,
  lei,
  phone,
  email,
  isoDate,
  rate,
  currencyKind,
  accountNumber,
  address,
  proxy,
  supplementary,
  agentMembers,
  agent,
  creditor,
  mandate,
  mandateState,
  transactionStatus,
  isoTransactionCode,
  card,
  counterparty,
  rhythm,
};
