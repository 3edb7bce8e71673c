import Type from "typebox";

/** The settings of account information and of confirmations of funds. */
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
  PAGE_SIZE: Type.Integer({
    default: 25,
    minimum: 25,
    maximum: 1000,
    description: "Number of items on a page of account information.",
    usedBy: "a bank with larger pages, and the tests of paging",
  }),
};
