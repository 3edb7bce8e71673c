// A control that is refused has changed nothing: whoever reads the refusal can send it again.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createPace, gatePace, type Pace } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { lease } from "#test/payments/stored-orders.ts";
import { type ActsBed, openActs } from "./acts-bed.ts";
import { type Caller, callerOf } from "./caller.ts";
import { routes } from "./control-routes.ts";

// The bank does no work of its own, such as the payments that fall due, while tables are compared.
let isHeld = false;
const running = new Set<unknown>();
const machine = createPace();
const pace: Pace = {
  ...gatePace(machine, () => !isHeld),
  every: (intervalMs, run) =>
    machine.every(intervalMs, async () => {
      if (isHeld) return;
      const work = (async () => run())();
      running.add(work);
      await work.finally(() => running.delete(work));
    }),
};

/** Runs `compare` after all work of the bank has ended, and before more begins. */
async function whileHeld<T>(compare: () => Promise<T>): Promise<T> {
  isHeld = true;
  try {
    await Promise.allSettled(running);
    return await compare();
  } finally {
    isHeld = false;
  }
}

let bed: ActsBed;
let call: Caller;
before(async () => {
  bed = await openActs({ pace });
  call = callerOf(bed.bank);
});
after(() => bed?.bank.close());

/**
 * The rows of every table, as one value for each table. The log of requests is left out, and the
 * time at which the bank last asked a core for a customer's answer, which it does by itself.
 */
async function contents(database: Database): Promise<Record<string, unknown>> {
  const tables = await database.query<{ name: string }>(sql`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not like 'request_log%' order by table_name`);
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    const text = `select md5(string_agg(row::text, ';' order by row::text)) as hash
      from (select to_jsonb(t) - 'asked_at' as row from ${name} t) as rows`;
    const [row] = await database.query<{ hash: string }>({ text, values: [] });
    found[name] = row?.hash;
  }
  return found;
}

/** Resolves when what the bank does by itself, such as asking a customer, has come to rest. */
async function untilSettled(): Promise<void> {
  let known = "";
  for (;;) {
    const found = JSON.stringify(await contents(bed.bank.database));
    if (found === known) return;
    known = found;
    await setTimeout(200);
  }
}

type Control = readonly [method: string, path: string, body: unknown];

/** Sends a control, which must be refused with this status, and asserts that nothing changes. */
const changesNothing = (control: Control, status?: number): Promise<string> =>
  whileHeld(() => compareAround(control, status));

async function compareAround([method, path, body]: Control, status?: number): Promise<string> {
  const earlier = await contents(bed.bank.database);
  const answer = await call(method, path, body);
  const text = await answer.text();
  if (status === undefined ? answer.status < 400 : answer.status !== status) {
    if (status === undefined) return text;
    assert.fail(`${answer.status} ${text}`);
  }
  assert.deepEqual(await contents(bed.bank.database), earlier, text);
  return text;
}

describe("a control that names nothing that there is changes nothing", () => {
  for (const route of routes.filter(([method]) => method !== "GET")) {
    test(`${route[0]} ${route[1]}`, () => changesNothing(route).then(() => undefined));
  }
});

const delayed = { by: "PT1H" };
/** Payees, by what the sandbox does with a payment to them. */
const [settles, never, reviewed] = ["00990000000001", "00990000000004", "00990000000005"];

/** Leases a payment to another engine during the control. */
const whileBusy = (act: string, payee: string, status: string, body: object) => async () => {
  const { id } = await bed.order("domestic-payment", payee, status);
  await lease(bed.bank.database, id, "another engine");
  await changesNothing(["POST", `/payments/${id}/${act}`, body], 409);
  await lease(bed.bank.database, id, null);
};

