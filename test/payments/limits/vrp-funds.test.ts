import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Json } from "#test/payments/answer-check.ts";
import { countHolds } from "#test/sandbox/stored-ledger.ts";
import { type Agreement, inEachVersion } from "./vrp-bed.ts";

inEachVersion((bed) => {
  const { consents } = bed;
  const pathOf = (consentId: string) => `${consents}/${consentId}/funds-confirmation`;

  /** Asks whether an amount is available; `change` may alter the body. */
  function ask(
    { consentId, token }: Pick<Agreement, "consentId" | "token">,
    Amount: string,
    change: (body: Json) => void = () => undefined,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const body = { Data: { ConsentId: consentId, InstructedAmount: { Amount, Currency: "GBP" } } };
    change(body);
    return bed.bank.post(pathOf(consentId), { token, body, headers });
  }

  // the account has £50.00
  test("V-150, V-156, V-161: the answer is 201 and depends only on the funds, and nothing is reserved", async () => {
    const agreement = await bed.agree();
    const first = await ask(agreement, "50.00");
    assert.equal(first.status, 201, JSON.stringify(first.body));
    const { Data } = first.body;
    assert.equal(Data.FundsAvailableResult.FundsAvailable, "Available");
    assert.match(Data.FundsConfirmationId, /^.{1,40}$/);
    assert.deepEqual(
      [Data.ConsentId, Data.InstructedAmount],
      [agreement.consentId, { Amount: "50.00", Currency: "GBP" }],
    );
    assert.ok(first.headers["x-jws-signature"]);
    const second = await ask(agreement, "50.01");
    assert.equal(second.body.Data.FundsAvailableResult.FundsAvailable, "NotAvailable");
    assert.equal(
      (await ask(agreement, "50.00")).body.Data.FundsAvailableResult.FundsAvailable,
      "Available",
    );
    assert.equal(await countHolds(bed.bank.database), 0);
    const consent = await bed.bank.get(`${consents}/${agreement.consentId}`);
    assert.equal(consent.body.Data.Status, bed.consentWords.AUTH);
  });

  test("V-152, V-153: only a consent's own token can confirm its funds, and the body must name the same consent", async () => {
    const [agreement, other] = [await bed.agree(), await bed.agree()];
    assert.equal((await ask({ ...agreement, token: bed.bank.tpp.token }, "1.00")).status, 403);
    assert.equal((await ask({ ...agreement, token: other.token }, "1.00")).status, 403);
    const wrong = await ask(agreement, "1.00", (body) => {
      body.Data.ConsentId = other.consentId;
    });
    assert.deepEqual(bed.refused(wrong), [400, ["U008", "Data.ConsentId"]]);
  });

  test("V-154, V-155: a reference must match the consent's reference, if the consent has one", async () => {
    const named = (Reference: string) => (body: Json) => {
      body.Data.Reference = Reference;
    };
    const agreement = await bed.agree((body) => {
      body.Data.Initiation.RemittanceInformation = bed.remittance("Savings");
    });
    assert.deepEqual(bed.refused(await ask(agreement, "1.00", named("Other"))), [
      400,
      ["U008", "Data.Reference"],
    ]);
    assert.equal((await ask(agreement, "1.00", named("Savings"))).body.Data.Reference, "Savings");
    assert.equal((await ask(agreement, "1.00")).status, 201);
    const open = await bed.agree();
    assert.equal((await ask(open, "1.00", named("Other"))).body.Data.Reference, "Other");
  });

  test("V-157: a currency other than pounds is U023, and an invalid amount is U002", async () => {
    const agreement = await bed.agree();
    const euros = await ask(agreement, "1.00", (body) => {
      body.Data.InstructedAmount.Currency = "EUR";
    });
    assert.deepEqual(bed.refused(euros), [400, ["U023", "Data.InstructedAmount.Currency"]]);
    for (const amount of ["0.00", "1.001"]) {
      assert.deepEqual(bed.refused(await ask(agreement, amount)), [
        400,
        ["U002", "Data.InstructedAmount.Amount"],
      ]);
    }
    const lacking = await ask(agreement, "1.00", (body) => delete body.Data.InstructedAmount);
    assert.deepEqual(bed.refused(lacking), [400, ["U004", "Data.InstructedAmount"]]);
  });

  test("a request with an unknown member is U005", async () => {
    const added = await ask(await bed.agree(), "1.00", ({ Data }) => {
      Data.Colour = "red";
    });
    assert.deepEqual(bed.refused(added), [400, ["U005", "Data.Colour"]]);
  });

  test("V-158: each call has a new id, whatever its idempotency key", async () => {
    const agreement = await bed.agree();
    const body = {
      Data: {
        ConsentId: agreement.consentId,
        InstructedAmount: { Amount: "1.00", Currency: "GBP" },
      },
    };
    const ids = new Set<string>();
    for (const key of ["same", "same", " not a key "]) {
      const answer = await bed.bank.post(pathOf(agreement.consentId), {
        token: agreement.token,
        body,
        key,
      });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      ids.add(answer.body.Data.FundsConfirmationId);
    }
    assert.equal(ids.size, 3);
  });

  test("V-159, V-160: the request must be signed, and GET is 405", async () => {
    const agreement = await bed.agree();
    const unsigned = await ask(agreement, "1.00", undefined, { "x-jws-signature": "" });
    assert.deepEqual(bed.refused(unsigned)[0], 400);
    assert.equal((await bed.bank.get(pathOf(agreement.consentId), agreement.token)).status, 405);
  });

  test("a TPP cannot find the balance by trying amounts, because it may ask 100 times per day", async () => {
    const agreement = await bed.agree();
    for (let turn = 1; turn <= 100; turn += 1) {
      assert.equal((await ask(agreement, `${turn}.00`)).status, 201);
    }
    const refused = await ask(agreement, "1.00");
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers["retry-after"]) > 0, "the seconds until the next day");
    assert.equal((await ask(await bed.agree(), "1.00")).status, 201);
  });
});
