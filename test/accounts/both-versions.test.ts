// One bank, called through both versions: consents of one version are read on the other, and both
// versions show the same facts.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accountEndpoints } from "#src/accounts/account-resources.ts";
import { authoriseConsent, moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { accountAccess } from "#src/consents/states.ts";
import { statusReasons } from "#src/consents/status-reasons.ts";
import { expireConsents } from "#src/consents/sweep-consents.ts";
import { byBank, listChanges } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { evidence } from "#test/consents/evidence.ts";
import { shownReason } from "#test/consents/shown-reason.ts";
import { countConsents, setConsent } from "#test/consents/stored-rows.ts";
import { AccountsBank, publicUrl } from "./fixture.ts";
import { storeFacts, transactionFact } from "./stored-transactions.ts";
import { versions } from "./versions.ts";

const consents = "/account-access-consents";

let v3: AccountsBank;
let v4: AccountsBank;
let client: string;
let customerId: string;
let accountId: string;

before(async () => {
  v3 = await AccountsBank.open();
  v4 = v3.through("aisp-v4.0");
  client = await v3.clientToken();
  customerId = await v3.addCustomer();
  accountId = await v3.addAccount(customerId, { balance: 100n });
});
after(() => v3.close());

const authorised = (bank: AccountsBank, more: { expiresAt?: Temporal.Instant } = {}) =>
  bank.addConsent({ customerId, accountIds: [accountId], ...more });

const statusOf = async (bank: AccountsBank, consentId: string) =>
  (await bank.get(`${consents}/${consentId}`, client)).body.Data;

const revoke = (consentId: string, ...reasons: StatusReason[]) =>
  moveConsent(v3.database, { consentId }, accountAccess, "revoke", reasons, byBank(v3.now));

const byCustomer: StatusReason = {
  code: "CUST",
  text: "The customer did.",
};

describe("a v3.1 consent on v4.0", () => {
  test("A-113, E-005: v4.0 returns a v3.1 consent with v4.0 statuses and unchanged contents", async () => {
    const data = {
      Permissions: ["ReadBalances", "ReadAccountsBasic", "ReadBalances"],
      ExpirationDateTime: "2030-01-01T00:00:00+01:00",
    };
    const lodged = await v3.call("POST", consents, client, { body: { Data: data, Risk: {} } });
    const { ConsentId } = lodged.body.Data;
    for (const status of ["AWAU", "AUTH", "RJCT"] as const) {
      await setConsent(v3.database, ConsentId, { status: status });
      const { Status: _, StatusReason: __, ...shown } = await statusOf(v4, ConsentId);
      const { Status: ___, ...lodgedAs } = lodged.body.Data;
      assert.deepEqual(shown, lodgedAs);
      assert.equal((await statusOf(v4, ConsentId)).Status, status);
    }
  });

  test("E-006: v4.0 can delete a v3.1 consent, which is then unknown to both versions", async () => {
    const { consentId, token } = await authorised(v3);
    const gone = await v4.call("DELETE", `${consents}/${consentId}`, client);
    assert.deepEqual([gone.status, gone.text], [204, ""]);
    for (const bank of [v3, v4]) {
      assert.equal((await bank.get(`${consents}/${consentId}`, client)).status, 400);
      assert.equal((await bank.get("/accounts", token)).status, 401);
    }
  });

  test("E-009: a v3.1 consent's token reads the same accounts on v4.0", async () => {
    const { token } = await authorised(v3);
    const [third, fourth] = [await v3.get("/accounts", token), await v4.get("/accounts", token)];
    assert.deepEqual([third.status, fourth.status], [200, 200]);
    assert.equal(third.body.Data.Account[0].AccountSubType, "CurrentAccount");
    assert.equal(fourth.body.Data.Account[0].AccountTypeCode, "CACC");
    assert.equal(third.body.Data.Account[0].AccountId, fourth.body.Data.Account[0].AccountId);
  });

  test("E-023, E-070: v4.0 requires the same permissions of a v3.1 consent as v3.1 does", async () => {
    const permissions = ["ReadAccountsBasic"];
    const { token } = await v3.addConsent({ customerId, accountIds: [accountId], permissions });
    const { body } = await v4.get("/accounts", token);
    for (const member of ["Account", "Servicer", "StatementFrequencyAndFormat"]) {
      assert.equal(member in body.Data.Account[0], false, member);
    }
    const denied = await v4.get(`/accounts/${accountId}/balances`, token);
    assert.deepEqual([denied.status, denied.body.Errors[0].ErrorCode], [403, "AG08"]);
  });
});

describe("a v4.0 consent on v3.1", () => {
  test("E-007: v3.1 cannot read or delete a v4.0 consent", async () => {
    const { consentId } = await authorised(v4);
    for (const method of ["GET", "DELETE"] as const) {
      const { status, body } = await v3.call(method, `${consents}/${consentId}`, client);
      assert.equal(status, 400);
      assert.equal(body.Errors[0].ErrorCode, "UK.OBIE.Resource.NotFound");
    }
    assert.equal((await statusOf(v4, consentId)).Status, "AUTH");
  });

  test("E-008: a v4.0 consent's token cannot read data on v3.1, and the 403 has an error body", async () => {
    const { token } = await authorised(v4);
    for (const path of ["/accounts", `/accounts/${accountId}`, `/accounts/${accountId}/balances`]) {
      const { status, body } = await v3.get(path, token);
      assert.equal(status, 403, path);
      assert.equal(body.Errors[0].ErrorCode, "GB.Aldgate.AccessDenied");
      assert.equal("Data" in body, false);
      assert.equal((await v4.get(path, token)).status, 200, path);
    }
  });
});

describe("how a consent ends on each version", () => {
  test("E-010, E-015, E-016: a consent whose access was withdrawn is CANC with a reason on v4.0 and Authorised on v3.1", async () => {
    const { consentId, token } = await authorised(v3);
    assert.ok(await revoke(consentId, byCustomer));
    const fourth = await statusOf(v4, consentId);
    assert.deepEqual([fourth.Status, fourth.StatusReason], ["CANC", [shownReason(byCustomer)]]);
    const third = await statusOf(v3, consentId);
    assert.deepEqual([third.Status, "StatusReason" in third], ["Authorised", false]);
    for (const bank of [v3, v4]) assert.equal((await bank.get("/accounts", token)).status, 401);
  });

  test("E-011: authenticating again moves a consent from CANC to AUTH with the same id and accounts", async () => {
    const { consentId, token } = await authorised(v4);
    await revoke(consentId, byCustomer);
    const other = await v3.addAccount(customerId);
    const given = { consentId, customerId, accountIds: [other], grantId: "grant-again" };
    const course = { course: accountAccess, debtor: null, now: v3.now, evidence };
    assert.ok(await authoriseConsent(v3.database, { ...given, ...course }));
    const scope = "openid accounts";
    const renewed = await v3.addToken("authorization_code", "tpp-1", scope, "grant-again");
    const shown = await statusOf(v4, consentId);
    assert.deepEqual([shown.Status, "StatusReason" in shown], ["AUTH", false]);
    assert.equal((await v4.get("/accounts", token)).status, 401);
    const { body } = await v4.get("/accounts", renewed);
    assert.deepEqual(
      body.Data.Account.map(({ AccountId }: { AccountId: string }) => AccountId),
      [accountId],
    );
  });

  test("E-012: an expired consent is EXPD with TKXP on v4.0 and Authorised on v3.1, and its data is 401", async () => {
    const expiresAt = v3.now.add({ minutes: 1 });
    const { consentId, token } = await authorised(v3, { expiresAt });
    const before = v3.now;
    v3.now = expiresAt;
    const check = async (): Promise<void> => {
      const { Status, StatusReason, StatusUpdateDateTime } = await statusOf(v4, consentId);
      assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["EXPD", "TKXP"]);
      assert.equal(Temporal.Instant.from(StatusUpdateDateTime).toString(), expiresAt.toString());
      assert.equal((await statusOf(v3, consentId)).Status, "Authorised");
      const [third, fourth] = [await v3.get("/accounts", token), await v4.get("/accounts", token)];
      assert.deepEqual([third.status, third.text], [401, ""]);
      assert.deepEqual([fourth.status, fourth.body.Errors[0].ErrorCode], [401, "TKXP"]);
    };
    try {
      await check();
      // the sweep stores the expiry, which changes nothing that is shown
      assert.ok((await expireConsents(v3.database, v3.now)) > 0);
      await check();
      const { after: facts } = present(
        (await listChanges(v3.database, consentId)).at(-1),
        "a change",
      );
      assert.deepEqual([facts.status, facts.reasons], ["EXPD", [statusReasons.expired]]);
    } finally {
      v3.now = before;
    }
  });

  test("V-061: a consent that expires before it is authorised is RJCT with U036 on v4.0 and Rejected on v3.1, before and after the sweep", async () => {
    const expiresAt = v3.now.add({ minutes: 1 });
    const data = { Permissions: ["ReadAccountsBasic"], ExpirationDateTime: `${expiresAt}` };
    const lodged = await v3.call("POST", consents, client, { body: { Data: data, Risk: {} } });
    const { ConsentId: consentId } = lodged.body.Data;
    const before = v3.now;
    const check = async (): Promise<void> => {
      const { Status, StatusReason, StatusUpdateDateTime } = await statusOf(v4, consentId);
      assert.deepEqual([Status, StatusReason], ["RJCT", [shownReason(statusReasons.unanswered)]]);
      assert.equal(Temporal.Instant.from(StatusUpdateDateTime).toString(), expiresAt.toString());
      assert.equal((await statusOf(v3, consentId)).Status, "Rejected");
    };
    try {
      v3.now = expiresAt.subtract({ seconds: 1 });
      await expireConsents(v3.database, v3.now);
      assert.equal((await statusOf(v3, consentId)).Status, "AwaitingAuthorisation");
      v3.now = expiresAt;
      await check();
      assert.ok((await expireConsents(v3.database, v3.now)) > 0);
      await check();
      assert.equal(await expireConsents(v3.database, v3.now), 0);
      const last = present((await listChanges(v3.database, consentId)).at(-1), "a change");
      const { after: facts, cause } = last;
      assert.deepEqual(
        [facts.status, facts.reasons, cause],
        ["RJCT", [statusReasons.unanswered], "clock"],
      );
    } finally {
      v3.now = before;
    }
  });

  test("E-013: a consent that the bank withdraws is CANC with all of the bank's reasons", async () => {
    const { consentId } = await authorised(v4);
    const reasons: StatusReason[] = [
      { code: "TKSP", text: "The bank suspended the access." },
      { code: "U028", text: "The customer must log in again." },
    ];
    assert.ok(await revoke(consentId, ...reasons));
    const { Status, StatusReason } = await statusOf(v4, consentId);
    assert.deepEqual([Status, StatusReason], ["CANC", reasons.map(shownReason)]);
  });
});

