import Type from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime } from "#src/standard/shared/schema.ts";
import { supplementaryData } from "./initiation.ts";

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
