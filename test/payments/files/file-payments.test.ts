import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import { type FileBank, json40, openFiles, pain } from "./fixture.ts";
import { sampleDomestic, sampleXml } from "./samples.ts";

let bank: PaymentsFixture;
let files: FileBank;
before(async () => {
  bank = await openPayments();
  files = openFiles(bank);
});
after(() => bank?.close());

const three = [{ amount: "1.10" }, { amount: "2.20" }, { amount: "3.30" }];
const xml = () => ({ fileType: pain, text: sampleXml({ groups: [{ payments: three }] }) });
const json = () => ({ fileType: json40, text: sampleDomestic(three) });

for (const [name, mediaType, sample] of [
  ["pain.001", "text/xml", xml],
  ["JSON", "application/json", json],
] as const) {
  test(`P-095, P-195, P-214, P-216, D-401-56: a ${name} file goes from consent to INCO`, async () => {
    const { consentId, orderId, order } = await files.ordered(sample());
    assert.equal(order.body.Data.Status, "PDNG");
    assert.equal(order.body.Data.Refund, undefined);
    assert.equal(order.body.Risk, undefined);
    assert.equal(await files.statusOf(consentId), "COND");
    const details = `/file-payments/${orderId}/payment-details`;
    const early = await bank.get(details);
    assert.deepEqual(
      early.body.Data.PaymentStatus.map((one: { Status: string }) => one.Status),
      ["RCVD", "RCVD", "RCVD"],
    );
    await files.engine().drain();
    const read = await bank.get(`/file-payments/${orderId}`);
    assert.equal(read.body.Data.Status, "INCO");
    const late = await bank.get(details);
    assert.deepEqual(
      late.body.Data.PaymentStatus.map((one: { Status: string }) => one.Status),
      ["ACCC", "ACCC", "ACCC"],
    );
    assert.deepEqual(await verifyInvariants(bank.database), []);
    const report = await bank.get(`/file-payments/${orderId}/report-file`);
    assert.equal(report.headers["content-type"], `${mediaType}; charset=utf-8`);
    const text = typeof report.body === "string" ? report.body : JSON.stringify(report.body);
    assert.equal(text.match(/<TxSts>ACCC<|"Status":"ACCC"/g)?.length, 3);
    assert.equal(text.match(/<GrpSts>ACSC<|"Status":"INCO"/g)?.length, 1);
  });
}
