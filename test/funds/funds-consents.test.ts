// Card issuers' consents for confirmations of funds, on both versions.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { quietPersonas } from "#test/sandbox/quiet-personas.ts";
import { CardIssuer, consents, named } from "./card-issuer.ts";
import { versions } from "./versions.ts";

let bank: TestBank;
let first: CardIssuer;
let other: CardIssuer;
let account: { DebtorAccount: { SchemeName: string; Identification: string } };
before(async () => {
  bank = await openBank();
  await quietPersonas(bank.database);
  const [own, another] = [await bank.createTpp(), await bank.createTpp()];
  first = new CardIssuer(bank, own, "");
  other = new CardIssuer(bank, another, "");
  account = named((await bank.currentAccounts("amara"))[0]?.identification ?? null);
});
after(() => bank?.close());

for (const version of versions) {
  describe(version.path, () => {
    let issuer: CardIssuer;
    before(() => {
      issuer = first.through(version.path);
    });

    const waiting = { StatusReasonCode: "U036" };

    test("C-001, C-006, C-011, C-061, D-401-73: a new consent awaits authorisation and repeats only what was sent", async () => {
      const { status, headers, body } = await issuer.lodge(account);
      assert.equal(status, 201);
      assert.match(String(headers["content-type"]), /^application\/json/);
      const { ConsentId, CreationDateTime, StatusUpdateDateTime, StatusReason, ...rest } =
        body.Data;
      assert.match(String(ConsentId), /^fcc-/);
      assert.equal(CreationDateTime, StatusUpdateDateTime);
      assert.deepEqual(rest, { Status: version.words.AWAU, ...account });
      const reasons = (StatusReason ?? []) as (typeof waiting)[];
      assert.deepEqual(
        reasons.map(({ StatusReasonCode }) => StatusReasonCode),
        version.isV4 ? ["U036"] : [],
      );
      assert.match(body.Links.Self, new RegExp(`${version.path}${consents}/${ConsentId}$`));
    });

    const scheme = "UK.OBIE.SortCodeAccountNumber";
    const faults: [rule: string, data: () => object, fault: string][] = [
      ["C-002: a missing debtor account", () => ({}), "U004 Data.DebtorAccount"],
      [
        "C-003: a missing identification scheme",
        () => ({ DebtorAccount: { Identification: "1" } }),
        "U004 Data.DebtorAccount.SchemeName",
      ],
      [
        "C-003: a missing identification",
        () => ({ DebtorAccount: { SchemeName: scheme } }),
        "U004 Data.DebtorAccount.Identification",
      ],
      [
        "C-004: an unknown identification scheme",
        () => ({
          DebtorAccount: { SchemeName: "TestingAnInvalidSchemeName", Identification: "1" },
        }),
        "U027 Data.DebtorAccount.SchemeName",
      ],
      [
        "C-005: an identification of 257 characters",
        () => ({ DebtorAccount: { SchemeName: scheme, Identification: "1".repeat(257) } }),
        "U002 Data.DebtorAccount.Identification",
      ],
      [
        "C-005: a name of 351 characters",
        () => ({ DebtorAccount: { ...account.DebtorAccount, Name: "A".repeat(351) } }),
        "U002 Data.DebtorAccount.Name",
      ],
      [
        "C-007: a sort code and account number of 13 digits",
        () => ({ DebtorAccount: { SchemeName: scheme, Identification: "1".repeat(13) } }),
        "U021 Data.DebtorAccount.Identification",
      ],
      [
        "C-007: an IBAN with wrong check digits",
        () => ({
          DebtorAccount: { SchemeName: "UK.OBIE.IBAN", Identification: "GB00NWBK60161331926819" },
        }),
        "U021 Data.DebtorAccount.Identification",
      ],
      [
        "C-008: an identification scheme that the bank does not offer",
        () => ({ DebtorAccount: { SchemeName: "UK.OBIE.Paym", Identification: "07700900000" } }),
        "U027 Data.DebtorAccount.SchemeName",
      ],
      [
        "C-013: an expiry in the past",
        () => ({ ...account, ExpirationDateTime: "2020-01-01T00:00:00Z" }),
        "U003 Data.ExpirationDateTime",
      ],
      [
        "C-014: an expiry that is not a date-time",
        () => ({ ...account, ExpirationDateTime: "soon" }),
        "U003 Data.ExpirationDateTime",
      ],
    ];
    for (const [title, data, fault] of faults) {
      test(`${title} is refused (${fault})`, async () => {
        const { status, body } = await issuer.lodge(data());
        assert.equal(status, 400);
        const [code = "", path] = fault.split(" ");
        assert.deepEqual(
          body.Errors.map(({ ErrorCode, Path }) => [ErrorCode, Path]),
          [[version.errorName(code), path]],
        );
      });
    }

    test("C-015: an unknown member at the top level is refused with U005", async () => {
      const { status, body } = await issuer.own(consents, { body: { Data: account, Risk: {} } });
      assert.equal(status, 400);
      assert.deepEqual(
        body.Errors.map(({ ErrorCode, Path }) => [ErrorCode, Path]),
        [[version.errorName("U005"), "Risk"]],
      );
    });

    test("C-009: an account that does not exist is detected only after the login", async () => {
      expectStatus(await issuer.lodge(named("99999999999999")), 201);
    });

    test("C-012: an expiry is returned with the offset that was sent", async () => {
      for (const [sent, shown] of [
        ["2037-01-01T00:00:00.123Z", "2037-01-01T00:00:00.123+00:00"],
        ["2037-01-01T00:00:00Z", "2037-01-01T00:00:00+00:00"],
        ["2037-01-01T00:00:00+05:30", "2037-01-01T00:00:00+05:30"],
      ] as const) {
        const lodged = await issuer.lodge({ ...account, ExpirationDateTime: sent });
        expectStatus(lodged, 201);
        assert.equal(lodged.body.Data.ExpirationDateTime, shown);
      }
    });

    test("C-016, C-021, C-022, D-401-73: each POST creates a new consent, whatever its idempotency key", async () => {
      const headers = { "x-idempotency-key": "k", "x-jws-signature": null };
      const ids = [
        await issuer.lodge(account, { headers }),
        await issuer.lodge(account, { headers }),
      ];
      assert.equal(new Set(ids.map(({ body }) => body.Data.ConsentId)).size, 2);
    });

    test("C-019, C-020, C-060: only a client credentials token with the scope manages consents", async () => {
      const { consentId, token } = await issuer.authorised("amara", account);
      const payments = await issuer.client.clientToken("payments");
      for (const wrong of [token, payments]) {
        expectStatus(await issuer.lodge(account, { token: wrong }), 403);
        for (const method of ["GET", "DELETE"]) {
          const path = `${consents}/${consentId}`;
          expectStatus(await issuer.call(path, { token: wrong, method }), 403);
        }
      }
      assert.equal((await issuer.read(consentId)).body.Data.Status, version.words.AUTH);
    });

    test("C-030, C-037, C-050, C-056, C-058, C-059: an approved consent is authorised; after its deletion, it is U011, its token is 401, and it cannot be authorised", async () => {
      const { consentId, token } = await issuer.authorised("amara", account);
      const read = await issuer.read(consentId);
      expectStatus(read, 200);
      assert.equal(read.body.Data.Status, version.words.AUTH);
      assert.equal("StatusReason" in read.body.Data, false);
      const path = `${consents}/${consentId}`;
      const deleted = await issuer.own(path, { method: "DELETE" });
      expectStatus(deleted, 204);
      assert.equal(deleted.raw.length, 0);
      assert.ok(deleted.headers["x-fapi-interaction-id"]);
      for (const method of ["GET", "DELETE"]) {
        const gone = await issuer.own(path, { method });
        assert.deepEqual(
          [gone.status, gone.body.Errors[0]?.ErrorCode],
          [400, version.errorName("U011")],
        );
      }
      expectStatus(await issuer.ask({ token, consentId }, "1.00"), 401);
      await assert.rejects(issuer.approve("amara", consentId));
    });

    test("C-053, C-054, C-057: an unknown id is 400, and another TPP's consent is 403", async () => {
      for (const id of ["42", "fcc-none", "%00"]) {
        for (const method of ["GET", "DELETE"]) {
          const answer = await issuer.own(`${consents}/${id}`, { method });
          assert.equal(answer.status, 400, id);
        }
      }
      const consentId = await other.through(version.path).consentId(account);
      for (const method of ["GET", "DELETE"]) {
        expectStatus(await issuer.own(`${consents}/${consentId}`, { method }), 403);
      }
    });

    test("C-031, C-037: a refusal rejects the consent for good", async () => {
      const consentId = await issuer.consentId(account);
      const scope = "fundsconfirmations";
      const authorizationUrl = await issuer.client.authorizationUrl({ scope, consentId });
      const { redirectUrl: url } = await bank.decide({
        authorizationUrl,
        customer: "amara",
        decision: "deny",
      });
      assert.match(url, /error=access_denied/);
      const { Status, StatusReason } = (await issuer.read(consentId)).body.Data;
      assert.equal(Status, version.words.RJCT);
      assert.equal(StatusReason !== undefined, version.isV4);
      await assert.rejects(issuer.approve("amara", consentId));
    });

    test("C-033: an account that is not the customer's rejects the consent", async () => {
      const consentId = await issuer.consentId(account);
      await assert.rejects(issuer.approve("ben", consentId), /access_denied/);
      const { Status, StatusReason } = (await issuer.read(consentId)).body.Data;
      assert.equal(Status, version.words.RJCT);
      if (!version.isV4) return;
      const [reason] = StatusReason as { StatusReasonCode: string; Path: string }[];
      assert.deepEqual([reason?.StatusReasonCode, reason?.Path], ["AC02", "Data.DebtorAccount"]);
    });

    test("C-036, C-040: authenticating again keeps the consent AUTH and issues new tokens", async () => {
      const { consentId, token, refreshToken } = await issuer.authorised("amara", account);
      const before = (await issuer.read(consentId)).body;
      assert.ok(refreshToken, "there is a refresh token");
      const refreshed = (await issuer.client.refresh(refreshToken)).access_token;
      expectStatus(await issuer.ask({ token: refreshed, consentId }, "1.00"), 201);
      const again = await issuer.approve("amara", consentId);
      assert.deepEqual((await issuer.read(consentId)).body, before);
      expectStatus(await issuer.ask({ token, consentId }, "1.00"), 401);
      expectStatus(await issuer.ask({ token: again.token, consentId }, "1.00"), 201);
    });

    test("C-039: the expiry of an access token does not change the consent, and the token can be renewed", async () => {
      const { consentId, token, refreshToken } = await issuer.authorised("amara", account);
      const before = (await issuer.read(consentId)).body;
      await bank.advance("P100D");
      expectStatus(await issuer.ask({ token, consentId }, "1.00"), 401);
      assert.deepEqual((await issuer.read(consentId)).body, before);
      const renewed = await issuer.client.refresh(present(refreshToken, "a refresh token"));
      expectStatus(await issuer.ask({ token: renewed.access_token, consentId }, "1.00"), 201);
    });
  });
}

test("C-035: one holder of a joint account can approve the checks", async () => {
  const ben = (await bank.customers()).find(({ login }) => login === "ben");
  const joint = ben?.accounts.find(({ nickname }) => nickname === "Our bills");
  const issuer = first.through("/v4.0/cbpii");
  const { token, consentId } = await issuer.authorised("ben", named(joint?.identification ?? null));
  expectStatus(await issuer.ask({ token, consentId }, "1.00"), 201);
});
