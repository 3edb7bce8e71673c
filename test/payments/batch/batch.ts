import { usedOnce } from "#src/consents/states.ts";
import { definePaymentKind, formatIn } from "#src/payments/definitions/payment-kind.ts";
import type { Format } from "#src/payments/formats/format.ts";
import { accountAt, amountAt, initiation } from "#src/payments/formats/member-paths.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import {
  aboveLimit,
  type Check,
  checkUkAccounts,
  paymentChecks,
} from "#src/payments/request/checks.ts";
import type { MemberPaths } from "#src/payments/request/payment-request.ts";
import { valueAt } from "#src/payments/request/read-request.ts";
import { formatOfV4 } from "#src/payments/versions/pisp-v4.0/formats.ts";
import type { DemoCreditor, Example, KindExamples } from "#src/server/examples/example.ts";
import { domesticSample } from "#src/server/examples/payment-examples.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { shownStatuses } from "#src/standard/shared/payments/statuses.ts";
import { type BatchRequest, paymentsOf } from "./batch-request.ts";
import { ofBatch } from "./batch-shape.ts";
import { batchSchemas } from "./schemas.ts";

// `[]` is where a fault says which payment it is about
const each = `${initiation}.Payments[]`;
const paths: MemberPaths = {
  order: initiation,
  consentId: "Data.ConsentId",
  ...accountAt("debtor", `${initiation}.DebtorAccount`),
  ...accountAt("creditor", `${each}.CreditorAccount`),
  ...amountAt("amount", `${each}.InstructedAmount`),
  instructionId: `${each}.InstructionIdentification`,
  endToEndId: `${each}.EndToEndIdentification`,
  localInstrument: `${each}.LocalInstrument`,
};

const ofV4 = formatOfV4({
  schemas: batchSchemas,
  paths,
  statuses: shownStatuses.file,
  references: [],
});
const ofOne = formatIn(kindNamed("domestic-payment", paymentKinds), "pisp-v4.0");

const format: Format = {
  ...ofV4,
  earlier: {},
  read(body): BatchRequest {
    const listed = valueAt(body, `${initiation}.Payments`);
    const items: unknown[] = Array.isArray(listed) ? listed : [];
    const payments = items.map((Initiation) => ofOne.read({ Data: { Initiation } }));
    return { ...ofV4.read(body), payments };
  },
};

const checkLimit: Check = ({ request: { amount }, config: { PAYMENT_LIMIT } }) => {
  const limit = BigInt(PAYMENT_LIMIT);
  if (!amount?.money || amount.money.amountMinor <= limit) return [];
  return [{ code: "U002", member: "amount.text", message: aboveLimit(limit, "GBP") }];
};

/** Checks each payment of a batch like a payment on its own. */
const checkPayments: Check = (checked) =>
  paymentsOf(checked.request).flatMap((request, position) =>
    [...paymentChecks, checkUkAccounts, checkLimit].flatMap((check) =>
      check({ ...checked, request }).map((fault) => ({ ...fault, position })),
    ),
  );

const exampleOf = (CreditorAccount: object): Example<never> => {
  const Payments = ["10.00", "12.50"].map((Amount, index) => ({
    InstructionIdentification: `i${index + 1}`,
    EndToEndIdentification: `e${index + 1}`,
    InstructedAmount: { Amount, Currency: "GBP" },
    CreditorAccount,
  }));
  const Initiation = { Payments };
  return {
    consent: { Data: { Initiation }, Risk: {} },
    order: { Data: { ConsentId: "", Initiation }, Risk: {} },
  };
};

const examples: KindExamples = {
  sample: () => exampleOf(domesticSample.CreditorAccount),
  demo: (creditor: DemoCreditor) => exampleOf(creditor),
};

/** Several payments to several payees, with one consent and one order. */
export const batch = definePaymentKind({
  id: "x-batch",
  tag: "Batches",
  orderIdField: "BatchId",
  consentIdPrefix: "btc",
  orderIdPrefix: "bt",
  consent: usedOnce,
  shape: ofBatch,
  family: "file",
  timing: { when: "immediate" },
  hasCutOff: false,
  givesExpectedDates: false,
  confirmsFunds: true,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: ["UK.OBIE.FPS", "UK.OBIE.CHAPS"],
  checks: [checkPayments, checkUkAccounts],
  formats: { "pisp-v4.0": format },
  examples: { "pisp-v4.0": examples },
});
