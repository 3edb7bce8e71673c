import { defineAccountResource } from "#src/accounts/resource.ts";
import { type Offer, readOffer } from "#src/standard/shared/accounts/read-offer.ts";
import { sql } from "#src/storage/sql.ts";

type StoredOffer = { accountId: string; offerId: string; details: Partial<Offer> };

/** What the bank offers on an account, until the offer ends. Source: digest 3.10. */
export const offers = defineAccountResource<StoredOffer>({
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
    "aisp-v3.1": {
      schema: readOffer,
      render: ({ accountId, offerId, details }) => [
        { AccountId: accountId, OfferId: offerId, ...details },
      ],
    },
  },
  bulk: { path: "/offers", operationId: "GetOffers", summary: "Get the offers on all accounts" },
});
