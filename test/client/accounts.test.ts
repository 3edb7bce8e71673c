import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Bank, Grant } from "#packages/client/src/index.ts";
import { type ClientBed, openClientBed, type Play, playing } from "./client-bed.ts";

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed.close());

const permissions = [
  "ReadAccountsDetail",
  "ReadBalances",
  "ReadBeneficiariesDetail",
  "ReadDirectDebits",
  "ReadOffers",
  "ReadParty",
  "ReadPartyPSU",
  "ReadProducts",
  "ReadScheduledPaymentsDetail",
  "ReadStandingOrdersDetail",
  "ReadStatementsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
  "ReadTransactionsDetail",
] as const;

type Reader = { client: Bank; grant: Grant };

async function openReader(
  options: Parameters<ClientBed["connect"]>[0] = {},
  customer = "amara",
): Promise<Reader> {
  const client = await bed.connect(options);
  const consent = await client.accounts.createConsent({
    Data: { Permissions: [...permissions] },
    Risk: {},
  });
  return { client, grant: await bed.approve(client, consent, customer) };
}

/** Counts the entries of a list, and its pages. */
async function count(entries: AsyncIterable<unknown>): Promise<number> {
  let number = 0;
  for await (const _ of entries) number += 1;
  return number;
}

for (const version of ["v3.1", "v4.0"] as const) {
  describe(`account information ${version}`, () => {
    let reader: Reader;
    let accountId: string;
    let requests: string[] = [];
    before(async () => {
      reader = await openReader({
        versions: { accounts: version },
        fetch(url, options, send) {
          requests.push(url);
          return send(url, options);
        },
      });
      const [account] = await bed.bank.currentAccounts("amara");
      accountId = String(account?.accountId);
    });

    const resources = [
      "accounts",
      "balances",
      "beneficiaries",
      "direct-debits",
      "offers",
      "party",
      "products",
      "scheduled-payments",
      "standing-orders",
      "statements",
      "transactions",
    ] as const;
    for (const resource of resources) {
      test(`reads all entries of ${resource}`, async () => {
        const { client, grant } = reader;
        const all = client.accounts.readAll(resource, grant);
        const { value, done } = await all.next();
        assert.ok(done || typeof value === "object", JSON.stringify(value));
        if (resource === "accounts") assert.match(JSON.stringify(value), /AccountId/);
        if (resource === "party") assert.match(JSON.stringify(value), /PartyId/);
      });
    }

    test("reads page after page, each transaction once, and no page more than is used", async () => {
      const { client, grant } = reader;
      const query = { fromBookingDateTime: "2026-01-01T00:00:00" };
      requests = [];
      const ids: string[] = [];
      for await (const one of client.accounts.read("transactions", accountId, grant, { query })) {
        ids.push(String(one.TransactionId));
      }
      const pages = requests.filter((url) => url.includes("/transactions"));
      assert.ok(pages.length > 1, `${pages.length} pages`);
      assert.ok(pages.every((url) => url.includes("fromBookingDateTime")));
      assert.equal(new Set(ids).size, ids.length);
      requests = [];
      await client.accounts.read("transactions", accountId, grant, { query }).next();
      assert.equal(requests.length, 1);
    });

    test("downloads a statement", async () => {
      const { client, grant } = reader;
      const statements = client.accounts.read("statements", accountId, grant);
      const { value } = await statements.next();
      const { StatementId } = value as { StatementId: string };
      const file = await client.accounts.downloadStatement(accountId, StatementId, grant);
      assert.equal(Buffer.from(file.subarray(0, 5)).toString(), "%PDF-");
    });
  });
}

test("a consent is read and deleted, and its grant then reads nothing", async () => {
  const client = await bed.connect();
  const { accounts } = client;
  const consent = await accounts.createConsent({
    Data: { Permissions: ["ReadAccountsBasic"] },
    Risk: {},
  });
  const grant = await bed.approve(client, consent);
  assert.equal((await accounts.readConsent(consent)).Data.Status, "AUTH");
  await accounts.deleteConsent(consent);
  await assert.rejects(accounts.readAll("accounts", grant).next(), /invalid_grant/);
});

