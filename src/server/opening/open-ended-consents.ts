import { journeysOfConsents } from "#src/auth/journey/journey-row.ts";
import type { Config } from "#src/config/config.ts";
import { createEndedConsents, type EndedConsents } from "#src/consents/purge-ended.ts";
import { isUsedUpByOrder } from "#src/consents/states.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { countPayments, deleteOrders, hasRecentOrder } from "#src/payments/order/delete-orders.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

type Deps = {
  database: Database;
  config: Pick<Config, "CONSENTS_KEEP_DAYS">;
  kinds: readonly Pick<PaymentKind, "id" | "consent">[];
};

/** Opens the deletion of ended consents with all that belongs to them; null without a period. */
export function openEndedConsents({ database, config, kinds }: Deps): EndedConsents | null {
  const { CONSENTS_KEEP_DAYS: keepDays } = config;
  if (keepDays === undefined) return null;
  return createEndedConsents(database, {
    keepDays,
    usedOnce: kinds.filter(({ consent }) => isUsedUpByOrder(consent)).map(({ id }) => id),
    belongings: {
      isRecent: hasRecentOrder,
      size: countPayments,
      async delete(on, consentIds) {
        await on.query(journeysOfConsents(sql`select unnest(${[...consentIds]}::text[])`));
        return deleteOrders(on, consentIds);
      },
    },
  });
}
