import type { Static } from "typebox";
import { scheduledPaymentSchemas } from "#src/standard/shared/accounts/scheduled-payment.ts";
import { namedAccount, namedAgent } from "./parties.ts";

const schemas = scheduledPaymentSchemas(namedAgent, namedAccount);

/** A future payment without ReadScheduledPaymentsDetail. Source: OBScheduledPayment3Basic. */
export const scheduledPaymentBasic = schemas.basic;

/** A future payment with ReadScheduledPaymentsDetail. Source: OBScheduledPayment3Detail. */
export const scheduledPaymentDetail = schemas.detail;

/** Body of `GET /accounts/{AccountId}/scheduled-payments`. Source: OBReadScheduledPayment3. */
export const readScheduledPayment = schemas.read;

/** One scheduled payment in that body. */
export type ScheduledPaymentItem = NonNullable<
  Static<typeof readScheduledPayment>["Data"]["ScheduledPayment"]
>[number];
