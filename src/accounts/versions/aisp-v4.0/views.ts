import type { IntermediaryAgent, UltimateParty } from "#src/account-store/transaction.ts";
import type { ReadParticulars } from "#src/account-store/transaction-rows.ts";
import { type AccountView, type ResourceView, viewOf } from "#src/accounts/resource.ts";
import {
  type AccountFacts,
  account,
  accountDescriptionOf,
  accountIdentityOf,
  accounts,
  identificationsOf,
} from "#src/accounts/resources/accounts.ts";
import { balances, renderBalances } from "#src/accounts/resources/balances.ts";
import {
  beneficiaries,
  beneficiaryAgentOf,
  beneficiaryOf,
} from "#src/accounts/resources/beneficiaries.ts";
import {
  directDebitIdsOf,
  directDebits,
  previousPaymentOf,
} from "#src/accounts/resources/direct-debits.ts";
import { offers, renderOffer } from "#src/accounts/resources/offers.ts";
import {
  customerParty,
  type PartyFacts,
  parties,
  party,
  partyAddressOf,
  renderParty,
} from "#src/accounts/resources/parties.ts";
import { product, renderProduct } from "#src/accounts/resources/product.ts";
import {
  scheduledPaymentOf,
  scheduledPayments,
} from "#src/accounts/resources/scheduled-payments.ts";
import {
  paymentsOf,
  standingOrderIdsOf,
  standingOrders,
} from "#src/accounts/resources/standing-orders.ts";
import { statementFile, statementFileView } from "#src/accounts/resources/statement-file.ts";
import { statement, statements, statementsIn } from "#src/accounts/resources/statements.ts";
import {
  statementTransactions,
  transactions,
  transactionsIn,
} from "#src/accounts/resources/transactions.ts";
import type { StatementFacts } from "#src/accounts/statement-file/statement-facts.ts";
import { type TransactionWords, withComma } from "#src/accounts/views/transaction-text.ts";
import { frequencyOf } from "#src/standard/aisp-v4.0/frequency.ts";
import {
  type Account,
  type DirectDebitItem,
  readAccount,
  readBalance,
  readBeneficiary,
  readDirectDebit,
  readParties,
  readParty,
  readScheduledPayment,
  readStandingOrder,
  readStatement,
  readTransaction,
} from "#src/standard/aisp-v4.0/resources.ts";
import {
  accountTypeCodes,
  balanceTypeCodes,
  collectionFrequencyCodes,
  currencySubTypeCodes,
  entryStatusCodes,
  mandateStatusCodes,
  statementChannels,
  statementFormatCodes,
  statementFrequencies,
} from "#src/standard/aisp-v4.0/words.ts";
import { readProduct } from "#src/standard/shared/accounts/product.ts";
import { readOffer } from "#src/standard/shared/accounts/read-offer.ts";
import { renderCollections, renderMandate, renderRemittance } from "./mandate.ts";
import {
  renderAddressV4,
  renderAgentV4,
  renderCreditorAccountV4,
  renderPayeeAgentV4,
  renderProxy,
  renderServicerV4,
} from "./parts.ts";

