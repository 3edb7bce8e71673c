import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Json } from "#test/payments/answer-check.ts";
import { firstFault, openPayments, orderOf, type PaymentsFixture } from "#test/payments/fixture.ts";
import {
  type FileBank,
  fileConsent,
  json31,
  json40,
  openFiles,
  pain,
  type SampleFile,
} from "./fixture.ts";
import { sampleDomestic, sampleJson, sampleXml } from "./samples.ts";

let bank: PaymentsFixture;
let files: FileBank;
before(async () => {
  bank = await openPayments();
  files = openFiles(bank);
});
after(() => bank?.close());

const sample = (change?: (body: Json) => void): SampleFile => ({
  fileType: json40,
  text: sampleDomestic([{}, {}]),
  ...(change ? { change } : {}),
});

/** Returns the first error for a changed consent. */
async function refused(change: (body: Json) => void): Promise<[string, string | undefined]> {
  const body = fileConsent(sample(change));
  const answer = await bank.post("/file-payment-consents", { body });
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  return firstFault(answer);
}

const at = "Data.Initiation";

test("P-095, P-096, P-097: a file consent awaits its file and returns only what was sent", async () => {
  const initiation = {
    FileReference: "Payroll",
    NumberOfTransactions: "2",
    ControlSum: 2,
    RequestedExecutionDateTime: "2027-03-09T00:00:00+00:00",
    LocalInstrument: "UK.OBIE.FPS",
  };
  const { consentId, body } = await files.lodge({ ...sample(), initiation });
  const { Data, Risk, Links } = (await bank.get(`/file-payment-consents/${consentId}`)).body;
  assert.equal(Data.Status, "AWUP");
  assert.deepEqual(Data.Initiation, body.Data.Initiation);
  assert.equal(Risk, undefined);
  assert.equal(Data.ExpectedExecutionDateTime, undefined);
  assert.ok(Links.Self.endsWith(`/file-payment-consents/${consentId}`));
});

test("P-191: an unknown FileType is U002", async () => {
  const fault = await refused(({ Data }) => {
    Data.Initiation.FileType = "UK.OBIE.Bacs18";
  });
  assert.deepEqual(fault, ["U002", `${at}.FileType`]);
});

test("P-192: a FileHash that is not a base64 SHA-256 is U002", async () => {
  for (const hash of ["abc", "a".repeat(44), `${"a".repeat(42)}==`, "-".repeat(43)]) {
    const fault = await refused(({ Data }) => {
      Data.Initiation.FileHash = hash;
    });
    assert.deepEqual(fault, ["U002", `${at}.FileHash`], hash);
  }
});

test("P-193: NumberOfTransactions must be a string of digits", async () => {
  for (const value of [2, "abc1", "-1", "1234567890123456"]) {
    const fault = await refused(({ Data }) => {
      Data.Initiation.NumberOfTransactions = value;
    });
    assert.deepEqual(fault, ["U002", `${at}.NumberOfTransactions`], String(value));
  }
});

test("P-194: ControlSum must be a number", async () => {
  const fault = await refused(({ Data }) => {
    Data.Initiation.ControlSum = "2.00";
  });
  assert.deepEqual(fault, ["U002", `${at}.ControlSum`]);
});

test("P-063, P-094, P-112: Risk, ReadRefundAccount and Permission are refused", async () => {
  assert.deepEqual(
    await refused((body) => {
      body.Risk = {};
    }),
    ["U005", "Risk"],
  );
  assert.deepEqual(
    await refused(({ Data }) => {
      Data.ReadRefundAccount = "Yes";
    }),
    ["U005", "Data.ReadRefundAccount"],
  );
  assert.deepEqual(
    await refused(({ Data }) => {
      Data.Permission = "Create";
    }),
    ["U005", "Data.Permission"],
  );
});

test("P-134: a file's execution date may be today, but not earlier", async () => {
  const asked = (day: string) => (body: Json) => {
    body.Data.Initiation.RequestedExecutionDateTime = day;
  };
  assert.deepEqual(await refused(asked("2027-03-01T23:00:00Z")), [
    "U003",
    `${at}.RequestedExecutionDateTime`,
  ]);
  assert.deepEqual(await refused(asked("2029-03-01")), [
    "U003",
    `${at}.RequestedExecutionDateTime`,
  ]);
  await files.lodge(sample(asked("2027-03-02T00:00:00Z")));
});

