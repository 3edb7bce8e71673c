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

/** The published kinds whose consents no order uses. */
const accessKindIds: readonly string[] = ["account-access", "funds-confirmation"];

/** The published kinds of payments. */
export const publishedPaymentIds = publishedKindIds.filter((id) => !accessKindIds.includes(id));

/** The published kinds in which an amount can be sent in a currency that the TPP chooses. */
export const exchangedKindIds = publishedPaymentIds.filter(
  (id) => id.startsWith("international-") || id === "file-payment",
);

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

/** A row as the database returns it, with its kind as plain text. */
export type Stored<Row extends { kind: KindId }> = Omit<Row, "kind"> & { kind: string };

/**
 * Checks the kind of a row that the database returned. Throws if this release does not know it.
 * Every such row is checked here, except where the kind is only a label.
 */
export function checkKind<Row extends { kind: KindId }>(row: Stored<Row>): Row {
  if (!isKindId(row.kind)) throw new Error(unknownKind(row.kind));
  return row as Row; // its kind has been checked, and the other members have the same types
}

const unknownKind = (kind: string): string =>
  `The database names the kind "${kind}", which this release does not know. It knows ` +
  `${publishedKindIds.join(", ")}; kinds that a bank adds begin with x-. Start the release that ` +
  "stored this kind.";

/**
 * Returns the row of the kind that the database names. Throws if the bank was opened without that
 * kind.
 */
export function kindNamed<Row extends { id: KindId }>(id: KindId, rows: readonly Row[]): Row {
  const row = rows.find((candidate) => candidate.id === id);
  if (row) return row;
  const opened = rows.map((one) => one.id).join(", ");
  throw new Error(
    `The database names the kind "${id}", but the bank was opened without it (it has ${opened}). ` +
      "Open the bank with this kind.",
  );
}
