import Type from "typebox";
import {
  filePaymentBodies,
  type KindParts,
  type PaymentParts,
  paymentBodies,
} from "#src/standard/shared/payments/bodies.ts";
import { charges } from "#src/standard/shared/payments/charges.ts";
import { exchangeRateResponse } from "#src/standard/shared/payments/exchange-rate-information.ts";
import { scaSupportData } from "#src/standard/shared/payments/risk.ts";
import { open, text } from "#src/standard/shared/schema.ts";
import { debtor, refund } from "./parties.ts";
import { risk } from "./risk.ts";

/** Why a resource is in its status. Source: OBExternalStatusReason1Code. */
export const statusReasons = Type.Array(
  open(
    {
      StatusReasonCode: Type.Optional(text(4)),
      StatusReasonDescription: Type.Optional(text(500)),
      Path: Type.Optional(text(500)),
    },
    { title: "OBStatusReason" },
  ),
);

const parts: PaymentParts = {
  risk,
  scaSupportData,
  // the published file lacks Multiple for some kinds, but the text of the standard allows it for
  // all. Source: D-401-25
  authorisationTypes: ["Any", "Single", "Multiple"],
  signatureStatuses: ["AUTH", "AWAF", "RJCT"],
  charges,
  exchangeRate: exchangeRateResponse,
  debtor,
  reasons: { StatusReason: Type.Optional(statusReasons) },
  consentStatuses: ["AWUP", "AWAU", "RJCT", "AUTH", "COND"],
};

const bodies = paymentBodies(parts);

/** The bodies of a kind. */
export const kindSchemas = (name: Parameters<typeof bodies>[0], kind: KindParts) =>
  bodies(name, { refund, ...kind });

/** The bodies of a file payment. */
export const fileSchemas = (kind: KindParts) => filePaymentBodies(parts, kind);
