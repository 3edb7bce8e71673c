// The rules that a fact must keep so that the interface can show it: formats, code sets and
// lengths of the published schemas. Texts that a view cuts to the published length have no limit
// here. A rule has words, because the error goes to the engineers of the bank's core.
import Type, { type TSchema } from "typebox";
import { accountKinds } from "#src/standard/shared/accounts/account-kinds.ts";
import { balanceKinds } from "#src/standard/shared/accounts/facts.ts";
import { readProduct } from "#src/standard/shared/accounts/product.ts";
import { fourLetterPattern } from "#src/standard/shared/accounts/product-parts.ts";
import { offer } from "#src/standard/shared/accounts/read-offer.ts";
import { replacePattern } from "#src/standard/shared/schema.ts";
import { factValues as value } from "./fact-values.ts";

// The product of the published schema, without the account's id, which the view adds. The versions
// publish different patterns of a code (E-065), so the code has none here.
const { items: productItem } = replacePattern(
  readProduct.properties.Data.properties.Product,
  fourLetterPattern,
  "",
);
const { AccountId: _product, ...productMembers } = productItem.properties;
const { AccountId: _offer, OfferId: _id, ...offerMembers } = offer.properties;

/** How a document shows an object that has the members of a published schema. */
const published = (name: string) => ({
  "x-shown": { type: "object", "x-rule": `must be the ${name}, without the ids of the fact` },
});

/** The values that a module of the bank and JSON write differently. */
export type ValueRules = {
  instant: TSchema;
  date: TSchema;
  /** An amount in minor units, and one without a sign. */
  minor: TSchema;
  unsigned: TSchema;
  version: TSchema;
};

/** Those values, and what several kinds make of them. */
const valuesOf = ({ instant, date, minor, unsigned, version }: ValueRules) => ({
  instant,
  date,
  minor,
  unsigned,
  version,
  money: Type.Object({ amountMinor: unsigned, currency: value.currency }),
  localAmount: Type.Optional(
    Type.Object({
      amountMinor: unsigned,
      currency: value.currency,
      currencyKind: Type.Optional(value.currencyKind),
    }),
  ),
  ofAccount: { accountId: value.id, version },
  paidAt: value.maybe(Type.Object({ at: instant, amountMinor: minor })),
  paidOn: Type.Object({ on: value.maybe(date), amountMinor: minor }),
  creditLines: Type.Array(
    Type.Object({
      type: value.oneOf("Available", "Credit", "Emergency", "PreAgreed", "Temporary"),
      isIncluded: value.flag,
      amountMinor: minor,
    }),
  ),
});

type KindRule = { key: readonly string[]; schema: (values: Values) => TSchema };
type Values = ReturnType<typeof valuesOf>;

