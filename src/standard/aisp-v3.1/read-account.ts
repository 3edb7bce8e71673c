import Type, { type Static } from "typebox";
import {
  accountCategory,
  accountDescription,
  accountIdentity,
  readAccountOf,
} from "#src/standard/shared/accounts/account.ts";
import { currencyCode } from "#src/standard/shared/amount.ts";
import { closed, oneOf } from "#src/standard/shared/schema.ts";
import { namedAccount, namedAgent } from "./parties.ts";

// biome-ignore format: a code set
const accountSubType = oneOf([
  "ChargeCard", "CreditCard", "CurrentAccount", "EMoney", "Loan", "Mortgage", "PrePaidCard",
  "Savings", "Wallet",
]);

const required = {
  Currency: currencyCode,
  AccountType: accountCategory,
  AccountSubType: accountSubType,
};

/** An account without ReadAccountsDetail. Source: OBAccount6Basic, A-140. */
export const accountBasic = closed(
  { ...accountIdentity, ...required, ...accountDescription },
  { title: "OBAccount6Basic" },
);

/** An account with ReadAccountsDetail. Source: OBAccount6Detail, A-141. */
export const accountDetail = closed(
  {
    ...accountIdentity,
    ...required,
    ...accountDescription,
    Account: Type.Array(namedAccount),
    Servicer: Type.Optional(namedAgent),
  },
  { title: "OBAccount6Detail" },
);

/**
 * Body of `GET /accounts` and of one account. It requires less than the two schemas above, because
 * a switched account must match it too. Source: OBReadAccount6.
 */
export const readAccount = readAccountOf({
  ...accountIdentity,
  Currency: Type.Optional(currencyCode),
  AccountType: Type.Optional(accountCategory),
  AccountSubType: Type.Optional(accountSubType),
  ...accountDescription,
  Account: Type.Optional(Type.Array(namedAccount)),
  Servicer: Type.Optional(namedAgent),
});

/** One account in that body. */
export type Account = NonNullable<Static<typeof readAccount>["Data"]["Account"]>[number];
