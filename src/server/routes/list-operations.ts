import type { AccountDeps } from "#src/accounts/account-deps.ts";
import { accountOperations } from "#src/accounts/operations.ts";
import { accessRow } from "#src/auth/access-row.ts";
import { grantDeletions } from "#src/auth/grant-deletions.ts";
import type { Bank } from "#src/bank/port.ts";
import { type Config, loadConfig } from "#src/config/config.ts";
import type { EventDeps } from "#src/events/event-deps.ts";
import { eventOperations } from "#src/events/event-operations.ts";
import { fundsOperations } from "#src/funds/operations.ts";
import type { Operation } from "#src/http/operation.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import { paymentOperations } from "#src/payments/operations.ts";
import type { Database } from "#src/storage/database.ts";

/** Every operation of every API, in the order in which they are documented. */
export function compileOperations(
  deps: Omit<PaymentDeps & AccountDeps, "accessRow" | "grantDeletions"> & { events: EventDeps },
): Operation[] {
  const all = { ...deps, accessRow, grantDeletions };
  return [
    ...paymentOperations(all),
    ...accountOperations(all),
    ...fundsOperations(all),
    ...eventOperations(deps.events),
  ];
}

/** The operations of a bank with these kinds as data: for lists and OpenAPI documents. */
export function listOperations(
  kinds: readonly PaymentKind[],
  config: Config = loadConfig({}),
): Operation[] {
  // never called
  const nothing = new Proxy({}, { get: () => refuse }) as Database & Bank & EventDeps;
  return compileOperations({
    database: nothing,
    bank: nothing,
    kinds,
    config,
    wake: refuse,
    events: nothing,
  });
}

const refuse = (): never => {
  throw new Error("listed operations cannot be called");
};
