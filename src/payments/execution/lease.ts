import type { Config } from "#src/config/config.ts";

/** The settings that decide whether leases are long enough. */
type LeaseConfig = Pick<Config, "BANK_EXECUTE_DEADLINE_MS" | "PAYMENT_LEASE_SECONDS">;

/**
 * Lists the faults of these settings. A payment may need two calls to the core before its outcome
 * is stored and its lease is renewed: one that asks about it, and one that moves it.
 */
export function leaseMistakes(config: LeaseConfig): string[] {
  const { BANK_EXECUTE_DEADLINE_MS: deadlineMs, PAYMENT_LEASE_SECONDS: leaseSeconds } = config;
  if (leaseSeconds * 1000 > 2 * deadlineMs) return [];
  const least = Math.floor((2 * deadlineMs) / 1000) + 1;
  return [
    `PAYMENT_LEASE_SECONDS: a lease of ${leaseSeconds} s can expire during two calls to the core ` +
      `of up to ${deadlineMs} ms each; set at least ${least}, or lower BANK_EXECUTE_DEADLINE_MS`,
  ];
}
