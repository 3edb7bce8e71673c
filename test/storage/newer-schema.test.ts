import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { createPace } from "#src/lib/clock.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { openSchemaWatch } from "#src/server/health/watch-schema.ts";
import type { Database } from "#src/storage/database.ts";
import {
  createSchemaCheck,
  listMigrations,
  type Migration,
  migrate,
  OtherSchema,
  readSchemaState,
} from "#src/storage/migrate.ts";
import { sql } from "#src/storage/sql.ts";
import { pollNow, revoke, subscribe } from "#test/events/events-bed.ts";
import { HandTimers } from "#test/hand-timers.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, order, readOrder, untilStatus } from "#test/journeys/payments.ts";
import { onPostgres } from "#test/postgres.ts";
import { openWithoutSchema } from "#test/sandbox/bank/empty-bank.ts";
import { approved, startSecondBank, tellingPath } from "#test/second-bank/second-bank.ts";
import { until } from "#test/until.ts";
import { writesTo } from "./writes-to.ts";

const expanding: Migration = {
  name: "9998_expand",
  text: "-- Room: payments.\ncreate table next_thing (id text);",
};
const contracting: Migration = {
  name: "9999_contract",
  text: "-- Room: payments.\n-- Contract: after release 99.0.0.\ndrop table next_thing;",
};
// numbers are given before branches land, so a lower one can land later
const between: Migration = { name: "0053_between", text: "-- Room: payments.\nselect 1" };
const withMore = (...more: Migration[]) => [...listMigrations(), ...more];

describe("a schema that a newer version has changed", () => {
  let database: Database;
  beforeEach(async () => {
    database = await openWithoutSchema();
  });

  test("is served if nothing was taken away", async () => {
    try {
      await migrate(database, { migrations: withMore(expanding) });
      await createSchemaCheck()(database);
      assert.deepEqual(await migrate(database), []);
      const { missing, newer } = await readSchemaState(database);
      assert.deepEqual([missing, newer], [[], [expanding.name]]);
      assert.deepEqual(await verifyInvariants(database, {}), []);
    } finally {
      await database.close();
    }
  });

  test("is served if what was added has a lower number than the newest migration", async () => {
    try {
      await migrate(database);
      const other = withMore(between).sort((a, b) => (a.name < b.name ? -1 : 1));
      assert.notEqual(other.at(-1), between);
      assert.deepEqual(await migrate(database, { migrations: other }), [between.name]);
      await createSchemaCheck()(database);
      assert.deepEqual((await readSchemaState(database)).newer, [between.name]);
      await database.execute(
        "update migration set served_from = '99.0.0' where name = '0053_between'",
      );
      const message = "this version has no migration 0053_between, which needs 99.0.0 or later";
      await assert.rejects(createSchemaCheck()(database), { message });
    } finally {
      await database.close();
    }
  });

  test("is refused if only a later release can serve it, and the message names this release", async () => {
    try {
      await migrate(database, { migrations: withMore(expanding, contracting) });
      await assert.rejects(migrate(database), (error: Error) => {
        assert.ok(error instanceof OtherSchema);
        assert.equal(
          error.message,
          "this version has no migration 9999_contract, which needs 99.0.0 or later",
        );
        return true;
      });
    } finally {
      await database.close();
    }
  });

  test("is refused if nobody has recorded who can serve it", async () => {
    try {
      await migrate(database, { migrations: withMore(expanding) });
      await database.execute("update migration set served_from = null where name = '9998_expand'");
      await assert.rejects(createSchemaCheck()(database), /has no migration 9998_expand$/);
    } finally {
      await database.close();
    }
  });
});

test("a schema that lacks a migration of this version is not served", async () => {
  const database = await openWithoutSchema();
  try {
    await migrate(database, { withSandbox: false });
    await createSchemaCheck()(database);
    const { name = "" } =
      listMigrations().findLast(({ text }) => !/^-- Room: sandbox/.test(text)) ?? {};
    await database.query(sql`delete from migration where name = ${name}`);
    await assert.rejects(createSchemaCheck()(database), {
      message: `The database lacks migration ${name}. Run \`./aldgate migrate\`.`,
    });
  } finally {
    await database.close();
  }
});

const skip = onPostgres ? false : "needs a PostgreSQL server, which several processes can use";

/** What an answer says about its connection. */
const closes = async (base: string): Promise<string | undefined> => {
  const [answer] = (await once(get(`${base}/health/live`), "response")) as [IncomingMessage];
  answer.resume();
  return answer.headers.connection;
};

