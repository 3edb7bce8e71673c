import Type from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { supplementaryData } from "#src/standard/shared/payments/initiation.ts";
import { closed, dateTime } from "#src/standard/shared/schema.ts";

/**
 * Whether the consented amount is there. Source: PISP resource pages, Domestic Payment Consents.
 */
export const fundsConfirmationResponse = closed(
  {
    Data: closed({
      FundsAvailableResult: Type.Optional(
        closed({ FundsAvailableDateTime: dateTime(), FundsAvailable: Type.Boolean() }),
      ),
      SupplementaryData: Type.Optional(supplementaryData),
    }),
    ...envelope,
  },
  { title: "OBWriteFundsConfirmationResponse1" },
);