describe("refusals on both versions", () => {
  test("E-017: an unknown permission is 400 on both versions, and no consent is created", async () => {
    const count = () => countConsents(v3.database);
    const before = await count();
    const body = { Data: { Permissions: ["ReadEverything"] }, Risk: {} };
    for (const [bank, code] of [
      [v3, "UK.OBIE.Field.Invalid"],
      [v4, "U002"],
    ] as const) {
      const answer = await bank.call("POST", consents, client, { body });
      assert.deepEqual([answer.status, answer.body.Errors[0].ErrorCode], [400, code]);
    }
    assert.equal(await count(), before);
  });

  test("E-018, E-019: each version has its own error format", async () => {
    const { token } = await authorised(v3);
    for (const path of [
      "/accounts/unknown",
      `/accounts/${accountId}/statements?fromStatementDateTime=x`,
    ]) {
      const third = (await v3.get(path, token)).body;
      assert.ok(third.Code && third.Message);
      for (const { ErrorCode, Message } of third.Errors) {
        assert.match(ErrorCode, /^(UK\.OBIE|GB\.Aldgate)\./);
        assert.ok(Message);
      }
      const fourth = (await v4.get(path, token)).body;
      for (const { ErrorCode, Message } of fourth.Errors) {
        assert.match(ErrorCode, /^[A-Z0-9]{4}$/);
        assert.ok(Message);
      }
      assert.equal(third.Errors.length, fourth.Errors.length);
    }
  });

  test("E-020: an expired token is 401 with TKXP on v4.0, without a body on v3.1", async () => {
    const { grantId } = await authorised(v3);
    const more = { expiresAt: v3.now };
    const scope = "openid accounts";
    const token = await v3.addToken("authorization_code", "tpp-1", scope, grantId, more);
    for (const version of versions) {
      const { status, text } = await v3.through(version.id).get("/accounts", token);
      assert.equal(status, 401);
      assert.match(text, version.expired);
    }
  });

  test("E-022: x-client-id is ignored", async () => {
    const { token } = await authorised(v4);
    for (const id of ["tpp-1", "tpp-2", "", "é"]) {
      const headers = { "x-client-id": encodeURIComponent(id) };
      assert.equal((await v4.get("/accounts", token, headers)).status, 200, id);
    }
  });
});

