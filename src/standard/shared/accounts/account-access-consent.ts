import Type, { type TProperties } from "typebox";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open } from "#src/standard/shared/schema.ts";

/** Everything that a customer can be asked to share. Source: OBInternalPermissions1Code, A-060. */
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

/** A permission, which is the same word in every version. */
export type Permission = (typeof permissions)[number];

// A permission may be named twice, so only the bank's limit of arrays bounds the list.
const wanted = {
  Permissions: Type.Array(oneOf(permissions), { minItems: 1 }),
  ExpirationDateTime: Type.Optional(dateTime()),
  TransactionFromDateTime: Type.Optional(dateTime()),
  TransactionToDateTime: Type.Optional(dateTime()),
};

const risk = closed({}, { title: "OBRisk2" });

const requestMembers = { Data: open(wanted), Risk: risk };

/** The request to a version that refuses further members at the top. Source: A-069. */
export const closedConsentRequest = closed(requestMembers, { title: "OBReadConsent1" });

/** The request to a version that ignores further members at the top. Source: E-003. */
export const openConsentRequest = open(requestMembers, { title: "OBReadConsent1" });

/** The response; the versions differ in the words for `Status` and in what is beside it. */
export const consentResponse = <Status extends string, Members extends TProperties>(
  statuses: readonly Status[],
  members: Members,
) =>
  closed(
    {
      Data: open({
        ConsentId: consentId,
        CreationDateTime: dateTime(),
        Status: oneOf(statuses),
        StatusUpdateDateTime: dateTime(),
        ...members,
        ...wanted,
      }),
      Risk: risk,
      ...envelope,
    },
    { title: "OBReadConsentResponse1" },
  );
