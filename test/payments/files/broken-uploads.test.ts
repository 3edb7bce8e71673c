import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import * as http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "#src/lib/clock.ts";
import { sweep } from "#src/payments/execution/engine.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Queryable } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { startCommand } from "#test/cli/running-bank.ts";
import { freePort } from "#test/free-port.ts";
import { expectStatus, openBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { onPostgres, startPostgres } from "#test/postgres.ts";
import { templateName } from "#test/setup.ts";
import { until } from "#test/until.ts";
import { fileConsent, pain } from "./fixture.ts";
import { sampleXml } from "./samples.ts";

const consents = "/v4.0/pisp/file-payment-consents";
const request = {
  name: "Test TPP",
  roles: ["PISP" as const],
  redirectUris: ["http://localhost:7878/callback"],
  tokenEndpointAuthMethod: "private_key_jwt" as const,
  certificateBound: false,
};

// more than a megabyte, so that the bytes and the instructions need several rows
const text = sampleXml({
  groups: [
    {
      // the bank's day
      date: Temporal.Now.plainDateISO("Europe/London").toString(),
      payments: Array.from({ length: 4000 }, () => ({})),
    },
  ],
});
const bytes = Buffer.from(text);

/** Creates a consent that waits for this file. */
async function lodge(client: TppClient): Promise<{ token: string; consentId: string }> {
  const token = await client.clientToken("payments");
  const body = fileConsent({ fileType: pain, text });
  const lodged = await client.call<Json>({ path: consents, token, body });
  expectStatus(lodged, 201);
  return { token, consentId: lodged.body.Data.ConsentId };
}

type Consent = Awaited<ReturnType<typeof lodge>>;

/** Starts an upload and sends two thirds of it. The returned function breaks the connection. */
async function beginUpload(client: TppClient, { token, consentId }: Consent): Promise<() => void> {
  const url = `${client.base}/api/open-banking${consents}/${consentId}/file`;
  const sent = http.request(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "text/xml",
      "content-length": String(bytes.length),
      "x-idempotency-key": randomUUID(),
      "x-jws-signature": await client.signature(bytes),
    },
  });
  sent.on("error", () => undefined);
  sent.write(bytes.subarray(0, Math.floor((bytes.length * 2) / 3)));
  return () => void sent.destroy();
}

/** Resolves when the number of stored rows of files without a consent is as wanted. */
async function untilStray(on: Queryable, found: (rows: number) => boolean): Promise<void> {
  const stored = sql`
    select 1 from payment_file f
      left join payment_file_chunk c using (file_id) left join payment_file_batch b using (file_id)
    where f.consent_id is null`;
  // a query of the embedded database alone would give the event loop no turn to receive bytes
  while (!found((await on.query(stored)).length)) await setImmediate();
}

/** Counts the stored files, chunks and batches. */
async function storedOf(on: Queryable): Promise<number[]> {
  const [row] = await on.query<{ counts: number[] }>(sql`
    select array[(select count(file_id) from payment_file),
      (select count(file_id) from payment_file_chunk),
      (select count(file_id) from payment_file_batch)]::integer[] as counts`);
  return row?.counts ?? [];
}

async function tableBytes(on: Queryable): Promise<number> {
  const [row] = await on.query<{ bytes: number }>(sql`
    select (pg_total_relation_size('payment_file') + pg_total_relation_size('payment_file_chunk')
      + pg_total_relation_size('payment_file_batch'))::integer as bytes`);
  return row?.bytes ?? -1;
}

/** Checks that a consent whose upload was interrupted is unchanged and accepts a complete file. */
async function checkWhole(client: TppClient, { token, consentId }: Consent): Promise<void> {
  const path = `${consents}/${consentId}`;
  const statusOf = async () => (await client.call<Json>({ path, token })).body.Data.Status;
  const readFile = () =>
    client.call<Json>({ path: `${path}/file`, token, headers: { accept: "*/*" } });
  assert.equal(await statusOf(), "AWUP");
  const none = await readFile();
  expectStatus(none, 400);
  assert.equal(none.body.Errors[0].ErrorCode, "U011");
  const headers = { "content-type": "text/xml" };
  expectStatus(await client.call({ path: `${path}/file`, token, body: bytes, headers }), 200);
  assert.equal(await statusOf(), "AWAU");
  assert.ok((await readFile()).raw.equals(bytes));
}

test("P-195: nothing of an interrupted upload is stored, and the next upload is accepted", async () => {
  const bank = await openBank();
  try {
    const client = await bank.createTpp(request);
    const consent = await lodge(client);
    const cut = await beginUpload(client, consent);
    await sleep(300);
    cut();
    assert.deepEqual(await storedOf(bank.database), [0, 0, 0]);
    await checkWhole(client, consent);
    assert.notDeepEqual(await storedOf(bank.database), [0, 0, 0]);
  } finally {
    await bank.close();
  }
});

