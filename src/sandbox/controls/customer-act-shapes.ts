import Type, { type Static } from "typebox";
import { orNull } from "./common-shapes.ts";

const text = Type.String();
const time = Type.String({ format: "date-time" });

/** What a customer has authorised. */
export const givenConsent = Type.Object(
  {
    consentId: text,
    kind: text,
    clientId: text,
    status: text,
    accountIds: Type.Array(text),
    authorisedAt: time,
    expiresAt: orNull(time),
    deletedAt: orNull(time),
  },
  { title: "GivenConsent" },
);
/** An order that awaits a signature or its day. */
export const customerOrder = Type.Object(
  {
    orderId: text,
    clientId: text,
    kind: text,
    accountId: text,
    state: Type.Enum(["AwaitsSignature", "Upcoming"], { type: "string" }),
    canAct: Type.Boolean({ description: "Whether the customer can sign it, or cancel it." }),
    amount: Type.Object({ amount: text, currency: text }, { title: "OrderAmount" }),
    text: Type.String({ description: "As the bank's pages name it." }),
    executeAt: orNull(time),
  },
  { title: "CustomerOrder" },
);
/** A payee to add. */
export const payeeShape = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 70 }),
    schemeName: Type.Enum(["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"], { type: "string" }),
    identification: Type.String({ pattern: "^(\\d{14}|[A-Z]{2}\\d{2}[A-Z0-9]{1,30})$" }),
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 35 })),
  },
  { additionalProperties: false },
);
/** The acts of customers that programs perform. */
export type CustomerActs = {
  /** Lists what the customer has authorised, the newest first, if it ended within 400 days. */
  listConsents(login: string): Promise<Static<typeof givenConsent>[]>;
  /** Lists the orders that await a signature or their day. */
  listPayments(login: string): Promise<Static<typeof customerOrder>[]>;
  /** Cancels the remaining payments of an order. Throws SandboxRefusal, as the others do. */
  cancelOrder(login: string, orderId: string): Promise<void>;
  cancelDirectDebit(login: string, id: string): Promise<void>;
  addPayee(login: string, payee: Static<typeof payeeShape>): Promise<void>;
};
