import { countOf } from "#src/lib/plain-text.ts";
import { listWaitingNotices, type WaitingNotices } from "#src/notices/waiting-notices.ts";
import type { Command } from "./command.ts";
import { inBank } from "./in-bank.ts";
import { readNothing } from "./options.ts";

/** `./aldgate notices` */
export const command: Command = {
  name: "notices",
  summary: "lists the notices that the core has not been told, and why the last call failed",
  usage: [
    "  ./aldgate notices",
    "Lists up to 1,000 notices, oldest first, also while the bank is running. While the core fails on",
    "the first notice, all the others wait.",
  ].join("\n"),
  json: { "": ["notices", "failures", "lastFailure"] },
  next: [
    ["notices skip NOTICE_ID", "never tells the core a notice"],
    ["explain CONSENT_ID", "says how a consent came to its status"],
  ],
  async run(cli) {
    readNothing(cli.arguments);
    const waiting = await inBank(cli, {
      sandbox: (client) => client.notices.list(),
      database: listWaitingNotices,
    });
    return { lines: linesOf(waiting), json: waiting };
  },
};

function linesOf({ notices, failures, lastFailure }: WaitingNotices): string[] {
  const failed =
    lastFailure === null
      ? []
      : [
          `${countOf(failures, "call has failed", "calls in a row have failed")}, the last at ` +
            `${lastFailure.at}: ${lastFailure.error}`,
        ];
  if (notices.length === 0) return [...failed, "No notice waits."];
  const listed = notices.map(
    ({ noticeId, at, occasion, kind, consentId, orderId }) =>
      `${noticeId}  ${at}  ${occasion}  ${kind}  ${orderId ?? consentId}`,
  );
  return [...failed, ...listed];
}
