import type { AccountDeps } from "#src/accounts/account-deps.ts";
import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import { accountOperations } from "#src/accounts/operations.ts";
import { accessRow } from "#src/auth/access-row.ts";
import { grantDeletions } from "#src/auth/grant-deletions.ts";
import { offersKind } from "#src/bank/parts.ts";
import type { Bank } from "#src/bank/port.ts";
import { type Config, loadConfig } from "#src/config/config.ts";
import type { EventDeps } from "#src/events/event-deps.ts";
import { eventOperations } from "#src/events/event-operations.ts";
import { fundsConfirmationKind } from "#src/funds/funds-confirmation-kind.ts";
import { fundsOperations } from "#src/funds/operations.ts";
import type { Operation } from "#src/http/operation.ts";
import type { PaymentDeps, PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentOperations } from "#src/payments/operations.ts";
import type { Database } from "#src/storage/database.ts";

/**
 * Every operation that the bank offers, in the order in which they are documented. The operations
 * of what its core lacks are left out.
 */
export function compileOperations(
  deps: Omit<PaymentDeps & AccountDeps, "accessRow" | "grantDeletions"> & { events: EventDeps },
): Operation[] {
  const { bank } = deps;
  const kinds = deps.kinds.filter((kind) => offersKind(bank, kind));
  const all = { ...deps, kinds, accessRow, grantDeletions };
  return [
    ...paymentOperations(all),
    ...(offersKind(bank, accountAccessKind) ? accountOperations(all) : []),
    ...(offersKind(bank, fundsConfirmationKind) ? fundsOperations(all) : []),
    ...eventOperations(deps.events),
  ];
}

/** The operations of a bank with these kinds as data: for lists and OpenAPI documents. */
export function listOperations(
  kinds: readonly PaymentKind[],
  config: Config = loadConfig({}),
): Operation[] {
  // never called; it has no `about`, so it has every part
  const get = (_: object, name: string | symbol) => (name === "about" ? undefined : refuse);
  const nothing = new Proxy({}, { get }) as Database & Bank & EventDeps;
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
