import { exportCustomer } from "#src/server/personal-data.ts";
import { withBankData } from "./bank-data.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";

/** `./aldgate data export` */
export const command: Command = {
  name: "data export",
  summary: "prints everything that the database has about a customer, as lines of JSON",
  usage: [
    "  ./aldgate data export CUSTOMER_ID",
    "",
    "Each line is a row of a table: {table, row}. The last line says how many there are: {rows}.",
    "Without it, the export is not complete. The bank may be running on PostgreSQL. All orders and",
    "the log of requests are read, so a large bank needs minutes. docs/data.md explains the tables.",
  ].join("\n"),
  json: { "": "in each line {table, row}; in the last one {rows}" },
  hasItems: true,
  next: [["data erase CUSTOMER_ID --plan", "says what an erasure deletes, and what stays and why"]],
  async run(cli) {
    const [customerId, ...more] = readOptions(cli.arguments, {}).rest;
    if (customerId === undefined || more.length > 0) {
      throw new UsageError("Give the id of one customer.");
    }
    const rows = await withBankData(cli, (database) =>
      exportCustomer(database, customerId, (table, row) => {
        // the row stays text, because a program's numbers are less exact than the database's
        const line = `{"table":${JSON.stringify(table)},"row":${row}}`;
        cli.print(line, line);
      }),
    );
    const end = JSON.stringify({ rows });
    cli.print(end, end);
    return { lines: [], json: null };
  },
};