/** The kinds of facts: the members by which an error names a fact, and its rules. */
const kinds = {
  products: {
    key: ["productId"],
    schema: ({ version }) =>
      Type.Object({
        productId: value.id,
        name: value.upTo(350),
        details: Type.Object(productMembers, published("Product of OBReadProduct2")),
        purchaseRate: value.maybe(value.anyText),
        version,
      }),
  },
  parties: {
    key: ["partyId"],
    schema: ({ version }) =>
      Type.Object({
        partyId: value.id,
        name: value.upTo(350),
        legalStructure: value.maybe(value.upTo(40)),
        lei: value.maybe(value.lei),
        contact: value.maybe(
          Type.Object({
            partyNumber: value.maybe(value.upTo(35)),
            fullLegalName: value.maybe(value.upTo(350)),
            email: value.maybe(value.email),
            phone: value.maybe(value.phone),
            mobile: value.maybe(value.phone),
            address: Type.Optional(value.address),
          }),
        ),
        version,
      }),
  },
  accounts: {
    key: ["accountId"],
    schema: ({ instant, date, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        accountType: value.oneOf("Personal", "Business"),
        accountSubType: value.textThat(
          (text) => Object.hasOwn(accountKinds, text),
          `one of ${Object.keys(accountKinds).join(", ")}`,
          { enum: Object.keys(accountKinds) },
        ),
        currency: value.currency,
        nickname: value.maybe(value.upTo(70)),
        description: value.maybe(value.upTo(35)),
        holderName: value.upTo(350),
        openedOn: date,
        maturesOn: value.maybe(date),
        status: value.oneOf("Enabled", "Disabled", "Deleted"),
        statusUpdatedAt: instant,
        isSwitched: value.flag,
        sortCodeAccountNumber: value.maybe(value.sortCode),
        secondaryIdentification: value.maybe(value.upTo(34)),
        iban: value.maybe(value.iban),
        maskedPan: value.maybe(value.upTo(34)),
        signatoriesRequired: Type.Integer({ minimum: 1 }),
        productId: value.maybe(value.id),
        companyId: value.maybe(value.id),
        servicer: value.agent,
        statementDeliveries: Type.Array(Type.Object({ address: Type.Optional(value.address) })),
      }),
  },
  holders: {
    key: ["accountId", "customerId"],
    schema: ({ ofAccount }) =>
      Type.Object({
        ...ofAccount,
        customerId: value.id,
        role: value.oneOf("owner", "joint", "signatory"),
        isBeneficialOwner: value.maybe(value.flag),
      }),
  },
  balances: {
    key: ["accountId", "currency"],
    schema: ({ instant, minor, localAmount, ofAccount, creditLines }) =>
      Type.Object({
        ...ofAccount,
        currency: value.currency,
        currencyKind: value.currencyKind,
        statedAt: instant,
        balances: Type.Array(
          Type.Object({
            type: value.oneOf(...balanceKinds),
            amountMinor: minor,
            creditLines: value.maybe(creditLines),
            localAmount,
          }),
        ),
      }),
  },
  transactions: {
    key: ["transactionId"],
    schema: ({ instant, minor, money, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        transactionId: value.idOf(210),
        indicator: value.oneOf("Credit", "Debit"),
        status: value.transactionStatus,
        bookedAt: instant,
        valueAt: value.maybe(instant),
        amount: money,
        isoCode: value.maybe(value.isoTransactionCode),
        bankCode: value.maybe(
          Type.Object({ code: value.anyText, issuer: value.maybe(value.anyText) }),
        ),
        reference: value.maybe(value.anyText),
        information: value.maybe(value.anyText),
        card: value.maybe(value.card),
        merchant: value.maybe(
          Type.Object({ name: value.anyText, categoryCode: value.maybe(value.anyText) }),
        ),
        counterparty: value.maybe(value.counterparty),
        balance: value.maybe(
          Type.Object({ amountMinor: minor, type: value.oneOf(...balanceKinds) }),
        ),
        bookingId: value.maybe(value.anyText),
        particulars: value.maybe(
          Type.Object({
            exchange: value.maybe(
              Type.Object({ quotedAt: value.maybe(instant), instructed: money }),
            ),
            charge: value.maybe(money),
          }),
        ),
      }),
  },
  statuses: {
    key: ["transactionId"],
    schema: ({ ofAccount }) =>
      Type.Object({
        ...ofAccount,
        transactionId: value.idOf(210),
        status: value.transactionStatus,
      }),
  },
  statements: {
    key: ["accountId", "statementId"],
    schema: ({ instant, minor, unsigned, money, localAmount, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        statementId: value.id,
        number: Type.Integer(),
        startsAt: instant,
        endsAt: instant,
        createdAt: instant,
        periodName: value.maybe(value.anyText),
        currency: value.currency,
        currencyKind: value.currencyKind,
        openingMinor: minor,
        closingMinor: minor,
        creditsMinor: minor,
        debitsMinor: minor,
        creditCount: Type.Integer({ minimum: 0 }),
        debitCount: Type.Integer({ minimum: 0 }),
        limitMinor: minor,
        costs: Type.Array(
          Type.Object({
            type: value.oneOf("CHG", "INT", "IND"),
            indicator: value.oneOf("Credit", "Debit"),
            amount: value.textThat(
              (text) => /^[0-9]{1,15}$/.test(text),
              "digits: the minor units",
              {
                pattern: "^[0-9]{1,15}$",
              },
            ),
          }),
        ),
        minimumPaymentMinor: value.maybe(unsigned),
        paymentDueAt: value.maybe(instant),
        rates: Type.Array(Type.Object({ type: value.upTo(40), rate: value.rate })),
        particulars: value.maybe(
          Type.Object({
            amounts: value.maybe(Type.Array(Type.Object({ amountMinor: minor, localAmount }))),
            benefits: value.maybe(Type.Array(Type.Object({ amount: money }))),
            dates: value.maybe(Type.Array(Type.Object({ at: instant }))),
            totalValue: value.maybe(money),
          }),
        ),
      }),
  },
  directDebits: {
    key: ["directDebitId"],
    schema: ({ instant, money, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        directDebitId: value.id,
        mandateReference: value.anyText,
        originatorName: value.upTo(1000),
        state: value.mandateState,
        stateUpdatedAt: instant,
        mandate: value.maybe(
          Type.Object({
            ...value.mandate,
            firstOn: Type.Optional(value.isoDate),
            recurringOn: Type.Optional(value.isoDate),
            finalOn: Type.Optional(value.isoDate),
          }),
        ),
        previous: value.maybe(Type.Object({ at: instant, amount: money })),
      }),
  },
  standingOrders: {
    key: ["standingOrderId"],
    schema: ({ date, ofAccount, paidAt, paidOn }) =>
      Type.Object({
        ...ofAccount,
        standingOrderId: value.id,
        rhythm: value.rhythm,
        reference: value.maybe(value.anyText),
        currency: value.currency,
        numberOfPayments: value.maybe(Type.Integer({ minimum: 1 })),
        state: value.mandateState,
        first: paidOn,
        recurringOn: value.maybe(date),
        next: paidAt,
        last: paidAt,
        final: value.maybe(paidOn),
        mandate: value.maybe(Type.Object(value.mandate)),
        creditor: value.creditor,
        creditorAgent: value.agent,
        supplementary: value.supplementary,
      }),
  },
  scheduledPayments: {
    key: ["scheduledPaymentId"],
    schema: ({ instant, money, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        scheduledPaymentId: value.id,
        executeAt: instant,
        reference: value.maybe(value.anyText),
        debtorReference: value.maybe(value.anyText),
        amount: money,
        creditor: value.creditor,
        creditorAgent: value.agent,
      }),
  },
  beneficiaries: {
    key: ["beneficiaryId"],
    schema: ({ version, instant }) =>
      value.accountNumber({
        beneficiaryId: value.id,
        customerId: value.id,
        isTrusted: value.flag,
        name: value.maybe(value.anyText),
        secondaryIdentification: value.maybe(value.anyText),
        proxy: value.proxy,
        creditorBic: value.maybe(value.bic),
        creditorAgent: value.maybe(Type.Object(value.agentMembers)),
        reference: value.maybe(value.anyText),
        createdAt: instant,
        supplementary: value.supplementary,
        version,
      }),
  },
  offers: {
    key: ["offerId"],
    schema: ({ instant, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        offerId: value.id,
        endsAt: instant,
        details: Type.Object(offerMembers, published("Offer of OBReadOffer1")),
      }),
  },
} as const satisfies Record<string, KindRule>;

/** A kind of facts, by its name in the changes. */
export type FactKind = keyof typeof kinds;

/** Every kind of facts. */
export const factKinds = Object.keys(kinds) as readonly FactKind[]; // safe: it has no other keys

/** The members by which an error names a fact. */
export const keyMembers = (kind: FactKind): readonly string[] => kinds[kind].key;

const withoutAccount: readonly FactKind[] = ["products", "parties", "beneficiaries"];

/** The members that a removal must have, besides its version: all are texts. */
export const removalMembers = (kind: FactKind): readonly string[] =>
  withoutAccount.includes(kind)
    ? keyMembers(kind)
    : [...new Set(["accountId", ...keyMembers(kind)])];

/** Makes the rules of a kind of facts for one way of writing values. */
export const factRule = (kind: FactKind, values: ValueRules): TSchema =>
  kinds[kind].schema(valuesOf(values));
