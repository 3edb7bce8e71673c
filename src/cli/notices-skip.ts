import { skipNotice } from "#src/notices/waiting-notices.ts";
import { type Command, UsageError } from "./command.ts";
import { inBank } from "./in-bank.ts";
import { readOptions, readShortText } from "./options.ts";

/** `./aldgate notices skip` */
export const command: Command = {
  name: "notices skip",
  summary: "never tells the core a notice that it can never accept",
  usage: [
    "  ./aldgate notices skip NOTICE_ID --actor WHO --why TEXT",
    "      --actor      the person who skips it, at most 70 characters",
    "      --why        why, at most 200 characters",
    "Who has skipped a notice, when and why is stored. The core is then told the next notices.",
  ].join("\n"),
  json: { "": ["noticeId", "isSkipped"] },
  next: [["notices", "lists the notices that the core has not been told"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      actor: { type: "string" },
      why: { type: "string" },
    });
    const [noticeId, ...more] = rest;
    if (noticeId === undefined || more.length > 0) {
      throw new UsageError("Give the id of one notice.");
    }
    const skip = {
      actor: readShortText("actor", values.actor, 70),
      reason: readShortText("why", values.why, 200),
    };
    const isSkipped = await inBank(cli, {
      sandbox: (client) => client.notices.skip(noticeId, skip),
      database: (database) => skipNotice(database, noticeId, skip, cli.clock.now()),
    });
    const line = isSkipped
      ? `The core is never told ${noticeId}.`
      : `No notice with the id ${noticeId} waits. ./aldgate notices lists those that wait.`;
    return { lines: [line], json: { noticeId, isSkipped }, exitCode: isSkipped ? 0 : 1 };
  },
};
