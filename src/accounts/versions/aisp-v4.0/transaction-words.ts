import type { IntermediaryAgent, UltimateParty } from "#src/account-store/transaction.ts";
import type { ReadParticulars } from "#src/account-store/transaction-rows.ts";
import { type TransactionWords, withComma } from "#src/accounts/views/transaction-text.ts";
import { balanceTypeCodes, entryStatusCodes } from "#src/standard/aisp-v4.0/words.ts";
import { renderAddressV4, renderProxy } from "./parts.ts";

/** The words of v4.0 for a transaction. Source: E-034…E-040, E-061. */
export const transactionWordsV4: TransactionWords = {
  statuses: entryStatusCodes,
  balances: balanceTypeCodes,
  furtherBasic: (particulars) =>
    withComma({
      ExtendedProprietaryBankTransactionCodes: particulars.furtherBankCodes?.map((one) => ({
        Code: one.code,
        Issuer: one.issuer,
        Description: one.description?.slice(0, 500),
      })),
      PaymentPurposeCode: particulars.paymentPurpose,
      CategoryPurposeCode: particulars.categoryPurpose,
      SupplementaryData: particulars.supplementary,
    }),
  furtherDetail: (particulars) =>
    withComma({
      UltimateCreditor: partyOf(particulars.ultimateCreditor),
      UltimateDebtor: partyOf(particulars.ultimateDebtor),
      ...agentsOf(particulars),
    }),
  furtherOfAgent: ({ name, lei, address }) =>
    withComma({
      Name: name?.slice(0, 140),
      LEI: lei,
      PostalAddress: address && renderAddressV4(address),
    }),
  furtherOfAccount: (proxy) => withComma({ Proxy: renderProxy(proxy) }),
};

const partyOf = (party: UltimateParty | undefined): object | undefined =>
  party && {
    Name: party.name?.slice(0, 140),
    SchemeName: party.schemeName,
    Identification: party.identification,
    LEI: party.lei,
    PostalAddress: party.address && renderAddressV4(party.address),
  };

// At most three, filled in order. Source: E-040.
const agentsOf = ({ intermediaryAgents = [] }: ReadParticulars): Record<string, object> =>
  Object.fromEntries(
    intermediaryAgents
      .slice(0, 3)
      .map((agent, index) => [`IntermediaryAgent${index + 1}`, intermediaryOf(agent)]),
  );

const intermediaryOf = (agent: IntermediaryAgent): object => ({
  Name: agent.name?.slice(0, 140),
  SchemeName: agent.schemeName,
  Identification: agent.identification,
  LEI: agent.lei,
  PostalAddress: agent.address && renderAddressV4(agent.address),
  ProcessingStatus: agent.processing,
});
