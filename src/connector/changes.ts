// The account data that a core sends over HTTP: what a line of `./aldgate facts load` has.
import Type, { type TSchema } from "typebox";
import { jsonValues } from "#src/account-store/check-facts.ts";
import {
  type FactKind,
  factKinds,
  factRule,
  removalMembers,
} from "#src/account-store/fact-rules.ts";
import { clusters } from "#src/account-store/feed.ts";

const text = Type.String();

const titles: Readonly<Record<FactKind, string>> = {
  products: "ProductFact",
  parties: "PartyFact",
  accounts: "AccountFact",
  holders: "HolderFact",
  balances: "BalancesFact",
  transactions: "TransactionFact",
  statuses: "TransactionStatusChange",
  statements: "StatementFact",
  directDebits: "DirectDebitFact",
  standingOrders: "StandingOrderFact",
  scheduledPayments: "ScheduledPaymentFact",
  beneficiaries: "BeneficiaryFact",
  offers: "OfferFact",
};

/** Gives a schema a title. The marks of TypeBox are not enumerable. */
const titled = (schema: TSchema, title: string): TSchema =>
  Object.assign(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)), { title });

const each = (rule: (kind: FactKind) => TSchema, kinds = factKinds): Record<string, TSchema> =>
  Object.fromEntries(kinds.map((kind) => [kind, Type.Optional(Type.Array(rule(kind)))]));

function removalOf(kind: FactKind): TSchema {
  const key = Object.fromEntries(removalMembers(kind).map((name) => [name, text]));
  return Type.Object(
    { ...key, version: jsonValues.version },
    { title: titles[kind].replace(/Fact$/, "Removal") },
  );
}

/** Facts and removals, and how far the source has got with them. */
export const changesSchema: TSchema = Type.Object(
  {
    ...each((kind) => titled(factRule(kind, jsonValues), titles[kind])),
    removed: Type.Optional(
      Type.Object(
        each(
          removalOf,
          factKinds.filter((kind) => kind !== "statuses"),
        ),
        {
          title: "Removals",
        },
      ),
    ),
    delivered: Type.Optional(
      Type.Array(
        Type.Object(
          {
            accountId: text,
            cluster: Type.Enum([...clusters]),
            asOf: Type.Union([Type.Literal("live"), jsonValues.instant]),
          },
          { title: "Delivery" },
        ),
      ),
    ),
    position: Type.Optional(
      Type.Object(
        {
          cursor: Type.Optional(Type.String({ maxLength: 1000 })),
          after: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Null()])),
          deliveredUpTo: Type.Optional(jsonValues.instant),
        },
        { title: "FeedPosition" },
      ),
    ),
  },
  { title: "Changes" },
);
