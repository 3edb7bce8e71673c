import { balancesOf, listBalances, type StoredBalances } from "#src/account-store/balances.ts";
import type { AccountRow } from "#src/accounts/resource.ts";
import { formatAmount } from "#src/lib/money.ts";
import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type { Product } from "#src/standard/shared/accounts/product.ts";
import { sql } from "#src/storage/sql.ts";

/** The product of an account as it is stored. */
type ProductFacts = {
  accountId: string;
  currency: string;
  /** The bank's name for the account; null if it has none. */
  description: string | null;
  kind: AccountKind;
  /** The stored balances, which give the account's limit; null if the bank has sent none. */
  balances: StoredBalances[] | null;
  /** Null for an account without a product in the catalogue. */
  details: Omit<Product, "AccountId"> | null;
};

/**
 * The terms of an account: exactly one product, with the account's actual limit. Source: A-158,
 * A-159.
 */
export const product: AccountRow<ProductFacts> = {
  path: "/accounts/:AccountId/product",
  operationId: "GetAccountsAccountIdProduct",
  summary: "Get the product of an account",
  tag: "Products",
  arrayName: "Product",
  source: {
    cluster: "account",
    permissions: [["ReadProducts"]],
    detailPermission: null,
    from: sql`account a left join product p on p.product_id = a.product_id`,
    where: sql`a.account_id = r.account_id`,
    key: { columns: [{ column: sql`a.account_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', a.account_id, 'currency', a.currency,
      'description', a.description, 'kind', a.account_sub_type,
      'balances', ${balancesOf(sql`a.account_id`, sql`r.now`)}, 'details', p.details)::text`,
    paged: false,
  },
  bulk: {
    path: "/products",
    operationId: "GetProducts",
    summary: "Get the products of all accounts",
  },
};

/**
 * Renders a product. Every version has the same model of it, and stored terms follow it. Source:
 * E-065.
 */
export function renderProduct(facts: ProductFacts) {
  return [{ AccountId: facts.accountId, ...detailsOf(facts) }];
}

function detailsOf(stored: ProductFacts): Omit<Product, "AccountId"> {
  const { details, currency } = stored;
  if (details === null) return unnamed(stored);
  const { PCA, BCA, OtherProductType, ...rest } = details;
  const limitMinor = limitOf(stored);
  const limit = limitMinor === null ? null : formatAmount(limitMinor, currency);
  const overdraft = limitMinor === 0n ? null : limit;
  return {
    ...rest,
    ...(PCA ? { PCA: withLimit(PCA, overdraft) } : {}),
    ...(BCA ? { BCA: withLimit(BCA, overdraft) } : {}),
    ...(OtherProductType ? { OtherProductType: withCreditLimit(OtherProductType, limit) } : {}),
  };
}

// The arranged overdraft, or a card's credit limit; null if the bank has sent none.
function limitOf({ balances }: ProductFacts): bigint | null {
  const all = (balances ?? []).flatMap(listBalances);
  const lines = all.flatMap(({ creditLines }) => creditLines ?? []);
  const arranged = lines.find(({ type }) => type === "PreAgreed" || type === "Credit");
  return arranged ? BigInt(arranged.amountMinor) : null;
}

// The product of an account for which the bank publishes none.
const unnamed = ({ description, kind }: ProductFacts): Omit<Product, "AccountId"> => ({
  ProductName: description ?? kind,
  ProductType: "Other",
  OtherProductType: {
    Name: description ?? kind,
    Description: `An account of the type ${kind}`,
  },
});

type Band = { TierValueMin: string; TierValueMax?: string };
type BandSet = { AuthorisedIndicator?: boolean; OverdraftTierBand: Band[] };
type WithOverdraft = { Overdraft?: { OverdraftTierBandSet: BandSet[] } };

// An arranged overdraft ends at the account's own limit; without a limit, none is shown.
function withLimit<Model extends WithOverdraft>(model: Model, limit: string | null): Model {
  const { Overdraft: overdraft, ...rest } = model;
  if (!overdraft) return model;
  const sets = overdraft.OverdraftTierBandSet.filter(
    ({ AuthorisedIndicator }) => AuthorisedIndicator !== true || limit !== null,
  ).map((set) =>
    set.AuthorisedIndicator === true && limit !== null
      ? {
          ...set,
          OverdraftTierBand: set.OverdraftTierBand.map((band, index, bands) =>
            index === bands.length - 1 ? { ...band, TierValueMax: limit } : band,
          ),
        }
      : set,
  );
  // safe: the same model, with only a limit added
  return (
    sets.length > 0 ? { ...rest, Overdraft: { ...overdraft, OverdraftTierBandSet: sets } } : rest
  ) as Model;
}

type Other = NonNullable<Product["OtherProductType"]>;

// Without a limit of the account, the product's own bands stay.
function withCreditLimit(other: Other, limit: string | null): Other {
  const { LoanInterest: interest } = other;
  if (!interest || limit === null) return other;
  const sets = interest.LoanInterestTierBandSet.map((set) => ({
    ...set,
    LoanInterestTierBand: set.LoanInterestTierBand.map((band) => ({
      ...band,
      TierValueMaximum: limit,
    })),
  }));
  return { ...other, LoanInterest: { ...interest, LoanInterestTierBandSet: sets } };
}
