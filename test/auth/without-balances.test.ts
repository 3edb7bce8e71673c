import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { openJourneys } from "./journeys.ts";
import { paperBank } from "./paper-bank.ts";
import { Visitor } from "./visitor.ts";

// A core that gives no balances. One that only shares accounts is not asked for them alone.

let bed: AuthBed;
before(async () => {
  bed = await openAuthBed({
    bank: {
      listAccounts: (customerId) => paperBank.listAccounts(customerId),
      loadFunds: async () => new Map(),
    },
  });
});
after(() => bed?.close());

const pages: Record<string, () => Promise<Visitor>> = {
  async "the customer's accounts"() {
    const visitor = new Visitor(bed);
    await visitor.open(`${bed.publicUrl}/bank/login`);
    await visitor.login("anna");
    await visitor.factor();
    return visitor;
  },
  async "the choice of accounts"() {
    const { visitor } = await (await openJourneys(bed)).visit("account-access");
    await visitor.login("anna");
    await visitor.factor();
    return visitor;
  },
};

for (const [name, open] of Object.entries(pages)) {
  test(`the page with ${name} says nothing of a balance that the core does not give`, async () => {
    const { status, body } = (await open()).shown;
    assert.equal(status, 200);
    assert.match(body, /12345101/);
    assert.doesNotMatch(body, /class="(figure|balance)"|£|available|null|undefined/);
  });
}
