import Type from "typebox";
import { list } from "./forms.ts";

const ageOfFacts = "((account|balances|transactions|regular-payments|statements)=)?[1-9][0-9]{0,8}";

const keepDays = (what: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        `How many days Aldgate keeps ${what}. Then it removes them, and TPPs no longer see them. ` +
        "By default, they stay until the core removes them.",
      usedBy: "a bank with periods of retention",
    }),
  );

/** The settings of account information, of confirmations of funds, and the periods of retention. */
export const accountSettings = {
  UNATTENDED_DAILY_LIMIT: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      "How often per day a TPP may read a resource of an account without the customer; 0 means " +
      "unlimited.",
    usedBy: "a bank that allows four a day, as the regulation does",
  }),
  FUNDS_CONFIRMATION_DAILY_LIMIT: Type.Integer({
    default: 100,
    minimum: 0,
    description:
      "How often per day (UTC) a TPP may ask through one consent whether the account has enough " +
      "money for an amount of its choice; 0 means unlimited. Without a limit, it could find the " +
      "balance by trying amounts.",
    usedBy: "a bank whose TPPs ask more often",
  }),
  REAUTHENTICATION_DAYS: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      "For this many days after the customer's authentication, a TPP may read transactions and " +
      "statements older than 90 days. 0 means always.",
    usedBy: "a bank that ends access to old data, as the regulation allows",
  }),
  FACTS_MAX_AGE_SECONDS: Type.Optional(
    Type.String({
      ...list(ageOfFacts, "seconds, for all or for some kinds, such as `86400,balances=60`"),
      description:
        "The age from which account data of the core's feed is not shown: a TPP then gets 503. To " +
        "set it for some kinds: `86400,balances=60,transactions=600,regular-payments=3600`; the " +
        "others are `account` and `statements`. The age is the time since the feed's " +
        "`deliveredUpTo`. By default, data of any age is shown.",
      usedBy: "a bank whose feed can stop while its core goes on",
    }),
  ),
  TRANSACTIONS_KEEP_DAYS: keepDays("the transactions of a core's feed"),
  STATEMENTS_KEEP_DAYS: keepDays("the statements of a core's feed, counted from their end"),
  CLOSED_ACCOUNTS_KEEP_DAYS: keepDays(
    "a closed account of a core's feed with all its facts, counted from its closure",
  ),
  CONSENTS_KEEP_DAYS: Type.Optional(
    Type.Integer({
      minimum: 400,
      description:
        "How many days Aldgate keeps a consent that customers have authorised, counted from its " +
        "end and from the last change of its orders. Then it deletes the consent with its " +
        "evidence, orders, payments and history. By default, they stay for good.",
      usedBy: "a bank with periods of retention",
    }),
  ),
  PAGE_SIZE: Type.Integer({
    default: 25,
    minimum: 25,
    maximum: 1000,
    description: "Number of items on a page of account information.",
    usedBy: "a bank with larger pages, and the tests of paging",
  }),
};
