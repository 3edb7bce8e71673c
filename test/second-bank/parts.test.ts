import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type BankPart, bankParts } from "#src/bank/parts.ts";
import { listCoreFaults } from "#src/bank/port-calls.ts";
import type { Operation } from "#src/http/operation.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { paperBank } from "#test/auth/paper-bank.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { logIn } from "#test/journeys/log-in.ts";
import { runCommand } from "#test/server/run-command.ts";
import { partsVariable } from "./core-with-parts.ts";
import { type SecondBank, startSecondBank } from "./second-bank.ts";

const corePath = fileURLToPath(new URL("core-with-parts.ts", import.meta.url));

/** What a part brings: permissions, operations, and a page of the customer. */
type Row = {
  permissions?: readonly string[];
  /** Matches the API and the path of each of its operations. */
  operations?: RegExp;
  page?: string;
};

const data = (paths: RegExp, ...permissions: string[]): Row => ({ permissions, operations: paths });
const kind = (id: string): Row => ({ operations: new RegExp(`^pisp .*/${id}(-consents|s)(/|$)`) });

const rows: Readonly<Record<BankPart, Row>> = {
  "account-access": data(/^aisp /, "ReadAccountsBasic", "ReadAccountsDetail"),
  balances: data(/^aisp .*\/balances$/, "ReadBalances"),
  transactions: data(
    /^aisp .*\/transactions$/,
    "ReadTransactionsBasic",
    "ReadTransactionsDetail",
    "ReadTransactionsCredits",
    "ReadTransactionsDebits",
  ),
  beneficiaries: data(
    /^aisp .*\/beneficiaries$/,
    "ReadBeneficiariesBasic",
    "ReadBeneficiariesDetail",
  ),
  "direct-debits": data(/^aisp .*\/direct-debits$/, "ReadDirectDebits"),
  "standing-orders": data(
    /^aisp .*\/standing-orders$/,
    "ReadStandingOrdersBasic",
    "ReadStandingOrdersDetail",
  ),
  "scheduled-payments": data(
    /^aisp .*\/scheduled-payments$/,
    "ReadScheduledPaymentsBasic",
    "ReadScheduledPaymentsDetail",
  ),
  statements: data(/^aisp .*\/statements(\/|$)/, "ReadStatementsBasic", "ReadStatementsDetail"),
  products: data(/^aisp .*\/products?$/, "ReadProducts"),
  offers: data(/^aisp .*\/offers$/, "ReadOffers"),
  parties: data(/^aisp .*\/(party|parties)$/, "ReadParty", "ReadPartyPSU"),
  "funds-confirmation": { operations: /^cbpii / },
  "domestic-payment": kind("domestic-payment"),
  "domestic-scheduled-payment": kind("domestic-scheduled-payment"),
  "domestic-standing-order": kind("domestic-standing-order"),
  "international-payment": kind("international-payment"),
  "international-scheduled-payment": kind("international-scheduled-payment"),
  "international-standing-order": kind("international-standing-order"),
  "file-payment": kind("file-payment"),
  "domestic-vrp": kind("domestic-vrp"),
  mandates: { page: "/bank/direct-debits" },
  payees: { page: "/bank/payees" },
};

/** The operations of the three APIs, and the parts that each needs. */
const operations = listOperations(paymentKinds)
  .filter(({ api }) => !api.id.startsWith("events"))
  .map((operation) => {
    const named = `${operation.api.id.split("-")[0]} ${operation.path}`;
    return { operation, needs: bankParts.filter((part) => rows[part].operations?.test(named)) };
  });

const permissionsOf = (given: readonly BankPart[]): string[] =>
  given.flatMap((part) => rows[part].permissions ?? []);
const without = (...parts: readonly BankPart[]): BankPart[] =>
  bankParts.filter((one) => !parts.includes(one));
const dataParts = bankParts.filter((part) => rows[part].permissions !== undefined);
const paying = bankParts.filter((part) => rows[part].operations?.source.startsWith("^pisp"));
const odd = without("account-access").filter((_, index) => index % 2 === 1);