test("E-034, E-035, E-036: each version has its own statuses for transactions that are not booked", async () => {
  const account = await v3.addAccount(customerId);
  const statuses = ["Booked", "Pending", "Rejected", "Future", "Information"] as const;
  await storeFacts(
    v3.database,
    statuses.map((status) =>
      transactionFact({
        accountId: account,
        transactionId: `both-${status}`,
        status,
        balance: { amountMinor: 250n, type: "InterimCleared" },
      }),
    ),
  );
  const { token } = await v3.addConsent({ customerId, accountIds: [account] });
  const shown = async (bank: AccountsBank) => {
    const { body } = await bank.get(`/accounts/${account}/transactions`, token);
    return body.Data.Transaction.map(
      ({ TransactionId, Status, Balance }: Record<string, { Type: string }>) =>
        [TransactionId, Status, Balance?.Type].join(" "),
    ).sort();
  };
  assert.deepEqual(await shown(v3), [
    "both-Booked Booked InterimCleared",
    "both-Future Pending InterimCleared",
    "both-Pending Pending InterimCleared",
    "both-Rejected Rejected InterimCleared",
  ]);
  assert.deepEqual(await shown(v4), [
    "both-Booked BOOK INFO",
    "both-Future FUTR INFO",
    "both-Information INFO INFO",
    "both-Pending PDNG INFO",
    "both-Rejected RJCT INFO",
  ]);
});

