import type { Config } from "#src/config/config.ts";

/** The settings that payments depend on. */
export type PaymentConfig = Pick<
  Config,
  | "BANK_HOLIDAYS"
  | "CUT_OFF_STRATEGY"
  | "CUT_OFF_TIME"
  | "FILE_LIMIT_BYTES"
  | "FILE_PAYMENTS_LIMIT"
  | "FUNDS_CONFIRMATION_DAILY_LIMIT"
  | "IDEMPOTENCY_CONFLICT_STATUS"
  | "PAYMENT_LIMIT"
  | "STANDING_ORDER_V3_FREQUENCIES"
  | "STRICT_OAS"
  | "VRP_SCHEME_ACCOUNT_TYPES"
  | "VRP_SCHEME_CONTEXTS"
>;
