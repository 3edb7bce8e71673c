import type { IntermediaryAgent, UltimateParty } from "#src/account-store/transaction.ts";
import type { ReadParticulars } from "#src/account-store/transaction-rows.ts";
import * as v3 from "#src/standard/aisp-v3.1/words.ts";
import * as v4 from "#src/standard/aisp-v4.0/words.ts";
import { renderProxy } from "./creditor.ts";
import { renderAddressV4, renderBankAddressV3 } from "./postal-address.ts";
import type { TransactionWords } from "./transaction-text.ts";

/** The words of v3.1 for a transaction, in which a bank has no LEI. Source: A-170, E-060. */
export const transactionWordsV3: TransactionWords = {
  statuses: v3.entryStatuses,
  balances: v3.balanceTypes,
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

/** The words of v4.0 for a transaction. Source: E-034…E-040, E-061. */
export const transactionWordsV4: TransactionWords = {
  statuses: v4.entryStatusCodes,
  balances: v4.balanceTypeCodes,
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

/**
 * The words of release 4.0.0. Its schema of a transaction has no intermediary agents, and allows no
 * additional members. Source: E-041, E-042.
 */
export const transactionWordsV400: TransactionWords = {
  ...transactionWordsV4,
  furtherBasic: (particulars) =>
    transactionWordsV4.furtherBasic(
      particulars.paymentPurpose === v4.newPurpose ? withoutPurpose(particulars) : particulars,
    ),
  furtherDetail: ({ intermediaryAgents: _, ...others }) => transactionWordsV4.furtherDetail(others),
};

const withoutPurpose = ({ paymentPurpose: _, ...others }: ReadParticulars): ReadParticulars =>
  others;

// JSON.stringify leaves out what is undefined
function withComma(members: object): string {
  const text = JSON.stringify(members).slice(1, -1);
  return text === "" ? "" : `,${text}`;
}

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
