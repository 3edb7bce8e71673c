import "reflect-metadata";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as x509 from "@peculiar/x509";
import { createClientTrust, createRevocation } from "#src/certificates/client-trust.ts";
import { readCrl } from "#src/certificates/crl.ts";
import { readOcspResponse } from "#src/certificates/ocsp.ts";
import { type Entity, issue } from "./authorities.ts";
import { der, makeResponse, responseOf, sequence, signedBy } from "./responses.ts";

const listUrl = "http://authority.example/list.crl";
const responderUrl = "http://authority.example/ocsp";
const now = Temporal.Now.instant().round({ smallestUnit: "second", roundingMode: "floor" });
const ago = (hours: number): Temporal.Instant => now.subtract({ hours });

let root: Entity;
let leaf: Entity;
before(async () => {
  root = await issue("Root", null);
  leaf = await issue("Client", root, { responderUrl });
});

const forOcsp = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.ocspSigning]);
const unknown = new x509.Extension("1.2.3.4.5", true, Buffer.from("0500", "hex"));
const delegate = (given: Parameters<typeof issue>[2]): Promise<Entity> =>
  issue("Responder", root, { isAuthority: true, ...given });

const responders: [name: string, make: () => Promise<Entity>, accepted: boolean][] = [
  ["for OCSP is accepted", () => delegate({ extensions: [forOcsp] }), true],
  ["for another use is refused", () => delegate({}), false],
  [
    "that has expired is refused",
    () => delegate({ extensions: [forOcsp], from: ago(48), to: ago(1) }),
    false,
  ],
  [
    "that is not yet valid is refused",
    () => delegate({ extensions: [forOcsp], from: ago(-1) }),
    false,
  ],
  [
    "with an unknown critical extension is refused",
    () => delegate({ extensions: [forOcsp, unknown] }),
    false,
  ],
  [
    "of another issuer is refused",
    async () =>
      issue("Responder", await issue("Root", null), { isAuthority: true, extensions: [forOcsp] }),
    false,
  ],
];
for (const [name, make, accepted] of responders) {
  test(`an OCSP response by a responder whose certificate is ${name}`, async () => {
    const signer = await make();
    const { certificate } = leaf;
    const sent = [await issue("Other", root), signer];
    const bytes = makeResponse({ certificate, issuer: root, signer, sent, thisUpdate: now });
    const read = () => readOcspResponse(bytes, certificate, root.certificate, now);
    if (accepted) assert.equal(read().status, "good");
    else assert.throws(read, /neither the issuer's nor that of a responder with a valid/);
  });
}

const nulls = (count: number): Buffer => Buffer.from("0500".repeat(count), "hex");
const nested = (depth: number): Buffer => {
  let value: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth; level += 1) value = sequence(value);
  return value;
};
const bits = der(0x03, Buffer.alloc(65));
const algorithm = Buffer.from("300a06082a8648ce3d040302", "hex");
const longOid = sequence(der(0x06, Buffer.alloc(60_000, 0x55)));
const deep = "is nested too deeply";
const many = "has more than 4000 values";

const responses: [name: string, make: () => Buffer, problem: string][] = [
  ["of more than 64 kB", () => sequence(nulls(40_000)), "the response is larger than 64 kB"],
  ["with 30,000 members", () => sequence(nulls(30_000)), "has more than 16 members"],
  [
    "without a signature",
    () => responseOf(sequence(sequence(nulls(100)))),
    "the response is not signed",
  ],
  [
    "with 30,000 values and another's signature",
    () => responseOf(sequence(sequence(nulls(30_000)), algorithm, bits)),
    "neither the issuer's nor",
  ],
  [
    "with 30,000 values in its algorithm",
    () => responseOf(sequence(sequence(), sequence(nulls(30_000)), bits)),
    many,
  ],
  [
    "with an algorithm of 60 kB",
    () => responseOf(sequence(sequence(), longOid, bits)),
    "neither the issuer's nor",
  ],
  ["with 30,000 values", () => responseOf(signedBy(root, sequence(nulls(30_000)))), many],
  ["nested 5,000 times", () => responseOf(signedBy(root, nested(5_000))), deep],
  [
    "with 1,000 certificates",
    () =>
      responseOf(
        sequence(sequence(), algorithm, bits, der(0xa0, sequence(nested(1), nulls(1_000)))),
      ),
    "has more than 5 members",
  ],
];
for (const [name, make, problem] of responses) {
  test(`an OCSP response ${name} is refused before more of it is read`, () => {
    assert.throws(
      () => readOcspResponse(make(), leaf.certificate, root.certificate, now),
      (error: Error) => error.message.includes(problem),
    );
  });
}

const lists: [name: string, make: () => Buffer, problem: string][] = [
  ["with a million members", () => sequence(nulls(1e6)), "has more than 16 members"],
  ["with an algorithm of 2 MB", () => sequence(sequence(), sequence(nulls(1e6)), bits), "64 kB"],
  [
    "with a million values and another's signature",
    () => sequence(sequence(nulls(1e6)), algorithm, bits),
    "the signature of the list does not verify",
  ],
  ["with a million signed members", () => signedBy(root, sequence(nulls(1e6))), "16 members"],
  [
    "with a name of 30,000 values",
    () => signedBy(root, sequence(algorithm, sequence(nulls(30_000)), nulls(1))),
    many,
  ],
  [
    "whose name is nested",
    () => signedBy(root, sequence(algorithm, nested(5_000), nulls(1))),
    deep,
  ],
];
for (const [name, make, problem] of lists) {
  test(`a list of revoked certificates ${name} is refused before more of it is read`, async () => {
    await assert.rejects(readCrl(make(), root.certificate), (error: Error) =>
      error.message.includes(problem),
    );
  });
}