test("a refused upload leaves no row and no file on disk, and releases its quota", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-uploads-"));
  const bank = await openBank({ SPOOL_FOLDER: folder, FILE_LIMIT_BYTES: 5_000_000 });
  try {
    const client = await bank.createTpp(request);
    const consent = await lodge(client);
    const path = `${consents}/${consent.consentId}/file`;
    const size = () => tableBytes(bank.database);
    const before = await size();
    const foreign = await client.signature(Buffer.from("other bytes"));
    for (let count = 0; count < 12; count++) {
      const headers = { "content-type": "text/xml", "x-jws-signature": foreign };
      const answer = await client.call<Json>({ path, token: consent.token, body: bytes, headers });
      expectStatus(answer, 400);
      assert.equal(answer.body.Errors[0].ErrorCode, "U015");
    }
    assert.deepEqual(await storedOf(bank.database), [0, 0, 0]);
    assert.equal(await size(), before);
    assert.deepEqual(readdirSync(folder), []);
    const descriptors = process.platform === "linux" ? readdirSync("/proc/self/fd") : [];
    const openFiles = descriptors.filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
      } catch {
        return false; // the descriptor was closed meanwhile
      }
    });
    assert.deepEqual(openFiles, []);
    await checkWhole(client, consent);
  } finally {
    await bank.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a file whose hash differs from its consent's is refused and not stored", async () => {
  const bank = await openBank();
  try {
    const client = await bank.createTpp(request);
    const { token, consentId } = await lodge(client);
    const path = `${consents}/${consentId}/file`;
    const headers = { "content-type": "text/xml" };
    const before = await tableBytes(bank.database);
    const body = Buffer.concat([bytes, Buffer.from("\n")]);
    const answer = await client.call<Json>({ path, token, body, headers });
    expectStatus(answer, 400);
    assert.equal(answer.body.Errors[0].Path, "Data.Initiation.FileHash");
    assert.equal(await tableBytes(bank.database), before);
  } finally {
    await bank.close();
  }
});

test("a TPP whose uploads fill its quota cannot upload one more file, and another TPP can", async () => {
  const bank = await openBank({ FILE_LIMIT_BYTES: bytes.length });
  try {
    const [client, other] = [await bank.createTpp(request), await bank.createTpp(request)];
    const [first, second, third] = [await lodge(client), await lodge(client), await lodge(other)];
    const cuts = [await beginUpload(client, first), await beginUpload(client, await lodge(client))];
    await sleep(300); // if the next upload came first, the bank would refuse this one
    const send = (by: TppClient, { token, consentId }: Consent, signature?: string) => {
      const signed = signature === undefined ? {} : { "x-jws-signature": signature };
      const headers = { "content-type": "text/xml", ...signed };
      const path = `${consents}/${consentId}/file`;
      return by.call<Json>({ path, token, body: bytes, headers });
    };
    const foreign = await client.signature(Buffer.from("other bytes"));
    /** Sends a file with a wrong signature, which is never stored, until it gets this status. */
    const untilRefused = (wanted: number): Promise<unknown> =>
      until(
        () => send(client, second, foreign),
        ({ status }) => status === wanted,
      );
    await untilRefused(413); // two uploads are in progress
    const refused = await send(client, second);
    expectStatus(refused, 413);
    assert.ok(Number(refused.headers["retry-after"]) > 0);
    assert.match(refused.body.Errors[0].Message, /in progress/);
    expectStatus(await send(other, third), 200);
    for (const cut of cuts) cut();
    await untilRefused(400); // the bank has noticed that the connections are broken
    expectStatus(await send(client, second), 200);
  } finally {
    await bank.close();
  }
});

const skip = onPostgres ? false : "the lane's seeded database is in the process that dies";

test("P-195: the sweep removes the rows of an upload whose process was killed", {
  skip,
}, async () => {
  const server = await startPostgres();
  const url = await server.createDatabase(
    `killed_${randomUUID().replaceAll("-", "")}`,
    templateName,
  );
  const database = await openPostgres(url, 1);
  const folder = mkdtempSync(join(tmpdir(), "aldgate-killed-"));
  const [publicPort, mtlsPort] = [await freePort(), await freePort()];
  const address = {
    publicUrl: `http://localhost:${publicPort}`,
    mtlsUrl: `https://localhost:${mtlsPort}`,
  };
  const start = async () => {
    const started = startCommand(["start"], {
      ALDGATE_DATA: folder,
      DATABASE_URL: url,
      PUBLIC_PORT: String(publicPort),
      MTLS_PORT: String(mtlsPort),
      MANAGEMENT_PORT: "0",
      LOG_LEVEL: "error",
    });
    await started.untilSaid(/Home, documentation/);
    return started;
  };
  let bank = await start();
  try {
    const made = await fetch(`${address.publicUrl}/sandbox/v1/tpps`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const credentials = (await made.json()) as TppCredentials; // the operation returns credentials
    const operations = listOperations(paymentKinds);
    const client = new TppClient({ ...address, operations }, { ...credentials, ...request });
    const consent = await lodge(client);
    const dying = client
      .call({
        path: `${consents}/${consent.consentId}/file`,
        token: consent.token,
        body: bytes,
        headers: { "content-type": "text/xml" },
      })
      .catch(() => null);
    await untilStray(database, (rows) => rows > 3);
    bank.child.kill("SIGKILL");
    await bank.ended;
    await dying;
    bank = await start();
    await checkWhole(client, consent);
    // the upload might still be running in another process
    const sweepNow = () => sweep(database, systemClock.now(), 3600);
    await sweepNow();
    await untilStray(database, (rows) => rows > 3);
    await database.query(sql`
      update payment_file set begun_at = begun_at - interval '2 hours'`);
    await sweepNow();
    await untilStray(database, (rows) => rows === 0);
    const kept = await database.query(sql`
      select 1 from payment_file where consent_id = ${consent.consentId}`);
    assert.equal(kept.length, 1);
    client.close();
  } finally {
    bank.child.kill("SIGKILL");
    await bank.ended;
    await database.close();
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  }
});
