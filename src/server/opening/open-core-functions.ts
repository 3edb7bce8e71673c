import { defaultSource } from "#src/account-store/account-feed.ts";
import type { CoreFunctions } from "#src/connector/core-rows.ts";
import type { Clock } from "#src/lib/clock.ts";
import { nudgePayments } from "#src/payments/execution/nudge.ts";
import type { Database } from "#src/storage/database.ts";
import type { Core } from "./load-bank.ts";

type Nudging = { database: Database; clock: Clock; wake(): void };

/** What the bank's own core may call at Aldgate; null if the bank has none. */
export function openCoreFunctions(
  core: Core | null,
  { database, clock, wake }: Nudging,
): CoreFunctions | null {
  if (!core) return null;
  return {
    feed: core.feed,
    pulledSource: core.isPulled ? defaultSource : null,
    async nudge(paymentIds) {
      const asked = await nudgePayments(database, paymentIds, clock.now());
      if (asked > 0) wake();
      return asked;
    },
  };
}
