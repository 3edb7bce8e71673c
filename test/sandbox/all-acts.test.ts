// Every act on an order, a consent, an account or a customer is done on a real one, and its effect
// is seen as a TPP or a customer sees it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import { type ActObject, actPath, actsOn } from "#src/sandbox/controls/act-rows.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import {
  approvedAccess,
  openSet,
  poll,
  pollNow,
  subscribe,
  urnOf,
} from "#test/events/events-bed.ts";
import { expectStatus } from "#test/harness.ts";
import { quickPayee } from "#test/journeys/payments.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { type ActEffect, type ActsBed, openActs } from "./acts-bed.ts";
import { requestRows } from "./request-act-rows.ts";

let bed: ActsBed;
before(async () => {
  bed = await openActs();
});
after(() => bed?.bank.close());

// what the payees of the sandbox's scenarios do
const settles = "00990000000001";
const answersLater = "00990000000002";
const neverAnswers = "00990000000004";

/** Gets access to the account. Returns what reads account data with it. */
async function reader(): Promise<(below: string) => Promise<Json>> {
  const { token } = await bed.access();
  return async (below) => {
    const answer = await bed.client.call<Json>({ path: `/v4.0/aisp/accounts${below}`, token });
    expectStatus(answer, 200);
    return answer.body.Data;
  };
}

/** Gets access to the account. Returns what finds it in the TPP's list. */
async function finder(): Promise<() => Promise<Json | undefined>> {
  const read = await reader();
  return async () =>
    (await read("")).Account.find(({ AccountId }: Json) => AccountId === bed.accountId);
}

/** The booked balance of the account, in pence. */
async function balance(): Promise<number> {
  const read = await reader(); // a moved clock ends tokens
  const { Balance } = await read(`/${bed.accountId}/balances`);
  const { Amount, CreditDebitIndicator } = Balance.find(({ Type }: Json) => Type === "ITBD");
  const sign = CreditDebitIndicator === "Credit" ? 1 : -1;
  return sign * Math.round(Number(Amount.Amount) * 100);
}

/** The status of a consent to accounts, and the HTTP status of a call that uses it. */
async function consentAndUse({ consentId, token }: { consentId: string; token: string }) {
  const consent = await bed.client.call<Json>({
    path: `/v4.0/aisp/account-access-consents/${consentId}`,
    token: await bed.client.clientToken("accounts"),
  });
  expectStatus(consent, 200);
  const used = await bed.client.call<Json>({ path: "/v4.0/aisp/accounts", token });
  return [consent.body.Data.Status, used.status];
}

