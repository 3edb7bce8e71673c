import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { sql } from "#src/storage/sql.ts";
import type { Answer } from "#test/payments/answer-check.ts";
import { firstFault, openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import { type FileBank, hashOf, json40, openFiles, pain, type SampleFile } from "./fixture.ts";
import { sampleDomestic, sampleXml } from "./samples.ts";

let bank: PaymentsFixture;
let files: FileBank;
before(async () => {
  bank = await openPayments();
  files = openFiles(bank);
});
after(() => bank?.close());

const payments = [{ amount: "1.10" }, { amount: "2.25" }];
const xml: SampleFile = { fileType: pain, text: sampleXml({ groups: [{ payments }] }) };
const json: SampleFile = { fileType: json40, text: sampleDomestic(payments) };

/** Counts the rows of files without a consent. */
async function strays(): Promise<number> {
  const rows = await bank.database.query(sql`
    select 1 from payment_file f left join payment_file_chunk c using (file_id)
      left join payment_file_batch b using (file_id)
    where f.consent_id is null`);
  return rows.length;
}

type Refused = { answer: Answer; status: string };

/** Uploads a file that does not match its consent or cannot be read. */
async function refused(file: SampleFile, sent: object = {}): Promise<Refused> {
  const { consentId } = await files.lodge(file);
  const answer = await files.upload(consentId, file, sent);
  assert.equal(await strays(), 0, "a refused upload leaves no rows");
  return { answer, status: await files.statusOf(consentId) };
}

test("P-196: a file with a different hash is U002 and rejects the consent", async () => {
  const initiation = { FileHash: hashOf("other") };
  const { answer, status } = await refused({ ...xml, initiation });
  assert.deepEqual(firstFault(answer), ["U002", "Data.Initiation.FileHash"]);
  assert.equal(status, "RJCT");
});

test("P-192, P-195: a FileHash without padding is accepted", async () => {
  const initiation = { FileHash: hashOf(xml.text).replace("=", "") };
  await files.uploaded({ ...xml, initiation });
});

test("P-197, P-198: a wrong number of payments (AM18) and a wrong sum (AM10) are both reported, and reject the consent", async () => {
  const initiation = { NumberOfTransactions: "3", ControlSum: 3.36 };
  const { answer, status } = await refused({ ...json, initiation });
  assert.deepEqual(
    answer.body.Errors.map((one: { ErrorCode: string; Path: string }) => [one.ErrorCode, one.Path]),
    [
      ["AM18", "Data.Initiation.NumberOfTransactions"],
      ["AM10", "Data.Initiation.ControlSum"],
    ],
  );
  assert.equal(status, "RJCT");
  await files.uploaded({ ...json, initiation: { NumberOfTransactions: "02", ControlSum: 3.35 } });
});

test("P-197, P-198: totals inside a file must match its payments too", async () => {
  const head = "Document/CstmrCdtTrfInitn";
  for (const [stated, code, path] of [
    [{ count: "3" }, "AM18", `${head}/GrpHdr/NbOfTxs`],
    [{ sum: "3.350000000000001" }, "AM10", `${head}/GrpHdr/CtrlSum`],
    [{ groupCount: "1" }, "AM18", `${head}/PmtInf[1]/NbOfTxs`],
    [{ groupSum: "3.3" }, "AM10", `${head}/PmtInf[1]/CtrlSum`],
  ] as const) {
    const text = sampleXml({ groups: [{ payments }], ...stated });
    const { answer, status } = await refused({ fileType: pain, text });
    assert.deepEqual(firstFault(answer), [code, path]);
    assert.equal(status, "RJCT");
  }
});

test("a control sum is compared exactly where floating point would not be", async () => {
  const many = Array.from({ length: 30 }, () => ({ amount: "0.10" }));
  const text = sampleXml({ groups: [{ payments: many }], sum: "3.0", groupSum: "3.00" });
  await files.uploaded({ fileType: pain, text, initiation: { ControlSum: 3 } });
});

test("P-199, P-207: a file that does not follow its format is FF01 and rejects the consent", async () => {
  const doctype = '<!DOCTYPE Document [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
  const texts: readonly (readonly [string, RegExp])[] = [
    [xml.text.replace("<Document", `${doctype}<Document`), /document type/],
    [xml.text.replace("Creditor 1", "&nbsp;"), /not well-formed/],
    [xml.text.replace("Creditor 1", "&x;"), /not well-formed/],
    [xml.text.replace("<GrpHdr>", "<?php exit ?><GrpHdr>"), /processing instruction/],
    [xml.text.replace("UTF-8", "UTF-16"), /UTF-8/],
    [xml.text.replace("pain.001.001.08", "pain.001.001.03"), /namespace/],
    [xml.text.replace("<PmtMtd>", "<PmtMtdd>"), /PmtMtd/],
    [xml.text.slice(0, -30), /complete|well-formed/],
    [`${xml.text}<More/>`, /well-formed|end/],
    [json.text, /well-formed/],
  ];
  for (const [text, message] of texts) {
    const { answer, status } = await refused({ fileType: pain, text });
    assert.equal(answer.status, 400);
    assert.equal(firstFault(answer)[0], "FF01");
    assert.match(answer.body.Errors[0].Message, message);
    assert.match(answer.body.Errors[0].Message, / - Line \d+: The file /);
    assert.equal(status, "RJCT");
  }
});

test("each fault of a payment in a file gets one error with its element and line", async () => {
  const wrong = [
    { amount: "1.10" },
    { amount: "0.00", creditor: "2000151234567" },
    { currency: "THB", localInstrument: "UK.OBIE.BACS" },
  ];
  const text = sampleXml({ groups: [{ payments: wrong }] });
  const { answer, status } = await refused({ fileType: pain, text });
  const transfer = "Document/CstmrCdtTrfInitn/PmtInf[1]/CdtTrfTxInf";
  assert.deepEqual(
    answer.body.Errors.map((one: { ErrorCode: string; Path: string; Message: string }) => [
      one.ErrorCode,
      one.Path,
      / - Line (\d+): [A-Z]/.exec(one.Message)?.[1],
    ]),
    [
      ["U002", `${transfer}[2]/Amt/InstdAmt`, "6"],
      ["U021", `${transfer}[2]/CdtrAcct/Id`, "6"],
      ["U023", `${transfer}[3]/Amt/InstdAmt/@Ccy`, "7"],
      ["U026", `${transfer}[3]/PmtTpInf/LclInstrm`, "7"],
    ],
  );
  assert.equal(status, "RJCT");
});

test("docs/files.md quotes what the bank says of a wrong amount in a file", async () => {
  const page = readFileSync(new URL("../../../docs/files.md", import.meta.url), "utf8");
  const [, quoted = ""] = /^```json\n(\{"Id".*?)^```$/ms.exec(page) ?? [];
  const { Errors } = JSON.parse(quoted.replaceAll(/\s*\n\s*/g, " "));
  const text = xml.text.replace(">2.25<", ">2,25<");
  const { answer } = await refused({ fileType: pain, text });
  assert.deepEqual(answer.body.Errors, Errors);
});

test("P-200: a media type that does not match the FileType is 415 and changes nothing", async () => {
  for (const contentType of ["application/json", "text/plain", "text/xml; charset=latin1"]) {
    const { answer, status } = await refused(xml, { headers: { "content-type": contentType } });
    assert.equal(answer.status, 415);
    assert.equal(status, "AWUP");
  }
  const { consentId } = await files.lodge(xml);
  const headers = { "content-type": "application/xml; charset=utf-8" };
  assert.equal((await files.upload(consentId, xml, { headers })).status, 200);
});

test("P-201, P-205: an upload without signature, key or bytes leaves the consent waiting", async () => {
  const none = await refused(xml, { headers: { "x-jws-signature": "" } });
  assert.deepEqual([firstFault(none.answer)[0], none.status], ["U018", "AWUP"]);
  const keyless = await refused(xml, { key: "" });
  assert.deepEqual([firstFault(keyless.answer)[0], keyless.status], ["U006", "AWUP"]);
  const { consentId } = await files.lodge(xml);
  const empty = await files.upload(consentId, { ...xml, text: "" });
  assert.equal(firstFault(empty)[0], "U010");
  assert.equal(await files.statusOf(consentId), "AWUP");
  assert.equal(await strays(), 0);
});

test("P-206: a file above the limit is 413 and changes nothing", async () => {
  const small = await bank.configured({ FILE_LIMIT_BYTES: 1024 });
  const { consentId } = await files.lodge(xml);
  const answer = await small.post(`/file-payment-consents/${consentId}/file`, {
    body: xml.text,
    headers: { "content-type": "text/xml" },
  });
  assert.equal(answer.status, 413);
  assert.equal(firstFault(answer)[0], "U010");
  assert.equal(await files.statusOf(consentId), "AWUP");
  assert.equal(await strays(), 0);
});

test("a file with too many payments is refused at the first one beyond the limit", async () => {
  const few = await bank.configured({ FILE_PAYMENTS_LIMIT: 1 });
  const { consentId } = await files.lodge(json);
  const answer = await few.post(`/file-payment-consents/${consentId}/file`, { body: json.text });
  assert.deepEqual(firstFault(answer), ["FF01", "Data.DomesticPayments[1]"]);
});

test("P-202, P-203, P-050: a file is uploaded once; the same upload again is 200", async () => {
  const { consentId } = await files.lodge(xml);
  const key = "upload-1";
  assert.equal((await files.upload(consentId, xml, { key })).status, 200);
  const before = (await bank.get(`/file-payment-consents/${consentId}`)).body;
  assert.equal((await files.upload(consentId, xml, { key })).status, 200);
  assert.deepEqual((await bank.get(`/file-payment-consents/${consentId}`)).body, before);
  const other = { ...xml, text: xml.text.replace("Invoice 1", "Invoice 9") };
  assert.deepEqual(firstFault(await files.upload(consentId, other, { key })), [
    "U029",
    "x-idempotency-key",
  ]);
  assert.deepEqual(firstFault(await files.upload(consentId, xml)), ["U009", "Data.Status"]);
  assert.equal(await files.statusOf(consentId), "AWAU");
});

test("P-204: an upload to an unknown consent is U011, and to another TPP's is 403", async () => {
  const { consentId } = await files.lodge(xml);
  assert.deepEqual(firstFault(await files.upload("fpc-none", xml)), ["U011", "ConsentId"]);
  const headers = { "content-type": "text/xml" };
  const path = `/file-payment-consents/${consentId}/file`;
  const foreign = await bank.post(path, { body: xml.text, headers }, bank.otherTpp);
  assert.equal(foreign.status, 403);
  assert.equal(await files.statusOf(consentId), "AWUP");
});

test("P-209, P-210, P-211: a file is returned byte by byte, in its original content type", async () => {
  const text = sampleXml({
    groups: [
      {
        payments: Array.from({ length: 1000 }, () => ({ name: "Zoë & Søn".replace("&", "&amp;") })),
      },
    ],
  });
  const file = { fileType: pain, text };
  const { consentId } = await files.lodge(file);
  const path = `/file-payment-consents/${consentId}/file`;
  assert.deepEqual(firstFault(await bank.get(path)), ["U011", "ConsentId"]);
  const headers = { "content-type": "text/xml; charset=UTF-8" };
  assert.equal((await files.upload(consentId, file, { headers })).status, 200);
  const answer = await bank.get(path);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "text/xml; charset=UTF-8");
  assert.equal(answer.body, text);
  assert.ok(answer.headers["x-jws-signature"]);
  assert.equal((await bank.get(path, bank.otherTpp.token)).status, 403);
});

test("D-401-12: the response to an upload has no body and no signature", async () => {
  const { consentId } = await files.lodge(json);
  const answer = await files.upload(consentId, json);
  assert.equal(answer.status, 200);
  assert.equal(answer.body, undefined);
  assert.equal(answer.headers["x-jws-signature"], undefined);
  assert.ok(answer.headers["x-fapi-interaction-id"]);
});

test("P-055: of two concurrent uploads, one is stored, and repeating it succeeds", async () => {
  for (const keys of [
    ["a", "a"],
    ["b", "c"],
  ]) {
    const { consentId } = await files.lodge(xml);
    const answers = await Promise.all(
      keys.map((key) => files.upload(consentId, xml, { key: `${key}-${consentId}` })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, keys[0] === keys[1] ? [200, 200] : [200, 400]);
    assert.equal(await files.statusOf(consentId), "AWAU");
    assert.equal(await strays(), 0);
    const rows = await bank.database.query(sql`
      select 1 from payment_file where consent_id = ${consentId}`);
    assert.equal(rows.length, 1);
  }
});
