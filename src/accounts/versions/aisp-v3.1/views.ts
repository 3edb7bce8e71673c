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
import { renderCreditorAccount } from "#src/accounts/views/creditor.ts";
import { type TransactionWords, withComma } from "#src/accounts/views/transaction-text.ts";
import {
  type Account,
  type DirectDebitItem,
  readAccount,
  readBalance,
  readBeneficiary,
  readDirectDebit,
  readParties,
  readParty,
  readProduct,
  readScheduledPayment,
  readStandingOrder,
  readStatement,
  readTransaction,
} from "#src/standard/aisp-v3.1/resources.ts";
import {
  accountSubTypes,
  balanceTypes,
  collectionFrequencies,
  currencySubTypes,
  entryStatuses,
  mandateStatuses,
} from "#src/standard/aisp-v3.1/words.ts";
import { readOffer } from "#src/standard/shared/accounts/read-offer.ts";
import { frequencyPattern } from "#src/standard/shared/v3/frequency-pattern.ts";
import { sql } from "#src/storage/sql.ts";
import {
  renderAddressV3,
  renderAgentV3,
  renderBankAddressV3,
  renderPayeeAgentV3,
} from "./parts.ts";

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

const accountView: ResourceView<AccountFacts> = {
  schema: readAccount,
  detailMembers: ["Account", "Servicer"],
  render: (account) => [
    {
      ...({
        ...accountIdentityOf(account),
        AccountType: account.category,
        AccountSubType: accountSubTypes[account.kind],
        ...accountDescriptionOf(account, descriptionOf(account)),
        Account: identificationsOf(account),
      } satisfies Account),
      // JSON leaves out what is undefined
      Servicer: renderAgentV3(account.servicer),
    },
  ],
};

// A kind of account without a v3.1 word gets a description, unless the bank has given one. Source:
// E-027.
const descriptionOf = ({ kind, description }: AccountFacts): string | null =>
  description ?? (accountSubTypes[kind] === kind ? null : kind.replace(/(?<=[a-z])[A-Z]/g, " $&"));

const transactionView = {
  ...transactionsIn(transactionWordsV3),
  schema: readTransaction,
  // v3.1 has no word for entries that move no money. Source: E-036.
  shows: sql`t.status <> 'Information'`,
} satisfies ResourceView;

const statementView: ResourceView<StatementFacts> = {
  ...statementsIn(currencySubTypes),
  schema: readStatement,
  // only v4.0 shows TotalValue with Basic. Source: OBStatement2Basic, A-213
  detailMembers: ["StatementAmount", "TotalValue"],
};

// Source: E-059
const mostAddressLines = 5;

const renderOneParty = (facts: PartyFacts, { baseUrl }: { baseUrl: string }) => [
  {
    ...renderParty(facts, baseUrl),
    ...partyAddressOf(facts, (address) => renderAddressV3(address, mostAddressLines)),
  },
];

/** The views of v3.1. */
export const views: readonly AccountView[] = [
  viewOf(accounts, accountView),
  viewOf(account, accountView),
  viewOf(balances, {
    schema: readBalance,
    render: (facts) => renderBalances(facts, balanceTypes, currencySubTypes),
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
        CreditorAgent: renderPayeeAgentV3(beneficiaryAgentOf(beneficiary)),
        CreditorAccount: renderCreditorAccount(beneficiary.creditor, context),
      },
    ],
  }),
  viewOf(directDebits, {
    schema: readDirectDebit,
    render: (debit) => [
      {
        ...directDebitIdsOf(debit),
        MandateIdentification: debit.mandateReference,
        DirectDebitStatusCode: mandateStatuses[debit.state],
        Name: debit.originatorName,
        Frequency: collectionFrequencies[debit.frequency],
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
        CreditorAgent: renderAgentV3(payment.creditorAgent),
        CreditorAccount: renderCreditorAccount(payment.creditor, context),
      },
    ],
  }),
  viewOf(standingOrders, {
    detailMembers: ["CreditorAgent", "CreditorAccount"],
    schema: readStandingOrder,
    render: (order, context) => [
      {
        ...standingOrderIdsOf(order),
        Frequency: frequencyPattern(order.rhythm),
        Reference: order.reference?.slice(0, 35) || undefined,
        NumberOfPayments: order.numberOfPayments?.toString(),
        StandingOrderStatusCode: mandateStatuses[order.state],
        FirstPaymentDateTime: order.first.at ?? undefined,
        FinalPaymentDateTime: order.final?.at ?? undefined,
        ...paymentsOf(order),
        CreditorAgent: renderAgentV3(order.creditorAgent),
        CreditorAccount: renderCreditorAccount(order.creditor, context),
      },
    ],
  }),
];
