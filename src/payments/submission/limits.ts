import { lockedConsent } from "#src/consents/consent-facts.ts";
import { ApiError } from "#src/http/api-error.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import type { ConsentedUse, ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { requestOf } from "#src/payments/kinds/payment-kind.ts";
import { consentOf, type OrderWithConsent } from "#src/payments/order/load-order.ts";
import { wireFaults } from "#src/payments/request/checks.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { createOrders, type NewOrder } from "./create-order.ts";

/**
 * Creates an order that its consent allows within limits, in one transaction: the consent is
 * locked, its earlier orders are read, the kind's limits are checked, and the order is stored. Two
 * orders that exceed a limit together are never both created. Returns false if another request was
 * first with the key.
 */
export async function createWithinLimits(
  kind: ServedKind,
  { database }: { database: Database },
  created: NewOrder & { order: OrderWithConsent },
  { body, now }: OperationRequest,
): Promise<boolean> {
  const { order } = created;
  const { check } = present(kind.withinLimits, "the limits of a kind that has them");
  return database.transaction(async (on) => {
    await on.query(lockedConsent(order.consentId));
    const faults = check({
      consent: requestOf(kind, consentOf(order)),
      order: kind.wire.read(body),
      earlier: await loadEarlier(on, order.consentId),
      now,
    });
    if (faults.length > 0) throw new ApiError(400, wireFaults(faults, kind.wire.paths));
    const [isCreated] = await createOrders(on, [created]);
    return isCreated === true;
  });
}

/** The orders of a consent that count towards its limits, without refused ones. */
const loadEarlier = (on: Queryable, consentId: string): Promise<ConsentedUse[]> =>
  on.query<ConsentedUse>(sql`
    select created_at as "acceptedAt", amount_minor as "amountMinor", currency
    from payment_order
    where consent_id = ${consentId} and consent_use = 'within limits'
      and status not in ('RJCT', 'BLCK')
    order by created_at`);
