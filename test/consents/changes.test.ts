import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  authoriseConsent,
  type Consent,
  endGrant,
  loadConsent,
  moveConsent,
  type StatusReason,
} from "#src/consents/consent.ts";
import { setStatus } from "#src/consents/set-status.ts";
import { accountAccess, usedOnce } from "#src/consents/states.ts";
import {
  expireConsents,
  purgeUnauthorisedConsents,
  rejectOverdueConsents,
} from "#src/consents/sweep-consents.ts";
import {
  byBank,
  byCustomer,
  type Change,
  changed,
  listChanges,
  recorded,
} from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { cancelOrder } from "#src/payments/execution/cancellation.ts";
import {
  decideMultiAuthorisation,
  rejectOverdueAuthorisations,
} from "#src/payments/execution/multi-authorisation.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { sql } from "#src/storage/sql.ts";
import { addHolders } from "#test/account-store/add-holders.ts";
import { AccountsBank, everything } from "#test/accounts/fixture.ts";
import { countUnexplained, rewriting, withFullHistory } from "#test/history/stored-changes.ts";
import { type FileBank, json40, openFiles } from "#test/payments/files/fixture.ts";
import { sampleDomestic } from "#test/payments/files/samples.ts";
import {
  accounts,
  domesticConsent,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
  standingOrderConsent,
} from "#test/payments/fixture.ts";
import { countOrders, setOrders } from "#test/payments/stored-orders.ts";
import { addCustomers } from "#test/sandbox/stored-customers.ts";
import { evidence, shownWith } from "./evidence.ts";
import { readAuthorisations } from "./stored-rows.ts";

let bank: PaymentsFixture;
let files: FileBank;
before(async () => {
  bank = await openPayments();
  files = openFiles(bank);
  const ben = { customerId: "customer-ben", login: "ben", name: "Ben Example" };
  await addCustomers(bank.database, [ben]);
  await addHolders(bank.database, [
    { accountId: accounts.current, customerId: "customer-ann", role: "owner" },
    { accountId: accounts.joint, customerId: "customer-ann", role: "signatory" },
    { accountId: accounts.joint, customerId: ben.customerId, role: "signatory" },
  ]);
});
after(() => bank?.close());

const now = () => bank.clock.now();
const consents = "/domestic-payment-consents";

const stepOf = ({ before, after, cause }: Change): string =>
  `${before?.status ?? "none"} > ${after.status} by ${cause}`;

const stepsOf = async (objectId: string, on = bank.database): Promise<string[]> =>
  (await listChanges(on, objectId)).map(stepOf);

