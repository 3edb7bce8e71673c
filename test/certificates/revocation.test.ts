import "reflect-metadata";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import * as x509 from "@peculiar/x509";
import {
  createClientTrust,
  createRevocation,
  type RevocationDeps,
} from "#src/certificates/client-trust.ts";
import { readCrl } from "#src/certificates/crl.ts";
import { ocspRequest, readOcspResponse } from "#src/certificates/ocsp.ts";
import {
  type CertificateStatus,
  createCertificateStatus,
  storeRevocation,
} from "#src/sandbox/directory/certificate-status.ts";
import type { Database } from "#src/storage/database.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { clearRevocations } from "#test/sandbox/stored-marks.ts";
import { type Entity, issue, listOf } from "./authorities.ts";

const listUrl = "http://authority.example/list.crl";
const responderUrl = "http://authority.example/ocsp";

let database: Database;
let root: Entity;
let leaf: Entity;
let status: CertificateStatus;
// The clock moves only if a test moves it, because the directory's lists are valid for seconds. It
// is a minute ahead of the machine's clock, so that lists dated by the machine's clock are already
// valid.
const begin = (): Temporal.Instant => Temporal.Now.instant().add({ minutes: 1 });
let time = begin();
const now = (): Temporal.Instant => time;
const pass = (duration: Temporal.DurationLike): void => {
  time = time.add(duration);
};

before(async () => {
  database = await openEmpty();
  root = await issue("Root", null, { to: now().add({ hours: 2000 }) });
  leaf = await issue("Client", root, { listUrl, responderUrl, to: now().add({ hours: 1000 }) });
  status = createCertificateStatus({
    ca: { privateKeyPem: root.key.privateKeyPem, certificatePem: root.pem, name: [] },
    clock: { now },
    database,
  });
});
after(() => database?.close());
beforeEach(async () => {
  time = begin();
  await clearRevocations(database);
});

const revoke = (entity: Entity): Promise<unknown> =>
  storeRevocation(database, { clientId: "tpp", certificatePem: entity.pem, revokedAt: now() });

/** Opens trust whose sources can be switched off; `fetched` lists the calls. */
function open(given: Partial<RevocationDeps> = {}) {
  const fetched: string[] = [];
  const down = new Set<string>();
  const troubles: string[] = [];
  const revocation = createRevocation({
    now,
    policy: "soft",
    graceHours: 24,
    async fetch(url, request) {
      fetched.push(url);
      if (down.has(url)) throw new Error("unreachable");
      return request === null ? status.list() : status.respond(request);
    },
    onTrouble: ({ url }) => void troubles.push(url),
    ...given,
  });
  const trust = createClientTrust(root.pem, { now, revocation });
  const problemOf = ({ certificate }: Entity) => trust.judge(certificate, []).problem;
  return { fetched, down, troubles, revocation, trust, problemOf };
}

