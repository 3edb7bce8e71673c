import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import { systemClock } from "#src/lib/clock.ts";
import { leaseMistakes } from "#src/payments/execution/engine.ts";
import { openServer } from "#src/server/open-server.ts";

test("the bank does not start if two calls to the core can take longer than a lease", async () => {
  const mistakes = (leaseSeconds: number, deadlineMs: number): string[] =>
    leaseMistakes({ PAYMENT_LEASE_SECONDS: leaseSeconds, BANK_EXECUTE_DEADLINE_MS: deadlineMs });
  assert.deepEqual(mistakes(3, 1499), []);
  assert.match(mistakes(3, 1500)[0] ?? "", /^PAYMENT_LEASE_SECONDS: .* 3 s .* at least 4, or/);
  assert.match(mistakes(3, 1600)[0] ?? "", /at least 4, or lower BANK_EXECUTE_DEADLINE_MS/);
  const config = loadConfig({ PAYMENT_LEASE_SECONDS: "20" });
  await assert.rejects(
    openServer({ config, clock: systemClock, onProgress: () => undefined }),
    /PAYMENT_LEASE_SECONDS: a lease of 20 s can expire during two calls to the core.* at least 21/,
  );
});