const late: [title: string, refused: () => Promise<unknown>][] = [
  ["advance, of a payment that the engine keeps", whileBusy("advance", reviewed, "ACFC", {})],
  ["refuse, of a payment that the engine keeps", whileBusy("refuse", never, "ACSC", {})],
  ["delay, of a payment that the engine keeps", whileBusy("delay", reviewed, "ACFC", delayed)],
  [
    "delay, of a payment that nobody will answer",
    async () => {
      const { id } = await bed.order("domestic-payment", never, "ACSC");
      await changesNothing(["POST", `/payments/${id}/delay`, delayed], 409);
    },
  ],
  [
    "return, of a payment that was returned before",
    async () => {
      const { id } = await bed.order("domestic-payment", settles, "ACCC");
      const path = `/payments/${id}/return`;
      assert.equal((await call("POST", path, {})).status, 200);
      await changesNothing(["POST", path, {}], 409);
    },
  ],
  [
    "suspend, of a consent to accounts",
    async () => {
      const { consentId } = await bed.access();
      await changesNothing(["POST", `/consents/${consentId}/suspend`, {}], 409);
    },
  ],
  [
    "revoke, of a consent that was revoked before",
    async () => {
      const { consentId } = await bed.access();
      const path = `/consents/${consentId}/revoke`;
      assert.equal((await call("POST", path, {})).status, 200);
      await changesNothing(["POST", path, {}], 409);
    },
  ],
  [
    "expire, of a consent that nobody has authorised",
    async () => {
      const consentId = await lodgeAccess(bed.client);
      await changesNothing(["POST", `/consents/${consentId}/expire`, {}], 409);
    },
  ],
  [
    "pay-in, of no amount of the account's currency",
    () => changesNothing(["POST", `/accounts/${bed.accountId}/pay-in`, { amount: "0.001" }], 400),
  ],
  [
    "fire-event, about accounts for a consent",
    async () => {
      const { consentId } = await bed.access();
      await changesNothing(["POST", `/objects/${consentId}/fire-event`, {}], 409);
    },
  ],
  [
    "the clock, backwards",
    () => changesNothing(["PUT", "/clock", { now: "2001-01-01T00:00Z" }], 400),
  ],
  [
    "the clock, backwards with a rate",
    () => changesNothing(["PUT", "/clock", { now: "2001-01-01T00:00Z", rate: 10 }], 400),
  ],
  [
    "a new customer, whose login is taken",
    async () => {
      const accounts = [{ key: "main", type: "CurrentAccount", balance: "1.00" }];
      await changesNothing(["POST", "/customers", { login: "amara", name: "None", accounts }]);
    },
  ],
  [
    "deleting a customer of every sandbox",
    () => changesNothing(["DELETE", "/customers/amara", undefined], 409),
  ],
  [
    "an approval in the app, with an account that cannot be chosen",
    async () => {
      const consentId = await lodgeAccess(bed.client);
      const claims = await hintOf("amara");
      const begun = await bed.client.backchannel({ scope: "accounts", consentId, claims });
      assert.equal(begun.status, 200, begun.raw.toString());
      const listed = await call("GET", "/approvals");
      const { approvals } = (await listed.json()) as { approvals: { approvalId: string }[] };
      const path = `/approvals/${encodeURIComponent(String(approvals[0]?.approvalId))}`;
      const wrong = { decision: "approve", accountIds: ["none"] };
      await untilSettled();
      const said = await changesNothing(["POST", path, wrong], 409);
      assert.match(said, /`accountIds` must name accounts from .+ Nothing was done\./);
      assert.equal((await call("POST", path, { decision: "approve" })).status, 200);
    },
  ],
];

/** A claim that names a customer by an identifier from the app. */
async function hintOf(customer: string): Promise<Record<string, string>> {
  const answer = await call("POST", "/approvals/one-time-identifiers", { customer });
  const { identifier } = (await answer.json()) as { identifier: string };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const login_hint_token = `${encode({ alg: "none" })}.${encode({ ephemeral_sub: identifier })}.`;
  return { login_hint_token };
}

describe("a control that is refused for what it finds changes nothing", () => {
  for (const [title, refused] of late) test(title, async () => void (await refused()));
});
