// How a core knows that Aldgate calls: by its certificate, and by a signature of each request.
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { jwtVerify } from "jose";
import type { Bank } from "#src/bank/port.ts";
import { bankErrorOutcome } from "#src/bank/port.ts";
import { connectCore } from "#src/connector/http-core.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { openRequestSigner } from "#src/connector/sign-request.ts";
import { sha256 } from "#src/lib/hash.ts";
import { makeAuthority } from "#test/http/certificates.ts";

const callMs = 60_000;
const deadlinesMs = {
  identify: callMs,
  read: callMs,
  document: callMs,
  quote: callMs,
  execute: callMs,
  tell: callMs,
};

let folder: string;
let app: FastifyInstance;
let url: string;
let received: { headers: IncomingHttpHeaders; body: string } | undefined;
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
let certificates: { rootsFile: string; certificateFile: string; keyFile: string };

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-who-calls-"));
  const authority = await makeAuthority("The bank's own authority");
  const [server, client] = [await authority.issue("localhost"), await authority.issue("Aldgate")];
  certificates = {
    rootsFile: file("roots.pem", authority.cert),
    certificateFile: file("client.pem", client.cert),
    keyFile: file("client.key.pem", client.key),
  };
  const bank = {
    verify: async () => true,
    exchangeCurrencies: [],
    about: { parts: ["account-access"] },
  } as unknown as Bank; // the test makes no other calls
  const tls = { cert: server.cert, key: server.key, ca: authority.cert };
  app = serveCore({ bank, name: "A core with mutual TLS", tariff: [] }, { tls });
  app.addHook("preHandler", async ({ headers, body }) => {
    received = { headers, body: JSON.stringify(body) };
  });
  const listening = await app.listen({ port: 0, host: "127.0.0.1" });
  url = listening.replace("127.0.0.1", "localhost");
});
after(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a core with mutual TLS answers Aldgate's certificate", async () => {
  const { core } = await connectCore({
    url,
    deadlinesMs,
    callsAtOnce: 2,
    sign: null,
    ...certificates,
  });
  assert.deepEqual(await core.verify("c", "1"), { isRight: true });
  await core.close?.();
});

test("without a certificate, nothing is done at a core with mutual TLS", async () => {
  const { rootsFile } = certificates;
  const to = { url, deadlinesMs, callsAtOnce: 2, sign: null, rootsFile };
  await assert.rejects(connectCore(to), (error) => bankErrorOutcome(error) !== "refused");
});

test("Aldgate does not send anything to a core whose certificate it cannot verify", async () => {
  received = undefined;
  const { certificateFile, keyFile } = certificates;
  const to = { url, deadlinesMs, callsAtOnce: 2, sign: null, certificateFile, keyFile };
  await assert.rejects(connectCore(to), (error) => bankErrorOutcome(error) === "retry");
  assert.equal(received, undefined);
});

test("with a key, each request has a signature over its method, its path and its body", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const path = file("signing.key.pem", String(pem));
  const now = Temporal.Instant.from("2026-11-24T09:00:00Z");
  const sign = await openRequestSigner(path, () => now);
  const { core } = await connectCore({ url, deadlinesMs, callsAtOnce: 2, sign, ...certificates });
  await core.verify("c", "ünïcode");
  await core.close?.();
  const { headers, body } = received ?? { headers: {}, body: "" };
  const jwt = String(headers["aldgate-signature"]);
  const currentDate = new Date(now.epochMilliseconds);
  const { payload, protectedHeader } = await jwtVerify(jwt, createPublicKey(privateKey), {
    currentDate,
  });
  assert.equal(protectedHeader.alg, "PS256");
  assert.equal(protectedHeader.kid?.length, 43);
  assert.deepEqual(payload, {
    htm: "POST",
    htu: "/challenges/verify",
    digest: sha256(body),
    iat: now.epochMilliseconds / 1000,
    exp: now.epochMilliseconds / 1000 + 60,
  });
  assert.match(String(headers.traceparent), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  assert.equal(headers["aldgate-deadline-ms"], String(callMs));
});

test("a signing key that is none is refused with the reason", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const path = file("ec.key.pem", String(pem));
  await assert.rejects(
    openRequestSigner(path, () => Temporal.Now.instant()),
    /must be an RSA key/,
  );
});
