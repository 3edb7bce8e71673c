import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AccountsBank } from "./fixture.ts";
import { accountOf, openSeeded, tokenFor } from "./seeded-bank.ts";

let bank: AccountsBank;

before(async () => {
  bank = await openSeeded();
});
after(() => bank.close());

test("A-125, A-204: an account shows its own offers, or an empty list", async () => {
  const card = await accountOf(bank, "amara", "Credit card");
  const token = await tokenFor(bank, card, ["ReadOffers"]);
  const { status, body } = await bank.get(`/accounts/${card.accountId}/offers`, token);
  assert.equal(status, 200);
  const types = body.Data.Offer.map(({ OfferType }: { OfferType: string }) => OfferType);
  assert.deepEqual(types.sort(), ["BalanceTransfer", "PromotionalRate"]);
  for (const offer of body.Data.Offer) {
    assert.equal(offer.AccountId, card.accountId);
    assert.ok(offer.StartDateTime < offer.EndDateTime);
  }
  assert.deepEqual((await bank.get("/offers", token)).body.Data, body.Data);
  const pot = await accountOf(bank, "grace", "Holiday");
  const none = await bank.get(
    `/accounts/${pot.accountId}/offers`,
    await tokenFor(bank, pot, ["ReadOffers"]),
  );
  assert.deepEqual([none.status, none.body.Data], [200, { Offer: [] }]);
});

test("A-120: another permission does not give access to offers", async () => {
  const card = await accountOf(bank, "amara", "Credit card");
  const token = await tokenFor(bank, card, ["ReadProducts"]);
  assert.equal((await bank.get(`/accounts/${card.accountId}/offers`, token)).status, 403);
});

test("an offer that has ended is not shown", async () => {
  const card = await accountOf(bank, "amara", "Credit card");
  const now = bank.now;
  bank.now = now.add({ hours: 24 * 365 });
  const token = await tokenFor(bank, card, ["ReadOffers"]);
  const { body } = await bank.get(`/accounts/${card.accountId}/offers`, token);
  bank.now = now;
  assert.deepEqual(body.Data.Offer, []);
});
