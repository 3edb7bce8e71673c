// The rules that a fact must keep so that the interface can show it: formats, code sets and
// lengths of the published schemas. Texts that a view cuts to the published length have no limit
// here. A rule has words, because the error goes to the engineers of the bank's core.
import Type, { type TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { deepestFault } from "#src/bank/checked-answer.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { isBic, isIban, isSortCodeAccountNumber } from "#src/standard/shared/account-schemes.ts";
import { accountKinds } from "#src/standard/shared/accounts/account-kinds.ts";
import { balanceKinds } from "#src/standard/shared/accounts/facts.ts";
import { readProduct } from "#src/standard/shared/accounts/product.ts";
import { fourLetterPattern } from "#src/standard/shared/accounts/product-parts.ts";
import { offer } from "#src/standard/shared/accounts/read-offer.ts";
import { currencyCodes } from "#src/standard/shared/currency-codes.ts";
import { replacePattern } from "#src/standard/shared/schema.ts";

/** A fact that breaks a rule: its kind and key, the member's path, and the rule in words. */
export type RefusedFact = { kind: string; key: string; path: string; rule: string };

const isText = (value: unknown): value is string => typeof value === "string";
const rule = (check: (value: unknown) => boolean, words: string): TSchema =>
  Type.Refine(Type.Unknown(), check, () => `must be ${words}`);
const textThat = (check: (text: string) => boolean, words: string): TSchema =>
  rule((value) => isText(value) && check(value), words);
const maybe = (schema: TSchema): TSchema => Type.Optional(Type.Union([Type.Null(), schema]));

const idOf = (longest: number): TSchema => {
  const pattern = new RegExp(`^[!-~]{1,${longest}}$`);
  return textThat((text) => pattern.test(text), `1 to ${longest} ASCII characters without spaces`);
};
const id = idOf(40);
const upTo = (longest: number): TSchema =>
  textThat(({ length }) => length > 0 && length <= longest, `a text of 1 to ${longest} characters`);
const oneOf = (...words: readonly string[]): TSchema =>
  textThat((text) => words.includes(text), `one of ${words.join(", ")}`);
const currency = textThat((text) => currencyCodes.has(text), "a currency of ISO 4217");
const instant = rule((value) => value instanceof Temporal.Instant, "a Temporal.Instant");
const date = rule((value) => value instanceof Temporal.PlainDate, "a Temporal.PlainDate");
const isMinor = (value: unknown): boolean => typeof value === "bigint";
const minor = rule(isMinor, "a bigint in minor units");
const unsigned = rule(
  (value) => isMinor(value) && (value as bigint) >= 0n,
  "a bigint in minor units without a sign",
);
const money = Type.Object({ amountMinor: unsigned, currency });
const flag = Type.Boolean();
const version = rule((value) => typeof value === "bigint", "a bigint");
const sortCode = textThat(isSortCodeAccountNumber, "14 digits: the sort code and the number");
const iban = textThat(isIban, "an IBAN without spaces, with valid check digits");
const bic = textThat(isBic, "a BIC of 8 or 11 characters");
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

// A creditor's number is checked by its scheme only if the scheme is one of the bank's own country.
const numbers: Readonly<Record<string, (text: string) => boolean>> = {
  "UK.OBIE.SortCodeAccountNumber": isSortCodeAccountNumber,
  "UK.OBIE.IBAN": isIban,
};
const numbered = { schemeName: scheme, identification: upTo(256) };
const fitsScheme = (value: unknown): boolean => {
  const { schemeName, identification } = value as { schemeName: string; identification: string };
  return numbers[schemeName]?.(identification) ?? true;
};
const accountNumber = (members: Record<string, TSchema>): TSchema =>
  Type.Refine(
    Type.Object({ ...numbered, ...members }),
    fitsScheme,
    () => "must have an identification that fits its schemeName",
  );
const creditor = accountNumber({
  name: maybe(Type.String()),
  secondaryIdentification: maybe(Type.String()),
});
const agent = maybe(Type.Object({ bic: Type.Optional(Type.Union([Type.Null(), bic])) }));

// The product of the published schema, without the account's id, which the view adds. The versions
// publish different patterns of a code (E-065), so the code has none here.
const { items: productItem } = replacePattern(
  readProduct.properties.Data.properties.Product,
  fourLetterPattern,
  "",
);
const { AccountId: _product, ...productMembers } = productItem.properties;
const { AccountId: _offer, OfferId: _id, ...offerMembers } = offer.properties;

const mandateState = oneOf("Active", "Cancelled", "Expired", "Suspended");
const sum = Type.Object({ amountMinor: minor });

type Rule = { key: readonly string[]; schema: TSchema };
const ofAccount = { accountId: id, version };

/** The rules of each kind of facts, and the members by which an error names a fact. */
const rules = {
  products: {
    key: ["productId"],
    schema: Type.Object({
      productId: id,
      name: upTo(350),
      details: Type.Object(productMembers),
      version,
    }),
  },
  parties: {
    key: ["partyId"],
    schema: Type.Object({
      partyId: id,
      name: upTo(350),
      legalStructure: maybe(upTo(40)),
      lei: maybe(textThat((text) => /^[A-Z0-9]{18}[0-9]{2}$/.test(text), "an LEI")),
      contact: maybe(
        Type.Object({ email: maybe(email), phone: maybe(phone), mobile: maybe(phone) }),
      ),
      version,
    }),
  },
  accounts: {
    key: ["accountId"],
    schema: Type.Object({
      ...ofAccount,
      accountType: oneOf("Personal", "Business"),
      accountSubType: textThat(
        (text) => Object.hasOwn(accountKinds, text),
        `one of ${Object.keys(accountKinds).join(", ")}`,
      ),
      currency,
      nickname: maybe(upTo(70)),
      description: maybe(upTo(35)),
      holderName: upTo(350),
      openedOn: date,
      maturesOn: maybe(date),
      status: oneOf("Enabled", "Disabled", "Deleted"),
      statusUpdatedAt: instant,
      isSwitched: flag,
      sortCodeAccountNumber: maybe(sortCode),
      secondaryIdentification: maybe(upTo(34)),
      iban: maybe(iban),
      signatoriesRequired: Type.Integer({ minimum: 1 }),
      servicer: agent,
    }),
  },
  holders: {
    key: ["accountId", "customerId"],
    schema: Type.Object({
      ...ofAccount,
      customerId: id,
      role: oneOf("owner", "joint", "signatory"),
      isBeneficialOwner: maybe(flag),
    }),
  },
  balances: {
    key: ["accountId", "currency"],
    schema: Type.Object({
      ...ofAccount,
      currency,
      statedAt: instant,
      balances: Type.Array(Type.Object({ type: oneOf(...balanceKinds), amountMinor: minor })),
    }),
  },
  transactions: {
    key: ["transactionId"],
    schema: Type.Object({
      ...ofAccount,
      transactionId: idOf(210),
      indicator: oneOf("Credit", "Debit"),
      status: oneOf("Booked", "Future", "Information", "Pending", "Rejected"),
      bookedAt: instant,
      valueAt: maybe(instant),
      amount: money,
    }),
  },
  statuses: {
    key: ["transactionId"],
    schema: Type.Object({
      ...ofAccount,
      transactionId: idOf(210),
      status: oneOf("Booked", "Future", "Information", "Pending", "Rejected"),
    }),
  },
  statements: {
    key: ["accountId", "statementId"],
    schema: Type.Object({
      ...ofAccount,
      statementId: id,
      startsAt: instant,
      endsAt: instant,
      createdAt: instant,
      currency,
      openingMinor: minor,
      closingMinor: minor,
      creditsMinor: minor,
      debitsMinor: minor,
    }),
  },
  directDebits: {
    key: ["directDebitId"],
    schema: Type.Object({
      ...ofAccount,
      directDebitId: id,
      originatorName: Type.String({ minLength: 1 }),
      state: mandateState,
      previous: maybe(Type.Object({ at: instant, amount: money })),
    }),
  },
  standingOrders: {
    key: ["standingOrderId"],
    schema: Type.Object({
      ...ofAccount,
      standingOrderId: id,
      currency,
      state: mandateState,
      first: sum,
      next: maybe(sum),
      last: maybe(sum),
      final: maybe(sum),
      creditor,
      creditorAgent: agent,
    }),
  },
  scheduledPayments: {
    key: ["scheduledPaymentId"],
    schema: Type.Object({
      ...ofAccount,
      scheduledPaymentId: id,
      executeAt: instant,
      amount: money,
      creditor,
      creditorAgent: agent,
    }),
  },
  beneficiaries: {
    key: ["beneficiaryId"],
    schema: Type.Intersect([
      Type.Object({ beneficiaryId: id, customerId: id, isTrusted: flag, version }),
      accountNumber({ creditorBic: maybe(bic) }),
    ]),
  },
  offers: {
    key: ["offerId"],
    schema: Type.Object({
      ...ofAccount,
      offerId: id,
      endsAt: instant,
      details: Type.Object(offerMembers),
    }),
  },
} as const satisfies Record<string, Rule>;

/** A kind of facts, by its name in the changes. */
export type FactKind = keyof typeof rules;

/** Every kind of facts. */
export const factKinds = Object.keys(rules) as readonly FactKind[]; // safe: it has no other keys

/** Checks one fact. Returns null if it keeps the rules. */
export type FactCheck = (kind: FactKind, fact: object) => RefusedFact | null;

/** Makes the check of facts, which compiles the rules of a kind when it is first used. */
export function createFactCheck(): FactCheck {
  const validators = new Map<string, Validator>();
  return (kind, fact) => {
    const validator = validators.get(kind) ?? Compile(rules[kind].schema);
    validators.set(kind, validator);
    if (validator.Check(fact)) return null;
    return { kind, key: keyOfFact(kind, fact), ...deepestFault(validator, fact) };
  };
}

/** The key of a fact, by which a refusal names it. */
export function keyOfFact(kind: FactKind, fact: object): string {
  const members = fact as Record<string, unknown>;
  return rules[kind].key.map((member) => textOf(members[member])).join(" ");
}
