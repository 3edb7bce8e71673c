import { defineAccountResource } from "#src/accounts/resource.ts";
import { amount } from "#src/accounts/views/signed-amount.ts";
import type { OfferFacts } from "#src/standard/shared/accounts/facts.ts";
import { readOffer } from "#src/standard/shared/accounts/read-offer.ts";
import { sql } from "#src/storage/sql.ts";

type AccountOffer = { accountId: string; offerId: string; details: OfferFacts };

/** The bank's offers on an account, until each offer ends. Source: OBReadOffer1. */
export const offers = defineAccountResource<AccountOffer>({
  path: "/accounts/:AccountId/offers",
  operationId: "GetAccountsAccountIdOffers",
  summary: "Get the offers on an account",
  tag: "Offers",
  arrayName: "Offer",
  source: {
    permissions: [["ReadOffers"]],
    detailPermission: null,
    from: sql`offer o`,
    where: sql`o.account_id = r.account_id and o.ends_at > r.now`,
    key: { columns: [{ column: sql`o.offer_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', o.account_id, 'offerId', o.offer_id,
      'details', o.details)::text`,
    paged: true,
  },
  views: {
    "aisp-v3.1": { schema: readOffer, render },
    "aisp-v4.0": { schema: readOffer, render },
  },
  bulk: { path: "/offers", operationId: "GetOffers", summary: "Get the offers on all accounts" },
});

// every version shows an offer in the same words
function render({ accountId, offerId, details }: AccountOffer) {
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
