import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { fundsConfirmationKind } from "#src/funds/funds-confirmation-kind.ts";

/** The kinds of consents that no order uses up. Customers see and stop them as connections. */
export const accessKinds: readonly ConsentKind[] = [accountAccessKind, fundsConfirmationKind];
