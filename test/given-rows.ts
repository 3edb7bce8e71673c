/**
 * Returns rows as JSON text for `json_to_recordset`, so that one statement can store any number of
 * them. Absent members become null.
 */
export const givenRows = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? value.toString() : value));
