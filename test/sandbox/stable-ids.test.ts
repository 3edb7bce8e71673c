import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { ensureDirectory } from "#src/sandbox/directory/directory.ts";
import { openBank, type TestBank } from "#test/harness.ts";

// The ids below are written out, because the ids of a sandbox must not change between versions:
// docs/sandbox.md and the tests of other programs name them.
let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank.close());

test("the ids of the sandbox's accounts depend on their customers and nicknames only", async () => {
  const amara = present(
    (await bank.customers()).find(({ login }) => login === "amara"),
    "amara",
  );
  const ids = amara.accounts.map(({ accountId, accountSubType }) => [accountSubType, accountId]);
  assert.deepEqual(ids, [
    ["CurrentAccount", "acc-qaukodbe2axxbzy1"],
    ["Savings", "acc-adqwcifqsm1pppwd"],
    ["CreditCard", "acc-pge2agtxzspixqql"],
  ]);
});

test("a customer has the same id in every sandbox", async () => {
  const customer = await bank.bank.authenticate("amara", "amara-sandbox");
  assert.equal(customer?.customerId, "cus-vdhwajkgzppikzio");
});

test("the ready TPPs have the same ids in every sandbox", () => {
  const { readyTpps } = present(bank.sandbox, "the sandbox");
  assert.deepEqual(
    readyTpps.map(({ tpp: { clientId, organisationId, softwareId } }) => ({
      clientId,
      organisationId,
      softwareId,
    })),
    [
      {
        clientId: "tpp-tkq4fdevo74y1i1g",
        organisationId: "00158000s7z5jux7nj",
        softwareId: "ic1lwpdsnsgyxprniwxo3e",
      },
      {
        clientId: "tpp-muepxlrodsyqkhg2",
        organisationId: "00158000rfpdwpgk8r",
        softwareId: "d4luldkalmiljuiot0yswk",
      },
    ],
  );
});

test("a TPP that a developer registers has an id that cannot be guessed", async () => {
  const [one, other] = [await bank.createTpp(), await bank.createTpp()];
  assert.match(one.tpp.clientId, /^tpp-[0-9a-z]{26}$/);
  assert.notEqual(one.tpp.clientId, other.tpp.clientId);
});

test("a second folder of keys on the same database gets a ready TPP with other ids", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-keys-"));
  after(() => rmSync(folder, { recursive: true }));
  const { readyTpps } = present(bank.sandbox, "the sandbox");
  const first = present(readyTpps[0], "the ready TPP").tpp;
  const directory = await ensureDirectory({
    folder,
    database: bank.database,
    clock: systemClock,
    publicUrl: bank.publicUrl,
    hosts: ["localhost"],
  });
  const { name, roles, redirectUris } = first;
  const second = await directory.ensureReadyTpp("ready", { name, roles, redirectUris });
  assert.match(second.clientId, /^tpp-[0-9a-z]{26}$/);
  const known = present(await directory.loadTpp(second.clientId), "the second TPP");
  assert.equal(known.signing.kid, second.signing.kid);
});
