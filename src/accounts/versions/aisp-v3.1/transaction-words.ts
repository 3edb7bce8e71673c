import { type TransactionWords, withComma } from "#src/accounts/views/transaction-text.ts";
import { balanceTypes, entryStatuses } from "#src/standard/aisp-v3.1/words.ts";
import { renderBankAddressV3 } from "./parts.ts";

/** The words of v3.1 for a transaction, in which a bank has no LEI. Source: A-170, E-060. */
export const transactionWordsV3: TransactionWords = {
  statuses: entryStatuses,
  balances: balanceTypes,
  furtherBasic: ({ supplementary }) =>
    supplementary ? withComma({ SupplementaryData: supplementary }) : "",
  furtherDetail: () => "",
  furtherOfAgent: ({ name, address }) =>
    withComma({
      Name: name?.slice(0, 140),
      PostalAddress: address && renderBankAddressV3(address),
    }),
  furtherOfAccount: () => "",
};
