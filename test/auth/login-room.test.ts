import assert from "node:assert/strict";
import { test } from "node:test";
import { createAdmission } from "#src/auth/login/admission.ts";
import { networkOf } from "#src/auth/login/browser.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";

const start = Temporal.Instant.from("2026-03-02T10:00:00Z");

test("an IPv4 address is counted by itself, and an IPv6 address by its network", () => {
  const rows: [string, string][] = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::5", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ];
  for (const [address, network] of rows) assert.equal(networkOf(address), network);
});

/** Work that ends when the test says so. `finish` first waits until the work has begun. */
function gate() {
  const begun: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => void begun.push(resolve));
  const finish = async (index: number): Promise<void> => {
    for (let turn = 0; turn < 100 && begun.length <= index; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const end = begun[index];
    assert.ok(end, `login ${index} has begun`);
    end();
  };
  return { begun, work, finish };
}

test("logins beyond the queue are refused, and queued logins are served in order", async () => {
  const limits = { concurrency: 2, queue: 2, failuresPerMinute: 0 };
  const admission = createAdmission(limits, { now: () => start });
  const { begun, work, finish } = gate();
  const addresses = ["a", "b", "c", "d"];
  const taken = addresses.map((address) => admission.run(address, work));
  await assert.rejects(
    () => admission.run("e", work),
    (error) => unavailableOf(error)?.part === "login",
  );
  assert.equal(begun.length, 2, "two are checked at a time");
  for (let count = 0; count < 4; count += 1) {
    await finish(count);
    await taken[count];
  }
  const later = admission.run("e", work);
  await finish(4);
  await later;
});

test("one address can use at most half of the places, so others are served", async () => {
  const limits = { concurrency: 2, queue: 4, failuresPerMinute: 0 };
  const admission = createAdmission(limits, { now: () => start });
  const { work, finish } = gate();
  const flood = Array.from({ length: 10 }, () => admission.run("flood", work).catch(unavailableOf));
  const honest = admission.run("honest", work);
  const ended = Promise.all([...flood, honest]);
  for (let count = 0; count < 4; count += 1) await finish(count);
  const answers = await ended;
  assert.equal(answers.filter((answer) => answer !== undefined).length, 7);
});

test("an address that has used up its wrong passwords can try again after a minute", () => {
  let now = start;
  const limits = { concurrency: 1, queue: 1, failuresPerMinute: 2 };
  const admission = createAdmission(limits, { now: () => now });
  admission.countFailure("a");
  assert.equal(admission.isExhausted("a"), false);
  admission.countFailure("a");
  assert.equal(admission.isExhausted("a"), true);
  assert.equal(admission.isExhausted("b"), false);
  now = now.add({ minutes: 1 });
  assert.equal(admission.isExhausted("a"), false);
});
