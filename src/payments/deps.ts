import type { AccessSql } from "#src/http/access/access.ts";
import type { PaymentKind, ShapeDeps } from "#src/payments/definitions/payment-kind.ts";

/** The dependencies of the payment operations. */
export type PaymentDeps = ShapeDeps & {
  /** The kinds that the bank offers. */
  kinds: readonly PaymentKind[];
  /** The SQL of a token's row. */
  accessRow: AccessSql;
  /** Tells the engine that an order waits. */
  wake(): void;
};
