import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ConsentBody } from "#src/consents/consent.ts";
import { definePaymentKind, formatIn } from "#src/payments/definitions/payment-kind.ts";
import { jsonFormat } from "#src/payments/files/json-format.ts";
import {
  type Format,
  type InitiationFormat,
  initiationFormat,
} from "#src/payments/formats/format.ts";
import type { JsonReportWords } from "#src/payments/formats/report-words.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { filePayment } from "#src/payments/kinds/file-payment.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { MemberPaths } from "#src/payments/request/payment-request.ts";
import { readRequest } from "#src/payments/request/read-request.ts";
import { formatsV31 } from "#src/payments/versions/pisp-v3.1/formats.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { pispV31 } from "#src/standard/pisp-v3.1/version.ts";
import { creditorAccount } from "#src/standard/pisp-v4.0/parties.ts";
import { closedAmount } from "#src/standard/shared/amount.ts";
import { closed, text } from "#src/standard/shared/schema.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { firstFault, openPayments, orderOf, type PaymentsFixture } from "#test/payments/fixture.ts";
import { fileConsent, json31, openFiles, type SampleFile } from "./fixture.ts";
import { sampleJson } from "./samples.ts";

// A kind of file payments that is also served in a second version. Of its file formats, one has the
// payloads of v3.1, the other has member names of no version. Each has reports in two versions.

const fileStatuses: Record<string, string> = {
  PDNG: "InitiationPending",
  INCO: "InitiationCompleted",
  INFA: "InitiationFailed",
};

const earlierWords: JsonReportWords = {
  file: ({ orderId, status }) => ({ FilePaymentId: orderId, Status: fileStatuses[status] }),
  payment: ({ instructionId, status }) => ({
    InstructionIdentification: instructionId,
    Status: status === "ACCC" ? "AcceptedCreditSettlementCompleted" : status,
  }),
};

const at = "Data.Initiation";
const paths: MemberPaths = {
  order: at,
  instructionId: `${at}.Id`,
  endToEndId: `${at}.Id`,
  amount: `${at}.Value`,
  "amount.text": `${at}.Value.Amount`,
  "amount.currency": `${at}.Value.Currency`,
  creditor: `${at}.To`,
  "creditor.schemeName": `${at}.To.SchemeName`,
  "creditor.identification": `${at}.To.Identification`,
  "creditor.name": `${at}.To.Name`,
};
const ownNames: InitiationFormat = {
  initiation: closed({ Id: text(35), Value: closedAmount, To: creditorAccount }),
  paths,
  otherPaths: [],
  judgedBy: (schema) => schema,
  read: (body) => readRequest(body, paths),
};
const ownType = "UK.Test.Payments.1";

const current = formatIn(kindNamed("file-payment", paymentKinds), "pisp-v4.0");
const earlier: Format = { ...current, version: pispV31, reportWords: earlierWords };
const twice = definePaymentKind({
  ...filePayment,
  id: "x-file-payment",
  checks: [],
  fileFormats: [
    jsonFormat({
      fileType: json31,
      payloads: {
        DomesticPayments: {
          kind: domesticPayment,
          format: initiationFormat(formatsV31["domestic-payment"]),
        },
      },
    }),
    jsonFormat({
      fileType: ownType,
      payloads: { Payments: { kind: domesticPayment, format: ownNames } },
    }),
  ],
  formats: {
    "pisp-v3.1": earlier,
    "pisp-v4.0": { ...current, earlier: { "pisp-v3.1": { reword: (body: ConsentBody) => body } } },
  },
});

const v31 = "/api/open-banking/v3.1/pisp/x-file-payment";
const v40 = "/x-file-payment";

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments([...paymentKinds, twice]);
});
after(() => bank?.close());

const creditor = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "20001512345678",
  Name: "Creditor",
};

const inV31 = (amount: string): SampleFile => ({
  fileType: json31,
  text: sampleJson({
    DomesticPayments: [
      {
        InstructionIdentification: "I-1",
        EndToEndIdentification: "E-1",
        InstructedAmount: { Amount: amount, Currency: "GBP" },
        CreditorAccount: creditor,
        RemittanceInformation: { Unstructured: "Thanks", Reference: "REF-1" },
      },
    ],
  }),
});

const inOwnNames = (amount: string): SampleFile => ({
  fileType: ownType,
  text: sampleJson({
    Payments: [{ Id: "I-1", Value: { Amount: amount, Currency: "GBP" }, To: creditor }],
  }),
});

async function upload(file: SampleFile) {
  const body = fileConsent(file);
  const lodged = await bank.post(`${v31}-consents`, { body });
  assert.equal(lodged.status, 201, JSON.stringify(lodged.body));
  const { ConsentId } = lodged.body.Data;
  const headers = { "content-type": "application/json" };
  const path = `${v31}-consents/${ConsentId}/file`;
  return { body, ConsentId, answer: await bank.post(path, { body: file.text, headers }) };
}

/** Uploads a file on v3.1, orders its payments there, and lets the engine make them. */
async function pay(file: SampleFile): Promise<string> {
  const { body, ConsentId, answer } = await upload(file);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const token = await bank.authorise(ConsentId);
  const order = await bank.post(`${v31}s`, { token, body: orderOf(ConsentId, body) });
  assert.equal(order.status, 201, JSON.stringify(order.body));
  await openFiles(bank).engine().drain();
  return order.body.Data.FilePaymentId;
}

async function reportOn(base: string, orderId: string): Promise<Json> {
  const { status, body } = await bank.get(`${base}s/${orderId}/report-file`);
  assert.equal(status, 200, JSON.stringify(body));
  return (typeof body === "string" ? JSON.parse(body) : body).Data;
}

for (const [name, file, group] of [
  ["the format of v3.1", inV31, "DomesticPayments"],
  ["a format of no version", inOwnNames, "Payments"],
] as const) {
  test(`a file in ${name} is paid, and each version reports on it in its own format`, async () => {
    const orderId = await pay(file("1.00"));
    const older = await reportOn(v31, orderId);
    assert.deepEqual(older, {
      FilePaymentId: orderId,
      Status: "InitiationCompleted",
      ControlSum: 1,
      [group]: [{ InstructionIdentification: "I-1", Status: "AcceptedCreditSettlementCompleted" }],
    });
    const newer = await reportOn(v40, orderId);
    assert.deepEqual(
      [newer.Status, newer.NumberOfTransactions, newer[group][0].Status],
      ["INCO", "1", "ACCC"],
    );
  });
}

test("a fault in a file names the member as the file has it", async () => {
  const older = await upload(inV31("0.00"));
  assert.deepEqual(firstFault(older.answer), [
    "UK.OBIE.Field.Invalid",
    "Data.DomesticPayments[0].InstructedAmount.Amount",
  ]);
  const own = await upload(inOwnNames("0.00"));
  assert.deepEqual(firstFault(own.answer), [
    "UK.OBIE.Field.Invalid",
    "Data.Payments[0].Value.Amount",
  ]);
});

test("the payee's bank gets the Reference of v3.1, which is separate from the unstructured text", async () => {
  const orderId = await pay(inV31("2.00"));
  const rows = await bank.database.query(
    sql`select reference from payment where order_id = ${orderId}`,
  );
  assert.deepEqual(rows, [{ reference: "REF-1" }]);
});
