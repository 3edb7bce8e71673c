import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { CustomerDocument } from "#src/sandbox/own-data/document.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { runCommand } from "#test/server/run-command.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";
import { mayaAt } from "./own-customer.ts";

let bank: TestBank;
let call: Caller;
let folder: string;
let run: (line: string) => ReturnType<typeof runCommand>;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
  folder = mkdtempSync(join(tmpdir(), "aldgate-acts-"));
  run = (line) => runCommand(line, { PUBLIC_PORT: new URL(bank.publicUrl).port });
  const { now } = await bank.control<{ now: string }>("GET", "/clock");
  writeFileSync(join(folder, "maya.json"), JSON.stringify(mayaAt(Temporal.Instant.from(now))));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bank?.close();
});

test("customers are created, listed, exported, copied and deleted by commands", async () => {
  const created = await run(`customers create ${folder}/maya.json`);
  assert.match(created.printed, /^maya {2}maya-sandbox {2}Maya Lind {2}\S+ {2}acc-maya-\w+/);
  assert.match((await run("customers list")).printed, /^maya {2}/m);
  const { printed } = await run("customers export maya --json");
  assert.equal((JSON.parse(printed) as CustomerDocument).login, "maya");
  await run(`customers export maya --out ${folder}/copy.json`);
  const copied = await run(`customers import ${folder}/copy.json --as nora`);
  assert.match(copied.printed, /^nora {2}nora-sandbox .*acc-nora-main/);
  const { now } = await bank.control<{ now: string }>("GET", "/clock");
  const asOf = Temporal.Instant.from(now).subtract({ hours: 2400 });
  const old = { ...mayaAt(asOf), asOf: asOf.toString() };
  writeFileSync(join(folder, "old.json"), JSON.stringify(old));
  await run(`customers import ${folder}/old.json --as olga --shift`);
  assert.deepEqual(await openings("olga"), (await openings("maya")).map(after100Days));
  assert.equal((await run("customers delete nora")).printed, "The customer nora is deleted.");
  const again = await run(`customers create ${folder}/maya.json`);
  assert.equal(again.code, 1);
  assert.match(again.complained, /login: This bank has or had a customer with this login/);
  assert.match((await run("customers create none.json")).complained, /There is no file none.json/);
});

const openings = async (login: string): Promise<string[]> =>
  (JSON.parse((await run(`customers export ${login} --json`)).printed) as CustomerDocument).accounts
    .map(({ openedOn }) => openedOn ?? "")
    .sort();

const after100Days = (day: string): string =>
  Temporal.PlainDate.from(day).add({ days: 100 }).toString();

type Order = { orderId: string; kind: string; text: string; canAct: boolean };
const orders = async (): Promise<Order[]> =>
  (await bank.control<{ payments: Order[] }>("GET", "/customers/maya/payments")).payments;
type Given = { consentId: string; status: string; deletedAt: string | null };
const consents = async (): Promise<Given[]> =>
  (await bank.control<{ consents: Given[] }>("GET", "/customers/maya/consents")).consents;

test("a customer's orders are listed and cancelled by program", async () => {
  const all = await orders();
  assert.deepEqual(all.map(({ kind, canAct }) => [kind, canAct]).sort(), [
    ["domestic-scheduled-payment", true],
    ["domestic-standing-order", true],
  ]);
  for (const { orderId } of all) {
    await bank.control("POST", `/customers/maya/payments/${orderId}/cancellation`, {});
  }
  assert.deepEqual(await orders(), []);
  const [first] = all;
  const path = `/customers/maya/payments/${first?.orderId}/cancellation`;
  const again = await call("POST", path, {});
  assert.match(await again.clone().text(), /The order has already been cancelled\./);
  await expectRefusal(again, 409);
  const other = `/customers/amara/payments/${first?.orderId}/cancellation`;
  await expectRefusal(await call("POST", other, {}), 404);
});

test("a customer's payee is added by program, once", async () => {
  const payee = {
    name: "Olu Bright",
    schemeName: "UK.OBIE.SortCodeAccountNumber",
    identification: "00980077001234",
  };
  assert.deepEqual(await bank.control("POST", "/customers/maya/payees", payee), payee);
  await expectRefusal(await call("POST", "/customers/maya/payees", payee), 409);
  const wrong = { ...payee, schemeName: "UK.OBIE.IBAN" };
  await expectRefusal(await call("POST", "/customers/maya/payees", wrong), 400);
  const { beneficiaries } = await bank.control<CustomerDocument>("GET", "/customers/maya/export");
  assert.ok(beneficiaries?.some(({ name }) => name === payee.name));
});

test("a customer's direct debit is cancelled by program", async () => {
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client, {
    Permissions: ["ReadAccountsBasic", "ReadDirectDebits"],
  });
  const given = { scope: "accounts", consentId, customer: "maya" } as const;
  const { access_token: token } = await bank.approve(client, given);
  const read = async () => {
    const path = "/v4.0/aisp/accounts/acc-maya-main/direct-debits";
    const answer = await client.call<{
      Data: { DirectDebit: { DirectDebitId: string; DirectDebitStatusCode: string }[] };
    }>({ path, token });
    return answer.body.Data.DirectDebit;
  };
  const [first] = await read();
  const path = `/customers/maya/direct-debits/${first?.DirectDebitId}/cancellation`;
  await bank.control("POST", path, {});
  assert.notEqual((await read())[0]?.DirectDebitStatusCode, first?.DirectDebitStatusCode);
  await expectRefusal(await call("POST", path, {}), 404);
});

test("a customer's consents are listed, and end with their TPP, which a command deletes", async () => {
  const client = await bank.createTpp();
  const ids: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const consentId = await lodgeAccess(client);
    await bank.approve(client, { scope: "accounts", consentId, customer: "maya" });
    ids.push(consentId);
  }
  const [revoked = "", kept = ""] = ids;
  await bank.control("POST", `/consents/${revoked}/revoke`, {});
  const statusOf = async (id: string) => {
    const given = (await consents()).find(({ consentId }) => consentId === id);
    return given?.deletedAt ? "deleted" : given?.status;
  };
  assert.deepEqual([await statusOf(revoked), await statusOf(kept)], ["CANC", "AUTH"]);
  const { clientId } = client.tpp;
  const done = await run(`tpp delete ${clientId}`);
  assert.equal(done.printed, `The TPP ${clientId} is deleted.`);
  assert.equal(await statusOf(kept), "deleted");
  assert.equal((await run("tpp delete tpp-none")).code, 1);
});
