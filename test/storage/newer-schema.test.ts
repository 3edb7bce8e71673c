import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database } from "#src/storage/database.ts";
import {
  checkSchema,
  listMigrations,
  type Migration,
  migrate,
  OtherSchema,
  readSchemaState,
} from "#src/storage/migrate.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, order, readOrder, untilStatus } from "#test/journeys/payments.ts";
import { onPostgres } from "#test/postgres.ts";
import { openWithoutSchema } from "#test/sandbox/bank/empty-bank.ts";
import { until } from "#test/until.ts";

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
      await checkSchema(database);
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
      await checkSchema(database);
      assert.deepEqual((await readSchemaState(database)).newer, [between.name]);
      await database.execute(
        "update migration set served_from = '99.0.0' where name = '0053_between'",
      );
      const message = "this version has no migration 0053_between, which needs 99.0.0 or later";
      await assert.rejects(checkSchema(database), { message });
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
      await assert.rejects(checkSchema(database), /has no migration 9998_expand$/);
    } finally {
      await database.close();
    }
  });
});

const skip = onPostgres ? false : "needs a PostgreSQL server, which several processes can use";

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
