import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { authoriseConsent, waitingReasons } from "#src/consents/consent.ts";
import { accountAccess } from "#src/consents/states.ts";
import { rejectOverdueConsents } from "#src/consents/sweep-consents.ts";
import { addArtifacts, grantsWithArtifacts, setTokenExpiry } from "#test/auth/stored-rows.ts";
import { evidence } from "#test/consents/evidence.ts";
import { shownReason } from "#test/consents/shown-reason.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { AccountsBank, type Answer, everything, oneConnection, publicUrl } from "./fixture.ts";
import { served } from "./served.ts";
import { faultsOf, versions } from "./versions.ts";

let opened: AccountsBank;
let token: string;

before(async () => {
  opened = await AccountsBank.open();
  token = await opened.clientToken();
});
after(() => opened.close());

const path = "/account-access-consents";

for (const version of versions) {
  describe(version.id, () => {
    let bank: AccountsBank;
    before(() => {
      bank = opened.through(version.id);
    });
    const grantOf = (name: string) => `${name}-${version.id}`;

    const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      bank.call("POST", path, token, { body, headers });

    const lodge = (data: object): Promise<Answer> =>
      post({ Data: { Permissions: everything, ...data }, Risk: {} });

    async function refused(answer: Answer, ...wanted: string[]): Promise<void> {
      assert.equal(answer.status, 400, answer.text);
      const named = wanted.map((fault) =>
        fault.replace(/^U\d{3}/, (code) => version.errorName(code as "U002")),
      );
      assert.deepEqual(faultsOf(answer.body), named);
    }

    describe("creating an account access consent", () => {
      test("A-060, A-061, A-062, E-002, E-004, E-014, E-015, E-016: a new consent awaits authorisation and repeats only what was sent", async () => {
        const { status, body } = await lodge({});
        assert.equal(status, 201);
        const { ConsentId, ...data } = body.Data;
        assert.match(ConsentId, /^[\w-]{1,128}$/);
        assert.deepEqual(data, {
          CreationDateTime: "2026-11-21T10:00:00Z",
          Status: version.consentWords.AWAU,
          StatusUpdateDateTime: "2026-11-21T10:00:00Z",
          ...(version.hasReasons ? { StatusReason: [shownReason(waitingReasons.AWAU)] } : {}),
          Permissions: everything,
        });
        assert.deepEqual(body.Risk, {});
        assert.deepEqual(body.Links, {
          Self: `${publicUrl}${version.basePath}${path}/${ConsentId}`,
        });
      });

      test("A-033, A-034, A-088: each POST creates a new consent, whatever its idempotency key", async () => {
        const ids = new Set<string>();
        for (let call = 0; call < 2; call++) {
          const headers = { "x-idempotency-key": "k", "x-jws-signature": "x..y" };
          const answer = await post({ Data: { Permissions: everything }, Risk: {} }, headers);
          ids.add(answer.body.Data.ConsentId);
        }
        assert.equal(ids.size, 2);
      });

      test("A-064, A-065, A-066, A-067, A-068, A-069, A-070, A-089: the error names each invalid field of a consent", async () => {
        const Data = { Permissions: everything };
        const table: [unknown, ...string[]][] = [
          [{ Data: { Permissions: [] }, Risk: {} }, "U002 Data.Permissions"],
          [{ Data: {}, Risk: {} }, "U004 Data.Permissions"],
          [{ Risk: {} }, "U004 Data"],
          [{ Data }, "U004 Risk"],
          [{ Data, Risk: { x: 1 } }, "U005 Risk.x"],
          [{ Data: { Permissions: ["ReadFoo"] }, Risk: {} }, "U002 Data.Permissions"],
          [{ Data: { Permissions: ["readbalances"] }, Risk: {} }, "U002 Data.Permissions"],
          [{ Data: { Permissions: [1, null] }, Risk: {} }, "U002 Data.Permissions"],
          [{ Data: { Permissions: "ReadBalances" }, Risk: {} }, "U002 Data.Permissions"],
          [
            { Data: { ...Data, TransactionFromDateTime: null }, Risk: {} },
            "U002 Data.TransactionFromDateTime",
          ],
          [
            { Data: { ...Data, TransactionToDateTime: 7 }, Risk: {} },
            "U002 Data.TransactionToDateTime",
          ],
        ];
        for (const [body, ...wanted] of table) await refused(await post(body), ...wanted);
      });

      test("A-069, E-003: an unknown member at the top of a consent is refused with U005, or ignored if the version's schema is open", async () => {
        const answer = await post({ Data: { Permissions: everything }, Risk: {}, More: 1 });
        if (!version.isConsentOpen) return refused(answer, "U005 More");
        assert.equal(answer.status, 201);
        assert.equal("More" in answer.body, false);
      });

      test("A-031: one error response lists several faults of a consent", async () => {
        const body = { Data: { Permissions: [], ExpirationDateTime: "soon" }, Risk: { x: 1 } };
        await refused(
          await post(body),
          "U002 Data.Permissions",
          "U003 Data.ExpirationDateTime",
          "U005 Risk.x",
        );
        const past = { Permissions: ["ReadEverything"], ExpirationDateTime: "2020-01-01" };
        await refused(
          await post({ Data: past, Risk: {} }),
          "U002 Data.Permissions",
          "U003 Data.ExpirationDateTime",
        );
      });

      test("A-069: an unknown member of Data is ignored and not returned", async () => {
        const { status, body } = await lodge({ Unknown: { a: 1 } });
        assert.equal(status, 201);
        assert.equal("Unknown" in body.Data, false);
        const read = await bank.get(`${path}/${body.Data.ConsentId}`, token);
        assert.equal("Unknown" in read.body.Data, false);
      });

      test("A-087: a body that is not a JSON object is refused with a message that says so", async () => {
        for (const body of [[], "text", 7, null]) {
          await refused(await post(body), "U010");
        }
      });

      test("A-047: a customer's token cannot create a consent: 401 without a body", async () => {
        const customerId = await bank.addCustomer();
        const { token: other } = await bank.addConsent({ customerId, accountIds: [] });
        const body = { Data: { Permissions: everything }, Risk: {} };
        const answer = await bank.call("POST", path, other, { body });
        assert.deepEqual([answer.status, answer.text], [401, ""]);
      });
    });

    describe("permissions that a consent may combine", () => {
      const accounts = "ReadAccountsBasic";
      const basic = "ReadTransactionsBasic";
      const detail = "ReadTransactionsDetail";
      const credits = "ReadTransactionsCredits";
      const debits = "ReadTransactionsDebits";
      const both = [accounts, "ReadAccountsDetail", basic, detail, credits];
      const fault = "U002 Data.Permissions";
      const table: [title: string, permissions: string[], fault: string | null][] = [
        ["A-071: ReadTransactionsBasic without a direction", [accounts, basic], fault],
        ["A-072: ReadTransactionsDetail without a direction", [accounts, detail], fault],
        ["A-072: Basic with Detail but without a direction", [accounts, basic, detail], fault],
        ["A-073: Credits without Basic or Detail", [accounts, credits], fault],
        ["A-074: Debits without Basic or Detail", [accounts, debits], fault],
        ["A-075: Credits plus Debits without Basic or Detail", [accounts, credits, debits], fault],
        ["A-076: Basic with Credits", [accounts, basic, credits], null],
        ["A-076: Basic with Debits", [accounts, basic, debits], null],
        ["A-076: Detail with Credits", [accounts, detail, credits], null],
        ["A-076: Detail with both directions", [accounts, detail, credits, debits], null],
        ["A-077: ReadBalances without ReadAccountsBasic", ["ReadBalances"], fault],
        ["A-077: ReadPAN without ReadAccountsBasic", ["ReadPAN", basic, credits], fault],
        ["A-078: Basic together with Detail", both, null],
        ["A-079: a doubled permission", [accounts, accounts, "ReadBalances", "ReadBalances"], null],
        ["ReadPAN with another permission", [accounts, "ReadPAN"], null],
      ];
      for (const [title, permissions, fault] of table) {
        test(`${title} is ${fault === null ? "accepted" : "refused"}`, async () => {
          const answer = await lodge({ Permissions: permissions });
          if (fault !== null) return refused(answer, fault);
          assert.equal(answer.status, 201);
          assert.deepEqual(answer.body.Data.Permissions, permissions);
        });
      }

      test("A-027, A-080: an operation that the bank does not serve is 404, and its permission cannot be requested", async () => {
        const resources = served("/accounts", "/accounts/:AccountId/balances");
        const other = await AccountsBank.open({ resources });
        const small = other.through(version.id);
        try {
          const own = await small.clientToken();
          for (const [permissions, status] of [
            [[accounts, "ReadBalances"], 201],
            [[accounts, "ReadOffers"], 400],
            [["ReadAccountsDetail", "ReadStatementsDetail", "ReadParty"], 400],
          ] as const) {
            const body = { Data: { Permissions: permissions }, Risk: {} };
            const answer = await small.call("POST", path, own, { body });
            assert.equal(answer.status, status, answer.text);
            if (status === 400) await refused(answer, "U002 Data.Permissions");
          }
          assert.equal((await small.get("/offers", own)).status, 404);
        } finally {
          await other.close();
        }
      });
    });

    describe("dates of a consent", () => {
      test("A-063, A-083: a date in any ISO 8601 format is returned as RFC 3339, as the same instant", async () => {
        const forms: [string, string][] = [
          ["2016-01-01", "2016-01-01T00:00:00+00:00"],
          ["2016-01-01T10:40", "2016-01-01T10:40:00+00:00"],
          ["20160101T104012Z", "2016-01-01T10:40:12+00:00"],
          ["2016-01-01T10:40:12.34567+01", "2016-01-01T10:40:12.34567+01:00"],
          ["2016-01-01T10:40:00+02:00", "2016-01-01T10:40:00+02:00"],
          ["0000-01-01", "0000-01-01T00:00:00+00:00"],
        ];
        for (const [sent, shown] of forms) {
          const { status, body } = await lodge({ TransactionFromDateTime: sent });
          assert.equal(status, 201, sent);
          assert.equal(body.Data.TransactionFromDateTime, shown);
          const read = await bank.get(`${path}/${body.Data.ConsentId}`, token);
          assert.equal(read.body.Data.TransactionFromDateTime, shown);
        }
        const far = await lodge({ ExpirationDateTime: "9999-12-31T23:59:59-12:00" });
        assert.equal(far.body.Data.ExpirationDateTime, "9999-12-31T23:59:59-12:00");
      });

      test("A-081, A-082, A-084: an invalid date, a past expiry and a window that ends before it starts are refused", async () => {
        for (const ExpirationDateTime of [
          "not-a-date",
          "2025-02-30T00:00:00Z",
          "2026-11-21T10:00:00Z",
          "2026-11-21T12:00:00+02:00",
        ]) {
          await refused(await lodge({ ExpirationDateTime }), "U003 Data.ExpirationDateTime");
        }
        const window = {
          TransactionFromDateTime: "2026-02-01",
          TransactionToDateTime: "2026-01-31",
        };
        await refused(await lodge(window), "U003 Data.TransactionToDateTime");
      });

      test("A-085, A-086: a window with only one bound is accepted, even in the distant past or future", async () => {
        for (const data of [
          { TransactionFromDateTime: "2001-01-01" },
          { TransactionToDateTime: "2040-01-01" },
          { TransactionFromDateTime: "2001-01-01", TransactionToDateTime: "2040-01-01" },
          { TransactionFromDateTime: "2040-01-01" },
        ]) {
          assert.equal((await lodge(data)).status, 201);
        }
      });
    });

    describe("reading and deleting a consent", () => {
      const idOf = async (data = {}): Promise<string> => (await lodge(data)).body.Data.ConsentId;

      const authorise = async (consentId: string, grantId: string) => {
        const customerId = await bank.addCustomer();
        const accountIds = [await bank.addAccount(customerId)];
        const now = bank.now.add({ minutes: 5 });
        const course = accountAccess;
        const given = {
          consentId,
          course,
          customerId,
          accountIds,
          debtor: null,
          grantId,
          now,
          evidence,
        };
        assert.ok(await authoriseConsent(bank.database, given));
        return { customerId, accountIds };
      };

      test("A-095, A-106: an authorised consent differs from a new one only in its status and status time", async () => {
        const created = await lodge({ ExpirationDateTime: "2030-01-01T00:00:00+01:00" });
        const { ConsentId } = created.body.Data;
        await authorise(ConsentId, grantOf("grant-read"));
        const read = await bank.get(`${path}/${ConsentId}`, token);
        assert.equal(read.status, 200);
        const { StatusReason: _, ...asCreated } = created.body.Data;
        assert.deepEqual(read.body, {
          ...created.body,
          Data: {
            ...asCreated,
            Status: version.consentWords.AUTH,
            StatusUpdateDateTime: "2026-11-21T10:05:00Z",
          },
        });
      });

      test("A-104, A-105, A-108, E-010: each version has its own names for a consent's statuses", async () => {
        const id = await idOf();
        for (const [status, word] of Object.entries(version.consentWords)) {
          await setConsent(bank.database, id, { status: status });
          assert.equal((await bank.get(`${path}/${id}`, token)).body.Data.Status, word);
        }
      });

      test("A-112: a consent that nobody authorises can be read for at least a day", async () => {
        const id = await idOf();
        const later = bank.now.add({ hours: 23, minutes: 59 });
        assert.ok((await rejectOverdueConsents(bank.database, later, 3600)) > 0);
        const [before, dayToken] = [bank.now, await bank.clientToken()];
        bank.now = later;
        await setTokenExpiry(bank.database, "all", later.add({ hours: 1 }));
        const answer = await bank.get(`${path}/${id}`, dayToken);
        bank.now = before;
        assert.deepEqual(
          [answer.status, answer.body.Data.Status],
          [200, version.consentWords.RJCT],
        );
      });

      test("A-096, A-129: an unknown consent id, however malformed, is 400", async () => {
        for (const id of ["urn-unknown", "%00", "a%00b", "é", "a".repeat(129), "%27--"]) {
          const code = id.includes("%00") ? "U002" : "U011";
          for (const method of ["GET", "DELETE"] as const) {
            const answer = await bank.call(method, `${path}/${id}`, token);
            await refused(answer, `${code} ConsentId`);
          }
        }
      });

      test("A-097, A-098, A-127: another TPP's consent is 403 and does not change", async () => {
        const id = await idOf();
        const other = await bank.clientToken("tpp-2");
        for (const method of ["GET", "DELETE"] as const) {
          const answer = await bank.call(method, `${path}/${id}`, other);
          assert.equal(answer.status, 403);
          assert.equal(answer.body.Errors[0].ErrorCode, version.deniedName("U011"));
          assert.equal(answer.text.includes(id), false);
          assert.equal(answer.text.includes("Reauthenticate"), false);
        }
        assert.equal((await bank.get(`${path}/${id}`, token)).status, 200);
      });

      test("A-032, A-099, A-100, A-101: a consent can be deleted once, in any status", async () => {
        for (const status of ["AWAU", "AUTH", "RJCT"]) {
          const id = await idOf();
          await setConsent(bank.database, id, { status: status });
          const headers = { accept: "*/*", "content-type": "application/json" };
          const gone = await bank.call("DELETE", `${path}/${id}`, token, { headers });
          assert.deepEqual([gone.status, gone.text], [204, ""]);
          assert.equal("content-type" in gone.headers, false);
          await refused(await bank.get(`${path}/${id}`, token), "U011 ConsentId");
          const again = await bank.call("DELETE", `${path}/${id}`, token);
          await refused(again, "U011 ConsentId");
        }
      });

      test("A-102: deleting a consent immediately ends its own tokens only", async () => {
        const [id, keptId] = [await idOf(), await idOf()];
        await authorise(id, grantOf("grant-gone"));
        await authorise(keptId, grantOf("grant-kept"));
        const scope = "openid accounts";
        const tokens = [
          await bank.addToken("authorization_code", "tpp-1", scope, grantOf("grant-gone")),
          await bank.addToken("authorization_code", "tpp-1", scope, grantOf("grant-kept")),
        ] as const;
        const grantIds = [grantOf("grant-gone"), grantOf("grant-kept")];
        await addArtifacts(
          bank.database,
          grantIds.map((grantId) => ({ model: "RefreshToken", id: `hash-${grantId}`, grantId })),
        );
        for (const each of tokens) assert.equal((await bank.get("/accounts", each)).status, 200);
        assert.equal((await bank.call("DELETE", `${path}/${id}`, token)).status, 204);
        const dead = await bank.get("/accounts", tokens[0]);
        assert.deepEqual([dead.status, dead.text], [401, ""]);
        assert.equal((await bank.get("/accounts", tokens[1])).status, 200);
        const left = await grantsWithArtifacts(bank.database, grantIds);
        assert.deepEqual(left, [grantOf("grant-kept")]);
      });

      test("A-102: a read during the deletion of a consent returns everything or 401, and later reads return 401", {
        skip: oneConnection,
      }, async () => {
        const id = await idOf();
        await authorise(id, grantOf("grant-raced"));
        const tokens = await Promise.all(
          Array.from({ length: 20 }, () =>
            bank.addToken("authorization_code", "tpp-1", "openid accounts", grantOf("grant-raced")),
          ),
        );
        const read = (each: string) => bank.get("/accounts", each);
        const early = tokens.slice(0, 10).map(read);
        const deletions = [1, 2].map(() => bank.call("DELETE", `${path}/${id}`, token));
        const late = tokens.slice(10).map(read);
        const statuses = (await Promise.all(deletions)).map(({ status }) => status);
        assert.ok(statuses.includes(204));
        assert.ok(statuses.every((status) => status === 204 || status === 400));
        for (const { status, body } of await Promise.all([...early, ...late])) {
          if (status === 200) assert.equal(body.Data.Account.length, 1);
          else assert.equal(status, 401);
        }
        for (const each of tokens) assert.equal((await read(each)).status, 401);
      });
    });
  });
}
