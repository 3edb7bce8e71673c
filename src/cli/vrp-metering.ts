import {
  type MeteredPayment,
  type MeteringPeriod,
  type MeteringTotal,
  totalPayments,
} from "#src/payments/limits/metering.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { dateOf, readOptions, textOf } from "./options.ts";
import { withContracts } from "./with-contracts.ts";

const paymentColumns: readonly (keyof MeteredPayment)[] = [
  "clientId",
  "contractId",
  "consentId",
  "orderId",
  "type",
  "amount",
  "currency",
  "date",
  "status",
  "statusSince",
  "outcome",
];
const totalColumns: readonly (keyof MeteringTotal)[] = [
  "clientId",
  "contractId",
  "type",
  "outcome",
  "payments",
  "amount",
  "currency",
];

/** `./aldgate vrp metering` */
export const command: Command = {
  name: "vrp metering",
  summary: "lists the payments that TPPs have made under contracts, for billing",
  usage: [
    "  --month YYYY-MM         the payments that the bank accepted in a month (London time)",
    "  --from DATE --until DATE   the payments accepted between two dates, inclusive",
    "  --as-of DATE-TIME       lists the statuses at this time (default: now)",
    "  --totals                adds up payments per TPP, contract, type and outcome",
    "Prints CSV. Sweeping payments are not listed. If --as-of is in the past, the list is final.",
  ].join("\n"),
  hasItems: true,
  json: {
    "": `each payment: {${paymentColumns.join(", ")}}`,
    "--totals": `each total: {${totalColumns.join(", ")}}`,
  },
  next: [["vrp contracts", "shows the contracts and their consents"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      month: { type: "string" },
      from: { type: "string" },
      until: { type: "string" },
      "as-of": { type: "string" },
      totals: { type: "boolean" },
    });
    if (rest.length > 0) throw new UsageError(`There is no argument "${rest[0]}".`);
    const dates = datesOf(values);
    const asOf = instantOf(textOf(values["as-of"]));
    await withContracts(cli, async (contracts, now) => {
      const payments = contracts.meter({ ...dates, asOf: asOf ?? now });
      if (values.totals) await printRows(cli, totalColumns, await totalPayments(payments));
      else await printRows(cli, paymentColumns, payments);
    });
    return { lines: [], json: null };
  },
};

/** Prints rows as CSV with a header. No value has a comma or a quote. */
async function printRows<Row extends object>(
  cli: Cli,
  columns: readonly (keyof Row & string)[],
  rows: AsyncIterable<Row> | Iterable<Row>,
): Promise<void> {
  cli.print(columns.join(","));
  for await (const row of rows) {
    cli.print(columns.map((column) => String(row[column])).join(","), row);
  }
}

function datesOf(values: Record<string, string | boolean | undefined>): PeriodDates {
  const [from, until] = [dateOf("from", values.from), dateOf("until", values.until)];
  const month = textOf(values.month);
  if (month === undefined) {
    if (!from || !until) throw new UsageError("Give --month, or both --from and --until.");
    if (Temporal.PlainDate.compare(until, from) >= 0) return { from, until };
    throw new UsageError("--until must not be before --from.");
  }
  if (from || until) throw new UsageError("Give either --month or --from and --until, not both.");
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new UsageError("--month must be a month, such as 2027-03.");
  }
  const first = Temporal.PlainDate.from(`${month}-01`);
  return { from: first, until: first.add({ months: 1 }).subtract({ days: 1 }) };
}

type PeriodDates = Pick<MeteringPeriod, "from" | "until">;

function instantOf(text: string | undefined): Temporal.Instant | null {
  if (text === undefined) return null;
  try {
    return Temporal.Instant.from(text);
  } catch {
    throw new UsageError("--as-of must be a date-time with an offset: 2027-04-01T00:00:00Z.");
  }
}
