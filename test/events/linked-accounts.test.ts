import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import { loadConsent } from "#src/consents/consent.ts";
import { withdrawAccount } from "#src/consents/consent-account.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import {
  approvedAccess,
  openSet,
  poll,
  pollNow,
  revoke,
  type SetClaims,
  subscribe,
  urnOf,
} from "./events-bed.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

const type = "account-access-consent-linked-account-update";

/** Lets amara approve access to these accounts. */
const access = (client: TppClient, accounts: string[], version?: string): Promise<string> =>
  approvedAccess(bank, client, version, accounts);

const act = (name: string, accountId: string): Promise<unknown> =>
  bank.control("POST", `/accounts/${accountId}/${name}`, {});

async function nextEvent(client: TppClient): Promise<SetClaims> {
  const { sets } = await poll(client);
  const [[jti, token] = [], ...more] = Object.entries(sets);
  assert.deepEqual(more, []);
  await pollNow(client, { ack: [present(jti, "its id")] });
  return openSet(client, present(token, "the event"));
}

async function accountOfAmara(): Promise<string> {
  const [account] = await bank.currentAccounts("amara");
  return present(account, "an account").accountId;
}

test("EV-07: an account that is blocked, opened again and switched causes events for each consent that covers it", async () => {
  const [client, other] = [await bank.createTpp(), await bank.createTpp()];
  const accountId = await accountOfAmara();
  await subscribe(client);
  await subscribe(other);
  const consentId = await access(client, [accountId]);
  const link = `${bank.mtlsUrl}/api/open-banking/v4.0/aisp/account-access-consents/${consentId}`;
  for (const [name, reason] of [
    ["block", undefined],
    ["reopen", undefined],
    ["close", "UK.OBIE.AccountClosure"],
    ["reopen", undefined],
    ["switch", "UK.OBIE.CASS"],
    ["reopen", undefined],
  ] as const) {
    await act(name, accountId);
    const { sub, events } = await nextEvent(client);
    assert.equal(sub, link);
    const subject = {
      subject_type: "http://openbanking.org.uk/rid_http://openbanking.org.uk/rty",
      "http://openbanking.org.uk/rid": accountId,
      "http://openbanking.org.uk/rty": "account-access-consent",
      "http://openbanking.org.uk/rlk": [{ version: "v4.0", link }],
    };
    assert.deepEqual(events, { [urnOf(type)]: { ...(reason ? { reason } : {}), subject } });
  }
  // no consent of the other TPP covers the account
  assert.deepEqual((await pollNow(other)).sets, {});
});

/** Does something while the bank makes no events. Afterwards, the bank reads all the changes. */
async function beforeEvents(work: () => Promise<void>): Promise<void> {
  await bank.events.pause();
  try {
    await work();
  } finally {
    bank.events.start(100);
  }
}

/** A TPP that gets only events of accounts. */
async function accountWatcher(): Promise<TppClient> {
  const client = await bank.createTpp();
  await subscribe(client, { EventTypes: ["UK.OBIE.Account-Access-Consent-Linked-Account-Update"] });
  return client;
}

test("EV-07: an account event is sent for each consent in force when the account changed, even if the consent has ended since", async () => {
  const clients = [await accountWatcher(), await accountWatcher(), await accountWatcher()];
  const [entitled, former, later] = clients as [TppClient, TppClient, TppClient];
  const accountId = await accountOfAmara();
  const current = await access(entitled, [accountId]);
  const ended = await access(former, [accountId]);
  await beforeEvents(async () => {
    await revoke(bank, ended);
    await act("block", accountId);
    await revoke(bank, current);
    await act("reopen", accountId);
    await access(later, [accountId]);
  });
  const { sub = "", events } = await nextEvent(entitled);
  assert.ok(sub.endsWith(current), sub);
  assert.deepEqual(Object.keys(events), [urnOf(type)]);
  for (const client of clients) assert.deepEqual((await pollNow(client)).sets, {});
});