async function lodge(body = domesticConsent()): Promise<string> {
  const answer = await bank.post(consents, { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.Data.ConsentId;
}

/** Submits an order through the interface, and returns it in its first status. */
async function submit(
  kind: string,
  given: Parameters<PaymentsFixture["authorised"]>[0] = {},
): Promise<string> {
  const { token, order } = await bank.authorised({ path: `/${kind}-consents`, ...given });
  const answer = await bank.post(`/${kind}s`, { token, body: order });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.Links.Self.split("/").at(-1);
}

test("the history of a consent and its order has every change, with its request", async () => {
  const consentId = await lodge();
  const token = await bank.authorise(consentId);
  const { body } = await bank.post("/domestic-payments", {
    token,
    body: { ...domesticConsent(), Data: { ...domesticConsent().Data, ConsentId: consentId } },
    headers: { "x-fapi-interaction-id": "1f2e3d4c-0000-4000-8000-000000000001" },
  });
  await files.engine().drain();
  assert.deepEqual(await stepsOf(consentId), [
    "none > AWAU by tpp",
    "AWAU > AUTH by customer",
    "AUTH > COND by tpp",
  ]);
  const ordered = await listChanges(bank.database, body.Data.DomesticPaymentId);
  assert.equal(stepOf(ordered[0] as Change), "none > RCVD by tpp");
  assert.ok(ordered.slice(1).every(({ cause }) => cause === "bank"));
  assert.equal(ordered.at(-1)?.after.status, "ACCC");
  const [, , consumed] = await listChanges(bank.database, consentId);
  for (const change of [consumed, ordered[0]]) {
    assert.equal(change?.interactionId, "1f2e3d4c-0000-4000-8000-000000000001");
    assert.equal(change?.apiVersion, "pisp-v4.0");
    assert.equal(change?.occurredAt.toString(), now().toString());
  }
  assert.equal(ordered[1]?.interactionId, null, "the engine has no request");
  assert.deepEqual(consumed?.after.reasons, [
    {
      code: "U038",
      text: "The consent has been used for a payment.",
    },
  ]);
});

test("the history of a rejected consent, and of one that timed out, names who ended it", async () => {
  const refused = await lodge();
  const reason: StatusReason = {
    code: "U037",
    text: "Declined.",
  };
  await moveConsent(
    bank.database,
    { consentId: refused },
    usedOnce,
    "reject",
    [reason],
    byCustomer(now()),
  );
  const late = await lodge();
  await rejectOverdueConsents(bank.database, now().add({ hours: 2 }), 3600);
  assert.deepEqual(await stepsOf(refused), ["none > AWAU by tpp", "AWAU > RJCT by customer"]);
  assert.deepEqual(await stepsOf(late), ["none > AWAU by tpp", "AWAU > RJCT by clock"]);
});

test("the history of a file's consent and order has each status from AWUP to INCO", async () => {
  const file = { fileType: json40, text: sampleDomestic([{ amount: "1.10" }, { amount: "2.20" }]) };
  const { consentId, orderId } = await files.ordered(file);
  await files.engine().drain();
  assert.deepEqual(await stepsOf(consentId), [
    "none > AWUP by tpp",
    "AWUP > AWAU by tpp",
    "AWAU > AUTH by customer",
    "AUTH > COND by tpp",
  ]);
  assert.deepEqual(await stepsOf(orderId), [
    "none > RCVD by tpp",
    "RCVD > PDNG by bank",
    "PDNG > INCO by bank",
  ]);
  const other = await files.lodge(file);
  await files.upload(other.consentId, { ...file, text: sampleDomestic([{ amount: "9.99" }]) });
  assert.deepEqual(await stepsOf(other.consentId), ["none > AWUP by tpp", "AWUP > RJCT by tpp"]);
});

test("the history of scheduled payments and standing orders says that the customer cancelled", async () => {
  for (const [kind, body, before] of [
    ["domestic-scheduled-payment", scheduledConsent(), "PDNG"],
    ["domestic-standing-order", standingOrderConsent(), "INCO"],
  ] as const) {
    const orderId = await submit(kind, { body });
    await files.engine().drain();
    assert.equal(
      await cancelOrder(
        { database: bank.database, bank: bank.bank, clock: bank.clock },
        { orderId, customerId: "customer-ann" },
      ),
      "cancelled",
    );
    const steps = await stepsOf(orderId);
    assert.equal(steps[0], "none > RCVD by tpp");
    assert.equal(steps.at(-1), `${before} > CANC by customer`);
  }
});

test("each signature on an order is a change, and so are a rejection and a time-out", async () => {
  const deps = { database: bank.database, bank: bank.bank, clock: bank.clock };
  const joint = { accountId: accounts.joint };
  const signed = await submit("domestic-payment", joint);
  const customerId = "customer-ben";
  await decideMultiAuthorisation(deps, { orderId: signed, customerId, decision: "approve" });
  const signatures = (await listChanges(bank.database, signed)).map(({ after, cause }) => [
    after.signatures,
    after.authorisation,
    cause,
  ]);
  assert.deepEqual(signatures.slice(0, 2), [
    [1, "AWAF", "tpp"],
    [2, "AUTH", "customer"],
  ]);
  const refused = await submit("domestic-payment", joint);
  await decideMultiAuthorisation(deps, { orderId: refused, customerId, decision: "reject" });
  assert.equal((await stepsOf(refused)).at(-1), "PATC > RJCT by customer");
  const late = await submit("domestic-payment", joint);
  await rejectOverdueAuthorisations(bank.database, now().add({ hours: 24 * 30 }));
  assert.equal((await stepsOf(late)).at(-1), "PATC > RJCT by clock");
});

test("the history of account access has authorisation, renewal, revocation, expiry, deletion", async () => {
  const access = await AccountsBank.open();
  try {
    const token = await access.clientToken();
    const customerId = await access.addCustomer();
    const accountIds = [await access.addAccount(customerId)];
    const on = access.database;
    const allow = async (consentId: string, grantId: string, loaded?: Consent) =>
      authoriseConsent(on, {
        consentId,
        loaded: loaded ?? present(await loadConsent(on, consentId), "the consent"),
        course: accountAccess,
        customerId,
        accountIds,
        debtor: null,
        grantId,
        evidence: { ...evidence, showings: [shownWith(`challenge of ${grantId}`)] },
        now: access.now,
      });
    const open = async (data = {}) => {
      const body = { Data: { Permissions: everything, ...data }, Risk: {} };
      const answer = await access.call("POST", "/account-access-consents", token, { body });
      return answer.body.Data.ConsentId as string;
    };
    const stopped = await open({ ExpirationDateTime: "2026-12-20T10:00:00Z" });
    const unseen = await loadConsent(on, stopped);
    assert.ok(await allow(stopped, "g1"));
    assert.equal(await allow(stopped, "late", unseen), false, "authorised since it was loaded");
    const seen = await loadConsent(on, stopped);
    assert.ok(await allow(stopped, "g2"));
    assert.equal(await allow(stopped, "late", seen), false, "authorised again since");
    const course = accountAccess;
    await moveConsent(on, { consentId: stopped }, course, "revoke", [], byCustomer(access.now));
    assert.ok(await allow(stopped, "g3"));
    await endGrant(on, "g3", byBank(access.now));
    assert.equal(await expireConsents(on, access.now.add({ hours: 24 * 30 })), 1);
    assert.deepEqual(await stepsOf(stopped, on), [
      "none > AWAU by tpp",
      "AWAU > AUTH by customer",
      "AUTH > AUTH by customer",
      "AUTH > CANC by customer",
      "CANC > AUTH by customer",
      "AUTH > AUTH by bank",
      "AUTH > EXPD by clock",
    ]);
    const past = await readAuthorisations(on, stopped);
    assert.deepEqual(
      past.map(({ grantId, ending, showings }) => [
        grantId,
        ending,
        showings[0]?.answer?.challengeId,
      ]),
      [
        ["g1", "replaced", "challenge of g1"],
        ["g2", "revoked", "challenge of g2"],
        ["g3", "grant destroyed", "challenge of g3"],
      ],
    );
    assert.deepEqual(past[0], {
      ...evidence,
      customerId,
      grantId: "g1",
      showings: [shownWith("challenge of g1")],
      authorisedAt: access.now,
      endedAt: access.now,
      ending: "replaced",
    });
    const grants = (await listChanges(on, stopped)).map(({ after }) => after.grant);
    assert.deepEqual(grants, [null, "g1", "g2", "g2", "g3", null, null]);
    const lapsed = await open({ ExpirationDateTime: "2026-12-21T10:00:00Z" });
    assert.ok(await allow(lapsed, "g4"));
    assert.equal(await expireConsents(on, access.now), 0);
    assert.equal(await expireConsents(on, access.now.add({ hours: 24 * 31 })), 1);
    assert.equal((await stepsOf(lapsed, on)).at(-1), "AUTH > EXPD by clock");
    assert.equal((await readAuthorisations(on, lapsed))[0]?.ending, "expired");
    const deleted = await open();
    assert.ok(await allow(deleted, "g5"));
    await access.call("DELETE", `/account-access-consents/${deleted}`, token);
    assert.equal((await readAuthorisations(on, deleted))[0]?.ending, "deleted");
    const last = (await listChanges(on, deleted)).at(-1);
    assert.deepEqual([last?.before?.deleted, last?.after.deleted], [false, true]);
    assert.equal(last?.cause, "tpp");
    assert.notEqual(last?.interactionId, null);
    assert.equal(last?.apiVersion, "aisp-v3.1");
    assert.deepEqual(await verifyInvariants(on, { hasOwnCore: true }), []);
  } finally {
    await access.close();
  }
});

test("every history begins with the creation, has no gap and ends in the object's status", async () => {
  const { database } = bank;
  assert.deepEqual(await verifyInvariants(database, { hasOwnCore: true }), []);
  assert.equal(
    await countUnexplained(database),
    0,
    "every statement gives the cause of its change",
  );
});

test("a change by a statement that gives no cause is recorded as unknown", async () => {
  const consentId = await lodge();
  await bank.authorise(consentId);
  await bank.database.query(
    sql`update consent set status = 'RJCT' where consent_id = ${consentId}`,
  );
  assert.equal((await stepsOf(consentId)).at(-1), "AUTH > RJCT by unknown");
});

test("a statement that gives a cause and changes no facts adds nothing to the history", async () => {
  const consentId = await lodge();
  await bank.database.query(
    sql`update consent set ${changed(byBank(now()))} where consent_id = ${consentId}`,
  );
  assert.deepEqual(await stepsOf(consentId), ["none > AWAU by tpp"]);
});

test("a statement that claims to write the history and does not is found", async () => {
  const [consentId, orderId] = [await lodge(), await submit("domestic-payment")];
  const claim = recorded(now());
  await bank.database.query(
    sql`update consent set ${setStatus("RJCT", "ended")}, ${claim} where consent_id = ${consentId}`,
  );
  await bank.database.query(setOrders([orderId], sql`status = 'PDNG', ${claim}`));
  const found = await verifyInvariants(bank.database, { hasOwnCore: true });
  assert.deepEqual(
    found.map(({ invariant, subject }) => [invariant, subject]),
    [
      ["an order's facts are those of its last change", orderId],
      ["a consent's facts are those of its last change", consentId],
    ],
  );
  await bank.database.query(
    sql`update consent set ${setStatus("AWAU", "waiting")} where consent_id = ${consentId}`,
  );
  await bank.database.query(setOrders([orderId], sql`status = 'RCVD'`));
  assert.deepEqual(await verifyInvariants(bank.database, { hasOwnCore: true }), []);
});

test("a change is neither updated nor deleted", async () => {
  const consentId = await lodge();
  await bank.authorise(consentId);
  const refused = /a change is never updated/;
  for (const statement of rewriting(consentId)) {
    await assert.rejects(bank.database.query(statement), refused);
  }
});

test("the history of a consent that nobody authorised is deleted with it", async () => {
  const consentId = await lodge();
  await rejectOverdueConsents(bank.database, now().add({ hours: 2 }), 3600);
  assert.equal((await stepsOf(consentId)).length, 2);
  await purgeUnauthorisedConsents(bank.database, now(), []);
  assert.deepEqual(await stepsOf(consentId), []);
});

test("if the history cannot be written, the change is not made", async () => {
  const { token, order, consentId } = await bank.authorised();
  const { database } = bank;
  const answer = await withFullHistory(database, () =>
    bank.post("/domestic-payments", { token, body: order }),
  );
  assert.equal(answer.status, 500);
  assert.equal((await bank.get(`${consents}/${consentId}`)).body.Data.Status, "AUTH");
  assert.equal(await countOrders(database, consentId), 0);
  assert.equal((await stepsOf(consentId)).at(-1), "AWAU > AUTH by customer");
  assert.equal((await bank.post("/domestic-payments", { token, body: order })).status, 201);
});
