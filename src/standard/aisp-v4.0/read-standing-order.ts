import Type from "typebox";
import {
  standingOrderMembers,
  standingOrderSchemas,
} from "#src/standard/shared/accounts/standing-order.ts";
import { oneOf } from "#src/standard/shared/schema.ts";
import { mandateRelatedInformation } from "#src/standard/shared/v4/mandate-related-information.ts";
import { remittanceInformationSchema } from "#src/standard/shared/v4/remittance-information.ts";
import { mandateStatuses } from "./mandate-statuses.ts";
import { namedAccount, namedAgent } from "./parties.ts";

/** Kinds of document that a payment can refer to. Source: ExternalDocumentType1Code. */
const documentTypes = [
  ...["AROI", "BOLD", "CINV", "CMCN", "CNFA", "CONT", "CREN", "DEBN", "DISP", "DNFA", "HIRI"],
  ...["INVS", "MSIN", "PROF", "PUOR", "QUOT", "SBIN", "SOAC", "SPRR", "TISH", "TSUT", "USAR"],
  "VCHR",
];

const remittanceInformation = remittanceInformationSchema({ documentTypes, issuerLength: 140 });

// Source: E-046, E-054.
const schemas = standingOrderSchemas(
  {
    ...standingOrderMembers,
    StandingOrderStatusCode: Type.Optional(oneOf(mandateStatuses)),
    MandateRelatedInformation: Type.Optional(mandateRelatedInformation),
    RemittanceInformation: Type.Optional(remittanceInformation),
  },
  namedAgent,
  namedAccount,
);

/** Body of `GET /accounts/{AccountId}/standing-orders`. Source: OBReadStandingOrder6. */
export const readStandingOrder = schemas.read;
