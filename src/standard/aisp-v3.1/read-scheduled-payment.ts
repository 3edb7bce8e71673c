import { scheduledPaymentSchemas } from "#src/standard/shared/accounts/scheduled-payment.ts";
import { namedAccount, namedAgent } from "./parties.ts";

const schemas = scheduledPaymentSchemas(namedAgent, namedAccount);

/** Body of `GET /accounts/{AccountId}/scheduled-payments`. Source: OBReadScheduledPayment3. */
export const readScheduledPayment = schemas.read;