// each part is left out by one core and offered by another
const cores: Readonly<Record<string, { lacks: readonly BankPart[]; scopes: readonly string[] }>> = {
  "every second part": { lacks: odd, scopes: ["accounts", "fundsconfirmations", "payments"] },
  "the other parts": {
    lacks: without("account-access", "funds-confirmation", ...odd),
    scopes: ["accounts", "fundsconfirmations", "payments"],
  },
  "account information": { lacks: dataParts, scopes: ["fundsconfirmations", "payments"] },
  payments: { lacks: paying, scopes: ["accounts", "fundsconfirmations"] },
  "everything but the sharing of accounts": {
    lacks: without("account-access", "balances", "transactions"),
    scopes: ["accounts"],
  },
  "account information and confirmation of funds": {
    lacks: [...dataParts, "funds-confirmation"],
    scopes: ["payments"],
  },
  "confirmation of funds": { lacks: ["funds-confirmation"], scopes: ["accounts", "payments"] },
};

let second: SecondBank;
before(async () => {
  second = await startSecondBank();
});
after(async () => {
  delete process.env[partsVariable];
  await second?.close();
});

test("each operation belongs to a part, and each part brings operations or a page", () => {
  for (const { operation, needs } of operations) assert.ok(needs.length > 0, operation.path);
  for (const part of bankParts) {
    const brings = operations.some(({ needs }) => needs.includes(part));
    assert.ok(brings || rows[part].page, part);
  }
});

