import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ShownWorld, WorldRequest } from "#src/sandbox/controls/world-shapes.ts";
import type { CustomerDocument } from "#src/sandbox/own-data/document.ts";
import { expectStatus } from "#test/harness.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import { mayaAt } from "#test/sandbox/own-customer.ts";
import { approveIn, type Host, openWorldsHost, tppOf } from "./worlds-bed.ts";

let host: Host;
let red: ShownWorld;
let blue: ShownWorld;
before(async () => {
  host = await openWorldsHost();
  // at the same time, because days and dates follow from it
  const clock = { start: new Date(Date.now() - 1000).toISOString(), rate: 0 };
  const open = (name: string): Promise<ShownWorld> =>
    host.control("POST", "/worlds", { name, clock } satisfies WorldRequest);
  red = await open("red");
  blue = await open("blue");
});
after(() => host?.close());

const permissions = [
  "ReadAccountsDetail",
  "ReadBalances",
  "ReadBeneficiariesDetail",
  "ReadDirectDebits",
  "ReadOffers",
  "ReadPartyPSU",
  "ReadParty",
  "ReadProducts",
  "ReadScheduledPaymentsDetail",
  "ReadStandingOrdersDetail",
  "ReadStatementsDetail",
  "ReadTransactionsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
];
const resources = [
  "balances",
  "beneficiaries",
  "direct-debits",
  "party",
  "parties",
  "product",
  "scheduled-payments",
  "standing-orders",
  "statements",
  "transactions",
];

/** Everything that the account API says about a customer. Ids and times of statements differ. */
async function readAll(world: ShownWorld, customer: string): Promise<Record<string, unknown>> {
  const client = tppOf(host, world);
  try {
    const consentId = await lodgeAccess(client, { Permissions: permissions });
    const { access_token: token } = await approveIn(
      host,
      world,
      client,
      "accounts",
      consentId,
      customer,
    );
    const read = async (path: string): Promise<unknown> => {
      const answer = await client.call<{ Data: unknown }>({ path: `/v4.0/aisp/${path}`, token });
      expectStatus(answer, 200);
      return answer.body.Data;
    };
    const listed = (await read("accounts")) as { Account: { AccountId: string }[] };
    const all: Record<string, unknown> = { accounts: listed };
    for (const { AccountId: id } of listed.Account) {
      for (const resource of resources) {
        const path = `accounts/${id}/${resource}`;
        all[path] = await read(path);
      }
    }
    return all;
  } finally {
    client.close();
  }
}

test("an exported customer is the same at another bank, through every account resource", async () => {
  const document = mayaAt(Temporal.Instant.from(red.now));
  await host.control("POST", "/customers", document, red.publicUrl);
  const exported = await host.control<CustomerDocument>(
    "GET",
    "/customers/maya/export",
    undefined,
    red.publicUrl,
  );
  await host.control("POST", "/customers", exported, blue.publicUrl);
  const again = await host.control("GET", "/customers/maya/export", undefined, blue.publicUrl);
  assert.deepEqual(again, exported);
  const [first, second] = [await readAll(red, "maya"), await readAll(blue, "maya")];
  assert.equal(Object.keys(first).length, 1 + document.accounts.length * resources.length);
  const told = (answer: unknown): unknown =>
    JSON.parse(JSON.stringify(answer).replaceAll(/localhost:\d+/g, "localhost"));
  for (const [path, answer] of Object.entries(first)) {
    assert.deepEqual(told(second[path]), told(answer), path);
  }
  const main = JSON.stringify(first["accounts/acc-maya-main/transactions"]);
  assert.match(main, /tx-maya-main-000004/);
  assert.match(JSON.stringify(first["accounts/acc-maya-main/statements"]), /StatementId/);
  assert.match(JSON.stringify(first["accounts/acc-maya-main/direct-debits"]), /BRIGHT001/);
  assert.match(JSON.stringify(first["accounts/acc-maya-main/standing-orders"]), /RENT 12/);
  assert.match(JSON.stringify(first["accounts/acc-maya-main/scheduled-payments"]), /BIRTHDAY/);
  assert.match(JSON.stringify(first["accounts/acc-maya-main/beneficiaries"]), /Dora Vale/);
});

test("such a customer pays, and the bank carries on with the regular payments", async () => {
  const client = tppOf(host, blue);
  try {
    const lodged = await lodge(client);
    const { access_token: token } = await approveIn(
      host,
      blue,
      client,
      "payments",
      lodged.consentId,
      "maya",
    );
    const id = await order(client, lodged, token);
    await untilStatus(client, lodged.kind, id, "ACSC", "ACCC");
    await host.control("PUT", "/clock", { advance: "P2M" }, blue.publicUrl);
    const { accounts } = await host.control<CustomerDocument>(
      "GET",
      "/customers/maya/export",
      undefined,
      blue.publicUrl,
    );
    const texts = accounts.find(({ key }) => key === "main")?.transactions ?? [];
    for (const type of ["DD", "SO"]) {
      const made = texts.filter((one) => one.type === type);
      assert.ok(made.length >= 3, `${type} ${made.length}`);
    }
    assert.deepEqual(await host.control("GET", "/verify", undefined, blue.publicUrl), {
      holds: true,
      breaches: [],
    });
  } finally {
    client.close();
  }
});
