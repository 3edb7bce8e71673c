import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { runCommand } from "#test/server/run-command.ts";
import { type BankWithTpp, type Place, skipReason, startBankWithTpp } from "./running-bank.ts";

suite("the commands for contracts for variable recurring payments", { skip: skipReason }, () => {
  let started: BankWithTpp;
  let place: Place;
  let folder: string;
  let client: TppClient;
  before(async () => {
    started = await startBankWithTpp();
    ({ place, folder, client } = started);
  });
  after(() => started?.close());

  const run = (line: string) => runCommand(line, place.environment);
  const stem = "/v4.0/pisp/domestic-vrp";
  const other = "UK.OBIE.VRPType.Other";

  const body = vrpConsent(({ Data }) => {
    Data.ControlParameters.VRPType = [other];
    Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
  });
  const lodge = async () => {
    const token = await client.clientToken("payments");
    return client.call<Json>({ path: `${stem}-consents`, token, body });
  };

  test("B-180, B-183: `vrp grant` lets a TPP create consents, `vrp metering` lists its payments, and `vrp withdraw` can end the contract and its consents", async () => {
    const { clientId } = client.tpp;
    assert.match((await run("vrp contracts")).printed, /There are no contracts/);
    assert.equal((await lodge()).status, 400);
    const granted = await run(`vrp grant ${clientId} power-1 --types Other,CVRP1 --purpose bills`);
    assert.equal(granted.code, 0, granted.complained);
    const lodged = await lodge();
    assert.equal(lodged.status, 201, JSON.stringify(lodged.body));
    const { ConsentId } = lodged.body.Data;
    const { printed } = await run(`tpp authorise ${folder} ${ConsentId} payments --token`);
    const order = vrpOrder(ConsentId, body, "2.50");
    order.Data.VRPType = other;
    const path = `${stem}s`;
    const paid = await client.call<Json>({ path, token: printed.trim(), body: order });
    assert.equal(paid.status, 201, JSON.stringify(paid.body));

    const listed = (await run(`vrp contracts ${clientId}`)).printed;
    assert.match(listed, /power-1 {2}UK\.OBIE\.VRPType\.Other\+UK\.OBIE\.VRPType\.CVRP1 {2}bills/);
    assert.match(
      listed,
      /1 consent; without PaymentContextCode 1, PaymentPurposeCode 1, MerchantCategoryCode 1, /,
    );
    const today = Temporal.Now.plainDateISO("Europe/London");
    const period = `--from ${today.subtract({ days: 1 })} --until ${today.add({ days: 1 })}`;
    const csv = (await run(`vrp metering ${period}`)).printed.trim().split("\n");
    const [header, line] = csv;
    assert.equal(csv.length, 2);
    assert.match(header ?? "", /^clientId,contractId,consentId,orderId,type,amount,currency,date,/);
    const { DomesticVRPId } = paid.body.Data;
    const expected = `${clientId},power-1,${ConsentId},${DomesticVRPId},${other},2.50,GBP,`;
    assert.ok(line?.startsWith(expected), String(line));
    const json = JSON.parse((await run(`vrp metering ${period} --json`)).printed);
    assert.equal(json.orderId, DomesticVRPId);
    const [, total] = (await run(`vrp metering ${period} --totals`)).printed.trim().split("\n");
    assert.match(total ?? "", new RegExp(`^${clientId},power-1,${other},.*,1,2\\.50,GBP$`));
    const status = await run(`vrp status ${clientId} Suspended`);
    assert.match(status.printed, /The status in the scheme is Suspended/);
    assert.equal((await lodge()).status, 201, "a bilateral type is not of the scheme");
    assert.equal((await run(`vrp status ${clientId} Gone`)).code, 2);
    assert.equal((await run(`vrp status ${clientId} unknown`)).code, 0);
    const withdrawn = await run(`vrp withdraw ${clientId} power-1 --end-consents`);
    assert.match(withdrawn.printed, /power-1 is withdrawn\. 1 consent was cancelled/);
    assert.equal((await lodge()).status, 400);
    const again = await run(`vrp withdraw ${clientId} power-1`);
    assert.equal(again.code, 1);
    assert.match(again.complained, /The TPP has no such contract/);
  });

  test("V-196: `vrp withdraw --end-consents` ends the consents of a contract that was withdrawn without it", async () => {
    const { clientId } = client.tpp;
    await run(`vrp grant ${clientId} power-2 --types Other --purpose bills`);
    const { ConsentId } = (await lodge()).body.Data;
    await run(`tpp authorise ${folder} ${ConsentId} payments --token`);
    const withdrawn = await run(`vrp withdraw ${clientId} power-2`);
    assert.match(withdrawn.printed, /power-2 is withdrawn\. 0 consents were cancelled/);
    const statusOf = async (): Promise<string> => {
      const token = await client.clientToken("payments");
      const read = await client.call<Json>({ path: `${stem}-consents/${ConsentId}`, token });
      return read.body.Data.Status;
    };
    assert.equal(await statusOf(), "AUTH");
    const ended = await run(`vrp withdraw ${clientId} power-2 --end-consents`);
    assert.equal(ended.code, 0, ended.complained);
    assert.match(ended.printed, /power-2 is withdrawn\. 1 consent was cancelled/);
    assert.equal(await statusOf(), "CANC");
    const never = await run(`vrp withdraw ${clientId} power-9 --end-consents`);
    assert.equal(never.code, 1);
    assert.match(never.complained, /The TPP has no such contract/);
  });

  const wrong: [line: string, message: RegExp][] = [
    ["vrp grant c1", /client id and the contract's id/],
    ["vrp grant c1 k1 --types Sweeping --purpose bills", /--types must be one or more of Other,/],
    ["vrp grant c1 k1 --types Other --purpose fun", /--purpose must be one of bills,/],
    ["vrp grant c1 k.1 --types Other --purpose bills", /1 to 40 letters/],
    ["vrp grant c1 k1 --types Other --purpose bills --until soon", /--until must be a date/],
    ["vrp grant c1 k1 --types Other --purpose bills --maximum 0", /--maximum must be an amount/],
    [
      "vrp grant c1 k1 --types Other --purpose bills --from 2027-02-02 --until 2027-02-01",
      /--until must not be before --from/,
    ],
    ["vrp metering", /--month, or both --from and --until/],
    ["vrp metering --month 2027-13", /--month must be a month/],
    ["vrp metering --month 2027-03 --as-of noon", /--as-of must be a date-time/],
  ];
  test("a wrong argument is refused with exit code 2 and what is allowed", async () => {
    for (const [line, message] of wrong) {
      const { code, complained } = await run(line);
      assert.equal(code, 2, line);
      assert.match(complained, message);
    }
  });
});