describe("a list of revoked certificates", () => {
  test("R-125: one fetch in advance serves every certificate of the issuer, and checking a certificate fetches nothing", async () => {
    const { trust, fetched, problemOf } = open();
    const second = await issue("Second", root, { listUrl, responderUrl });
    await trust.prepare(leaf.certificate, []);
    assert.equal(trust.prepare(second.certificate, []), null);
    for (let call = 0; call < 100; call++) {
      assert.equal(problemOf(leaf), null);
      assert.equal(problemOf(second), null);
    }
    assert.deepEqual(fetched, [listUrl]);
  });

  test("R-125: the list is fetched again when its issuer publishes the next list, not before", async () => {
    const { trust, fetched, revocation } = open();
    await trust.prepare(leaf.certificate, []);
    pass({ seconds: 5 });
    await revocation.refresh();
    assert.equal(fetched.length, 1);
    pass({ seconds: 6 });
    await revocation.refresh();
    assert.equal(fetched.length, 2);
  });

  test("R-125: a list that is valid for a day is fetched every hour", async () => {
    const nextUpdate = new Date(Date.now() + 86_400_000);
    const list = await listOf(root, [], { nextUpdate });
    const fetched: string[] = [];
    const { trust, revocation } = open({
      fetch: async (url) => {
        fetched.push(url);
        return list;
      },
    });
    await trust.prepare(leaf.certificate, []);
    pass({ minutes: 59 });
    await revocation.refresh();
    assert.equal(fetched.length, 1);
    pass({ minutes: 2 });
    await revocation.refresh();
    assert.equal(fetched.length, 2);
  });

  test("R-127: a revoked certificate is refused after the next fetch, and others are not", async () => {
    const { trust, revocation, problemOf } = open();
    const second = await issue("Second", root, { listUrl, responderUrl });
    await trust.prepare(leaf.certificate, []);
    assert.equal(problemOf(leaf), null);
    const { version } = trust;
    await revoke(leaf);
    pass({ seconds: 11 });
    await revocation.refresh();
    assert.equal(problemOf(leaf), "revoked");
    assert.equal(problemOf(second), null);
    assert.ok(trust.version > version, "open connections are judged again");
  });

  test("a revoked issuing authority ends its clients' certificates", async () => {
    const issuing = await issue("Issuing", root, { isAuthority: true, listUrl });
    const client = await issue("Client", issuing);
    const { trust, revocation } = open();
    trust.setAnchors(`${root.pem}\n${issuing.pem}`);
    await trust.prepare(client.certificate, []);
    assert.equal(trust.judge(client.certificate, []).problem, null);
    await revoke(issuing);
    pass({ seconds: 11 });
    await revocation.refresh();
    assert.equal(trust.judge(client.certificate, []).problem, "revoked");
  });

  test("a list made by another program is read, with RSA and with reasons", async () => {
    const authority = await issue("RSA root", null, { key: leaf.key });
    const client = await issue("Client", authority);
    const list = await listOf(authority, [client.certificate]);
    const { revoked } = await readCrl(list, authority.certificate);
    assert.equal(revoked.size, 1);
    assert.ok(revoked.has(client.certificate.serialNumber));
    const pem = new x509.X509Crl(await listOf(authority, [])).toString("pem");
    assert.equal((await readCrl(Buffer.from(pem), authority.certificate)).revoked.size, 0);
  });

  const wrong: [name: string, make: () => Promise<Buffer>][] = [
    [
      "signed by another authority of the same name",
      async () => listOf(await issue("Root", null), []),
    ],
    ["of another issuer", async () => listOf(await issue("Other", null), [])],
    [
      "with a changed byte",
      async () => {
        const bytes = await listOf(root, [leaf.certificate]);
        bytes[60] = (bytes[60] ?? 0) ^ 1;
        return bytes;
      },
    ],
    [
      "with changes only",
      async () =>
        listOf(root, [], {
          extensions: [new x509.Extension("2.5.29.27", true, Buffer.from("020101", "hex"))],
        }),
    ],
    [
      "of some reasons only",
      async () =>
        listOf(root, [], {
          extensions: [new x509.Extension("2.5.29.28", true, Buffer.from("300483020640", "hex"))],
        }),
    ],
    ["that is cut off", async () => (await listOf(root, [leaf.certificate])).subarray(0, -1)],
    ["with an indefinite length", async () => Buffer.from("30800000", "hex")],
    ["with a length beyond its end", async () => Buffer.from("3084ffffffff00", "hex")],
    ["that is a page of HTML", async () => Buffer.from("<html>not found</html>")],
    ["that is empty", async () => Buffer.alloc(0)],
  ];
  for (const [name, make] of wrong) {
    test(`a list ${name} changes nothing, and is reported`, async () => {
      const list = await make();
      const troubles: string[] = [];
      const { trust, problemOf } = open({
        fetch: async (url, request) => {
          if (request) throw new Error("unreachable");
          return url === listUrl ? list : status.list();
        },
        onTrouble: ({ url }) => void troubles.push(url),
        policy: "hard",
      });
      await trust.prepare(leaf.certificate, []);
      assert.deepEqual(troubles, [listUrl, responderUrl]);
      assert.equal(problemOf(leaf), "unchecked");
    });
  }
});

describe("an OCSP responder", () => {
  test("R-125: an OCSP responder is asked once if the list cannot be fetched, and its response is stored", async () => {
    const { trust, fetched, down, problemOf, revocation } = open({ policy: "hard" });
    down.add(listUrl);
    await trust.prepare(leaf.certificate, []);
    assert.deepEqual(fetched, [listUrl, responderUrl]);
    for (let call = 0; call < 100; call++) assert.equal(problemOf(leaf), null);
    assert.equal(fetched.length, 2);
    await revoke(leaf);
    pass({ seconds: 11 });
    await revocation.refresh();
    assert.equal(problemOf(leaf), "revoked");
  });

  test("R-125: an OCSP responder is asked when the list has expired and cannot be fetched again", async () => {
    const { trust, fetched, down, problemOf, revocation } = open();
    await trust.prepare(leaf.certificate, []);
    assert.deepEqual(fetched, [listUrl]);
    down.add(listUrl);
    await revoke(leaf);
    pass({ seconds: 11 });
    await revocation.refresh();
    await revocation.refresh();
    assert.equal(fetched.at(-1), responderUrl);
    assert.equal(problemOf(leaf), "revoked");
  });

  test("an OCSP response is used only if it is about this certificate and signed by its issuer", async () => {
    const request = ocspRequest(leaf.certificate, root.certificate);
    const answer = await status.respond(request);
    const read = readOcspResponse(answer, leaf.certificate, root.certificate, now());
    assert.equal(read.status, "good");
    const second = await issue("Second", root);
    assert.throws(
      () => readOcspResponse(answer, second.certificate, root.certificate, now()),
      /does not cover the certificate/,
    );
    const foreign = await issue("Root", null);
    assert.throws(
      () => readOcspResponse(answer, leaf.certificate, foreign.certificate, now()),
      /signature/,
    );
    const refused = await status.respond(Buffer.from("no request"));
    assert.throws(
      () => readOcspResponse(refused, leaf.certificate, root.certificate, now()),
      /answers with the status 1/,
    );
  });
});

