import { listStuckPayments, type StuckPayment } from "#src/payments/execution/stuck-payments.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/** `./aldgate payments stuck` */
export const command: Command = {
  name: "payments stuck",
  summary: "lists the payments on which the core fails, and those overdue by a minute or more",
  usage: [
    "  ./aldgate payments stuck",
    "      --json   the same as JSON",
    "The list has up to 1,000 payments, the oldest first. The bank may be running.",
  ].join("\n"),
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { json: { type: "boolean" } });
    if (rest.length > 0) throw new UsageError("The command has options only.");
    const payments = await loadStuck(cli);
    if (values.json) {
      cli.print(JSON.stringify({ payments }, null, 2));
      return 0;
    }
    for (const payment of payments) for (const line of linesOf(payment)) cli.print(line);
    if (payments.length === 0) cli.print("No payment is stuck.");
    return 0;
  },
};

async function loadStuck(cli: Cli): Promise<StuckPayment[]> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") return configuredSandbox(cli).listStuckPayments();
  const database = await openMadeDatabase(config);
  try {
    return await listStuckPayments(database, cli.clock.now());
  } finally {
    await database.close();
  }
}

const calls = {
  ask: "asks the core about the payment",
  reserve: "asks the core to reserve the funds",
  execute: "asks the core to execute the payment",
} as const;

const linesOf = (payment: StuckPayment): string[] => [
  `${payment.paymentId}  ${payment.kind}  ${payment.status}  since ${payment.since}`,
  `  order     ${payment.orderId}`,
  `  consent   ${payment.consentId}`,
  `  attempts  ${payment.attempts}, of which the last ${payment.failures} failed in a row`,
  ...(payment.lastFailure === null
    ? []
    : [
        `  error     ${payment.lastFailure.at} ${payment.lastFailure.call}: ` +
          payment.lastFailure.error,
      ]),
  `  next      from ${payment.next.at}, a process ${calls[payment.next.call]}` +
    (payment.isInDoubt ? ", because it may have been made" : ""),
];