test("A-022, A-023: a method that a path does not support is 405 on both versions", async () => {
  const others = ["PUT", "PATCH", "HEAD", "OPTIONS"] as const;
  for (const { id, basePath } of versions) {
    const table: [path: string, allow: string, methods: readonly string[]][] = [
      [consents, "POST", ["GET", "DELETE", ...others]],
      [`${consents}/aac-1`, "GET, DELETE", ["POST", ...others]],
      ...accountEndpoints(id).map(({ path }): [string, string, readonly string[]] => [
        path.replaceAll(/:\w+/g, "x"),
        "GET",
        ["POST", "DELETE", ...others],
      ]),
    ];
    for (const [path, allow, methods] of table) {
      for (const method of methods) {
        const request = { method: method as "PUT", url: basePath + path };
        const answer = await v3.app.inject(request);
        assert.equal(answer.statusCode, 405, `${method} ${path}`);
        assert.equal(answer.headers.allow, allow);
      }
    }
  }
});

test("E-068: every v4.0 response has Links and Meta, and its links stay within v4.0", async () => {
  const { consentId, token } = await authorised(v4);
  const ofConsent = await v4.get(`${consents}/${consentId}`, client);
  const answers = [ofConsent];
  for (const { path, file } of accountEndpoints("aisp-v4.0")) {
    // a resource below a part of an account is reached through the links of the part's list
    if (file || /:(?!AccountId)/.test(path)) continue;
    answers.push(await v4.get(path.replace(":AccountId", accountId), token));
  }
  assert.ok(answers.length > 20);
  for (const { status, body, text } of answers) {
    assert.equal(status, 200, text);
    assert.ok(body.Links.Self.startsWith(`${publicUrl}${v4.version.basePath}/`), body.Links.Self);
    assert.equal(typeof body.Meta, "object");
    assert.equal(text.includes("/v3.1/"), false);
  }
});
