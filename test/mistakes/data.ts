import { type Body, changed, type Mistake } from "./place.ts";

const accessConsent = (
  version: string,
  name: string,
  changes: Record<string, unknown>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `account access ${version}: ${name}`,
  send: ({ tpp, tokens }) =>
    tpp.call({
      path: `/${version}/aisp/account-access-consents`,
      token: tokens.accounts,
      body: changed({ Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} }, changes),
    }),
  says,
});

const permissions = "Data.Permissions";
export const accessMistakes: readonly Mistake[] = [
  ...(["v3.1", "v4.0"] as const).flatMap((version) => [
    accessConsent(version, "no permissions", { [permissions]: undefined }, "Permissions"),
    accessConsent(
      version,
      "an unknown permission",
      { [permissions]: ["ReadAccountsBasic", "ReadEverything"] },
      "Permissions",
      "ReadEverything",
      "ReadAccounts, ",
      "with Basic or Detail",
      "ReadBalances",
    ),
    accessConsent(version, "an empty list", { [permissions]: [] }, "Permissions", /1/),
    accessConsent(
      version,
      "permissions as text",
      { [permissions]: "ReadAccountsBasic" },
      "Permissions",
      "array",
    ),
    accessConsent(
      version,
      "transactions without a direction",
      { [permissions]: ["ReadAccountsBasic", "ReadTransactionsBasic"] },
      "Permissions",
      "ReadTransactionsCredits",
    ),
    accessConsent(
      version,
      "expiry in the past",
      { "Data.ExpirationDateTime": "2020-01-01T00:00:00Z" },
      "ExpirationDateTime",
      /20\d\d/,
    ),
    accessConsent(
      version,
      "expiry not a date",
      { "Data.ExpirationDateTime": "tomorrow" },
      "ExpirationDateTime",
      /such as 20/,
    ),
    accessConsent(
      version,
      "from after to",
      {
        "Data.TransactionFromDateTime": "2026-06-01T00:00:00Z",
        "Data.TransactionToDateTime": "2026-01-01T00:00:00Z",
      },
      /Transaction(From|To)DateTime/,
    ),
  ]),
  accessConsent("v4.0", "no Risk", { Risk: undefined }, "Risk", "Send it", "{}"),
];

const fundsConsent = (
  name: string,
  changes: Record<string, unknown>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `funds: ${name}`,
  send: ({ tpp, tokens }) =>
    tpp.call({
      path: "/v4.0/cbpii/funds-confirmation-consents",
      token: tokens.fundsconfirmations,
      body: changed(
        {
          Data: {
            DebtorAccount: {
              SchemeName: "UK.OBIE.SortCodeAccountNumber",
              Identification: "08080021325698",
              Name: "Hawthorne",
            },
          },
        },
        changes,
      ),
    }),
  says,
});

export const fundsMistakes: readonly Mistake[] = [
  fundsConsent(
    "no account",
    { "Data.DebtorAccount": undefined },
    "U004",
    "Data.DebtorAccount",
    "(one of UK.OBIE.SortCodeAccountNumber, UK.OBIE.IBAN)",
  ),
  fundsConsent(
    "unknown scheme",
    { "Data.DebtorAccount.SchemeName": "IBAN" },
    /U0/,
    "SchemeName",
    "UK.OBIE.IBAN",
    "has the form of UK.OBIE.SortCodeAccountNumber",
  ),
  fundsConsent(
    "a number with hyphens",
    { "Data.DebtorAccount.Identification": "08-08-00 21325698" },
    /U0/,
    "Identification",
    "14 digits",
  ),
  fundsConsent(
    "expiry in the past",
    { "Data.ExpirationDateTime": "2020-01-01T00:00:00Z" },
    /U0/,
    "ExpirationDateTime",
    /20\d\d/,
  ),
  {
    name: "funds: a confirmation with client credentials",
    send: ({ tpp, tokens }) =>
      tpp.call({
        path: "/v4.0/cbpii/funds-confirmations",
        token: tokens.fundsconfirmations,
        body: {
          Data: {
            ConsentId: "x",
            Reference: "x",
            InstructedAmount: { Amount: "1.00", Currency: "GBP" },
          },
        },
      }),
    says: [/40[13]/, "authorization_code"],
  },
];

const events = (name: string, path: string, body: Body, ...says: Mistake["says"]): Mistake => ({
  name: `events: ${name}`,
  send: ({ tpp, tokens }) => tpp.call({ path: `/v4.0/${path}`, token: tokens.accounts, body }),
  says,
});

const subscription = {
  Data: {
    CallbackUrl: "https://tpp.example/open-banking/v4.0/event-notifications",
    Version: "4.0",
    EventTypes: ["urn:uk:org:openbanking:events:resource-update"],
  },
};
export const eventMistakes: readonly Mistake[] = [
  events(
    "unknown event type",
    "event-subscriptions",
    changed(subscription, { "Data.EventTypes": ["resource-update"] }),
    "U024",
    "EventTypes",
    "UK.OBIE.Resource-Update",
  ),
  events(
    "callback over http",
    "event-subscriptions",
    changed(subscription, { "Data.CallbackUrl": "http://tpp.example/events" }),
    /U0/,
    "CallbackUrl",
    "begin with https://",
    "end with /open-banking/v4.0/event-notifications",
  ),
  events(
    "no version",
    "event-subscriptions",
    changed(subscription, { "Data.Version": undefined }),
    "U004",
    "Version",
  ),
  events(
    "unknown version",
    "event-subscriptions",
    changed(subscription, { "Data.Version": "9" }),
    /U0/,
    "Version",
    "4.0",
  ),
  events("negative maxEvents", "events", { maxEvents: -1 }, /U0/, "maxEvents", /0/),
  events("ack as text", "events", { ack: "1" }, /U0/, "ack", "array"),
];
