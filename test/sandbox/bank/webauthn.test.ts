import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import {
  readAssertion,
  readNewKey,
  relyingPartyOf,
  verifyAssertion,
} from "#src/sandbox/bank/webauthn.ts";
import { type Deviation, flags, keyPairOf, SoftPasskey } from "#test/auth/soft-passkey.ts";

// What the bank itself reads of an answer. The login has looked at the challenge before, but the
// bank must not rely on that.

const party = present(relyingPartyOf("https://bank.example"), "the address");
const expected = { ...party, challenge: "AAECAw" };
const options = { ...expected, rp: { id: party.rpId } };

const keep = (passkey: SoftPasskey) =>
  present(readNewKey(passkey.make(options), expected), "a key");

const verifies = (passkey: SoftPasskey, given: Deviation, kept = keep(passkey)): boolean => {
  const answer = present(readAssertion(passkey.sign(options, given)), "an assertion");
  return verifyAssertion(answer, expected, kept) !== null;
};

const wrong: Record<string, Deviation> = {
  "another origin": { origin: "https://bank.example.attacker.example" },
  "the origin with another port": { origin: "https://bank.example:8443" },
  "another domain": { rpId: "attacker.example" },
  "another challenge": { challenge: "AAECBA" },
  "no challenge": { challenge: "" },
  "the type of a new passkey": { type: "webauthn.create" },
  "the type of a payment": { type: "payment.get" },
  "a frame in another site": { crossOrigin: true },
  "no user": { flags: flags.verified },
  "an unverified user": { flags: flags.present },
  "another key": { key: keyPairOf.ES256().privateKey },
  "a key of another algorithm": { key: keyPairOf.RS256().privateKey },
};

for (const [what, given] of Object.entries(wrong)) {
  test(`a signature with ${what} is none`, () => {
    const passkey = new SoftPasskey(party.origin);
    assert.equal(verifies(passkey, {}), true);
    assert.equal(verifies(passkey, given), false);
  });
}

test("a signature covers every byte that the device and the browser have sent", () => {
  const passkey = new SoftPasskey(party.origin, { counts: true });
  const kept = keep(passkey);
  const answer = present(readAssertion(passkey.sign(options)), "an assertion");
  assert.notEqual(verifyAssertion(answer, expected, kept), null);
  for (const member of ["clientDataJSON", "authenticatorData", "signature"] as const) {
    const bytes = Buffer.from(answer.response[member], "base64url");
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed.readUInt8(index) ^ 0x10) & 0xff, index);
      const response = { ...answer.response, [member]: changed.toString("base64url") };
      const found = verifyAssertion({ ...answer, response }, expected, kept);
      assert.equal(found, null, `${member}, byte ${index}`);
    }
    const cut = { ...answer.response, [member]: bytes.subarray(0, 20).toString("base64url") };
    assert.equal(verifyAssertion({ ...answer, response: cut }, expected, kept), null);
  }
});

test("a passkey that never counts is accepted, and one that counts must count on", () => {
  const passkey = new SoftPasskey(party.origin);
  const kept = keep(passkey);
  const rows: [before: bigint, now: number, isRight: boolean][] = [
    [0n, 0, true],
    [0n, 1, true],
    [5n, 6, true],
    [5n, 5, false],
    [5n, 4, false],
    [5n, 0, false],
    [4_294_967_294n, 4_294_967_295, true],
  ];
  for (const [signCount, now, isRight] of rows) {
    const found = verifies(passkey, { signCount: now }, { ...kept, signCount });
    assert.equal(found, isRight, `${signCount}, then ${now}`);
  }
});

test("a new passkey needs the user, the challenge, this bank, its own id and a known algorithm", () => {
  const passkey = new SoftPasskey(party.origin);
  const made: Record<string, Deviation> = {
    origin: { origin: "https://attacker.example" },
    domain: { rpId: "attacker.example" },
    challenge: { challenge: "AAECBA" },
    type: { type: "webauthn.get" },
    frame: { crossOrigin: true },
    user: { flags: flags.verified },
    verified: { flags: flags.present },
  };
  for (const [what, given] of Object.entries(made)) {
    assert.equal(readNewKey(passkey.make(options, given), expected), null, what);
  }
  const whole = JSON.parse(passkey.make(options));
  assert.notEqual(readNewKey(JSON.stringify(whole), expected), null);
  const changed = [
    { ...whole, id: "AAAA" },
    { ...whole, type: "password" },
    { ...whole, response: { ...whole.response, publicKey: "AAAA" } },
    { ...whole, response: { ...whole.response, authenticatorData: "AAAA" } },
    { ...whole, response: { ...whole.response, transports: "internal" } },
    { id: whole.id },
    null,
    [],
  ];
  for (const each of changed) {
    assert.equal(readNewKey(JSON.stringify(each), expected), null, JSON.stringify(each));
  }
  for (const algorithm of ["P384", "RSA1024"] as const) {
    const weak = new SoftPasskey(party.origin, { algorithm });
    assert.equal(readNewKey(weak.make(options), expected), null, algorithm);
  }
});

test("a browser has passkeys for localhost and for https with a host name only", () => {
  const rows: [url: string, rpId: string | null][] = [
    ["https://bank.example", "bank.example"],
    ["https://Bank.Example:8443/path", "bank.example"],
    ["http://localhost:8080", "localhost"],
    ["http://one.localhost:8080", "one.localhost"],
    ["http://bank.example", null],
    ["https://192.0.2.1", null],
    ["http://127.0.0.1:8080", null],
    ["https://[2001:db8::1]", null],
  ];
  for (const [url, rpId] of rows) {
    assert.equal(relyingPartyOf(url)?.rpId ?? null, rpId, url);
  }
});