test("D-401-58: a payment under an undocumented member name is FF01", async () => {
  for (const name of ["DomesticVrps", "InternationalStandingOrders", "__proto__"]) {
    const text = sampleJson({ DomesticPayments: [] }).replace("DomesticPayments", name);
    const lodged = await files.lodge({ fileType: json40, text });
    const answer = await files.upload(lodged.consentId, { fileType: json40, text });
    assert.deepEqual(firstFault(answer), ["FF01", `Data.${name}`]);
    assert.equal(await files.statusOf(lodged.consentId), "RJCT");
  }
});

test("P-208, P-212: a consent without its file cannot be authorised, and an unauthorised one cannot pay", async () => {
  const { consentId, body } = await files.lodge(sample());
  await assert.rejects(bank.authorise(consentId), /could be authorised/);
  // a TPP without an authorised consent can have only a token of another consent
  const other = await files.uploaded(sample());
  const token = await bank.authorise(other.consentId);
  const answer = await bank.post("/file-payments", { token, body: orderOf(consentId, body) });
  assert.equal(answer.status, 403);
  assert.equal(await files.statusOf(consentId), "AWUP");
});

test("P-148, P-213: an order's ControlSum is compared as a number, and all other members exactly", async () => {
  const initiation = { ControlSum: 2.5, FileReference: "R" };
  const text = sampleDomestic([{ amount: "1.25" }, { amount: "1.25" }]);
  const { consentId, body } = await files.uploaded({ fileType: json40, text, initiation });
  const token = await bank.authorise(consentId);
  const order = orderOf(consentId, body);
  const send = (change: (text: string) => string) =>
    bank.post("/file-payments", { token, body: change(JSON.stringify(order)) });
  const other = await send((sent) => sent.replace("2.5", "2.51"));
  assert.deepEqual(firstFault(other), ["U008", `${at}.ControlSum`]);
  const reference = await send((sent) => sent.replace('"R"', '"r"'));
  assert.deepEqual(firstFault(reference), ["U008", `${at}.FileReference`]);
  const risk = await send((sent) => sent.replace(/}$/, ',"Risk":{}}'));
  assert.deepEqual(firstFault(risk), ["U005", "Risk"]);
  const same = await send((sent) => sent.replace("2.5", "2.500"));
  assert.equal(same.status, 201, JSON.stringify(same.body));
});

test("P-022: funds cannot be confirmed for files", async () => {
  const { consentId } = await files.lodge(sample());
  const answer = await bank.get(`/file-payment-consents/${consentId}/funds-confirmation`);
  assert.equal(answer.status, 404);
});

test("files of v3.1 are read, with their free text as one string", async () => {
  const initiation = {
    InstructionIdentification: "I-1",
    EndToEndIdentification: "E-1",
    InstructedAmount: { Amount: "1.00", Currency: "GBP" },
    CreditorAccount: {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: "20001512345678",
      Name: "Creditor",
    },
    RemittanceInformation: { Unstructured: "Thanks", Reference: "REF-1" },
  };
  const text = sampleJson({ DomesticPayments: [initiation] });
  await files.uploaded({ fileType: json31, text });
  // v4.0's format of the text is not accepted in a v3.1 file
  const later = sampleDomestic([{}]);
  const { consentId } = await files.lodge({ fileType: json31, text: later });
  const answer = await files.upload(consentId, { fileType: json31, text: later });
  assert.deepEqual(firstFault(answer), [
    "U002",
    "Data.DomesticPayments[0].RemittanceInformation.Unstructured",
  ]);
});

test("a file is paid from one account, which the consent may leave out", async () => {
  const named = sampleXml({ groups: [{ payments: [{}] }] });
  const { consentId } = await files.uploaded({ fileType: pain, text: named });
  const token = await bank.authorise(consentId);
  assert.ok(token);
  const two = sampleXml({
    groups: [{ payments: [{}] }, { debtor: "40478422222222", payments: [{}] }],
  });
  const lodged = await files.lodge({ fileType: pain, text: two });
  const answer = await files.upload(lodged.consentId, { fileType: pain, text: two });
  assert.deepEqual(firstFault(answer), ["U002", "Document/CstmrCdtTrfInitn/PmtInf[2]/DbtrAcct/Id"]);
  const other = {
    DebtorAccount: {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: "40478422222222",
    },
  };
  const unlike = await files.lodge({ fileType: pain, text: named, initiation: other });
  const mismatch = await files.upload(unlike.consentId, { fileType: pain, text: named });
  assert.equal(firstFault(mismatch)[0], "U002");
});
