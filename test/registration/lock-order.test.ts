import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { registerClient } from "#src/clients/register-client.ts";
import { byBank, listChanges } from "#src/history/change.ts";
import { systemClock } from "#src/lib/clock.ts";
import { createKeyRefresh } from "#src/registration/refresh-keys.ts";
import type { RegistrationSettings } from "#src/registration/registration-settings.ts";
import { statementOf } from "#src/registration/statement.ts";
import type { SoftwareJwk, StatementIssuer } from "#src/registration/statement-issuer.ts";
import { storeRegistration } from "#src/registration/store-registration.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { lockOrganisations } from "#test/clients/stored-settings.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import { until } from "#test/until.ts";

// Transactions that wait for each other need two connections, so the test uses a PostgreSQL server
// in both lanes.

let server: TestPostgres;
let database: Database;
before(async () => {
  server = await startPostgres();
  database = await openPostgres(await server.createDatabase("lock_order"));
  await migrate(database);
});
after(async () => {
  await database?.close();
  await server?.stop();
});

const issuer: StatementIssuer = {
  iss: "Directory",
  jwks: { file: "" },
  environment: null,
  statusUrl: null,
  hosts: ["directory.example"],
};
const ids = { softwareId: "software", organisationId: "organisation" };
const jwksUri = "https://directory.example/software.jwks";
const statement = statementOf(
  "statement",
  {
    org_id: ids.organisationId,
    software_id: ids.softwareId,
    software_client_name: "TPP",
    software_jwks_endpoint: jwksUri,
  },
  issuer,
);
const later = systemClock.now().add({ hours: 1 });
const keyOf = (kid: string): SoftwareJwk => ({ kid, use: "sig", kty: "RSA" });
const setOf = (...kids: string[]) => ({
  keys: kids.map(keyOf),
  freshUntil: later.epochMilliseconds,
});

const waiting = async (): Promise<number> => {
  const rows = await database.query(sql`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rows.length;
};

/** Holds the row of the organisation, which a change of a registration writes in its middle. */
function holdOrganisation(): { held: Promise<void>; release(): void; ended: Promise<void> } {
  const held = Promise.withResolvers<void>();
  const freed = Promise.withResolvers<void>();
  const ended = database.transaction(async (on) => {
    await lockOrganisations(on);
    held.resolve();
    await freed.promise;
  });
  return { held: held.promise, release: freed.resolve, ended };
}

test("R-027, R-121: a change of a registration and a refresh of its keys never wait for each other", async () => {
  const clientId = "client";
  const now = systemClock.now();
  await registerClient(database, {
    clientId,
    organisation: { organisationId: ids.organisationId, name: "TPP" },
    software: {
      softwareId: ids.softwareId,
      name: "TPP",
      roles: [],
      directory: { issuer: issuer.iss, jwksUri, revokedJwksUri: null, readAt: now, dueAt: later },
    },
    metadata: {},
    certificateSubject: null,
    keys: [keyOf("one")],
    why: byBank(now),
  });
  const failures: unknown[] = [];
  const { refresh } = createKeyRefresh({
    database,
    issuers: [issuer],
    directoryKeys: { ofIssuer: async () => setOf(), at: async () => setOf("one", "three") },
    clock: systemClock,
    machineClock: systemClock,
    onFailure: (_softwareId, error) => failures.push(error),
  });
  const organisation = holdOrganisation();
  await organisation.held;
  const changing = storeRegistration(
    { database, settings: {} as RegistrationSettings, machineClock: systemClock },
    {
      verified: {
        statement,
        claims: {},
        keys: {
          active: [keyOf("one"), keyOf("two")],
          revoked: [],
          dueAt: later,
        },
        scope: "openid",
        identity: "CN=organisation",
      },
      clientId,
      why: byBank(now),
      attempt: {
        at: now,
        interactionId: "change",
        method: "PUT",
        certificateSubject: null,
        softwareId: ids.softwareId,
        status: 200,
        rule: null,
        description: null,
      },
    },
  );
  await until(waiting, (count) => count === 1);
  const refreshing = refresh(clientId, "three");
  await until(waiting, (count) => count === 2);
  organisation.release();
  await organisation.ended;
  assert.partialDeepStrictEqual(await changing, { clientId });
  assert.equal(await refreshing, true);
  assert.deepEqual(failures, []);
  const last = (await listChanges(database, clientId)).at(-1);
  assert.partialDeepStrictEqual(last?.after.keys, [
    { kid: "one", state: "active" },
    { kid: "three", state: "active" },
    { kid: "two", state: "retired" },
  ]);
});
