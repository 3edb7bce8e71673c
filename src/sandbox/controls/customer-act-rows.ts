import Type, { type Static } from "typebox";
import { knownId } from "./common-shapes.ts";
import type { ControlRow } from "./control-row.ts";
import { customerOrder, givenConsent, payeeShape } from "./customer-act-shapes.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

// a body of JSON, even an empty one, keeps out the pages of other origins
const nothing = Type.Object({}, { additionalProperties: false });
const done = Type.Object({ status: Type.String() });

/** The operations of customers on their consents, orders and payees. */
export const customerActRows: readonly ControlRow[] = [
  {
    route: ["GET", "/customers/:login/consents"],
    operationId: "listCustomerConsents",
    summary:
      "Lists what a customer has authorised. POST /sandbox/v1/authorisations approves a consent, " +
      "and POST /sandbox/v1/consents/{consentId}/revoke withdraws one.",
    response: { status: 200, schema: Type.Object({ consents: Type.Array(givenConsent) }) },
    handle: async ({ customerActs }, _body, { login = "" }) => ({
      consents: await customerActs.listConsents(login),
    }),
  },
  {
    route: ["GET", "/customers/:login/payments"],
    operationId: "listCustomerPayments",
    summary:
      "Lists a customer's orders that await a signature or their day. " +
      "POST /sandbox/v1/multi-authorisations/{orderId} signs one.",
    response: { status: 200, schema: Type.Object({ payments: Type.Array(customerOrder) }) },
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
