import { consentInvariantGroups } from "#src/consents/consent-invariants.ts";
import { fundsInvariantGroups } from "#src/funds/funds-invariants.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { orderInvariantGroups } from "#src/payments/shapes/order-invariants.ts";
import { verifyLimits } from "#src/payments/shapes/within-limits/verify-limits.ts";
import { verifySandboxBank } from "#src/sandbox/bank/verify/verify-sandbox-bank.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Breach, type VerifyOptions, verifyGroups } from "#src/storage/invariants.ts";

/**
 * `hasOwnCore`: the ledger is in that core, so Aldgate cannot check it. `kinds`: the
 * payment kinds that the bank offers, whose rules are checked; by default, those of this release.
 */
type BankToVerify = VerifyOptions & {
  hasOwnCore?: boolean;
  kinds?: readonly PaymentKind[];
};

/**
 * Finds breaches of Aldgate's invariants and, if the core is the sandbox bank, of its ledger's. The
 * list is empty if there are none. It may run while payments are made.
 */
export async function verifyInvariants(
  on: Queryable,
  { hasOwnCore = false, kinds = paymentKinds, ...options }: BankToVerify = {},
): Promise<Breach[]> {
  const ledger = hasOwnCore ? [] : await verifySandboxBank(on, options);
  const groups = [
    ...orderInvariantGroups(kinds, paymentKinds),
    ...consentInvariantGroups,
    ...fundsInvariantGroups,
  ];
  const own = await verifyGroups(on, groups, options);
  return [...ledger, ...own, ...(await verifyLimits(on, kinds, options))];
}
