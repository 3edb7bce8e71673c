import type { TSchema } from "typebox";
import { valueAt } from "#src/payments/request/json-path.ts";
import type { MemberPaths, PaymentRequest } from "#src/payments/request/payment-request.ts";
import { readRequest } from "#src/payments/request/read-request.ts";
import {
  domesticInitiationV3,
  domesticScheduledInitiationV3,
} from "#src/standard/pisp-v3.1/initiations.ts";
import { remittanceReferenceV3 } from "#src/standard/pisp-v3.1/remittance-information.ts";
import { judgedBy } from "#src/standard/pisp-v4.0/judgement.ts";
import { memberPaths } from "./pisp-v4.0.ts";
import type { InitiationWire } from "./wire.ts";

// The v3.1 endpoints for single payments are not served, but TPPs that used them still send files
// with such payments.

/**
 * Makes a wire of v3.1. It reads the same members at the same paths as v4.0, except the reference.
 */
const inV31 = (initiation: TSchema, paths: MemberPaths): InitiationWire => ({
  initiation,
  paths,
  judgedBy,
  read(body): PaymentRequest {
    const request = readRequest(body, paths, null);
    const secondary = request.creditor?.secondaryIdentification ?? null;
    return {
      ...request,
      reference: secondary ?? remittanceReferenceV3(valueAt(body, "Data.Initiation")),
    };
  },
});

/** Initiations of immediate domestic payments. */
export const domesticV31 = inV31(domesticInitiationV3, memberPaths.domestic);

/** Initiations of domestic payments on a given date. */
export const domesticScheduledV31 = inV31(domesticScheduledInitiationV3, memberPaths.domestic);
