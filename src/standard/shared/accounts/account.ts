import Type, { type TProperties } from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId } from "./parties.ts";

/** Whether an account is a person's or a company's, in the words of every version. */
export const accountCategory = oneOf(["Business", "Personal"]);

/** Members of an account that are before its type. */
export const accountIdentity = {
  AccountId: accountId,
  Status: Type.Optional(oneOf(["Deleted", "Disabled", "Enabled", "Pending", "ProForma"])),
  StatusUpdateDateTime: Type.Optional(dateTime()),
};

/** Members of an account that are after its type. */
export const accountDescription = {
  Description: Type.Optional(text(35)),
  Nickname: Type.Optional(text(70)),
  OpeningDate: Type.Optional(dateTime()),
  MaturityDate: Type.Optional(dateTime()),
  SwitchStatus: Type.Optional(namespaced(["UK.CASS.NotSwitched", "UK.CASS.SwitchCompleted"])),
};

/** The body of `GET /accounts` and of one account. Source: OBReadAccount6. */
export const readAccountOf = <Members extends TProperties>(members: Members) =>
  closed(
    {
      Data: open({
        Account: Type.Optional(Type.Array(closed(members, { title: "OBAccount6" }))),
      }),
      ...envelope,
    },
    { title: "OBReadAccount6" },
  );