test("a reader whose token expires between two pages goes on", async () => {
  const refreshed: Grant[] = [];
  const { client, grant } = await openReader(
    { onRefresh: (one) => void refreshed.push(one) },
    "grace",
  );
  let read = 0;
  for await (const _ of client.accounts.readAll("transactions", grant)) {
    read += 1;
    if (read === 1) await bed.sandbox.advance("PT1H");
  }
  assert.ok(read > 100, `${read} transactions`);
  assert.deepEqual(refreshed, [grant]);
});

/** Changes the link to the next page. */
const linking =
  (change: (next: string) => string): Play =>
  async ({ url, options, send }) => {
    const answer = await send(url, options);
    const body = (await answer.json()) as { Links: { Next?: string } };
    if (body.Links.Next) body.Links.Next = change(body.Links.Next);
    return new Response(JSON.stringify(body), answer);
  };

const transactions = /\/transactions$/;

test("a token does not follow a link to another host", async () => {
  const elsewhere = linking((next) => next.replace(/localhost:\d+/, "evil.example"));
  const { fetch } = playing("GET", transactions, elsewhere);
  const { client, grant } = await openReader({ fetch });
  await assert.rejects(count(client.accounts.readAll("transactions", grant)), {
    name: "VerificationError",
    message: /evil\.example.*pageLinks/,
  });
});

test("links to another host are read on the configured one, if the bank always does that", async () => {
  const elsewhere = linking((next) => next.replace(/localhost:\d+/, "brand.example"));
  const { fetch } = playing("GET", transactions, elsewhere);
  const deviations = { pageLinks: "on the configured host" } as const;
  const { client, grant } = await openReader({ fetch, deviations });
  const here = await openReader();
  assert.equal(
    await count(client.accounts.readAll("transactions", grant)),
    await count(here.client.accounts.readAll("transactions", here.grant)),
  );
});

test("a list whose next page is always the same one ends with an error", async () => {
  let first: string | undefined;
  const { fetch } = playing(
    "GET",
    transactions,
    linking((next) => {
      first ??= next;
      return first;
    }),
  );
  const { client, grant } = await openReader({ fetch });
  await assert.rejects(count(client.accounts.readAll("transactions", grant)), {
    name: "VerificationError",
    message: /repeats/,
  });
});

test("the customer who is present is named in the headers", async () => {
  const played = playing("GET", /\/accounts$/, () => null);
  const { client, grant } = await openReader({ fetch: played.fetch });
  const loggedInAt = new Date("2026-11-24T09:00:00Z");
  const customer = { ipAddress: "203.0.113.7", userAgent: "Firefox", loggedInAt };
  await client.accounts.readAll("accounts", grant, { customer }).next();
  const headers = played.seen[0]?.headers ?? {};
  assert.equal(headers["x-fapi-customer-ip-address"], "203.0.113.7");
  assert.equal(headers["x-customer-user-agent"], "Firefox");
  assert.equal(headers["x-fapi-auth-date"], "Tue, 24 Nov 2026 09:00:00 GMT");
});

for (const version of ["v3.1", "v4.0"] as const) {
  test(`a card issuer asks about funds on ${version}, until the consent is deleted`, async () => {
    const client = await bed.connect({ versions: { funds: version } });
    const [account] = await bed.bank.currentAccounts("amara");
    const consent = await client.funds.createConsent({
      Data: {
        DebtorAccount: {
          SchemeName: "UK.OBIE.SortCodeAccountNumber",
          Identification: String(account?.identification),
          Name: "Amara",
        },
      },
    });
    const grant = await bed.approve(client, consent);
    const ask = (Amount: string) =>
      client.funds.confirm(consent, grant, {
        Reference: `purchase of ${Amount}`,
        InstructedAmount: { Amount, Currency: "GBP" },
      });
    assert.equal((await ask("1.00")).Data.FundsAvailable, true);
    assert.equal((await ask("99999999.00")).Data.FundsAvailable, false);
    assert.equal((await client.funds.readConsent(consent)).Data.ConsentId, consent.id);
    await client.funds.deleteConsent(consent);
    await assert.rejects(ask("1.00"), /invalid_grant/);
  });
}
