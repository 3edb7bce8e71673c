import Type, { type Static } from "typebox";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open } from "#src/standard/shared/schema.ts";

/** Everything that a customer can be asked to share. Source: digest 2.2. */
export const permissions = [
  "ReadAccountsBasic",
  "ReadAccountsDetail",
  "ReadBalances",
  "ReadBeneficiariesBasic",
  "ReadBeneficiariesDetail",
  "ReadDirectDebits",
  "ReadOffers",
  "ReadPAN",
  "ReadParty",
  "ReadPartyPSU",
  "ReadProducts",
  "ReadScheduledPaymentsBasic",
  "ReadScheduledPaymentsDetail",
  "ReadStandingOrdersBasic",
  "ReadStandingOrdersDetail",
  "ReadStatementsBasic",
  "ReadStatementsDetail",
  "ReadTransactionsBasic",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
  "ReadTransactionsDetail",
] as const;

/** One of them. */
export type Permission = (typeof permissions)[number];

// A permission may be named twice. Source: digest 2.3, A-079.
const wanted = {
  Permissions: Type.Array(oneOf(permissions), { minItems: 1 }),
  ExpirationDateTime: Type.Optional(dateTime()),
  TransactionFromDateTime: Type.Optional(dateTime()),
  TransactionToDateTime: Type.Optional(dateTime()),
};

const risk = closed({}, { title: "OBRisk2" });

/** The bodies of a consent to account access. Source: OBReadConsent1, OBReadConsentResponse1. */
export const accountAccessConsent = {
  request: closed({ Data: open(wanted), Risk: risk }, { title: "OBReadConsent1" }),
  response: closed(
    {
      Data: open({
        ConsentId: consentId,
        CreationDateTime: dateTime(),
        // Revoked is of consents that were made before v3.1.5. Source: digest 2.5
        Status: oneOf(["Authorised", "AwaitingAuthorisation", "Rejected", "Revoked"]),
        StatusUpdateDateTime: dateTime(),
        ...wanted,
      }),
      Risk: risk,
      ...envelope,
    },
    { title: "OBReadConsentResponse1" },
  ),
};

/** Body of `POST /account-access-consents`. */
export type AccountAccessConsentRequest = Static<typeof accountAccessConsent.request>;
/** Body that answers it. */
export type AccountAccessConsentResponse = Static<typeof accountAccessConsent.response>;
