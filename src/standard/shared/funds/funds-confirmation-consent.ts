import Type, { type TProperties } from "typebox";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountScheme } from "#src/standard/shared/scheme-names.ts";

/** The members of the account that are the same in every version. */
export const debtorAccountMembers = {
  SchemeName: accountScheme,
  Identification: text(256),
  Name: Type.Optional(text(350)),
  SecondaryIdentification: Type.Optional(text(34)),
};

/**
 * The bodies of a funds confirmation consent. The versions differ in the members of the account, in
 * the words for `Status` and in what is beside it. Source: OBFundsConfirmationConsent1,
 * OBFundsConfirmationConsentResponse1.
 */
export const consentBodies = <Status extends string>(
  accountMembers: TProperties,
  statuses: readonly Status[],
  more: TProperties,
) => {
  const wanted = {
    ExpirationDateTime: Type.Optional(dateTime()),
    DebtorAccount: open(accountMembers),
  };
  return {
    request: closed({ Data: open(wanted) }, { title: "OBFundsConfirmationConsent1" }),
    response: closed(
      {
        Data: open({
          ConsentId: consentId,
          CreationDateTime: dateTime(),
          Status: oneOf(statuses),
          StatusUpdateDateTime: dateTime(),
          ...more,
          ...wanted,
        }),
        ...envelope,
      },
      { title: "OBFundsConfirmationConsentResponse1" },
    ),
  };
};
