import type { ResendRequest } from "#src/events/stored-events.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { type Command, UsageError } from "./command.ts";
import { withEvents } from "./event-store.ts";
import { readOptions, textOf } from "./options.ts";

/** `./aldgate events resend` */
export const command: Command = {
  name: "events resend",
  summary: "sends a TPP's events again, with the same ids",
  usage: [
    "  ./aldgate events resend CLIENT_ID            all undelivered events",
    "  ./aldgate events resend CLIENT_ID JTI …      these events, even if accepted",
    "  ./aldgate events resend CLIENT_ID --days N   all events of the last N days (1 to 90)",
    "The bank also tries an endpoint that has stopped responding.",
  ].join("\n"),
  json: { "": ["count"] },
  next: [["events list CLIENT_ID", "shows how the endpoint has answered"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { days: { type: "string" } });
    const [clientId, ...jtis] = rest;
    if (clientId === undefined) throw new UsageError("Give the TPP's client id.");
    const request = requestOf(jtis, textOf(values.days));
    const count = await withEvents(cli, (store) => store.resend(clientId, request));
    const lines = [`${countOf(count, "event is", "events are")} sent again.`];
    return { lines, json: { count } };
  },
};

function requestOf(jtis: readonly string[], days: string | undefined): ResendRequest {
  if (days === undefined) return jtis.length === 0 ? "undelivered" : { jtis };
  if (jtis.length > 0) throw new UsageError("Give either event ids or --days, not both.");
  const number = /^\d{1,2}$/.test(days) ? Number(days) : 0;
  if (number < 1 || number > 90) throw new UsageError("--days must be a number from 1 to 90.");
  return { days: number };
}
