import type { Consent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { accountAccess } from "#src/consents/states.ts";
import { dateText, endTexts, notOpenText } from "#src/pages/wording.ts";
import { showClusters } from "./data-clusters.ts";

/**
 * The kind of access to accounts, for the journey: any number of accounts, and the customer may
 * authenticate again for the same consent. Source: A-103…A-111.
 */
export const accountAccessKind: ConsentKind & { id: "account-access" } = {
  id: "account-access",
  scope: "accounts",
  noun: "access",
  accountChoice: "many",
  course: accountAccess,
  namedDebtor: () => null,
  whyNotEligible: (_, { status }) => {
    const why = notOpenText(status);
    return why && `This account is ${why}.`;
  },
  whyNotSignable: () => null,
  whyNotNow: () => null,
  closesAt: () => null,
  summarise: (consent) => ({
    type: "access",
    clusters: showClusters(consent.permissions),
    ...endTexts(consent.expiresAt),
    transactions: showWindow(consent),
  }),
};

function showWindow({ transactionsFrom: from, transactionsTo: to }: Consent): string | null {
  if (from && to) return `from ${dateText(from)} to ${dateText(to)}`;
  if (from) return `from ${dateText(from)}`;
  return to ? `up to ${dateText(to)}` : null;
}
