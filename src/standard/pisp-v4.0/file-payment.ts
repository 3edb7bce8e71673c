import Type from "typebox";
import { fileStatuses } from "#src/standard/shared/payments/statuses.ts";
import { closed, namespaced, text } from "#src/standard/shared/schema.ts";
import { initiationFields } from "./initiation.ts";
import { fileSchemas } from "./kind-schemas.ts";

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

/** The bodies of a file payment. Source: OBWriteFileConsent3, OBWriteFile2. */
export const filePayment = fileSchemas({ initiation, statuses: fileStatuses });
