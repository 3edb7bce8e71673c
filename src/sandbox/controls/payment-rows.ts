import Type from "typebox";
import type { ControlRow } from "./control-row.ts";
import { paymentOutcome } from "./outcome-shape.ts";

const stuckPayments = Type.Object({
  payments: Type.Array(
    Type.Object({
      paymentId: Type.String(),
      orderId: Type.String(),
      consentId: Type.String(),
      kind: Type.String(),
      status: Type.String(),
      since: Type.String({ description: "When the payment should have been made." }),
      attempts: Type.Integer(),
      failures: Type.Integer({ description: "Failed calls in a row, for this payment alone." }),
      lastFailure: Type.Union([
        Type.Null(),
        Type.Object({ at: Type.String(), call: Type.String(), error: Type.String() }),
      ]),
      isInDoubt: Type.Boolean(),
      next: Type.Object({ call: Type.String(), at: Type.String() }),
    }),
  ),
});

/** The operations on payments. */
export const paymentRows: readonly ControlRow[] = [
  {
    route: ["GET", "/outcomes"],
    operationId: "listOutcomes",
    summary:
      "Lists the outcomes of payments, with the payee, amount, reference and user that trigger each.",
    response: { status: 200, schema: Type.Object({ outcomes: Type.Array(paymentOutcome) }) },
    handle: async (controls) => ({ outcomes: controls.listOutcomes() }),
  },
  {
    route: ["GET", "/payments/stuck"],
    operationId: "listStuckPayments",
    summary: "Lists the payments that do not proceed, with the last error of the bank's core.",
    response: { status: 200, schema: stuckPayments },
    handle: async (controls) => ({ payments: await controls.listStuckPayments() }),
  },
];