/** Signs a list with 50,000 entries. */
function longList(serialOf: (index: number) => number): Buffer {
  const entry = (serial: number): Buffer => {
    const bytes = Buffer.from("300802047f0000000500", "hex");
    bytes.writeUInt32BE(0x7f_00_00_00 + serial, 4);
    return bytes;
  };
  const name = Buffer.from(
    new x509.X509Certificate(root.certificate.raw).subjectName.toArrayBuffer(),
  );
  const body = sequence(
    algorithm,
    name,
    der(0x17, Buffer.from("250101000000Z")),
    sequence(...Array.from({ length: 50_000 }, (_, index) => entry(serialOf(index)))),
  );
  return signedBy(root, body);
}

test("a list with 50,000 entries for one certificate is refused before their work grows", async () => {
  const reading = readCrl(
    longList(() => 7),
    root.certificate,
  );
  await assert.rejects(reading, /too many entries have the same serial number/);
});

test("other work goes on while a list of 50,000 revoked certificates is read, in DER or PEM", async () => {
  const bytes = longList((index) => index);
  const pem = `-----BEGIN X509 CRL-----\n${bytes.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END X509 CRL-----\n`;
  for (const list of [bytes, Buffer.from(pem)]) {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const { revoked } = await readCrl(list, root.certificate);
    isOver = true;
    assert.equal(revoked.size, 50_000);
    for (let serial = 0; serial < 50_000; serial += 1) {
      assert.ok(revoked.has((0x7f_00_00_00 + serial).toString(16).toUpperCase()));
    }
    for (const other of ["7F00C350", "7EFFFFFF", "7F0000", "", "7F000000".repeat(5)]) {
      assert.ok(!revoked.has(other), other);
    }
    assert.ok(turns >= 20, `${turns} turns`);
  }
});

/** Opens the policy `hard` without grace, with the responses in `answers`, one after another. */
function open(...answers: Buffer[]) {
  const reasons: string[] = [];
  const state = { time: now };
  const revocation = createRevocation({
    now: () => state.time,
    policy: "hard",
    graceHours: 0,
    fetch: async () => answers.shift() ?? Promise.reject(new Error("unreachable")),
    onTrouble: ({ reason }) => void reasons.push(reason),
  });
  const trust = createClientTrust(root.pem, { now: () => state.time, revocation });
  const problem = () => trust.judge(leaf.certificate, []).problem;
  return { reasons, revocation, trust, state, problem };
}

const answer = (thisUpdate: Temporal.Instant, given: object = {}): Buffer =>
  makeResponse({ certificate: leaf.certificate, issuer: root, thisUpdate, ...given });

test("R-126: an OCSP response that does not name the next one is used for 24 hours after its date", async () => {
  const { trust, state, problem, reasons } = open(answer(ago(20)));
  await trust.prepare(leaf.certificate, []);
  assert.equal(problem(), null);
  state.time = now.add({ hours: 3 });
  assert.equal(problem(), null);
  state.time = now.add({ hours: 5 });
  assert.equal(problem(), "unchecked");
  const old = open(answer(ago(25)));
  await old.trust.prepare(leaf.certificate, []);
  assert.equal(old.problem(), "unchecked");
  assert.deepEqual([reasons, old.reasons], [[], ["it has expired"]]);
});

test("a list that does not name the next one is used for 24 hours after its date", async () => {
  const { certificate } = await issue("Listed", root, { listUrl });
  const { subjectName } = new x509.X509Certificate(root.certificate.raw);
  const list = (at: Temporal.Instant): Buffer => {
    const digits = at.toString({ smallestUnit: "second" }).replaceAll(/[-:T]/g, "");
    const name = Buffer.from(subjectName.toArrayBuffer());
    return signedBy(root, sequence(algorithm, name, der(0x18, Buffer.from(digits))));
  };
  for (const [hours, problem] of [
    [23, null],
    [25, "unchecked"],
  ] as const) {
    const { trust } = open(list(ago(hours)));
    await trust.prepare(certificate, []);
    assert.equal(trust.judge(certificate, []).problem, problem);
  }
});

test("R-127: an older response, sent again, does not end a revocation", async () => {
  const next = { nextUpdate: now.add({ hours: 1 }) };
  const good = answer(ago(2), next);
  const { trust, state, revocation, problem, reasons } = open(
    answer(ago(1), { ...next, status: "revoked" }),
    good,
  );
  await trust.prepare(leaf.certificate, []);
  assert.equal(problem(), "revoked");
  state.time = now.add({ hours: 1 });
  await revocation.refresh();
  assert.equal(problem(), "revoked");
  assert.deepEqual(reasons, ["it is older than the last one"]);
});

test("a response from the future is refused, unless the responder's clock is minutes ahead", async () => {
  for (const [minutes, expected] of [
    [4, null],
    [6, "unchecked"],
  ] as const) {
    const { trust, problem } = open(answer(now.add({ minutes })));
    await trust.prepare(leaf.certificate, []);
    assert.equal(problem(), expected);
  }
});
