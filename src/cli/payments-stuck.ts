import { listStuckPayments, type StuckPayment } from "#src/payments/execution/stuck-payments.ts";
import type { Command } from "./command.ts";
import { inBank } from "./in-bank.ts";
import { readNothing } from "./options.ts";

/** `./aldgate payments stuck` */
export const command: Command = {
  name: "payments stuck",
  summary: "lists the payments for which the core fails, and payments overdue by a minute or more",
  usage: [
    "  ./aldgate payments stuck",
    "Lists up to 1,000 payments, the oldest first. The bank may be running.",
  ].join("\n"),
  json: { "": ["payments"] },
  next: [
    ["reconcile", "compares the payments with the core's"],
    ["explain ORDER_ID", "says how an order came to its status"],
  ],
  async run(cli) {
    readNothing(cli.arguments);
    const payments = await inBank(cli, {
      sandbox: (client) => client.listStuckPayments(),
      database: (database) => listStuckPayments(database, cli.clock.now()),
    });
    const lines = payments.length === 0 ? ["No payment is stuck."] : payments.flatMap(linesOf);
    return { lines, json: { payments } };
  },
};

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
