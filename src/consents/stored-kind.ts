import { isKindId, type KindId, publishedKindIds } from "#src/standard/kind-id.ts";

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
