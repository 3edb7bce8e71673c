import type { Bank } from "#src/bank/port.ts";
import type { GrantDeletions } from "#src/consents/delete-consent.ts";
import type { AccessSql } from "#src/http/access/access-row.ts";
import type { Database } from "#src/storage/database.ts";
import type { PaymentKind } from "./kinds/payment-kind.ts";
import type { PaymentConfig } from "./payment-config.ts";

/** The dependencies of the payment operations. */
export type PaymentDeps = {
  database: Database;
  bank: Bank;
  /** The kinds that the bank offers. */
  kinds: readonly PaymentKind[];
  /** The SQL of a token's row. */
  accessRow: AccessSql;
  grantDeletions: GrantDeletions;
  config: PaymentConfig;
  /** Tells the engine that an order waits. */
  wake(): void;
};
