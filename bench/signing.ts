import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Signer } from "#src/http/signature/signer.ts";
import { createFileSigner } from "#src/signing/locate-key.ts";
import { connectRemote } from "#src/signing/remote-connection.ts";
import { createRemoteKeys } from "#src/signing/remote-keys.ts";
import { startCommand } from "#test/cli/running-bank.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";
import { signingRate } from "./lib/signing-rate.ts";

// Signatures per second, and CPU of the bank's process per signature: of the signer of a file, and
// of the signer of a service in another process on this machine. The yardstick is bare crypto.sign
// with the same size of key, measured in turns. The service is the reference service, which signs
// on one core. A signature of the service includes two hashes, HTTP in both processes, and the
// check with the public key.

const rounds = isQuick ? 3 : 7;
const seconds = isQuick ? 0.7 : 2;
const inFlight = 8;
const input = Buffer.alloc(1500, "a");

type Rate = { perSecond: number; cpuMilliseconds: number };

async function rateOf(signer: Signer): Promise<Rate> {
  let made = 0;
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const until = startedAt + seconds * 1000;
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      await signer.sign(input);
      made += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    perSecond: made / ((performance.now() - startedAt) / 1000),
    cpuMilliseconds: (user + system) / 1000 / made,
  };
}

/** Returns the median of the milliseconds of single signatures, one after the other. */
async function timeOf(signer: Signer): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < (isQuick ? 100 : 500); turn += 1) {
    const startedAt = performance.now();
    await signer.sign(input);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

const folder = mkdtempSync(join(tmpdir(), "aldgate-bench-signing-"));
const pem = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
}).privateKey;
writeFileSync(join(folder, "bank.pem"), pem);
const service = startCommand(["signing-service", "--keys", folder, "--port", "0"], {});
await service.untilSaid(/is open at/);
const [url = ""] = /http:\S+/.exec(service.said()) ?? [];
const connection = connectRemote({ url, connections: inFlight });
const remote = createRemoteKeys({
  call: connection.call,
  deadlineMs: 10_000,
  callsAtOnce: inFlight,
  onCall: () => undefined,
  onChange: () => undefined,
});
const signers = {
  file: createFileSigner(createPrivateKey(pem)),
  service: remote.signer("bank", createPublicKey(pem)),
};

try {
  for (const signer of Object.values(signers)) await rateOf(signer); // compiles the code
  const measured = { floor: [] as Rate[], file: [] as Rate[], service: [] as Rate[] };
  for (let round = 0; round < rounds; round += 1) {
    const floor = await signingRate(seconds);
    const { signaturesPerSecond: perSecond, cpuMilliseconds } = floor;
    measured.floor.push({ perSecond, cpuMilliseconds });
    measured.file.push(await rateOf(signers.file));
    measured.service.push(await rateOf(signers.service));
  }
  const of = (rates: readonly Rate[], member: keyof Rate): number =>
    median(rates.map((rate) => rate[member]));
  show("", "per second", "CPU, bank", "one at a time");
  show(
    "bare crypto.sign",
    of(measured.floor, "perSecond").toFixed(0),
    `${of(measured.floor, "cpuMilliseconds").toFixed(3)} ms`,
    "",
  );
  for (const [name, signer] of Object.entries(signers)) {
    const rates = measured[name as keyof typeof signers];
    const rate = of(rates, "perSecond").toFixed(0);
    const cpu = `${of(rates, "cpuMilliseconds").toFixed(3)} ms`;
    show(`signer of a ${name}`, rate, cpu, `${(await timeOf(signer)).toFixed(2)} ms`);
  }
  const share = (name: keyof typeof signers, member: keyof Rate): number =>
    median(
      measured[name].map((rate, index) => rate[member] / (measured.floor[index]?.[member] ?? 0)),
    );
  conclude({
    name: "signing, file / bare crypto.sign",
    value: share("file", "perSecond"),
    unit: "",
    aim: "at least 0.9",
  });
  conclude({
    name: "signing, CPU of the bank with a service / bare crypto.sign",
    value: share("service", "cpuMilliseconds"),
    unit: "",
    aim: "below 1",
  });
} finally {
  connection.close();
  service.child.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
