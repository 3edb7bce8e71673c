import type { TSchema } from "typebox";
import type { InitiationFormat } from "#src/payments/formats/format.ts";
import { initiationReader } from "#src/payments/formats/initiation-format.ts";
import { memberPaths } from "#src/payments/formats/member-paths.ts";
import type { MemberPaths } from "#src/payments/request/payment-request.ts";
import {
  domesticInitiationV3,
  domesticScheduledInitiationV3,
} from "#src/standard/pisp-v3.1/initiations.ts";
import { remittanceReferenceV3 } from "#src/standard/pisp-v3.1/remittance-information.ts";
import { judgement } from "#src/standard/shared/judgement.ts";

// The v3.1 endpoints for single payments are not served, but TPPs that used them still send files
// with such payments.

const inV31 = (initiation: TSchema, paths: MemberPaths): InitiationFormat => ({
  initiation,
  paths,
  judgedBy: judgement([]),
  read: initiationReader(paths, { referenceIn: remittanceReferenceV3 }),
});

/** Initiations of immediate domestic payments. */
export const domesticV31 = inV31(domesticInitiationV3, memberPaths.domestic);

/** Initiations of domestic payments on a given date. */
export const domesticScheduledV31 = inV31(
  domesticScheduledInitiationV3,
  memberPaths.domesticScheduled,
);