/** The words of v4.0 for a transaction. Source: E-034…E-040, E-061. */
const transactionWordsV4: TransactionWords = {
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

const accountView: ResourceView<AccountFacts> = {
  schema: readAccount,
  detailMembers: ["Account", "Servicer", "StatementFrequencyAndFormat"],
  render: (account) => [
    {
      ...({
        ...accountIdentityOf(account),
        AccountCategory: account.category,
        AccountTypeCode: accountTypeCodes[account.kind],
        ...accountDescriptionOf(account, account.description),
        Account: identificationsOf(account).map((each) =>
          account.lei === null ? each : { ...each, LEI: account.lei },
        ),
      } satisfies Account),
      // JSON leaves out what is undefined
      StatementFrequencyAndFormat: deliveriesOf(account),
      Servicer: renderServicerV4(account.servicer),
    },
  ],
};

/** How the customer gets statements. Source: E-028, E-029, E-030. */
function deliveriesOf({ statementDeliveries }: AccountFacts) {
  const all = statementDeliveries.map(({ frequency, channel, format, address }) => ({
    Frequency: frequency && statementFrequencies[frequency],
    CommunicationMethod: channel && statementChannels[channel],
    DeliveryAddress: address && renderAddressV4(address),
    Format: format && statementFormatCodes[format],
  }));
  const shown = all.filter((one) => Object.values(one).some((value) => value !== undefined));
  return shown.length > 0 ? shown : undefined;
}

const transactionView = {
  ...transactionsIn(transactionWordsV4),
  schema: readTransaction,
} satisfies ResourceView;

const statementView: ResourceView<StatementFacts> = {
  ...statementsIn(currencySubTypeCodes),
  schema: readStatement,
  detailMembers: ["StatementAmount"],
};

const renderOneParty = (facts: PartyFacts, { baseUrl }: { baseUrl: string }) => [
  {
    ...renderParty(facts, baseUrl),
    ...(facts.lei === null ? {} : { LEI: facts.lei }),
    ...partyAddressOf(facts, renderAddressV4),
  },
];

/** The views of v4.0. */
export const views: readonly AccountView[] = [
  viewOf(accounts, accountView),
  viewOf(account, accountView),
  viewOf(balances, {
    schema: readBalance,
    render: (facts) => renderBalances(facts, balanceTypeCodes, currencySubTypeCodes),
  }),
  viewOf(transactions, transactionView),
  viewOf(statementTransactions, transactionView),
  viewOf(product, { schema: readProduct, render: renderProduct }),
  viewOf(offers, { schema: readOffer, render: renderOffer }),
  viewOf(party, { schema: readParty, render: renderOneParty }),
  viewOf(parties, { schema: readParties, render: renderOneParty }),
  viewOf(customerParty, { schema: readParty, render: renderOneParty }),
  viewOf(statements, statementView),
  viewOf(statement, statementView),
  viewOf(statementFile, statementFileView),
  viewOf(beneficiaries, {
    detailMembers: ["CreditorAgent", "CreditorAccount"],
    schema: readBeneficiary,
    render: (beneficiary, context) => [
      {
        ...beneficiaryOf(beneficiary),
        CreditorAgent: renderPayeeAgentV4(beneficiaryAgentOf(beneficiary)),
        CreditorAccount: renderCreditorAccountV4(beneficiary.creditor, context),
      },
    ],
  }),
  viewOf(directDebits, {
    schema: readDirectDebit,
    render: (debit) => [
      {
        ...directDebitIdsOf(debit),
        DirectDebitStatusCode: mandateStatusCodes[debit.state],
        MandateRelatedInformation: {
          ...renderMandate(debit.mandate),
          MandateIdentification: debit.mandateReference,
          ...renderCollections(debit.mandate, collectionFrequencyCodes[debit.frequency]),
        },
        Name: debit.originatorName,
        ...previousPaymentOf(debit),
      } satisfies DirectDebitItem,
    ],
  }),
  viewOf(scheduledPayments, {
    detailMembers: ["CreditorAgent", "CreditorAccount"],
    schema: readScheduledPayment,
    render: (payment, context) => [
      {
        ...scheduledPaymentOf(payment),
        CreditorAgent: renderAgentV4(payment.creditorAgent),
        CreditorAccount: renderCreditorAccountV4(payment.creditor, context),
      },
    ],
  }),
  viewOf(standingOrders, {
    detailMembers: ["CreditorAgent", "CreditorAccount"],
    schema: readStandingOrder,
    render: (order, context) => [
      {
        ...standingOrderIdsOf(order),
        NumberOfPayments: order.numberOfPayments?.toString(),
        StandingOrderStatusCode: mandateStatusCodes[order.state],
        ...paymentsOf(order),
        MandateRelatedInformation: {
          FirstPaymentDateTime: order.first.at ?? undefined,
          RecurringPaymentDateTime: order.recurringAt ?? undefined,
          FinalPaymentDateTime: order.final?.at ?? undefined,
          ...renderMandate(order.mandate),
          Frequency: frequencyOf(order.rhythm),
        },
        RemittanceInformation: renderRemittance(order.reference, order.remittance),
        CreditorAgent: renderAgentV4(order.creditorAgent),
        CreditorAccount: renderCreditorAccountV4(order.creditor, context),
      },
    ],
  }),
];
