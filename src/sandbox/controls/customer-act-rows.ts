import Type, { type Static } from "typebox";
import type { ControlRow } from "./control-row.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const text = Type.String();
const time = Type.String({ format: "date-time" });
const orNull = <Schema extends typeof text>(schema: Schema) => Type.Union([schema, Type.Null()]);

const consent = Type.Object(
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
const order = Type.Object(
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
const payeeShape = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 70 }),
    schemeName: Type.Enum(["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"], { type: "string" }),
    identification: Type.String({ pattern: "^(\\d{14}|[A-Z]{2}\\d{2}[A-Z0-9]{1,30})$" }),
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 35 })),
  },
  { additionalProperties: false },
);
// a body of JSON, even an empty one, keeps out the pages of other origins
const nothing = Type.Object({}, { additionalProperties: false });
const done = Type.Object({ status: text });

/** The acts of customers that programs perform. */
export type CustomerActs = {
  /** Lists what the customer has authorised, the newest first, if it ended within 400 days. */
  listConsents(login: string): Promise<Static<typeof consent>[]>;
  /** Lists the orders that await a signature or their day. */
  listPayments(login: string): Promise<Static<typeof order>[]>;
  /** Cancels the remaining payments of an order. Throws SandboxRefusal, as the others do. */
  cancelOrder(login: string, orderId: string): Promise<void>;
  cancelDirectDebit(login: string, id: string): Promise<void>;
  addPayee(login: string, payee: Static<typeof payeeShape>): Promise<void>;
};

/** The operations of customers on their consents, orders and payees. */
export const customerActRows: readonly ControlRow[] = [
  {
    route: ["GET", "/customers/:login/consents"],
    operationId: "listCustomerConsents",
    summary:
      "Lists what a customer has authorised. POST /authorisations approves a consent, and POST " +
      "/consents/{consentId}/revocation withdraws one.",
    response: { status: 200, schema: Type.Object({ consents: Type.Array(consent) }) },
    handle: async ({ customerActs }, _body, { login = "" }) => ({
      consents: await customerActs.listConsents(login),
    }),
  },
  {
    route: ["GET", "/customers/:login/payments"],
    operationId: "listCustomerPayments",
    summary:
      "Lists a customer's orders that await a signature or their day. POST " +
      "/multi-authorisations/{orderId} signs one.",
    response: { status: 200, schema: Type.Object({ payments: Type.Array(order) }) },
    handle: async ({ customerActs }, _body, { login = "" }) => ({
      payments: await customerActs.listPayments(login),
    }),
  },
  {
    route: ["POST", "/customers/:login/payments/:orderId/cancellation"],
    operationId: "cancelCustomerPayment",
    summary: "Cancels a scheduled payment, a standing order or a file, as its customer would.",
    request: nothing,
    response: { status: 200, schema: done },
    async handle({ customerActs }, _body, { login = "", orderId = "" }) {
      await customerActs.cancelOrder(login, knownId(orderId));
      return { status: "CANC" };
    },
  },
  {
    route: ["POST", "/customers/:login/direct-debits/:id/cancellation"],
    operationId: "cancelCustomerDirectDebit",
    summary: "Cancels a direct debit, as its customer would.",
    request: nothing,
    response: { status: 200, schema: done },
    async handle({ customerActs }, _body, { login = "", id = "" }) {
      await customerActs.cancelDirectDebit(login, knownId(id));
      return { status: "Cancelled" };
    },
  },
  {
    route: ["POST", "/customers/:login/payees"],
    operationId: "addCustomerPayee",
    summary: "Adds a payee to a customer's list, as the customer would.",
    request: payeeShape,
    response: { status: 201, schema: payeeShape },
    async handle({ customerActs }, body: Static<typeof payeeShape>, { login = "" }) {
      if (/^\d/.test(body.identification) === (body.schemeName === "UK.OBIE.IBAN")) {
        throw new SandboxRefusal(400, "`identification` does not fit `schemeName`.");
      }
      await customerActs.addPayee(login, body);
      return body;
    },
  },
];

// an invalid id is treated as an unknown id
const knownId = (id: string): string => (/^[\w-]{1,64}$/.test(id) ? id : "");