describe("a process whose schema a newer version changes", { skip }, () => {
  let bank: TestBank;
  before(async () => {
    bank = await openBank();
  });
  after(() => bank?.close());

  const ready = async (base: string): Promise<[number, object]> => {
    const answer = await fetch(`${base}/health/ready`);
    return [answer.status, (await answer.json()) as object];
  };

  test("goes on if it can serve the schema, and otherwise leaves the balancer, says why, and takes no new payment", async () => {
    const client = await bank.createTpp();
    const approved = async () => {
      const lodged = await lodge(client);
      const [account] = await bank.currentAccounts("amara");
      const { access_token: token } = await bank.approve(client, {
        scope: "payments",
        consentId: lodged.consentId,
        customer: "amara",
        accounts: [account?.accountId ?? ""],
      });
      return { lodged, token };
    };
    const first = await approved();
    const second = await approved();
    await migrate(bank.database, { migrations: withMore(expanding) });
    const { kind } = first.lodged;
    await untilStatus(client, kind, await order(client, first.lodged, first.token), "ACCC");
    assert.deepEqual(await ready(bank.publicUrl), [200, { status: "ready" }]);

    await migrate(bank.database, { migrations: withMore(expanding, contracting) });
    await until(
      () => ready(bank.publicUrl),
      ([status]) => status === 503,
    );
    assert.deepEqual(await ready(bank.publicUrl), [503, { status: "schema not served" }]);
    assert.deepEqual(await ready(bank.managementUrl), [
      503,
      {
        status: "schema not served",
        engineLagSeconds: null,
        degraded: ["schema"],
        schema: "this version has no migration 9999_contract, which needs 99.0.0 or later",
      },
    ]);

    const log: string[] = [];
    const note = (details: object, text: string): void =>
      void log.push(JSON.stringify(details), text);
    const other = openSchemaWatch(bank.database, { error: note, warn: note });
    for (const _ of [1, 2]) assert.match((await other.look()) ?? "", /9999_contract/);
    assert.equal(other.admits(), false);
    assert.deepEqual(log, [
      '{"schema":"this version has no migration 9999_contract, which needs 99.0.0 or later"}',
      "this version cannot serve the schema: it begins no work of its own, and is not ready",
    ]);

    // what still reaches it is answered; a process that can serve the schema makes the payment
    const waiting = await order(client, second.lodged, second.token);
    assert.equal(await bank.engine.tick(), 0);
    assert.equal((await readOrder(client, kind, waiting)).Status, "RCVD");
    await bank.database.execute("update migration set served_from = '0.0.0'");
    await untilStatus(client, kind, waiting, "ACCC");
    await until(
      () => ready(bank.publicUrl),
      ([status]) => status === 200,
    );
  });
});

test("a process that cannot serve the schema begins nothing that writes, and catches up once it can", {
  skip,
}, async () => {
  const second = await startSecondBank();
  const timers = new HandTimers();
  const coreToken = "a-token-of-the-core-with-32-letters";
  const settings = { BANK_MODULE: tellingPath, BANK_TOKEN: coreToken, REQUEST_LOG_ENTRIES: 0 };
  const pace = createPace(false, timers);
  const bank = await openBank(settings, undefined, undefined, { pace });
  const ready = async (): Promise<number> => {
    const [answer] = await Promise.all([
      fetch(`${bank.publicUrl}/health/ready`),
      timers.pass(500), // it is the regular work that asks
    ]);
    return answer.status;
  };
  const tellOfParty = async (): Promise<number> => {
    const body = { parties: [{ version: 1, partyId: "new", name: "Nora" }] };
    const answer = await fetch(`${bank.managementUrl}/core/v1/changes`, {
      method: "POST",
      headers: { authorization: `Bearer ${coreToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.status;
  };
  try {
    const client = await bank.createTpp();
    await subscribe(client);
    const { body } = await client.call<{ Data: { ConsentId: string } }>({
      path: "/v4.0/aisp/account-access-consents",
      token: await client.clientToken("accounts"),
      body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
    });
    const { ConsentId: consentId } = body.Data;
    const accounts = ["second-current"];
    await bank.approve(client, { scope: "accounts", consentId, customer: "ada", accounts });
    const { lodged, token } = await approved(bank, client, "3.00");
    await migrate(bank.database, { migrations: withMore(expanding, contracting) });
    await until(ready, (status) => status === 503);

    // what reaches it is answered; a balancer that passes TLS through then connects to another one
    await revoke(bank, consentId);
    const orderId = await order(client, lodged, token);
    const before = await writesTo(bank.database);
    assert.deepEqual(await closes(bank.publicUrl), "close");
    await timers.pass(60_000);
    assert.equal(await bank.engine.tick(), 0);
    await bank.events.tick();
    assert.equal(await tellOfParty(), 503);
    assert.deepEqual(await writesTo(bank.database), before);
    assert.equal(
      (await second.told()).notices.some((one) => one.orderId === orderId),
      false,
    );

    await bank.database.execute("update migration set served_from = '0.0.0'");
    await until(ready, (status) => status === 200);
    const settled = async () => {
      await timers.pass(1000);
      return (await second.told()).notices.some((one) => one.occasion === "order-ended");
    };
    await until(settled, (isTold) => isTold);
    await untilStatus(client, lodged.kind, orderId, "ACCC");
    assert.notDeepEqual((await pollNow(client)).sets, {});
    assert.equal(await tellOfParty(), 200);
  } finally {
    await bank.close();
    await second.close();
  }
});
