import { type AccountChanges, clusters } from "#src/account-store/feed.ts";
import { ibanOf, ownSortCodePrefix } from "#src/sandbox/bank/account-numbers.ts";
import { bankProducts, productNamed } from "#src/sandbox/products/list-products.ts";
import { companies } from "./contacts.ts";
import { partyNumberOf } from "./party-number.ts";
import type { Household, PersonaAccount } from "./persona.ts";
import { createRandom } from "./random.ts";
import { stableId } from "./stable-id.ts";

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
    parties: companies.map(({ name, legalStructure, contact }) => ({
      version,
      partyId: companyIdOf(name),
      name,
      legalStructure,
      contact: { partyNumber: partyNumberOf(name), ...contact },
    })),
    accounts: accounts.map((account) => accountFact(household, account, idOf(account.key))),
    holders: accounts.flatMap(({ key, holders }) =>
      holders.map(({ login, role }) => ({
        version,
        accountId: idOf(key),
        customerId: customerIds.get(login) ?? login,
        role,
      })),
    ),
    // live: the ledger is in the same database and changes in the same transactions
    delivered: accounts.flatMap(({ key }) =>
      clusters.map((cluster) => ({ accountId: idOf(key), cluster, asOf: "live" as const })),
    ),
  };
}

const companyIdOf = (name: string): string => stableId("com", name);

function accountFact({ name, personas }: Household, account: PersonaAccount, accountId: string) {
  const isBusiness = personas.some(({ kind }) => kind === "business");
  const isCard = account.subType === "CreditCard";
  const number = createRandom(`${name} ${account.key}`).between(10_000_000, 99_999_999);
  const identification = `${ownSortCodePrefix}${isBusiness ? "02" : "01"}${number}`;
  const isCompany = companies.some((company) => company.name === account.holderName);
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
    companyId: isCompany ? companyIdOf(account.holderName) : null,
  };
}
