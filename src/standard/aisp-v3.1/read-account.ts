import Type, { type Static } from "typebox";
import { currencyCode } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId, namedAccount, namedAgent } from "./parties.ts";

const accountType = oneOf(["Business", "Personal"]);

// biome-ignore format: a code set
const accountSubType = oneOf([
  "ChargeCard", "CreditCard", "CurrentAccount", "EMoney", "Loan", "Mortgage", "PrePaidCard",
  "Savings", "Wallet",
]);

const identity = {
  AccountId: accountId,
  Status: Type.Optional(oneOf(["Deleted", "Disabled", "Enabled", "Pending", "ProForma"])),
  StatusUpdateDateTime: Type.Optional(dateTime()),
};

const description = {
  Description: Type.Optional(text(35)),
  Nickname: Type.Optional(text(70)),
  OpeningDate: Type.Optional(dateTime()),
  MaturityDate: Type.Optional(dateTime()),
  SwitchStatus: Type.Optional(namespaced(["UK.CASS.NotSwitched", "UK.CASS.SwitchCompleted"])),
};

const required = {
  Currency: currencyCode,
  AccountType: accountType,
  AccountSubType: accountSubType,
};

/** An account without ReadAccountsDetail. Source: OBAccount6Basic, digest 3.2. */
export const accountBasic = closed(
  { ...identity, ...required, ...description },
  { title: "OBAccount6Basic" },
);

/** An account with ReadAccountsDetail. Source: OBAccount6Detail, digest 3.2. */
export const accountDetail = closed(
  {
    ...identity,
    ...required,
    ...description,
    Account: Type.Array(namedAccount),
    Servicer: Type.Optional(namedAgent),
  },
  { title: "OBAccount6Detail" },
);

// The published response is laxer than the two, so that a switched account fits it as well.
const account = closed(
  {
    ...identity,
    Currency: Type.Optional(currencyCode),
    AccountType: Type.Optional(accountType),
    AccountSubType: Type.Optional(accountSubType),
    ...description,
    Account: Type.Optional(Type.Array(namedAccount)),
    Servicer: Type.Optional(namedAgent),
  },
  { title: "OBAccount6" },
);

/** Body of `GET /accounts` and of one account. Source: OBReadAccount6. */
export const readAccount = closed(
  { Data: open({ Account: Type.Optional(Type.Array(account)) }), ...envelope },
  { title: "OBReadAccount6" },
);

/** One account of it. */
export type Account = Static<typeof account>;
