// One funds confirmation consent, used through both versions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { fundsConfirmation } from "#src/consents/states.ts";
import { expireConsents } from "#src/consents/sweep-consents.ts";
import { byCustomer } from "#src/history/change.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { CardIssuer, consents, named } from "./card-issuer.ts";

let bank: TestBank;
let v3: CardIssuer;
let v4: CardIssuer;
let account: { DebtorAccount: object };
before(async () => {
  bank = await openBank();
  v3 = new CardIssuer(bank, await bank.createTpp(), "/v3.1/cbpii");
  v4 = v3.through("/v4.0/cbpii");
  account = named((await bank.currentAccounts("amara"))[0]?.identification ?? null);
});
after(() => bank?.close());

test("C-100: v4.0 reads and deletes a v3.1 consent", async () => {
  const { consentId } = await v3.authorised("amara", account);
  const [third, fourth] = [await v3.read(consentId), await v4.read(consentId)];
  assert.equal(fourth.body.Data.Status, "AUTH");
  assert.deepEqual({ ...fourth.body.Data, Status: "Authorised" }, third.body.Data);
  expectStatus(await v4.own(`${consents}/${consentId}`, { method: "DELETE" }), 204);
  for (const version of [v3, v4]) expectStatus(await version.read(consentId), 400);
});

test("C-101: a v3.1 consent's token confirms funds on v4.0", async () => {
  const consent = await v3.authorised("amara", account);
  expectStatus(await v4.ask(consent, "1.00"), 201);
  expectStatus(await v3.ask(consent, "1.00"), 201);
});

test("C-102: a v4.0 consent is unknown on v3.1", async () => {
  const { consentId, token } = await v4.authorised("amara", account);
  for (const answer of [
    await v3.read(consentId),
    await v3.own(`${consents}/${consentId}`, { method: "DELETE" }),
    await v3.ask({ consentId, token }, "1.00"),
  ]) {
    assert.equal(answer.status, 400);
    assert.equal(answer.body.Errors[0]?.ErrorCode, "UK.OBIE.Resource.NotFound");
  }
  expectStatus(await v4.ask({ consentId, token }, "1.00"), 201);
});

test("C-105: v3.1 ignores a Proxy, and v4.0 returns it", async () => {
  const proxy = { Identification: "07700900000", Code: "TELE" };
  const data = { DebtorAccount: { ...account.DebtorAccount, Proxy: proxy } };
  for (const [issuer, shown] of [
    [v3, account],
    [v4, data],
  ] as const) {
    const lodged = await issuer.lodge(data);
    expectStatus(lodged, 201);
    assert.deepEqual(lodged.body.Data.DebtorAccount, shown.DebtorAccount);
  }
});

test("C-038, C-103, F-074: a revoked consent stays revoked, even after its expiry", async () => {
  const ExpirationDateTime = bank.clock.now().add({ hours: 1 }).toString();
  const consent = await v3.authorised("amara", { ...account, ExpirationDateTime });
  const { consentId } = consent;
  const reason: StatusReason = {
    code: "CUST",
    text: "The customer did.",
  };
  const why = byCustomer(bank.clock.now());
  await moveConsent(bank.database, { consentId }, fundsConfirmation, "revoke", [reason], why);
  expectStatus(await v4.ask(consent, "1.00"), 401);
  await assert.rejects(v3.approve("amara", consentId));
  await bank.advance("PT61M");
  await expireConsents(bank.database, bank.clock.now());
  assert.equal((await v3.read(consentId)).body.Data.Status, "Revoked");
  assert.equal((await v4.read(consentId)).body.Data.Status, "CANC");
});
