import assert from "node:assert/strict";
import { test } from "node:test";
import { moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { byBank as theBank } from "#src/history/change.ts";
import { periodTypes } from "#src/payments/limits/order-limits.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { numbers } from "#test/payments/fixture.ts";
import { inEachVersion, limit, payee, vrpConsent } from "./vrp-bed.ts";

inEachVersion((bed) => {
  const { consents } = bed;
  type Change = (body: Json) => void;
  type Control = Record<string, Json>;

  const control =
    (change: (control: Control) => void): Change =>
    (body) =>
      change(body.Data.ControlParameters);
  const lodge = (change?: Change) => bed.bank.post(consents, { body: vrpConsent(change) });

  async function lodged(change?: Change): Promise<Json> {
    const answer = await lodge(change);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  }

  test("V-001, V-002, D-401-75, V-013, V-025, V-030, V-033: a sweeping consent is 201 AWAU, and the response repeats the request without added defaults", async () => {
    const sent = vrpConsent((body) => {
      body.Data.ReadRefundAccount = "No";
      body.Data.Initiation.RemittanceInformation = bed.remittance("Rainy day");
      body.Risk = { PaymentContextCode: "TransferToSelf" };
    });
    const answer = await bed.bank.post(consents, { body: sent });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { Data, Risk, Links } = answer.body;
    assert.equal(Data.Status, bed.consentWords.AWAU);
    assert.equal("StatusReason" in Data, bed.hasReasons);
    assert.match(Data.ConsentId, /^vrpc-/);
    const { ReadRefundAccount, ControlParameters, Initiation } = Data;
    assert.deepEqual({ Data: { ControlParameters, Initiation, ReadRefundAccount }, Risk }, sent);
    assert.ok(!("DebtorAccount" in Data));
    assert.ok(Links.Self.endsWith(`${consents}/${Data.ConsentId}`));
    assert.ok(answer.headers["x-jws-signature"]);
  });

  test("V-003: a refused consent leaves no resource, and its idempotency key can be used again", async () => {
    const key = "refused-then-right";
    const wrong = vrpConsent(control((members) => delete members.VRPType));
    assert.equal((await bed.bank.post(consents, { body: wrong, key })).status, 400);
    assert.equal((await bed.bank.post(consents, { body: vrpConsent(), key })).status, 201);
  });

  test("a request with a wrong header or an unreadable body is refused in the version's own words", async () => {
    const body = vrpConsent();
    const rows: [headers: Record<string, string>, refusal: unknown[]][] = [
      [{ "x-idempotency-key": "k".repeat(41) }, [400, ["U006", "x-idempotency-key"]]],
      [{ "x-fapi-auth-date": "yesterday" }, [400, ["U006", "x-fapi-auth-date"]]],
      [{ "x-jws-signature": "a.b.c" }, [400, ["U018", "x-jws-signature"]]],
      [{ "content-type": "text/plain" }, [415, ["U006", "Content-Type"]]],
      [{ accept: "text/html" }, [406, ["U006", "Accept"]]],
    ];
    for (const [headers, refusal] of rows) {
      assert.deepEqual(bed.refused(await bed.bank.post(consents, { body, headers })), refusal);
    }
    const broken = await bed.bank.post(consents, { body: "{" });
    assert.deepEqual([broken.status, bed.faultsOf(broken)[0]?.[0]], [400, "U010"]);
  });

  test("V-015, V-023, V-024, V-026, V-027, V-031, V-034, V-039: every permitted variant of a consent is accepted", async () => {
    const accepted: Change[] = [
      control((members) => {
        members.SupplementaryData = {};
      }),
      control((members) => {
        members.MaximumIndividualAmount.Amount = "9999999.00";
      }),
      control((members) => {
        members.ValidFromDateTime = "2027-03-01T00:00:01+01:00";
      }),
      control((members) => {
        members.ValidFromDateTime = "2027-06-01T00:00:00Z";
        members.ValidToDateTime = "2027-06-01T23:00:00Z";
      }),
      (body) => {
        const { current: Identification } = numbers;
        const named = bed.id === "pisp-v3.1" ? { Name: "Ann Example" } : {};
        body.Data.Initiation.DebtorAccount = {
          SchemeName: payee.SchemeName,
          Identification,
          ...named,
        };
      },
      (body) => {
        body.Risk = { PaymentContextCode: "TransferToSelf" };
      },
    ];
    for (const change of accepted) await lodged(change);
  });

  test("V-017: every period of the standard is accepted with both alignments", async () => {
    for (const type of periodTypes) {
      for (const alignment of ["Consent", "Calendar"]) {
        if (type === "Fortnight" && alignment === "Calendar") continue;
        await lodged(
          control((members) => {
            members.PeriodicLimits = [limit(type, alignment, "9.00")];
          }),
        );
      }
    }
  });

  test("V-032: an account may have several consents for one payee", async () => {
    const [one, other] = [await bed.agree(), await bed.agree()];
    assert.notEqual(one.consentId, other.consentId);
    assert.equal((await one.pay("5.00")).status, 201);
    assert.equal((await other.pay("5.00")).status, 201);
  });

  test("V-042, V-043: a repeated request gets its consent with its current status, and a different body is U029 with a link to the version's rules", async () => {
    const key = "consent-twice";
    const first = await bed.bank.post(consents, { body: vrpConsent(), key });
    const { ConsentId } = first.body.Data;
    await bed.bank.authorise(ConsentId);
    const again = await bed.bank.post(consents, { body: vrpConsent(), key });
    assert.deepEqual(
      [again.status, again.body.Data.ConsentId, again.body.Data.Status],
      [201, ConsentId, bed.consentWords.AUTH],
    );
    const other = vrpConsent(
      control((members) => {
        members.MaximumIndividualAmount.Amount = "6.00";
      }),
    );
    const refused = await bed.bank.post(consents, { body: other, key });
    assert.deepEqual(bed.refused(refused), [bed.keyConflict, ["U029", "x-idempotency-key"]]);
    const { pathname, hash } = new URL(refused.body.Errors[0].Url);
    assert.equal(pathname.split("/")[2], bed.guides);
    assert.equal(hash, "#idempotency");
  });

  test("V-050, V-053: an approved consent is AUTH, and every response names the account that the customer chose", async () => {
    const { consentId, body } = await bed.agree();
    const { Data } = (await bed.bank.get(`${consents}/${consentId}`)).body;
    assert.equal(Data.Status, bed.consentWords.AUTH);
    assert.deepEqual(Data.DebtorAccount, {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: numbers.current,
      Name: "Ann Example",
    });
    assert.deepEqual(Data.Initiation, body.Data.Initiation);
  });

  const entriesOf = <Name extends string>(table: Record<Name, string>) =>
    Object.entries(table) as [Name, string][];

  /** A consent in each status that it can have. */
  async function inEveryStatus() {
    const move = async (event: "reject" | "revoke", consentId: string) => {
      const reasons: StatusReason[] = [{ code: "U037", text: "It was moved." }];
      const why = theBank(bed.bank.clock.now());
      assert.ok(
        await moveConsent(bed.bank.database, { consentId }, usedWithinLimits, event, reasons, why),
      );
      return consentId;
    };
    const { ConsentId: waiting } = (await lodged()).Data;
    const { ConsentId: declined } = (await lodged()).Data;
    const short = await bed.agree(
      control((members) => {
        members.ValidToDateTime = "2027-03-01T00:00:00Z";
      }),
    );
    const made = {
      AWAU: waiting,
      RJCT: await move("reject", declined),
      AUTH: (await bed.agree()).consentId,
      CANC: await move("revoke", (await bed.agree()).consentId),
      EXPD: short.consentId,
    };
    bed.bank.clock.set("2027-03-02T10:00:00Z");
    return made;
  }

  test("V-070, V-073, V-074, V-075, V-081: a consent is read and deleted in every status, and is unknown afterwards", async () => {
    for (const [status, consentId] of entriesOf(await inEveryStatus())) {
      const path = `${consents}/${consentId}`;
      const { Data } = (await bed.bank.get(path)).body;
      assert.equal(Data.Status, bed.consentWords[status]);
      assert.equal(
        (Data.StatusReason ?? []).length > 0,
        bed.hasReasons && status !== "AUTH",
        status,
      );
      assert.equal("DebtorAccount" in Data, ["AUTH", "CANC", "EXPD"].includes(status), status);
      const end = status === "EXPD" ? "2027-03-01T00:00:00Z" : undefined;
      assert.equal(Data.ControlParameters.ValidToDateTime, end);
      const gone = await bed.bank.send("DELETE", path);
      assert.deepEqual([gone.status, gone.body], [204, undefined], status);
      assert.equal(gone.headers["x-jws-signature"], undefined);
      assert.ok(gone.headers["x-fapi-interaction-id"]);
      assert.deepEqual(bed.refused(await bed.bank.get(path)), [400, ["U011", "ConsentId"]]);
      assert.deepEqual(bed.refused(await bed.bank.send("DELETE", path)), [
        400,
        ["U011", "ConsentId"],
      ]);
    }
  });

  test("V-071, V-072, V-079: only the TPP that created a consent can read and delete it, with its own token", async () => {
    const { consentId, token } = await bed.agree();
    const path = `${consents}/${consentId}`;
    assert.deepEqual(bed.refused(await bed.bank.get(`${consents}/vrpc-none`)), [
      400,
      ["U011", "ConsentId"],
    ]);
    assert.equal((await bed.bank.get(path, bed.bank.otherTpp.token)).status, 403);
    assert.equal((await bed.bank.send("DELETE", path, bed.bank.otherTpp.token)).status, 403);
    assert.equal((await bed.bank.send("DELETE", path, token)).status, 403);
    assert.equal((await bed.bank.get(path)).body.Data.Status, bed.consentWords.AUTH);
  });

  test("V-178: PUT and PATCH are 405, and Allow lists the methods", async () => {
    const { ConsentId } = (await lodged()).Data;
    for (const method of ["PUT", "PATCH"] as const) {
      const answer = await bed.bank.send(method, `${consents}/${ConsentId}`);
      assert.equal(answer.status, 405);
      assert.deepEqual(String(answer.headers.allow).split(", ").toSorted(), ["DELETE", "GET"]);
    }
  });
});
