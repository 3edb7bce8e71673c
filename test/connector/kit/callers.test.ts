// The kit against cores behind a gateway that must know its caller.
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runKit } from "#src/connector/kit/run-kit.ts";
import { openRequestSigner } from "#src/connector/sign-request.ts";
import { type GatewayGap, openCoreGateway } from "#test/connector/core-gateway.ts";
import { makeAuthority, type Pair } from "#test/http/certificates.ts";
import { patienceMs } from "#test/until.ts";
import { bankFile, type OpenedCore, openCore, type Served, serveAsIs } from "./served-core.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-callers-"));
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
let opened: OpenedCore;
let served: Served;
let server: Pair;
let roots: string;

const fileOf = (name: string): string => join(folder, name);

before(async () => {
  opened = await openCore();
  served = await serveAsIs(opened.core);
  const authority = await makeAuthority("The bank's own authority");
  const client = await authority.issue("Aldgate");
  server = await authority.issue("localhost");
  roots = authority.cert;
  writeFileSync(fileOf("roots.pem"), roots);
  writeFileSync(fileOf("client.pem"), client.cert);
  writeFileSync(fileOf("client.key.pem"), client.key);
  writeFileSync(fileOf("signing.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
});
after(async () => {
  await served?.close();
  await opened?.close();
  rmSync(folder, { recursive: true });
});

const isAboutCaller = (id: string): boolean => ["K1-16", "K1-17", "K1-18", "K1-19"].includes(id);

/** Runs the cases about the caller, and returns those with a result. */
async function runCases(gap: GatewayGap | null, has = { certificate: true, signature: true }) {
  const gateway = await openCoreGateway({
    core: served.url,
    server,
    clientRoots: roots,
    signedBy: createPublicKey(privateKey),
    ...(gap ? { gap } : {}),
  });
  const deadlines = ["identify", "read", "document", "quote", "execute", "tell"] as const;
  try {
    const { all } = await runKit({
      url: gateway.url,
      rootsFile: fileOf("roots.pem"),
      ...(has.certificate
        ? { certificateFile: fileOf("client.pem"), keyFile: fileOf("client.key.pem") }
        : {}),
      sign: has.signature
        ? await openRequestSigner(fileOf("signing.pem"), () => Temporal.Now.instant())
        : null,
      file: bankFile,
      deadlinesMs: Object.fromEntries(deadlines.map((one) => [one, patienceMs])) as never,
      isWanted: ({ id }) => isAboutCaller(id),
      run: async () => "",
      seed: 7,
      onResult: () => undefined,
    });
    return (wanted: string) => all.filter(({ result }) => result === wanted).map(({ id }) => id);
  } finally {
    gateway.close();
  }
}

test("a core that knows who calls passes the cases about the caller", async () => {
  const listed = await runCases(null);
  assert.deepEqual(listed("passed"), ["K1-16", "K1-17", "K1-18", "K1-19"]);
});

test("a core that is given only one proof is asked only about this one", async () => {
  const unsigned = await runCases("presence", { certificate: true, signature: false });
  assert.deepEqual(unsigned("passed"), ["K1-16"]);
  assert.deepEqual(unsigned("not asked"), ["K1-17", "K1-18", "K1-19"]);
  const withoutTls = await runCases("certificate", { certificate: false, signature: true });
  assert.deepEqual(withoutTls("passed"), ["K1-17", "K1-18", "K1-19"]);
  assert.deepEqual(withoutTls("not asked"), ["K1-16"]);
});

const gaps: [GatewayGap, string, string][] = [
  ["certificate", "answers a caller without a certificate", "K1-16"],
  ["presence", "answers a call without a signature", "K1-17"],
  ["body", "does not compare the body with the signature", "K1-18"],
  ["path", "does not compare the path with the signature", "K1-18"],
  ["signature", "reads a signature and does not verify it", "K1-19"],
];
for (const [gap, what, caughtBy] of gaps) {
  test(`a core that ${what} fails ${caughtBy}`, async () => {
    const listed = await runCases(gap);
    assert.deepEqual(listed("failed"), [caughtBy]);
  });
}
