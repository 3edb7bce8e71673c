import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import { offeredScopes } from "#src/bank/parts.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { fundsConfirmationKind } from "#src/funds/funds-confirmation-kind.ts";
import { paymentConsentKinds } from "#src/payments/consent/journey-kinds.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import type { Scope } from "#src/standard/api-version.ts";

/** The kinds of consents that no order uses up. Customers see and stop them as connections. */
export const accessKinds: readonly ConsentKind[] = [accountAccessKind, fundsConfirmationKind];

/** Each kind of consent that may be stored, with its course. */
export const coursesOf = (
  kinds: readonly Pick<PaymentKind, "id" | "consent">[],
): Pick<ConsentKind, "id" | "scope" | "course">[] => [
  ...accessKinds,
  ...kinds.map(({ id, consent }) => ({ id, scope: "payments" as const, course: consent })),
];

/**
 * The kinds of every consent that may be stored, and the scopes of those that the bank offers. Its
 * core may have lost a part, so a stored consent may be of a kind that is no longer offered.
 */
export function consentKindsOf(
  kinds: Parameters<typeof paymentConsentKinds>[0],
  deps: Parameters<typeof paymentConsentKinds>[1],
): { consentKinds: ConsentKind[]; scopes: Scope[] } {
  const consentKinds = [...accessKinds, ...paymentConsentKinds(kinds, deps)];
  return { consentKinds, scopes: offeredScopes(deps.bank, consentKinds) };
}
