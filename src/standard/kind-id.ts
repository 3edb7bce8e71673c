// Which kinds of consent there are. A new kind begins here: the compiler then asks for its row.

/**
 * The kinds that the standard publishes and this release serves. The id of a payment kind is the
 * stem of its paths.
 */
export const publishedKindIds = [
  "account-access",
  "funds-confirmation",
  "domestic-payment",
  "domestic-scheduled-payment",
  "domestic-standing-order",
  "international-payment",
  "international-scheduled-payment",
  "international-standing-order",
  "file-payment",
  "domestic-vrp",
] as const;

/**
 * A kind that a bank adds and the standard does not have. Its prefix keeps it apart from every kind
 * that the standard publishes later.
 */
type AddedKindId = `x-${string}`;

/** The id of a kind of consent. */
export type KindId = (typeof publishedKindIds)[number] | AddedKindId;

/** The id of a payment kind. A `Record` of these has a member for each published payment kind. */
export type PaymentKindId = Exclude<KindId, "account-access" | "funds-confirmation">;

/** The form of `AddedKindId`, as a regular expression of JavaScript and of PostgreSQL. */
export const addedKindPattern = "^x(-[a-z]+)+$";

const published: ReadonlySet<string> = new Set(publishedKindIds);
const added = new RegExp(addedKindPattern);

/** Whether a text is the id of a kind: a published one, or one that a bank may add. */
export const isKindId = (text: string): text is KindId => published.has(text) || added.test(text);
