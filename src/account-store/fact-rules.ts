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
import { factValues } from "./fact-values.ts";

const {
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
} = factValues;

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
  money: Type.Object({ amountMinor: unsigned, currency }),
  localAmount: Type.Optional(
    Type.Object({ amountMinor: unsigned, currency, currencyKind: Type.Optional(currencyKind) }),
  ),
  ofAccount: { accountId: id, version },
  paidAt: maybe(Type.Object({ at: instant, amountMinor: minor })),
  paidOn: Type.Object({ on: maybe(date), amountMinor: minor }),
  creditLines: Type.Array(
    Type.Object({
      type: oneOf("Available", "Credit", "Emergency", "PreAgreed", "Temporary"),
      isIncluded: flag,
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
        productId: id,
        name: upTo(350),
        details: Type.Object(productMembers, published("Product of OBReadProduct2")),
        purchaseRate: maybe(anyText),
        version,
      }),
  },
  parties: {
    key: ["partyId"],
    schema: ({ version }) =>
      Type.Object({
        partyId: id,
        name: upTo(350),
        legalStructure: maybe(upTo(40)),
        lei: maybe(lei),
        contact: maybe(
          Type.Object({
            partyNumber: maybe(upTo(35)),
            fullLegalName: maybe(upTo(350)),
            email: maybe(email),
            phone: maybe(phone),
            mobile: maybe(phone),
            address: Type.Optional(address),
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
        accountType: oneOf("Personal", "Business"),
        accountSubType: textThat(
          (text) => Object.hasOwn(accountKinds, text),
          `one of ${Object.keys(accountKinds).join(", ")}`,
          { enum: Object.keys(accountKinds) },
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
        maskedPan: maybe(upTo(34)),
        signatoriesRequired: Type.Integer({ minimum: 1 }),
        productId: maybe(id),
        companyId: maybe(id),
        servicer: agent,
        statementDeliveries: Type.Array(Type.Object({ address: Type.Optional(address) })),
      }),
  },
  holders: {
    key: ["accountId", "customerId"],
    schema: ({ ofAccount }) =>
      Type.Object({
        ...ofAccount,
        customerId: id,
        role: oneOf("owner", "joint", "signatory"),
        isBeneficialOwner: maybe(flag),
      }),
  },
  balances: {
    key: ["accountId", "currency"],
    schema: ({ instant, minor, localAmount, ofAccount, creditLines }) =>
      Type.Object({
        ...ofAccount,
        currency,
        currencyKind,
        statedAt: instant,
        balances: Type.Array(
          Type.Object({
            type: oneOf(...balanceKinds),
            amountMinor: minor,
            creditLines: maybe(creditLines),
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
        transactionId: idOf(210),
        indicator: oneOf("Credit", "Debit"),
        status: transactionStatus,
        bookedAt: instant,
        valueAt: maybe(instant),
        amount: money,
        isoCode: maybe(isoTransactionCode),
        bankCode: maybe(Type.Object({ code: anyText, issuer: maybe(anyText) })),
        reference: maybe(anyText),
        information: maybe(anyText),
        card: maybe(card),
        merchant: maybe(Type.Object({ name: anyText, categoryCode: maybe(anyText) })),
        counterparty: maybe(counterparty),
        balance: maybe(Type.Object({ amountMinor: minor, type: oneOf(...balanceKinds) })),
        bookingId: maybe(anyText),
        particulars: maybe(
          Type.Object({
            exchange: maybe(Type.Object({ quotedAt: maybe(instant), instructed: money })),
            charge: maybe(money),
          }),
        ),
      }),
  },
  statuses: {
    key: ["transactionId"],
    schema: ({ ofAccount }) =>
      Type.Object({
        ...ofAccount,
        transactionId: idOf(210),
        status: transactionStatus,
      }),
  },
  statements: {
    key: ["accountId", "statementId"],
    schema: ({ instant, minor, unsigned, money, localAmount, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        statementId: id,
        number: Type.Integer(),
        startsAt: instant,
        endsAt: instant,
        createdAt: instant,
        periodName: maybe(anyText),
        currency,
        currencyKind,
        openingMinor: minor,
        closingMinor: minor,
        creditsMinor: minor,
        debitsMinor: minor,
        creditCount: Type.Integer({ minimum: 0 }),
        debitCount: Type.Integer({ minimum: 0 }),
        limitMinor: minor,
        costs: Type.Array(
          Type.Object({
            type: oneOf("CHG", "INT", "IND"),
            indicator: oneOf("Credit", "Debit"),
            amount: textThat((text) => /^[0-9]{1,15}$/.test(text), "digits: the minor units", {
              pattern: "^[0-9]{1,15}$",
            }),
          }),
        ),
        minimumPaymentMinor: maybe(unsigned),
        paymentDueAt: maybe(instant),
        rates: Type.Array(Type.Object({ type: upTo(40), rate })),
        particulars: maybe(
          Type.Object({
            amounts: maybe(Type.Array(Type.Object({ amountMinor: minor, localAmount }))),
            benefits: maybe(Type.Array(Type.Object({ amount: money }))),
            dates: maybe(Type.Array(Type.Object({ at: instant }))),
            totalValue: maybe(money),
          }),
        ),
      }),
  },
  directDebits: {
    key: ["directDebitId"],
    schema: ({ instant, money, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        directDebitId: id,
        mandateReference: anyText,
        originatorName: upTo(1000),
        state: mandateState,
        stateUpdatedAt: instant,
        mandate: maybe(
          Type.Object({
            ...mandate,
            firstOn: Type.Optional(isoDate),
            recurringOn: Type.Optional(isoDate),
            finalOn: Type.Optional(isoDate),
          }),
        ),
        previous: maybe(Type.Object({ at: instant, amount: money })),
      }),
  },
  standingOrders: {
    key: ["standingOrderId"],
    schema: ({ date, ofAccount, paidAt, paidOn }) =>
      Type.Object({
        ...ofAccount,
        standingOrderId: id,
        rhythm,
        reference: maybe(anyText),
        currency,
        numberOfPayments: maybe(Type.Integer({ minimum: 1 })),
        state: mandateState,
        first: paidOn,
        recurringOn: maybe(date),
        next: paidAt,
        last: paidAt,
        final: maybe(paidOn),
        mandate: maybe(Type.Object(mandate)),
        creditor,
        creditorAgent: agent,
        supplementary,
      }),
  },
  scheduledPayments: {
    key: ["scheduledPaymentId"],
    schema: ({ instant, money, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        scheduledPaymentId: id,
        executeAt: instant,
        reference: maybe(anyText),
        debtorReference: maybe(anyText),
        amount: money,
        creditor,
        creditorAgent: agent,
      }),
  },
  beneficiaries: {
    key: ["beneficiaryId"],
    schema: ({ version, instant }) =>
      accountNumber({
        beneficiaryId: id,
        customerId: id,
        isTrusted: flag,
        name: maybe(anyText),
        secondaryIdentification: maybe(anyText),
        proxy,
        creditorBic: maybe(bic),
        creditorAgent: maybe(Type.Object(agentMembers)),
        reference: maybe(anyText),
        createdAt: instant,
        supplementary,
        version,
      }),
  },
  offers: {
    key: ["offerId"],
    schema: ({ instant, ofAccount }) =>
      Type.Object({
        ...ofAccount,
        offerId: id,
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

/** Makes the rules of a kind of facts for one way of writing values. */
export const factRule = (kind: FactKind, values: ValueRules): TSchema =>
  kinds[kind].schema(valuesOf(values));