test("EV-07: if a customer withdraws one of several accounts, an event names the account, and older versions get none", async () => {
  const [client, older] = [await bank.createTpp(), await bank.createTpp()];
  await subscribe(client);
  await subscribe(older, { Version: "3.1.1" });
  const amara = (await bank.customers()).find(({ login }) => login === "amara");
  const accountIds = present(amara, "amara").accounts.map((one) => one.accountId);
  const accountId = present(accountIds[0], "an account");
  const [consentId, other] = [await access(client, accountIds), await access(older, accountIds)];
  const { customerId } = present(await loadConsent(bank.database, consentId), "the consent");
  for (const id of [other, consentId]) {
    const withdrawal = { consentId: id, kind: accountAccessKind.id, accountId };
    const by = { customerId: present(customerId, "the customer"), now: bank.clock.now() };
    assert.ok(await withdrawAccount(bank.database, { ...withdrawal, ...by }));
  }
  const link = `${bank.mtlsUrl}/api/open-banking/v4.0/aisp/account-access-consents/${consentId}`;
  const { sub, events } = await nextEvent(client);
  assert.equal(sub, link);
  const subject = {
    subject_type: "http://openbanking.org.uk/rid_http://openbanking.org.uk/rty",
    "http://openbanking.org.uk/rid": accountId,
    "http://openbanking.org.uk/rty": "account-access-consent",
    "http://openbanking.org.uk/rlk": [{ version: "v4.0", link }],
  };
  assert.deepEqual(events, { [urnOf(type)]: { subject } });
  // a later authorisation of the same consent withdraws nothing more
  await bank.approve(client, { scope: "accounts", consentId, customer: "amara" });
  for (const each of [client, older]) assert.deepEqual((await pollNow(each)).sets, {});
});

test("EV-07: an account's change causes an event if the customer withdraws the account from the consent after the change, but not before it", async () => {
  const client = await accountWatcher();
  const amara = (await bank.customers()).find(({ login }) => login === "amara");
  const accountIds = present(amara, "amara").accounts.map((one) => one.accountId);
  const accountId = present(accountIds[0], "an account");
  const consentId = await access(client, accountIds);
  const { customerId } = present(await loadConsent(bank.database, consentId), "the consent");
  await beforeEvents(async () => {
    await act("close", accountId);
    const withdrawal = { consentId, kind: accountAccessKind.id, accountId };
    const by = { customerId: present(customerId, "the customer"), now: bank.clock.now() };
    assert.ok(await withdrawAccount(bank.database, { ...withdrawal, ...by }));
    await act("reopen", accountId);
  });
  // the closure and the withdrawal
  const reasons: unknown[] = [];
  while (reasons.length < 2) {
    const { sets } = await poll(client);
    await pollNow(client, { ack: Object.keys(sets) });
    for (const set of Object.values(sets)) {
      const { events } = await openSet(client, set);
      assert.deepEqual(Object.keys(events), [urnOf(type)]);
      reasons.push((events[urnOf(type)] as { reason?: string }).reason);
    }
  }
  assert.deepEqual(reasons.sort(), ["UK.OBIE.AccountClosure", undefined]);
  assert.deepEqual((await pollNow(client)).sets, {});
});

test("EV-07, EV-05: callback URLs, older versions and ended consents do not get account events", async () => {
  const [older, ended, current] = [
    await bank.createTpp(),
    await bank.createTpp(),
    await bank.createTpp(),
  ];
  const accountId = await accountOfAmara();
  await subscribe(older, { Version: "3.1.1" });
  await subscribe(ended);
  await subscribe(current, { Version: "3.1.8" });
  await access(older, [accountId]);
  const gone = await access(ended, [accountId]);
  await access(current, [accountId], "v3.1");
  const path = `/v4.0/aisp/account-access-consents/${gone}`;
  const token = await ended.clientToken("accounts");
  expectStatus(await ended.call({ method: "DELETE", path, token }), 204);
  await act("block", accountId);
  await act("reopen", accountId);
  // these events have arrived, so events for the others would have arrived too
  let sets: Record<string, string> = {};
  while (Object.keys(sets).length < 2) ({ sets } = await poll(current));
  for (const set of Object.values(sets)) {
    const { events } = await openSet(current, set);
    assert.deepEqual(Object.keys(events), [urnOf(type)]);
  }
  for (const client of [older, ended]) assert.deepEqual((await pollNow(client)).sets, {});
});
