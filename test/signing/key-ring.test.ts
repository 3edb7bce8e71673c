import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { Clock } from "#src/lib/clock.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import type { KeyDates } from "#src/signing/key-life.ts";
import { createKeyRing, type RingKey } from "#src/signing/key-ring.ts";
import type { ShownKey } from "#src/signing/key-store.ts";
import { keyWarnings } from "#src/signing/key-warnings.ts";
import { createFileSigner } from "#src/signing/locate-key.ts";
import { publicJwkOf, publicKeyOf } from "#src/signing/public-jwk.ts";

let now = 0;
const clock: Clock = { now: () => Temporal.Instant.fromEpochMilliseconds(now) };
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const jwk = publicJwkOf(privateKey);

/** Makes a key with these dates. Its private half can be used unless `isUsable` is false. */
const keyOf = (kid: string, dates: Partial<KeyDates>, isUsable = true): RingKey => ({
  kid,
  jwk: { ...jwk, kid },
  publicKey: publicKeyOf(jwk),
  signer: isUsable ? createFileSigner(privateKey) : null,
  certificatesPem: () => "",
  publishedFrom: 0,
  activeFrom: null,
  publishedUntil: null,
  withdrawnAt: null,
  ...dates,
});

test("K-003: two key rings with the same dates change keys in the same millisecond", () => {
  const dates = [
    keyOf("old", { activeFrom: 0, publishedUntil: 9000 }),
    keyOf("new", { activeFrom: 5000 }),
  ];
  const rings = [createKeyRing(clock, dates), createKeyRing(clock, dates.toReversed())];
  for (const [at, kid] of [
    [0, "old"],
    [4999, "old"],
    [5000, "new"],
    [4999, "old"],
    [9000, "new"],
  ] as const) {
    now = at;
    for (const ring of rings) assert.equal(ring.current().kid, kid, String(at));
  }
});

test("K-004: a key ring publishes a retired key until the millisecond at which its period ends", () => {
  const dates = [
    keyOf("old", { activeFrom: 0, publishedUntil: 9000 }),
    keyOf("new", { activeFrom: 5000 }),
  ];
  const ring = createKeyRing(clock, dates);
  for (const [at, kids] of [
    [4999, ["old", "new"]],
    [5000, ["new", "old"]],
    [8999, ["new", "old"]],
    [9000, ["new"]],
  ] as const) {
    now = at;
    assert.deepEqual(
      ring.published().map(({ kid }) => kid),
      kids,
      String(at),
    );
  }
  assert.equal(ring.find("old"), undefined);
});

test("a process that cannot use the newest key signs with the key before it while that is published", () => {
  const dates = [
    keyOf("old", { activeFrom: 0, publishedUntil: 9000 }),
    keyOf("new", { activeFrom: 5000 }, false),
  ];
  const ring = createKeyRing(clock, dates);
  now = 6000;
  assert.equal(ring.current().kid, "old");
  now = 9000;
  assert.equal(ring.canSign(), false);
  assert.throws(
    () => ring.current(),
    (error) => unavailableOf(error)?.part === "signer",
  );
});

const day = 86_400_000;
const shown = (kid: string, state: ShownKey["state"], days: number | null): ShownKey => ({
  kid,
  state,
  location: "key.pem",
  publishedFrom: "2026-01-01T00:00:00Z",
  activeFrom: null,
  publishedUntil: null,
  withdrawnAt: null,
  certificateUntil: days === null ? null : new Date(days * day).toISOString(),
  isUsable: true,
});

test("operators are warned of certificates that expire soon, of unusable keys and of a missing next key", () => {
  const warnings = (...keys: ShownKey[]) => keyWarnings(keys, 0);
  assert.deepEqual(warnings(shown("a", "current", 31), shown("b", "standby", 31)), []);
  const [soon = "", ...none] = warnings(shown("a", "current", 29), shown("b", "standby", 31));
  assert.match(soon, /the certificate of the key a \(current\) expires in 29 days/);
  assert.deepEqual(none, []);
  assert.match(warnings(shown("a", "current", -1), shown("b", "next", 31))[0] ?? "", /has expired/);
  assert.match(warnings(shown("a", "current", 31))[0] ?? "", /there is no next key/);
  assert.match(warnings(shown("b", "standby", 31))[0] ?? "", /no key can sign/);
  const unusable = { ...shown("b", "next", 31), isUsable: false };
  assert.match(
    warnings(shown("a", "current", 31), unusable)[0] ?? "",
    /cannot sign with the key b/,
  );
  const over = [shown("c", "ended", -5), shown("d", "withdrawn", -5), shown("e", "retired", -5)];
  assert.deepEqual(warnings(shown("a", "current", 31), shown("b", "standby", 31), ...over), []);
});
