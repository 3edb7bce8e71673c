import type { AccountRow } from "#src/accounts/resource.ts";
import { amount } from "#src/accounts/views/signed-amount.ts";
import type { OfferFacts } from "#src/standard/shared/accounts/facts.ts";
import { sql } from "#src/storage/sql.ts";

type AccountOffer = { accountId: string; offerId: string; details: OfferFacts };

/** The bank's offers on an account, until each offer ends. Source: OBReadOffer1. */
export const offers: AccountRow<AccountOffer> = {
  path: "/accounts/:AccountId/offers",
  operationId: "GetAccountsAccountIdOffers",
  summary: "Get the offers on an account",
  tag: "Offers",
  arrayName: "Offer",
  source: {
    cluster: "account",
    permissions: [["ReadOffers"]],
    detailPermission: null,
    from: sql`offer o`,
    where: sql`o.account_id = r.account_id and o.ends_at > r.now`,
    key: { columns: [{ column: sql`o.offer_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', o.account_id, 'offerId', o.offer_id,
      'details', o.details)::text`,
    paged: true,
  },
  bulk: { path: "/offers", operationId: "GetOffers", summary: "Get the offers on all accounts" },
};

/** Renders an offer: every version shows it in the same words. */
export function renderOffer({ accountId, offerId, details }: AccountOffer) {
  const money = (given: OfferFacts["amount"]) =>
    given && amount(BigInt(given.amountMinor), given.currency);
  return [
    {
      AccountId: accountId,
      OfferId: offerId,
      OfferType: details.type,
      Description: details.description,
      StartDateTime: details.startsAt,
      EndDateTime: details.endsAt,
      // JSON leaves out what is undefined
      Rate: details.rate,
      Value: details.value,
      Term: details.term,
      URL: details.url,
      Amount: money(details.amount),
      Fee: money(details.fee),
    },
  ];
}
