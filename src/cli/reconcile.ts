import { bankErrorOutcome } from "#src/bank/port.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import {
  type CoreDifference,
  type Reconciliation,
  reconcile,
} from "#src/payments/execution/reconcile.ts";
import { openCore } from "#src/server/opening/load-bank.ts";
import { openMadeDatabase, unhurried } from "#src/server/opening/open-database.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions, textOf } from "./options.ts";
import { createProgress } from "./progress.ts";

/** `./aldgate reconcile` */
export const command: Command = {
  name: "reconcile",
  summary: "compares the payments since a given time with the core's payments",
  usage: [
    "  ./aldgate reconcile --since TIME    TIME: a date or an RFC 3339 time (default: a day ago)",
    "",
    "Asks the core about each payment that has changed since TIME or is not final, and prints the",
    "payments on which Aldgate and the core do not agree. Changes nothing. The bank may be",
    "running on PostgreSQL; stop a bank with the embedded database first. After a restore, give the",
    "time of the backup (docs/backup-and-restore.md).",
    "Exits with 0 if there is no difference, otherwise with 1.",
  ].join("\n"),
  json: { "": ["since", "compared", "consents", "listed", "differences"] },
  next: [
    ["payments stuck", "lists the payments on which the core fails"],
    ["verify", "checks the invariants of Aldgate's own database"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { since: { type: "string" } });
    if (rest.length > 0) throw new UsageError("Give the time as --since TIME.");
    const since = timeOf(textOf(values.since), cli.clock.now());
    const result = await compare(cli, since);
    const { compared, consents, listed, differences } = result;
    return {
      lines: [...differences.map(lineOf), ...summaryOf(result, since)],
      json: { since: since.toString(), compared, consents, listed, differences },
      exitCode: differences.length === 0 ? 0 : 1,
    };
  },
};

function timeOf(text: string | undefined, now: Temporal.Instant): Temporal.Instant {
  if (text === undefined) return now.subtract({ hours: 24 });
  try {
    return /T/i.test(text)
      ? Temporal.Instant.from(text)
      : Temporal.PlainDate.from(text).toZonedDateTime("UTC").toInstant();
  } catch {
    throw new UsageError(
      "--since must be a date or a time with its offset, such as 2027-03-31 or " +
        "2027-03-31T18:00:00Z.",
    );
  }
}

async function compare(cli: Cli, since: Temporal.Instant): Promise<Reconciliation> {
  const config = configOf(cli.environment);
  const { CONSENTS_KEEP_DAYS: days } = config;
  const first = days && cli.clock.now().subtract({ hours: 24 * days });
  if (first && Temporal.Instant.compare(since, first) < 0) {
    throw new UsageError(
      `Payments from before ${first} may be deleted (CONSENTS_KEEP_DAYS). Give a later time.`,
    );
  }
  const database = await openMadeDatabase(config, unhurried);
  const progress = createProgress(cli);
  const say = (_details: object, text: string): void => cli.complain(text);
  try {
    const log = { error: say, warn: say };
    const core = await openCore(config, { database, machineClock: cli.clock }, log);
    try {
      const kinds = await cli.kinds();
      const { bank } = core;
      return await reconcile({ database, bank, kinds, onProgress: progress.show }, since);
    } catch (error) {
      if (bankErrorOutcome(error) === null && unavailableOf(error)?.part !== "core") throw error;
      throw new UsageError(
        `The core could not be asked (${(error as Error).message}). Nothing was changed. Run the ` +
          "command again when the core answers.",
      );
    } finally {
      await core.close();
    }
  } finally {
    progress.end();
    await database.close();
  }
}

const follow: Record<CoreDifference["resolvedBy"], string> = {
  engine: "Aldgate asks the core by itself while it runs",
  tpp: "Aldgate takes it over when its TPP repeats the order",
  signatories: "Aldgate takes it over when the signatories approve the order",
  operator: "look into it",
};

function lineOf({ paymentId, about, status, core, resolvedBy }: CoreDifference): string {
  const of =
    about === null
      ? "no order or consent"
      : "orderId" in about
        ? `order ${about.orderId}`
        : `consent ${about.consentId}`;
  const own = status ?? "does not have it";
  return `DIFFERS  ${paymentId}  ${of}  Aldgate: ${own}  core: ${core}  (${follow[resolvedBy]})`;
}

const unseen = [
  "This core does not list its payments (listPayments of the port). So some payments that only the",
  "core knows are not seen: those of consents that Aldgate does not have, and those of consents",
  "that allow several payments (VRP). Compare the core's own records with Aldgate's for these.",
];

const paymentsOf = (count: number): string => countOf(count, "payment", "payments");

function summaryOf(result: Reconciliation, since: Temporal.Instant): string[] {
  const { compared, consents, listed, differences } = result;
  const checked =
    `Since ${since}: ${paymentsOf(compared)} (also those that the core received before or has yet ` +
    `to receive), ${countOf(consents, "consent", "consents")} without an order` +
    `${listed === null ? "" : `, ${paymentsOf(listed)} that the core lists (received since then)`}`;
  const count = differences.length;
  const found =
    count === 0 ? "no difference" : countOf(count, "payment differs", "payments differ");
  return [`${checked}: ${found}.`, ...(listed === null ? unseen : [])];
}
