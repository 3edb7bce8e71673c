import type { EventReceiver, ShownEvent } from "#src/events/stored-events.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { type Command, type Result, UsageError } from "./command.ts";
import { withEvents } from "./event-store.ts";
import { readOptions } from "./options.ts";

/** `./aldgate events list` */
export const command: Command = {
  name: "events list",
  summary: "lists the TPPs that receive events, or the latest events of one TPP",
  usage: [
    "  ./aldgate events list              the TPPs, with the state of their endpoints",
    "  ./aldgate events list CLIENT_ID    the latest 100 events of a TPP, with the delivery attempts",
  ].join("\n"),
  json: { "": ["receivers"], CLIENT_ID: ["events"] },
  next: [
    ["events resend CLIENT_ID", "sends events again"],
    ["listen DIR", "polls the events of a TPP"],
  ],
  async run(cli) {
    const { rest } = readOptions(cli.arguments, {});
    const [clientId, ...more] = rest;
    if (more.length > 0) throw new UsageError("Give at most one client id.");
    return withEvents(cli, async (store): Promise<Result> => {
      if (clientId === undefined) {
        const receivers = await store.listReceivers();
        const none = "No TPP is registered for events.";
        const lines = receivers.length === 0 ? [none] : receivers.map(receiverLine);
        return { lines, json: { receivers } };
      }
      const events = await store.list(clientId);
      const lines = events.length === 0 ? ["The TPP has no events."] : events.map(eventLine);
      return { lines, json: { events } };
    });
  },
};

function receiverLine(receiver: EventReceiver): string {
  const { clientId, callbackUrl, status, failingSince, probeAt, oldest } = receiver;
  const failure = failingSince === null ? "" : ` since ${failingSince}`;
  const state = failingSince !== null && status === "active" ? "failing" : status;
  const probe = probeAt === null ? "" : `, next try ${probeAt}`;
  const waiting = `${receiver.waiting} waiting, ${receiver.undelivered} undelivered`;
  const age = oldest === null ? "" : `, oldest of ${oldest}`;
  const endpoint = callbackUrl === null ? "polls" : `${callbackUrl} ${state}${failure}${probe}`;
  return `${clientId}  ${endpoint}: ${waiting}${age}`;
}

function eventLine(event: ShownEvent): string {
  const { jti, occurredAt, state, types, objectId, attempts, nextTryAt, settledAt, error } = event;
  const tries = attempts === 0 ? "" : `, ${countOf(attempts, "try", "tries")}`;
  const when = settledAt === null ? "" : ` ${settledAt}`;
  const next = nextTryAt === null || attempts === 0 ? "" : `, next ${nextTryAt}`;
  const why = error === null ? "" : `  ${JSON.stringify(error)}`;
  return `${occurredAt}  ${jti}  ${state}${when}${tries}${next}  ${types.join("+")} ${objectId}${why}`;
}
