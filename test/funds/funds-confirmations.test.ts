// Card issuers ask about the funds of an account, and the bank answers, on both versions.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listConfirmations } from "#src/funds/confirmation-record.ts";
import { formatAmount } from "#src/lib/money.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { CardIssuer, confirmations, named } from "./card-issuer.ts";
import { versions } from "./versions.ts";

let bank: TestBank;
let first: CardIssuer;
let accountId: string;
let account: object;
before(async () => {
  bank = await openBank();
  first = new CardIssuer(bank, await bank.createTpp(), "");
  const [everyday] = await bank.currentAccounts("amara");
  accountId = everyday?.accountId ?? "";
  account = named(everyday?.identification ?? null);
});
after(() => bank?.close());

/** The available funds: the balance plus the overdraft, less the amounts on hold. */
async function spendable(): Promise<bigint> {
  const funds = await bank.sandbox?.bank.loadFunds([accountId]);
  return funds?.get(accountId)?.availableMinor ?? 0n;
}

for (const version of versions) {
  describe(version.path, () => {
    let issuer: CardIssuer;
    let consent: { token: string; consentId: string };
    before(async () => {
      issuer = first.through(version.path);
      consent = await issuer.authorised("amara", account);
    });

    test("C-070, C-083, C-084: the answer is true up to the available funds, and reveals nothing else", async () => {
      const all = await spendable();
      for (const [minor, expected] of [
        [all, true],
        [all + 1n, false],
      ] as const) {
        const amount = formatAmount(minor, "GBP");
        const reference = `All ${version.path} ${expected}`;
        const answer = await issuer.ask(consent, amount, { reference });
        expectStatus(answer, 201);
        const { FundsConfirmationId, CreationDateTime, ...data } = answer.body.Data;
        assert.match(String(FundsConfirmationId), /^fc-/);
        assert.equal(typeof CreationDateTime, "string");
        assert.deepEqual(data, {
          ConsentId: consent.consentId,
          FundsAvailable: expected,
          Reference: reference,
          InstructedAmount: { Amount: amount, Currency: "GBP" },
        });
        assert.match(
          answer.body.Links.Self,
          new RegExp(`${version.path}${confirmations}/${FundsConfirmationId}$`),
        );
      }
      assert.equal(await spendable(), all, "nothing is reserved");
    });

    test("C-071: a consent other than the token's is 403", async () => {
      const another = await issuer.authorised("amara", account);
      for (const consentId of [another.consentId, "fcc-none"]) {
        expectStatus(await issuer.ask({ token: consent.token, consentId }, "1.00"), 403);
      }
    });

    const amount = { Amount: "1.00", Currency: "GBP" };
    const question = { ConsentId: "fcc-1", Reference: "R", InstructedAmount: amount };
    const withAmount = (Amount: string) => ({
      ...question,
      InstructedAmount: { ...amount, Amount },
    });
    const faults: [title: string, data: object, fault: string][] = [
      ["C-072: a missing ConsentId", { ...question, ConsentId: undefined }, "U004 Data.ConsentId"],
      ["C-072: a missing Reference", { ...question, Reference: undefined }, "U004 Data.Reference"],
      [
        "C-072: a missing InstructedAmount",
        { ...question, InstructedAmount: undefined },
        "U004 Data.InstructedAmount",
      ],
      [
        "C-073: a reference of 36 characters",
        { ...question, Reference: "R".repeat(36) },
        "U002 Data.Reference",
      ],
      ["C-073: an empty reference", { ...question, Reference: "" }, "U002 Data.Reference"],
      [
        "C-077: the currency GBX1",
        { ...question, InstructedAmount: { ...amount, Currency: "GBX1" } },
        "U002 Data.InstructedAmount.Currency",
      ],
      ["C-077: an amount with a comma", withAmount("1,00"), "U002 Data.InstructedAmount.Amount"],
      ["C-077: an amount with a sign", withAmount("-1"), "U002 Data.InstructedAmount.Amount"],
      [
        "C-077: an amount with too many decimals",
        withAmount("1.001"),
        "U002 Data.InstructedAmount.Amount",
      ],
      ["C-078: an amount of zero", withAmount("0"), "U002 Data.InstructedAmount.Amount"],
      [
        "C-078: an amount of zero with decimals",
        withAmount("0.00"),
        "U002 Data.InstructedAmount.Amount",
      ],
    ];
    for (const [title, Data, fault] of faults) {
      test(`${title} is refused (${fault})`, async () => {
        const { token } = consent;
        const { status, body } = await issuer.call(confirmations, { token, body: { Data } });
        assert.equal(status, 400);
        const [code = "", path] = fault.split(" ");
        assert.deepEqual(
          body.Errors.map(({ ErrorCode, Path }) => [ErrorCode, Path]),
          [[version.errorName(code), path]],
        );
      });
    }

    test("C-074, C-086: an answered reference cannot be used again, and a new reference gets a new answer", async () => {
      const reference = "Basket 7";
      const [one, two] = [
        await issuer.ask(consent, "1.00", { reference }),
        await issuer.ask(consent, "1.00"),
      ];
      assert.notEqual(one.body.Data.FundsConfirmationId, two.body.Data.FundsConfirmationId);
      const used = await issuer.ask(consent, "1.00", { reference });
      assert.equal(used.status, 400);
      const [fault] = used.body.Errors;
      assert.deepEqual(
        [fault?.ErrorCode, fault?.Path],
        [version.errorName("U013"), "Data.Reference"],
      );
      const another = await issuer.authorised("amara", account);
      expectStatus(await issuer.ask(another, "1.00", { reference }), 201);
    });

    test("C-074: only one of several concurrent requests with the same reference is answered", async () => {
      const reference = "Basket 8";
      const asked = Array.from({ length: 4 }, () => issuer.ask(consent, "1.00", { reference }));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [201, 400, 400, 400]);
    });

    test("C-023, C-075, C-087: a request in another currency is refused with U023, and stored without an answer", async () => {
      const reference = "In dollars";
      const refused = await issuer.ask(consent, "1.00", { currency: "USD", reference });
      assert.equal(refused.status, 400);
      const [fault] = refused.body.Errors;
      const path = "Data.InstructedAmount.Currency";
      assert.deepEqual([fault?.ErrorCode, fault?.Path], [version.errorName("U023"), path]);
      expectStatus(await issuer.ask(consent, "1.00", { reference }), 201);
      const stored = await listConfirmations(bank.database, consent.consentId, 1000);
      const asked = stored.filter((one) => one.reference === reference);
      assert.deepEqual(
        asked.map(({ isAvailable, reason }) => [isAvailable, reason]).sort(),
        [
          [null, "other currency"],
          [true, null],
        ].sort(),
      );
    });

    test("C-082: a client credentials token cannot confirm funds", async () => {
      const token = await issuer.client.clientToken("fundsconfirmations");
      expectStatus(await issuer.ask({ ...consent, token }, "1.00"), 403);
    });

    test("C-089: a confirmation cannot be read", async () => {
      const { body } = await issuer.ask(consent, "1.00");
      const { status } = await issuer.own(body.Links.Self.split(version.path)[1] ?? "");
      assert.ok([404, 405].includes(status), `${status}`);
    });

    test("C-037, C-055, C-080, C-104: an expired consent has the expiry status of its version, its token is refused, and it cannot be authorised", async () => {
      const expiry = bank.clock.now().add({ hours: 1 }).toString();
      const short = await issuer.authorised("amara", { ...account, ExpirationDateTime: expiry });
      expectStatus(await issuer.ask(short, "1.00"), 201);
      await bank.advance("PT61M");
      const refused = await issuer.ask(short, "1.00");
      assert.equal(refused.status, 401);
      assert.equal(refused.body?.Errors[0]?.ErrorCode, version.isV4 ? "TKXP" : undefined);
      assert.equal((await issuer.read(short.consentId)).body.Data.Status, version.words.EXPD);
      await assert.rejects(issuer.approve("amara", short.consentId));
      consent = await issuer.authorised("amara", account);
    });

    test("C-085: a blocked or closed account has no funds", async () => {
      const act = (name: string) => bank.control("POST", `/accounts/${accountId}/${name}`, {});
      for (const name of ["block", "close"]) {
        await act(name);
        const answer = await issuer.ask(consent, "0.01");
        await act("reopen");
        assert.equal(answer.body.Data.FundsAvailable, false, name);
      }
      assert.equal((await issuer.ask(consent, "0.01")).body.Data.FundsAvailable, true);
    });
  });
}

test("C-076: the funds of an account in another currency are confirmed in that currency", async () => {
  const everyone = await bank.customers();
  const owner = everyone.find(({ accounts }) =>
    accounts.some(({ currency }) => currency !== "GBP"),
  );
  const foreign = owner?.accounts.find(({ currency }) => currency !== "GBP");
  assert.ok(owner && foreign, "a customer has an account in another currency");
  const issuer = first.through("/v4.0/cbpii");
  const { schemeName: SchemeName, identification: Identification, currency } = foreign;
  const data = { DebtorAccount: { SchemeName, Identification } };
  const consent = await issuer.authorised(owner.login, data);
  const answer = await issuer.ask(consent, "0.01", { currency });
  expectStatus(answer, 201);
  assert.equal(answer.body.Data.FundsAvailable, true);
});
