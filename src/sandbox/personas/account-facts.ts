import { type AccountChanges, clusters } from "#src/account-store/feed.ts";
import { ibanOf, ownBic, ownSortCodePrefix } from "#src/sandbox/bank/account-numbers.ts";
import { bankProducts, productNamed } from "#src/sandbox/products/list-products.ts";
import { createRandom } from "#src/sandbox/random.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { StatementDelivery } from "#src/standard/shared/accounts/facts.ts";
import { type Company, companies } from "./contacts.ts";
import { partyNumberOf } from "./party-number.ts";
import type { Household, PersonaAccount } from "./persona.ts";
import { ownChannel } from "./store-own-orders.ts";

const version = 1n;

/** Returns the facts of a household's accounts: the accounts, holders, products and companies. */
export function householdFacts(
  household: Household,
  accountIds: ReadonlyMap<string, string>,
): AccountChanges {
  const { personas, accounts } = household;
  const customerIds = new Map(personas.map(({ login, customerId }) => [login, customerId]));
  const idOf = (key: string) => accountIds.get(key) ?? key;
  return {
    products: bankProducts.map(({ details, debit }) => ({
      version,
      productId: details.ProductId,
      name: details.ProductName,
      details,
      purchaseRate: details.ProductName.endsWith("Credit Card") ? debit : null,
    })),
    parties: companies.map(({ name, legalStructure, lei, contact }) => ({
      version,
      partyId: companyIdOf(name),
      name,
      legalStructure,
      lei,
      contact: { partyNumber: partyNumberOf(name), ...contact },
    })),
    accounts: accounts.map((account) => accountFact(household, account, idOf(account.key))),
    holders: accounts.flatMap(({ key, holders, holderName }) =>
      holders.map(({ login, role }) => ({
        version,
        accountId: idOf(key),
        customerId: customerIds.get(login) ?? login,
        role,
        isBeneficialOwner: role === "signatory" || companyOf(holderName) ? null : true,
      })),
    ),
    // live: the ledger is in the same database and changes in the same transactions
    delivered: accounts.flatMap(({ key }) =>
      clusters.map((cluster) => ({ accountId: idOf(key), cluster, asOf: "live" as const })),
    ),
  };
}

const companyOf = (holderName: string): Company | undefined =>
  companies.find(({ name }) => name === holderName);

const companyIdOf = (name: string): string => stableId("com", name);

function accountFact({ name, personas }: Household, account: PersonaAccount, accountId: string) {
  const isBusiness = personas.some(({ kind }) => kind === "business");
  const isCard = account.subType === "CreditCard" || account.subType === "ChargeCard";
  const number = createRandom(`${name} ${account.key}`).between(10_000_000, 99_999_999);
  const identification =
    account.number ?? `${ownSortCodePrefix}${isBusiness ? "02" : "01"}${number}`;
  const company = companyOf(account.holderName);
  const openedOn = Temporal.PlainDate.from(account.openedOn);
  return {
    version,
    accountId,
    accountType: isBusiness ? ("Business" as const) : ("Personal" as const),
    accountSubType: account.subType,
    currency: account.currency ?? "GBP",
    nickname: account.nickname,
    description: account.description,
    holderName: account.holderName,
    openedOn,
    status: "Enabled" as const,
    statusUpdatedAt: openedOn.toZonedDateTime("UTC").toInstant(),
    isSwitched: false,
    sortCodeAccountNumber: isCard ? null : identification,
    iban: isCard ? null : ibanOf(identification),
    maskedPan: isCard ? (account.card?.maskedPan ?? null) : null,
    signatoriesRequired: account.signatoriesRequired,
    productId: productNamed(account.description)?.details.ProductId ?? null,
    companyId: company ? companyIdOf(company.name) : null,
    // a BIC belongs to an IBAN, and a card has none
    servicer: isCard ? null : { bic: ownBic, name: ownChannel.name },
    statementDeliveries: deliveriesOf(company),
  };
}

/**
 * The ways in which a customer gets the statements that `makeDueStatements` makes: as a file on the
 * bank's pages, and for a company also on paper.
 */
function deliveriesOf(company: Company | undefined): StatementDelivery[] {
  const online = { frequency: "Monthly", channel: "Online" } as const;
  const all: StatementDelivery[] = [
    { ...online, format: "Pdf" },
    { ...online, format: "Csv" },
  ];
  if (!company) return all;
  const { address } = company.contact;
  return [
    ...all,
    { frequency: "Monthly", channel: "Post", address: { ...address, kind: "Statement" } },
  ];
}
