// A TPP should not need a profile for this bank. These tests check that every account resource and
// its links avoid the mistakes of real banks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accountEndpoints, supportedPermissions } from "#src/accounts/account-resources.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess, type Resource } from "./payments.ts";
import { type Access, Bed, type Page } from "./profile-free.ts";

let bed: Bed;
let bank: TestBank;
let client: TppClient;
let access: Access;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  bed = new Bed(bank, client);
  access = await bed.grantAccess({ Permissions: [...supportedPermissions()] });
});
after(() => bank?.close());

type List<Item = Record<string, unknown>> = { Data: Record<string, Item[]>; Links: Links };
type Links = { Self: string; First?: string; Prev?: string; Next?: string };

const read = <Body = List>(path: string) => bed.read<Body>(path, access.tokens.access_token);
const below = (path: string) => `/accounts/${access.accountId}${path}`;

/** Lists the URL of each resource that returns JSON, and the name of its list. */
async function addresses(): Promise<[url: string, arrayName: string][]> {
  const statements = await read<List<{ StatementId: string }>>(below("/statements"));
  const statementId = statements.body.Data.Statement?.[0]?.StatementId;
  assert.ok(statementId);
  return accountEndpoints("aisp-v3.1")
    .filter(({ file }) => !file)
    .map(({ path, arrayName }) => [
      path.replace(":AccountId", access.accountId).replace(":StatementId", statementId),
      arrayName,
    ]);
}

test("every link of every resource uses the configured address and path", async () => {
  const base = `${bank.mtlsUrl}/api/open-banking/v3.1/aisp`;
  for (const [path, arrayName] of await addresses()) {
    const answer = await read(path);
    expectStatus(answer, 200);
    const { Self, ...others } = answer.body.Links;
    assert.equal(Self, base + path, "Self is the requested URL");
    for (const [name, link] of Object.entries(others)) {
      assert.ok(link === base + path || link.startsWith(`${base}${path}?`), `${name}: ${link}`);
      assert.doesNotMatch(new URL(link).pathname, /\/\//);
      const led = await read(link);
      expectStatus(led, 200);
      assert.equal(led.body.Links.Self, link, "a link's Self is the link");
      assert.ok(arrayName in led.body.Data, "a link returns the same resource");
    }
  }
});

test("following Next returns a whole list once, with its filter, and Next is never null", async () => {
  const day = bed.bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().subtract({ days: 300 });
  const from = `fromBookingDateTime=${day}T00%3A00%3A00`;
  for (const query of ["", `?${from}`]) {
    const ids: string[] = [];
    let next: string | undefined = below(`/transactions${query}`);
    while (next !== undefined) {
      const page: { body: Page } = await read<Page>(next);
      ids.push(...page.body.Data.Transaction.map((one) => one.TransactionId ?? ""));
      assert.doesNotMatch(JSON.stringify(page.body.Links), /null/);
      next = page.body.Links.Next;
      if (next !== undefined) assert.equal(next.includes(from), query !== "");
    }
    assert.ok(ids.length > 25);
    assert.equal(new Set(ids).size, ids.length);
  }
});

test("the previous payment of a direct debit has the date of a collection that was made", async () => {
  type Mandate = { PreviousPaymentDateTime?: string; PreviousPaymentAmount?: { Amount: string } };
  const { body } = await read<List<Mandate>>(below("/direct-debits"));
  const mandates = body.Data.DirectDebit ?? [];
  const lines = await bed.transactions(access);
  assert.ok(mandates.length > 0);
  for (const { PreviousPaymentDateTime: at = "", PreviousPaymentAmount: paid } of mandates) {
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
    const made = lines.some(
      (one) => one.BookingDateTime === at && one.Amount.Amount === paid?.Amount,
    );
    assert.ok(made, at);
  }
});

test("no member of a resource is empty, and no mandatory member is absent", async () => {
  for (const [path, arrayName] of await addresses()) {
    // the published schema, which every response is checked against, finds absent members
    const answer = await read(path);
    const items = [answer.body.Data[arrayName] ?? []].flat();
    assert.doesNotMatch(JSON.stringify(items), /":(null|""|\{\})[,}]/, path);
  }
});

test("party and parties exist for the account and for the customer", async () => {
  type Party = { Name?: string; FullLegalName?: string };
  const names: string[] = [];
  for (const path of [below("/party"), below("/parties"), "/party"]) {
    const answer = await read<{ Data: { Party: Party | Party[] } }>(path);
    expectStatus(answer, 200);
    names.push(...[answer.body.Data.Party].flat().map(({ Name }) => Name ?? ""));
  }
  assert.deepEqual([...new Set(names)], ["Amara Okafor"]);
});

test("every session can read the accounts, as often as it likes", async () => {
  const first = await read<object>("/accounts");
  const { consentId } = access;
  const again = await bank.approve(client, { scope: "accounts", consentId, customer: "amara" });
  const renewed = await client.refresh(again.refresh_token ?? "");
  for (const token of [again.access_token, renewed.access_token, renewed.access_token]) {
    const answer = await bed.read<object>("/accounts", token);
    expectStatus(answer, 200);
    assert.deepEqual(answer.body, first.body);
  }
  access = { ...access, tokens: renewed };
});

test("at each step of its life, a consent's status is one of the standard's", async () => {
  const words = ["AwaitingAuthorisation", "Authorised", "Rejected"];
  const statusOf = async (consentId: string) => {
    const answer = await client.call<Resource>({
      path: `/v3.1/aisp/account-access-consents/${consentId}`,
      token: await client.clientToken("accounts"),
    });
    expectStatus(answer, 200);
    return String(answer.body.Data.Status);
  };
  const consentId = await lodgeAccess(client);
  const seen = [await statusOf(consentId), await statusOf(access.consentId)];
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
  await bank.decide({ authorizationUrl, customer: "amara", decision: "deny" });
  seen.push(await statusOf(consentId));
  assert.deepEqual(seen, words);
  // after the consent's expiry its status stays the same, and the token is refused
  const end = bank.clock.now().add({ hours: 1 }).toString({ smallestUnit: "second" });
  const ending = await bed.grantAccess({ ExpirationDateTime: end });
  await bank.advance("PT2H");
  assert.equal(await statusOf(ending.consentId), "Authorised");
  assert.equal((await bed.read("/accounts", ending.tokens.access_token)).status, 401);
});
