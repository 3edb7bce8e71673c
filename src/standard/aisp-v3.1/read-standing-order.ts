import Type from "typebox";
import {
  standingOrderMembers,
  standingOrderSchemas,
} from "#src/standard/shared/accounts/standing-order.ts";
import { dateTime, oneOf, text } from "#src/standard/shared/schema.ts";
import { v3FrequencyPattern } from "#src/standard/shared/v4/frequency.ts";
import { namedAccount, namedAgent } from "./parties.ts";

/** When a standing order is paid, in the words of v3.1. Source: OBFrequency6, A-161. */
const standingOrderFrequency = Type.String({ pattern: v3FrequencyPattern });

const schemas = standingOrderSchemas(
  {
    ...standingOrderMembers,
    Frequency: standingOrderFrequency,
    Reference: Type.Optional(text(35)),
    FirstPaymentDateTime: Type.Optional(dateTime()),
    FinalPaymentDateTime: Type.Optional(dateTime()),
    StandingOrderStatusCode: Type.Optional(oneOf(["Active", "Inactive"])),
  },
  namedAgent,
  namedAccount,
);

/** Body of `GET /accounts/{AccountId}/standing-orders`. Source: OBReadStandingOrder6. */
export const readStandingOrder = schemas.read;
