import type { EventReceiver, ShownEvent } from "#src/events/stored-events.ts";
import { type Command, UsageError } from "./command.ts";
import { withEvents } from "./event-store.ts";
import { readOptions } from "./options.ts";

/** `./aldgate events list` */
export const command: Command = {
  name: "events list",
  summary: "lists the TPPs that receive events, or the newest events of one",
  usage: [
    "  ./aldgate events list              the TPPs, with the state of their endpoints",
    "  ./aldgate events list CLIENT_ID    the newest 100 events of a TPP, with their attempts",
  ].join("\n"),
  async run(cli) {
    const { rest } = readOptions(cli.arguments, {});
    const [clientId, ...more] = rest;
    if (more.length > 0) throw new UsageError("Give at most one client id.");
    const lines = await withEvents(cli, async (store) =>
      clientId === undefined
        ? (await store.listReceivers()).map(receiverLine)
        : (await store.list(clientId)).map(eventLine),
    );
    for (const line of lines) cli.print(line);
    if (lines.length === 0) {
      cli.print(
        clientId === undefined ? "No TPP is registered for events." : "The TPP has no events.",
      );
    }
    return 0;
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
  const tries = attempts === 0 ? "" : `, ${attempts} ${attempts === 1 ? "try" : "tries"}`;
  const when = settledAt === null ? "" : ` ${settledAt}`;
  const next = nextTryAt === null || attempts === 0 ? "" : `, next ${nextTryAt}`;
  const why = error === null ? "" : `  ${JSON.stringify(error)}`;
  return `${occurredAt}  ${jti}  ${state}${when}${tries}${next}  ${types.join("+")} ${objectId}${why}`;
}
