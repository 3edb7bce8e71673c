import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import { closeAccount, removeHolders } from "#test/account-store/change-accounts.ts";
import { countUnattendedDays, setConsent } from "#test/consents/stored-rows.ts";
import { AccountsBank, everything } from "./fixture.ts";
import { type TestedVersion, versions } from "./versions.ts";

// one bank for both versions
let opened: AccountsBank;
let customerId: string;
let accountId: string;
let otherAccountId: string;

before(async () => {
  opened = await AccountsBank.open();
  customerId = await opened.addCustomer();
  accountId = await opened.addAccount(customerId);
  otherAccountId = await opened.addAccount(customerId);
});
after(() => opened.close());

const resources = ["", "/balances", "/transactions"];
for (const version of versions) describe(version.id, () => gates(version));

// Each consent is created on the version that is called. both-versions.test.ts has v3.1 consents on
// v4.0.
function gates(version: TestedVersion): void {
  let bank: AccountsBank;
  before(() => {
    bank = opened.through(version.id);
  });
  const consent = (permissions = everything) =>
    bank.addConsent({ customerId, accountIds: [accountId], permissions });

  describe("tokens on account data", () => {
    test("A-040, A-042: a missing or unknown token is 401 without a body", async () => {
      for (const token of [null, "unknown"]) {
        for (const resource of resources) {
          const answer = await bank.get(`/accounts/${accountId}${resource}`, token);
          assert.deepEqual([answer.status, answer.text], [401, ""]);
          assert.ok(answer.headers["x-fapi-interaction-id"]);
        }
      }
    });

    test("A-043: an expired token is 401, without a body on v3.1", async () => {
      const { grantId } = await consent();
      const expiresAt = bank.now;
      const more = { expiresAt };
      const scope = "openid accounts";
      const token = await bank.addToken("authorization_code", "tpp-1", scope, grantId, more);
      const answer = await bank.get("/accounts", token);
      assert.equal(answer.status, 401);
      assert.match(answer.text, version.expired);
    });

    test("A-052: a consent stays Authorised when its token expires", async () => {
      const { consentId, grantId } = await consent();
      const more = { expiresAt: bank.now };
      const scope = "openid accounts";
      const token = await bank.addToken("authorization_code", "tpp-1", scope, grantId, more);
      assert.equal((await bank.get("/accounts", token)).status, 401);
      const read = await bank.get(
        `/account-access-consents/${consentId}`,
        await bank.clientToken(),
      );
      assert.equal(read.body.Data.Status, version.consentWords.AUTH);
    });

    test("A-044: a token with another scope is 403", async () => {
      const { grantId } = await consent();
      const token = await bank.addToken("authorization_code", "tpp-1", "openid payments", grantId);
      const { status, body } = await bank.get("/accounts", token);
      assert.equal(status, 403);
      assert.equal(body.Errors[0].ErrorCode, version.deniedName("U006"));
    });

    test("A-045, A-046: a client credentials token is 401 without a body", async () => {
      const token = await bank.clientToken();
      for (const path of ["/accounts", ...resources.map((r) => `/accounts/${accountId}${r}`)]) {
        const answer = await bank.get(path, token);
        assert.deepEqual([answer.status, answer.text], [401, ""]);
      }
    });

    test("A-048: a certificate-bound token without its certificate is 401", async () => {
      const { grantId } = await consent();
      const thumbprint = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0";
      const more = { thumbprint };
      const scope = "openid accounts";
      const token = await bank.addToken("authorization_code", "tpp-1", scope, grantId, more);
      assert.equal((await bank.get("/accounts", token)).status, 401);
    });

    test("A-109: the tokens of an expired consent are 401", async () => {
      const expiresAt = bank.now.add({ minutes: 1 });
      const given = await bank.addConsent({ customerId, accountIds: [accountId], expiresAt });
      assert.equal((await bank.get("/accounts", given.token)).status, 200);
      const before = bank.now;
      bank.now = expiresAt;
      const after = await bank.get("/accounts", given.token);
      bank.now = before;
      assert.equal(after.status, 401);
      assert.match(after.text, version.expired);
    });

    test("A-104, A-114: after the customer revokes a consent, the next request with its token is 401", async () => {
      const { cancelled: CANC, expired: EXPD } = version;
      const bodies = { CANC, EXPD, RJCT: /^$/, AWAU: /^$/ };
      for (const [status, expected] of Object.entries(bodies)) {
        const { consentId, token } = await consent();
        assert.equal((await bank.get("/accounts", token)).status, 200);
        await setConsent(bank.database, consentId, { status: status });
        const answer = await bank.get("/accounts", token);
        assert.equal(answer.status, 401);
        assert.match(answer.text, expected);
      }
    });

    test("A-111: a new grant for the consent ends the tokens of the old one", async () => {
      const { consentId, token } = await consent();
      const renewal = `grant-new-${version.id}`;
      await setConsent(bank.database, consentId, { grantId: renewal });
      assert.equal((await bank.get("/accounts", token)).status, 401);
      const scope = "openid accounts";
      const renewed = await bank.addToken("authorization_code", "tpp-1", scope, renewal);
      assert.equal((await bank.get("/accounts", renewed)).status, 200);
    });
  });

  describe("permissions and accounts", () => {
    const lacking: Record<string, RegExp[]> = {
      "/balances": [/lacks ReadBalances\./],
      "/transactions": [
        /lacks ReadTransactionsBasic or ReadTransactionsDetail\./,
        /lacks ReadTransactionsCredits or ReadTransactionsDebits\./,
      ],
    };
    const opens: Record<string, string[][]> = {
      "": [["ReadAccountsBasic"], ["ReadAccountsDetail"]],
      "/balances": [["ReadAccountsBasic", "ReadBalances"]],
      "/transactions": [
        ["ReadAccountsBasic", "ReadTransactionsBasic", "ReadTransactionsCredits"],
        ["ReadAccountsBasic", "ReadTransactionsDetail", "ReadTransactionsDebits"],
      ],
    };

    test("A-120, A-127: each resource needs its own permissions, and a 403 names the missing ones", async () => {
      for (const [resource, sets] of Object.entries(opens)) {
        for (const permissions of sets) {
          const { token } = await consent(permissions);
          const path = `/accounts/${accountId}`;
          assert.equal((await bank.get(path + resource, token)).status, 200);
          for (const other of Object.keys(opens)) {
            if (other === resource || other === "") continue;
            const { status, body } = await bank.get(path + other, token);
            assert.equal(status, 403);
            for (const [index, expected] of present(lacking[other], other).entries()) {
              assert.equal(body.Errors[index].ErrorCode, version.ownDenial("PermissionMissing"));
              assert.match(body.Errors[index].Message, expected);
            }
            assert.equal(body.Errors.length, lacking[other]?.length);
          }
        }
      }
    });

    test("A-121: an unknown account is 400, and permissions are checked before the account", async () => {
      const { token } = await consent();
      for (const resource of resources) {
        const answer = await bank.get(`/accounts/foobar${resource}`, token);
        assert.equal(answer.status, 400);
        const [fault] = answer.body.Errors;
        assert.deepEqual([fault.ErrorCode, fault.Path], [version.errorName("U011"), "AccountId"]);
      }
      const { token: poor } = await consent(["ReadAccountsBasic"]);
      assert.equal((await bank.get("/accounts/foobar/balances", poor)).status, 403);
    });

    test("A-122, A-123: an account outside the consent is 403, even if it is the same customer's", async () => {
      const { token } = await consent();
      const strange = await bank.addAccount(await bank.addCustomer());
      for (const id of [otherAccountId, strange]) {
        for (const resource of resources) {
          const { status, body } = await bank.get(`/accounts/${id}${resource}`, token);
          assert.equal(status, 403);
          const [fault, ...more] = body.Errors;
          assert.deepEqual(
            [fault.ErrorCode, fault.Path, more],
            [version.ownDenial("AccountNotAccessible"), "AccountId", []],
          );
        }
      }
      const second = await bank.addConsent({ customerId, accountIds: [otherAccountId] });
      assert.equal((await bank.get(`/accounts/${otherAccountId}`, second.token)).status, 200);
      assert.equal((await bank.get(`/accounts/${accountId}`, second.token)).status, 403);
    });

    test("the account is checked before the query", async () => {
      const { token } = await consent();
      const path = (id: string) => `/accounts/${id}/transactions?fromBookingDateTime=foo`;
      assert.equal((await bank.get(path(otherAccountId), token)).status, 403);
      assert.equal((await bank.get(path(accountId), token)).status, 400);
    });

    test("A-124, A-149: a closed account disappears from the consent, and the other accounts stay", async () => {
      const closing = await bank.addAccount(customerId);
      const leaving = await bank.addAccount(customerId);
      const accountIds = [accountId, closing, leaving];
      const { token } = await bank.addConsent({ customerId, accountIds });
      const listed = async () =>
        (await bank.get("/accounts", token)).body.Data.Account.map(
          ({ AccountId }: { AccountId: string }) => AccountId,
        ).sort();
      assert.deepEqual(await listed(), [...accountIds].sort());
      await closeAccount(bank.database, closing);
      await removeHolders(bank.database, leaving);
      assert.deepEqual(await listed(), [accountId]);
      for (const id of [closing, leaving]) {
        for (const resource of resources) {
          assert.equal((await bank.get(`/accounts/${id}${resource}`, token)).status, 403);
        }
      }
      assert.equal((await bank.get(`/accounts/${accountId}`, token)).status, 200);
      const gone = await bank.addConsent({ customerId, accountIds: [closing, leaving] });
      assert.deepEqual((await bank.get("/accounts", gone.token)).body.Data, { Account: [] });
    });

    test("A-050: one customer's consents with several TPPs are independent", async () => {
      const given = { customerId, accountIds: [otherAccountId], clientId: "tpp-2" };
      const second = await bank.addConsent(given);
      const { body } = await bank.get("/accounts", second.token);
      assert.equal(body.Data.Account.length, 1);
      assert.equal(body.Data.Account[0].AccountId, otherAccountId);
    });

    test("A-125, A-128, A-189: a resource without entries is an empty array, and unknown parameters are ignored", async () => {
      const { token } = await consent();
      const empty = await bank.get(`/accounts/${accountId}/transactions?foo=1&page=1`, token);
      assert.deepEqual([empty.status, empty.body.Data], [200, { Transaction: [] }]);
      const query = "?fromBookingDateTime=foo&pg=x";
      assert.equal((await bank.get(`/accounts/${accountId}/balances${query}`, token)).status, 200);
    });

    test("A-024, A-025, A-026: an unknown path is 404 for every caller", async () => {
      const { token } = await consent();
      const below = resources.map((resource) => `/accounts/${accountId}${resource}/foobar`);
      for (const path of ["/foobar", "/", ...below]) {
        for (const each of [token, null]) {
          const answer = await bank.get(path, each);
          assert.equal(answer.status, 404, path);
          const [fault] = answer.body.Errors;
          assert.equal(fault.ErrorCode, version.errorName("U011"), path);
          assert.ok(answer.headers["x-fapi-interaction-id"]);
        }
      }
    });
  });
}