describe("without list and responder", () => {
  test("R-126: the policy soft uses the last status, and reports the problem once", async () => {
    const { trust, down, troubles, problemOf, revocation } = open();
    await trust.prepare(leaf.certificate, []);
    down.add(listUrl).add(responderUrl);
    for (let round = 0; round < 5; round++) {
      pass({ minutes: 30 });
      await revocation.refresh();
      assert.equal(problemOf(leaf), null);
    }
    assert.deepEqual(troubles, [listUrl, responderUrl]);
  });

  test("R-126: the policy soft accepts a certificate whose status was never known", async () => {
    const { trust, down, problemOf } = open();
    down.add(listUrl).add(responderUrl);
    await trust.prepare(leaf.certificate, []);
    assert.equal(problemOf(leaf), null);
  });

  test("R-126: the policy hard refuses a certificate after the grace period, and accepts it again once its status is known", async () => {
    const { trust, down, problemOf, revocation } = open({ policy: "hard", graceHours: 4 });
    assert.equal(problemOf(leaf), "unchecked");
    await trust.prepare(leaf.certificate, []);
    down.add(listUrl).add(responderUrl);
    pass({ hours: 3 });
    await revocation.refresh();
    assert.equal(problemOf(leaf), null);
    pass({ hours: 2 });
    const { version } = trust;
    await revocation.refresh();
    assert.equal(problemOf(leaf), "unchecked");
    assert.ok(trust.version > version);
    down.clear();
    pass({ minutes: 2 });
    await revocation.refresh();
    assert.equal(problemOf(leaf), null);
  });

  test("a certificate that names neither list nor responder is accepted by soft and refused by hard", async () => {
    const silent = await issue("Silent", root);
    const soft = open();
    assert.equal(soft.trust.prepare(silent.certificate, []), null);
    assert.equal(soft.problemOf(silent), null);
    assert.equal(open({ policy: "hard" }).problemOf(silent), "unchecked");
  });

  test("a revoked certificate stays refused", async () => {
    const { trust, down, problemOf, revocation } = open();
    await revoke(leaf);
    await trust.prepare(leaf.certificate, []);
    down.add(listUrl).add(responderUrl);
    pass({ hours: 20 });
    await revocation.refresh();
    assert.equal(problemOf(leaf), "revoked");
  });
});

test("OpenSSL verifies the sandbox's list and its OCSP answers", async (t) => {
  if (spawnSync("openssl", ["version"]).status !== 0) return t.skip("openssl is not installed");
  const folder = mkdtempSync(join(tmpdir(), "aldgate-status-"));
  const file = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const run = (...words: string[]): string => {
    const done = spawnSync("openssl", words, { encoding: "utf8" });
    return `${done.stdout}${done.stderr}`;
  };
  try {
    await revoke(leaf);
    const ca = file("ca.pem", root.pem);
    const list = file("list.crl", await status.list());
    const crl = run("crl", "-inform", "DER", "-in", list, "-CAfile", ca, "-noout", "-text");
    assert.match(crl, /verify OK/);
    assert.match(crl, new RegExp(`Serial Number: ${leaf.certificate.serialNumber}`));
    const request = join(folder, "request.der");
    const cert = file("leaf.pem", leaf.pem);
    run("ocsp", "-issuer", ca, "-cert", cert, "-no_nonce", "-reqout", request);
    const { readFileSync } = await import("node:fs");
    const answer = file("answer.der", await status.respond(readFileSync(request)));
    const ocsp = run("ocsp", "-issuer", ca, "-cert", cert, "-VAfile", ca, "-respin", answer);
    assert.match(ocsp, /Response verify OK/i);
    assert.match(ocsp, /leaf\.pem: revoked/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
