import Type, { type TProperties } from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId } from "./parties.ts";

/** The body of `GET /accounts/{AccountId}/direct-debits`. Source: OBReadDirectDebit2, A-160. */
export const readDirectDebitOf = <Status extends string, Members extends TProperties>(
  statuses: readonly Status[],
  members: Members,
) =>
  closed(
    {
      Data: open({
        DirectDebit: Type.Optional(
          Type.Array(
            open(
              {
                AccountId: accountId,
                DirectDebitId: Type.Optional(text(40)),
                DirectDebitStatusCode: Type.Optional(oneOf(statuses)),
                Name: text(70),
                PreviousPaymentDateTime: Type.Optional(dateTime()),
                PreviousPaymentAmount: Type.Optional(openAmount),
                ...members,
              },
              { title: "OBDirectDebit2" },
            ),
          ),
        ),
      }),
      ...envelope,
    },
    { title: "OBReadDirectDebit2" },
  );