for (const [name, { lacks, scopes }] of Object.entries(cores)) {
  describe(`if the core lacks ${name}`, () => {
    const has = without(...lacks);
    const offered = operations.filter(({ needs }) => !needs.some((part) => lacks.includes(part)));
    const isOffered = (one: Operation) => offered.some(({ operation }) => operation === one);
    let bank: TestBank;
    let client: TppClient;

    before(async () => {
      process.env[partsVariable] = has.join();
      bank = await openBank({ BANK_MODULE: corePath });
      client = await bank.createTpp();
    });
    after(() => bank?.close());

    test("the operations that need it answer 404, and only these", async () => {
      for (const { operation } of operations) {
        const { api, method, path } = operation;
        const url = bank.publicUrl + api.basePath + path.replaceAll(/:\w+/g, "unknown");
        const { status } = await fetch(url, { method });
        assert.equal(status, isOffered(operation) ? 401 : 404, `${method} ${url}`);
      }
    });

    test("the OpenAPI documents and the reference list what is left", async () => {
      for (const id of new Set(operations.map(({ operation }) => operation.api.id))) {
        const left = offered.filter(({ operation }) => operation.api.id === id);
        const document = await fetch(`${bank.publicUrl}/openapi/${id}.json`);
        const page = await fetch(`${bank.publicUrl}/docs/api/${id}`);
        const status = left.length > 0 ? 200 : 404;
        assert.deepEqual([document.status, page.status], [status, status], id);
        if (left.length === 0) continue;
        const { paths } = (await document.json()) as { paths: object };
        const expected = left.map(({ operation: { path } }) => path.replaceAll(/:(\w+)/g, "{$1}"));
        assert.deepEqual(Object.keys(paths).sort(), [...new Set(expected)].sort(), id);
      }
    });

    test("the pages for developers open", async () => {
      const home = await (await fetch(bank.publicUrl)).text();
      const links = [...home.matchAll(/href="(\/[^"#]*)"/g)].map(([, path = ""]) => path);
      for (const path of new Set([...links, "/docs"])) {
        assert.equal((await fetch(bank.publicUrl + path)).status, 200, path);
      }
    });

    test("the demo does what is left, and says what it leaves out", async () => {
      const environment = { PUBLIC_URL: bank.publicUrl, MTLS_URL: bank.mtlsUrl };
      const play = async (line: string): Promise<string> => {
        const { code, printed, complained } = await runCommand(line, environment);
        assert.equal(code, 0, `${line}: ${complained}\n${printed}`);
        return printed;
      };
      const paid = await play("demo");
      if (scopes.includes("payments")) assert.match(paid, /Done: the payment settled/);
      else
        assert.match(paid, /Left out: the kind domestic-payment, because the bank does not offer/);
      const isRead = scopes.includes("accounts");
      assert.equal(/Left out: reading the account,/.test(paid), !isRead);
      const isAsked = scopes.includes("fundsconfirmations");
      const asked = await play("demo --cbpii");
      assert.equal(/Left out: the questions of a card issuer/.test(asked), !isAsked);
      assert.equal(/the bank answered only yes or no/.test(asked), isAsked);
    });

    test("a consent may ask only for permissions to data that the core has", async () => {
      if (!scopes.includes("accounts")) return;
      const token = await client.clientToken("accounts");
      const ask = (Permissions: string[]) =>
        client.call<{ Errors?: { Message: string; ErrorCode: string }[] }>({
          path: "/v4.0/aisp/account-access-consents",
          token,
          body: { Data: { Permissions }, Risk: {} },
        });
      const all = await ask(permissionsOf(has));
      assert.equal(all.status, 201, JSON.stringify(all.body));
      for (const permission of permissionsOf(lacks)) {
        const { status, body } = await ask(["ReadAccountsBasic", permission]);
        assert.equal(status, 400);
        const [error] = body.Errors ?? [];
        assert.equal(error?.ErrorCode, "U002");
        const message = `This bank does not offer these permissions: ${permission}.`;
        assert.ok(error?.Message.endsWith(message), error?.Message);
      }
    });

    test("discovery and a registered client have only the scopes of what is left", async () => {
      const discovery = await fetch(`${bank.publicUrl}/.well-known/openid-configuration`);
      const { scopes_supported: all } = (await discovery.json()) as { scopes_supported: string[] };
      assert.deepEqual(all.toSorted(), [...scopes, "openid"].sort());
      for (const scope of ["accounts", "payments", "fundsconfirmations"]) {
        const answer = await client.tokenAnswer({ grant_type: "client_credentials", scope });
        assert.equal(answer.status, scopes.includes(scope) ? 200 : 400, scope);
      }
    });

    test("the customer's pages show what the core has", async () => {
      const visitor = await logIn(bank, "ada");
      const { body } = await visitor.open(`${bank.publicUrl}/bank`);
      assert.match(body, /£10,000\.00/);
      const isShared = has.includes("account-access") || has.includes("funds-confirmation");
      assert.equal(body.includes('id="connections"'), isShared);
      for (const part of bankParts) {
        const { page } = rows[part];
        if (page === undefined) continue;
        assert.equal(body.includes(`href="${page}"`), has.includes(part), page);
        const { status } = await visitor.open(bank.publicUrl + page);
        assert.equal(status, has.includes(part) ? 200 : 404, page);
      }
    });
  });
}

describe("what a core says about itself is checked before it is called", () => {
  const faultsOf = (about: unknown) => listCoreFaults({ ...paperBank, about }).join();

  test("unknown parts, no parts, and data without accounts are refused with the way out", () => {
    assert.match(faultsOf({ parts: ["loans", "balances"] }), /unknown parts: "loans"\. It must be/);
    assert.match(faultsOf({ parts: [] }), /about\.parts is empty\. It must be a list of some of/);
    assert.match(faultsOf({}), /about\.parts is not a list/);
    assert.match(faultsOf("all"), /about\.parts is not a list/);
    assert.match(
      faultsOf({ parts: ["balances"] }),
      /has balances without account-access: add account-access/,
    );
    assert.equal(faultsOf({ parts: bankParts }), "");
    assert.equal(faultsOf(undefined), "");
  });

  test("five calls share accounts, and nine more pay", () => {
    const { authenticate, challenge, verify, loadCustomer, listAccounts } = paperBank;
    const sharing = { authenticate, challenge, verify, loadCustomer, listAccounts };
    const parts: BankPart[] = ["account-access", "balances", "transactions"];
    assert.deepEqual(listCoreFaults({ ...sharing, about: { parts } }), []);
    for (const name of Object.keys(sharing)) {
      const core = { ...sharing, [name]: undefined, about: { parts } };
      assert.match(listCoreFaults(core).join(), new RegExp(`functions are missing: ${name}$`));
    }
    const paying = { ...sharing, about: { parts: [...parts, "domestic-payment"] } };
    const [missing = ""] = listCoreFaults({ ...paying, exchangeCurrencies: [] });
    const calls =
      "loadAccount, findAccount, loadFunds, confirmFunds, price, reserve, execute, ask, release";
    // a service has a table of charges instead of the function
    assert.equal(missing, `these functions are missing: ${calls}, chargesOf`);
  });

  test("a core may omit only the calls that none of its parts needs", () => {
    const { reserve: _, exchangeCurrencies: __, ...core } = paperBank;
    assert.deepEqual(
      listCoreFaults({ ...core, about: { parts: ["account-access", "mandates"] } }),
      [],
    );
    const paysToo = { ...core, about: { parts: ["account-access", "domestic-payment"] } };
    assert.deepEqual(listCoreFaults(paysToo), [
      "these functions are missing: reserve",
      "exchangeCurrencies must be an array of currency codes",
    ]);
    assert.match(listCoreFaults(core).join(), /these functions are missing: reserve/);
  });
});
