import type { Bank } from "#src/bank/port.ts";
import type { Config } from "#src/config/config.ts";
import type { AccessSql } from "#src/http/access-row.ts";
import type { Database } from "#src/storage/database.ts";

/** What the configuration says of payments. */
export type PaymentConfig = Pick<
  Config,
  | "BANK_HOLIDAYS"
  | "CUT_OFF_STRATEGY"
  | "CUT_OFF_TIME"
  | "FILE_LIMIT_BYTES"
  | "FILE_PAYMENTS_LIMIT"
  | "IDEMPOTENCY_CONFLICT_STATUS"
  | "PAYMENT_LIMIT"
  | "STANDING_ORDER_V3_FREQUENCIES"
  | "STATUS_VOCABULARY"
  | "STRICT_OAS"
>;

/** What the payment operations work with. */
export type PaymentDeps = {
  database: Database;
  bank: Bank;
  /** The SQL of a token's row. */
  accessRow: AccessSql;
  config: PaymentConfig;
  /** Tells the engine that an order waits. */
  wake(): void;
};