test("A-129: a malformed AccountId never causes a failure", async () => {
  const { token } = await opened.addConsent({ customerId, accountIds: [accountId] });
  const odd = [
    "%00",
    "a%00b",
    "..%2f",
    "%252e%252e",
    "a".repeat(41),
    "a".repeat(500),
    "%F0%9F%92%A3",
  ];
  const more = ["'", "%27%20or%201=1--", "%", "%zz", "%ff", "a%20b", "*", "null", "[object]"];
  for (const id of [...odd, ...more]) {
    for (const resource of resources) {
      const { status, headers } = await opened.get(`/accounts/${id}${resource}`, token);
      assert.ok(status === 400 || status === 404, `${id}${resource}: ${status}`);
      assert.ok(headers["x-fapi-interaction-id"]);
    }
  }
});

describe("calls without the customer present", () => {
  test("A-007, A-008, A-131: calls beyond the daily allowance are 429 until the next day", async (context) => {
    const limited = await AccountsBank.open({ unattended: 2, pageSize: 2 });
    context.after(() => limited.close());
    const owner = await limited.addCustomer();
    const id = await limited.addAccount(owner);
    await limited.addTransactions(
      id,
      ["01", "02", "03"].map((day) => ({ at: `2026-11-${day}T10:00:00Z` })),
    );
    const { token, grantId } = await limited.addConsent({ customerId: owner, accountIds: [id] });
    const path = `/accounts/${id}/balances`;
    const present = { "x-fapi-customer-ip-address": "203.0.113.7" };
    for (const wanted of [200, 200, 429]) {
      assert.equal((await limited.get(path, token)).status, wanted);
    }
    const refused = await limited.get(path, token, { "x-fapi-customer-ip-address": "someone" });
    assert.deepEqual([refused.status, refused.text], [429, ""]);
    assert.equal(refused.headers["retry-after"], String(14 * 3600));
    assert.equal((await limited.get(path, token, present)).status, 200);
    const list = `/accounts/${id}/transactions`;
    const first = await limited.get(list, token);
    assert.equal((await limited.get(list, token)).status, 200);
    assert.equal((await limited.get(list, token)).status, 429);
    // later pages belong to the call that began the list
    assert.equal((await limited.get(first.body.Links.Next, token)).status, 200);
    // each consent, account and resource has a separate allowance
    const other = await limited.addConsent({ customerId: owner, accountIds: [id] });
    assert.equal((await limited.get(path, other.token)).status, 200);
    assert.equal((await limited.get("/balances", token)).status, 200);
    limited.now = limited.now.add({ hours: 14 });
    const scope = "openid accounts";
    const tomorrow = await limited.addToken("authorization_code", "tpp-1", scope, grantId);
    assert.equal(
      (await limited.get(path, tomorrow)).status,
      200,
      "the next day has a new allowance",
    );
    limited.now = limited.now.add({ hours: 24 });
    const later = await limited.addToken("authorization_code", "tpp-1", scope, grantId);
    assert.equal((await limited.get(path, later)).status, 200);
    const days = await countUnattendedDays(limited.database);
    assert.equal(days, 2, "the counts before yesterday are deleted");
  });

  test("A-131: all processes on one database share the daily allowance, even for concurrent calls", async (context) => {
    const limited = await AccountsBank.open({ unattended: 4 });
    const second = await AccountsBank.over(limited.database, { unattended: 4 });
    context.after(async () => {
      await second.app.close();
      await limited.close();
    });
    const owner = await limited.addCustomer();
    const id = await limited.addAccount(owner);
    const { token } = await limited.addConsent({ customerId: owner, accountIds: [id] });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) =>
        (turn % 2 === 0 ? limited : second).get(`/accounts/${id}/balances`, token),
      ),
    );
    const given = answers.filter(({ status }) => status === 200);
    assert.equal(given.length, 4);
    assert.equal(answers.filter(({ status }) => status === 429).length, 8);
  });

  test("A-131: without a configured allowance, calls are not limited", async () => {
    assert.equal(loadConfig({}).UNATTENDED_DAILY_LIMIT, 0);
    const { token } = await opened.addConsent({ customerId, accountIds: [accountId] });
    for (let turn = 0; turn < 30; turn++) {
      assert.equal((await opened.get(`/accounts/${accountId}/balances`, token)).status, 200);
    }
    assert.equal(await countUnattendedDays(opened.database), 0);
  });
});