/** Agrees variable recurring payments. Returns the consent, and what makes a payment under it. */
async function mandate() {
  const { bank, client, login, accountId } = bed;
  const body = vrpConsent(({ Data }) => {
    Data.Initiation = { CreditorAccount: quickPayee };
    Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
  });
  const lodged = await client.call<Json>({
    path: "/v4.0/pisp/domestic-vrp-consents",
    token: await client.clientToken("payments"),
    body,
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  const given = { consentId, customer: login, accounts: [accountId] };
  const { access_token: token } = await bank.approve(client, { scope: "payments", ...given });
  const pay = async () => {
    const order = vrpOrder(consentId, body, "1.00");
    return (await client.call({ path: "/v4.0/pisp/domestic-vrps", token, body: order })).status;
  };
  return { consentId, pay };
}

/** A further TPP, which is subscribed to events. */
async function listener(): Promise<TppClient> {
  const client = await bed.bank.createTpp();
  await subscribe(client);
  return client;
}

/** Polls until an event of this type about this object arrives. */
async function untilEvent(client: TppClient, type: string, id: string): Promise<void> {
  for (;;) {
    const { sets } = await poll(client);
    await pollNow(client, { ack: Object.keys(sets) });
    for (const set of Object.values(sets)) {
      const event = (await openSet(client, set)).events[urnOf(type)];
      if (event?.subject?.["http://openbanking.org.uk/rid"] === id) return;
    }
  }
}

const revoked = "UK.OBIE.Consent-Authorization-Revoked";
const revokedName = "consent-authorization-revoked";

const rows: ActEffect[] = [
  [
    "payment",
    "advance",
    "settles a payment that its scheme never answers",
    async (perform) => {
      const { id, status } = await bed.order("domestic-payment", neverAnswers, "ACSC");
      assert.equal(await perform(id), "ACCC");
      assert.equal(await status(), "ACCC");
    },
  ],
  [
    "payment",
    "refuse",
    "rejects a pending payment, and its debtor gets the money back",
    async (perform) => {
      const before = await balance();
      const { id, status } = await bed.order("domestic-payment", neverAnswers, "ACSC");
      assert.ok((await balance()) < before);
      assert.equal(await perform(id, { reason: "AC01" }), "RJCT");
      assert.equal(await status(), "RJCT");
      assert.equal(await balance(), before);
    },
  ],
  [
    "payment",
    "delay",
    "makes a pending payment settle at its new time",
    async (perform) => {
      const { id, status } = await bed.order("domestic-payment", answersLater, "ACSC");
      assert.equal(await perform(id, { by: "PT1H" }), "ACSC");
      await bed.bank.advance("PT15M");
      assert.equal(await status(), "ACSC");
      await bed.bank.advance("PT56M");
      assert.equal(await status(), "ACCC");
    },
  ],
  [
    "payment",
    "return",
    "gives the debtor of a settled payment the money back",
    async (perform) => {
      const before = await balance();
      const { id, status } = await bed.order("domestic-payment", settles, "ACCC");
      assert.ok((await balance()) < before);
      await perform(id);
      assert.equal(await balance(), before);
      assert.equal(await status(), "ACCC");
    },
  ],
  [
    "payment",
    "fire-event",
    "sends the TPP an event about an order",
    async (perform) => {
      const client = await listener();
      const { id } = await bed.order("domestic-payment", settles, "ACCC", client);
      await perform(id, { type: revoked });
      await untilEvent(client, revokedName, id);
    },
  ],
  [
    "consent",
    "revoke",
    "cancels a consent, and its token does not work any more",
    async (perform) => {
      const given = await bed.access();
      assert.deepEqual(await consentAndUse(given), ["AUTH", 200]);
      await perform(given.consentId);
      assert.deepEqual(await consentAndUse(given), ["CANC", 401]);
    },
  ],
  [
    "consent",
    "expire",
    "ends a consent, and its token does not work any more",
    async (perform) => {
      const given = await bed.access();
      assert.deepEqual(await consentAndUse(given), ["AUTH", 200]);
      assert.equal(await perform(given.consentId), "EXPD");
      assert.deepEqual(await consentAndUse(given), ["EXPD", 401]);
      const explained = await bed.bank.control<Explanation>(
        "GET",
        `/explanations/${given.consentId}`,
      );
      assert.match(explained.summary, /It is EXPD .* by a tester with the sandbox's controls/);
    },
  ],
  [
    "consent",
    "suspend",
    "stops the payments under a consent",
    async (perform) => {
      const { consentId, pay } = await mandate();
      assert.equal(await pay(), 201);
      await perform(consentId);
      assert.notEqual(await pay(), 201);
    },
  ],
  [
    "consent",
    "resume",
    "allows payments under a suspended consent again",
    async (perform) => {
      const { consentId, pay } = await mandate();
      assert.equal((await bed.act(`/consents/${consentId}/suspend`)).code, 200);
      assert.notEqual(await pay(), 201);
      await perform(consentId);
      assert.equal(await pay(), 201);
      const { summary, history } = await bed.bank.control<Explanation>(
        "GET",
        `/explanations/${consentId}`,
      );
      assert.match(summary, /It is AUTH .* by the customer\./);
      assert.deepEqual(
        history.slice(-2).map(({ what, by }) => `${what}, by ${by}`),
        [
          "its payments were suspended, by a tester with the sandbox's controls",
          "its payments were resumed, by a tester with the sandbox's controls",
        ],
      );
    },
  ],
  [
    "consent",
    "fire-event",
    "sends the TPP an event about a consent",
    async (perform) => {
      const client = await listener();
      const id = await approvedAccess(bed.bank, client);
      await perform(id);
      await untilEvent(client, "resource-update", id);
    },
  ],
  [
    "account",
    "block",
    "takes an account out of the TPP's list",
    async (perform) => {
      const find = await finder();
      assert.ok(await find());
      await perform(bed.accountId);
      assert.equal(await find(), undefined);
    },
  ],
  [
    "account",
    "close",
    "takes an account out of the TPP's list",
    async (perform) => {
      const find = await finder();
      assert.ok(await find());
      await perform(bed.accountId);
      assert.equal(await find(), undefined);
    },
  ],
  [
    "account",
    "switch",
    "shows the TPP that an account has moved to another bank",
    async (perform) => {
      const find = await finder();
      assert.equal((await find())?.SwitchStatus, "UK.CASS.NotSwitched");
      await perform(bed.accountId);
      assert.equal((await find())?.SwitchStatus, "UK.CASS.SwitchCompleted");
    },
  ],
  [
    "account",
    "reopen",
    "puts a closed account back into the TPP's list",
    async (perform) => {
      const find = await finder();
      assert.equal((await bed.act(`/accounts/${bed.accountId}/close`)).code, 200);
      assert.equal(await find(), undefined);
      await perform(bed.accountId);
      assert.equal((await find())?.SwitchStatus, "UK.CASS.NotSwitched");
    },
  ],
  [
    "account",
    "pay-in",
    "raises the balance, and adds a transaction",
    async (perform) => {
      const before = await balance();
      const paid = { amount: "25.01", name: "Ashdown Homes", reference: "RENT" };
      await perform(bed.accountId, paid);
      assert.equal((await balance()) - before, 2501);
      const read = await reader();
      const { Transaction } = await read(`/${bed.accountId}/transactions`);
      const found = Transaction.find(({ Amount }: Json) => Amount.Amount === "25.01");
      assert.match(found.TransactionInformation, /Ashdown Homes RENT/);
    },
  ],
  [
    "account",
    "statement",
    "adds a statement to the TPP's list",
    async (perform) => {
      const id = (await perform(bed.accountId)).replace("statement ", "");
      const read = await reader();
      const { Statement } = await read(`/${bed.accountId}/statements`);
      assert.ok(Statement.some(({ StatementId }: Json) => StatementId === id));
    },
  ],
  [
    "account",
    "fire-event",
    "sends the TPP an event about an account",
    async (perform) => {
      const client = await listener();
      const { accountId: id } = present((await bed.bank.currentAccounts("amara"))[0], "an account");
      await approvedAccess(bed.bank, client, "v4.0", [id]);
      await perform(id, { change: "blocked" });
      await untilEvent(client, "account-access-consent-linked-account-update", id);
    },
  ],
  [
    "customer",
    "fail-code",
    "makes the bank refuse the customer's next code, and no later one",
    async (perform) => {
      await perform(bed.login);
      await assert.rejects(bed.access(), /code/);
      await bed.access();
    },
  ],
  ...requestRows(() => bed, consentAndUse),
];

const objects: readonly ActObject[] = ["payment", "consent", "account", "customer", "request"];
const allActs = objects.flatMap((on) => actsOn(on).map((row) => ({ on, row })));

test("every act on every kind of object is done here", () => {
  assert.deepEqual(
    rows.map(([on, act]) => `${on} ${act}`).toSorted(),
    allActs.map(({ on, row }) => `${on} ${row.act}`).toSorted(),
  );
});

for (const [on, act, effect, see] of rows) {
  test(`the ${on} act ${act} ${effect}`, async () => {
    const found = allActs.find((one) => one.on === on && one.row.act === act);
    const path = actPath(present(found, "the act").row);
    let isDone = false;
    await see(async (id, body) => {
      const answer = await bed.act(path.replace(/:\w+/, id), body);
      assert.equal(answer.code, 200, answer.body.message);
      assert.equal(answer.body.id, id);
      isDone = true;
      return answer.body.status;
    });
    assert.ok(isDone, "the row does its act");
    if (on === "account") await bed.act(`/accounts/${bed.accountId}/reopen`);
  });
}

test("the acts leave the ledger and the orders without a breach", async () => {
  const { breaches } = await bed.bank.control<{ breaches: string[] }>("GET", "/verify");
  assert.deepEqual(breaches, []);
});
