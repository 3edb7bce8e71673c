import Type from "typebox";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { charges } from "#src/standard/shared/payments/charges.ts";
import { fileStatuses } from "#src/standard/shared/payments/statuses.ts";
import { closed, dateTime, namespaced, oneOf, text } from "#src/standard/shared/schema.ts";
import { initiationFields } from "./initiation.ts";
import { authorisation, multiAuthorisation, statusReasons } from "./kind-schemas.ts";
import { debtor } from "./parties.ts";
import { scaSupportData } from "./risk.ts";

const {
  RequestedExecutionDateTime,
  LocalInstrument,
  DebtorAccount,
  CreditorAgent,
  UltimateDebtor,
  RemittanceInformation,
  SupplementaryData,
} = initiationFields;

const initiation = closed({
  FileType: namespaced(["UK.OBIE.PaymentInitiation.4.0", "UK.OBIE.pain.001.001.08"]),
  FileHash: text(44),
  FileReference: Type.Optional(text(40)),
  NumberOfTransactions: Type.Optional(Type.String({ pattern: "[0-9]{1,15}" })),
  ControlSum: Type.Optional(Type.Number()),
  RequestedExecutionDateTime: Type.Optional(RequestedExecutionDateTime),
  LocalInstrument: Type.Optional(LocalInstrument),
  DebtorAccount: Type.Optional(DebtorAccount),
  CreditorAgent: Type.Optional(CreditorAgent),
  UltimateDebtor: Type.Optional(UltimateDebtor),
  RemittanceInformation: Type.Optional(RemittanceInformation),
  SupplementaryData: Type.Optional(SupplementaryData),
});

const shared = {
  ConsentId: consentId,
  CreationDateTime: dateTime(),
  StatusUpdateDateTime: dateTime(),
  StatusReason: Type.Optional(statusReasons),
  Charges: Type.Optional(charges),
  Initiation: initiation,
  Debtor: Type.Optional(debtor),
};

/**
 * The bodies of a file payment: no Risk, Refund, Permission, ReadRefundAccount or expected dates.
 * Source: OBWriteFileConsent3, OBWriteFile2.
 */
export const filePayment = {
  initiation,
  consentRequest: closed(
    {
      Data: closed({
        Initiation: initiation,
        Authorisation: Type.Optional(authorisation),
        SCASupportData: Type.Optional(scaSupportData),
      }),
    },
    { title: "OBWriteFileConsent3" },
  ),
  consentResponse: closed(
    {
      Data: closed({
        ...shared,
        Status: oneOf(["AWUP", "AWAU", "RJCT", "AUTH", "COND"]),
        CutOffDateTime: Type.Optional(dateTime()),
        Authorisation: Type.Optional(authorisation),
        SCASupportData: Type.Optional(scaSupportData),
      }),
      ...envelope,
    },
    { title: "OBWriteFileConsentResponse4" },
  ),
  orderRequest: closed(
    { Data: closed({ ConsentId: consentId, Initiation: initiation }) },
    { title: "OBWriteFile2" },
  ),
  orderResponse: closed(
    {
      Data: closed({
        ...shared,
        FilePaymentId: text(40),
        Status: oneOf(fileStatuses),
        MultiAuthorisation: Type.Optional(multiAuthorisation),
      }),
      ...envelope,
    },
    { title: "OBWriteFileResponse3" },
  ),
};
