import { type BankAbout, offersPermission } from "#src/bank/parts.ts";
import type { Permission } from "#src/standard/shared/accounts/account-access-consent.ts";

const sampled: readonly Permission[] = [
  "ReadAccountsDetail",
  "ReadBalances",
  "ReadBeneficiariesDetail",
  "ReadDirectDebits",
  "ReadOffers",
  "ReadParty",
  "ReadPartyPSU",
  "ReadProducts",
  "ReadScheduledPaymentsDetail",
  "ReadStandingOrdersDetail",
  "ReadStatementsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
  "ReadTransactionsDetail",
];

/**
 * The bodies that the API reference starts from, by operation id, with the permissions that the
 * bank offers.
 */
export const accountSamples = (bank: { about?: BankAbout }): Readonly<Record<string, object>> => ({
  CreateAccountAccessConsents: {
    Data: { Permissions: sampled.filter((code) => offersPermission(bank, code)) },
    Risk: {},
  },
});
