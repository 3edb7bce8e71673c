import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { decodeJwt } from "jose";
import { newestEventVersion, registeredVersion } from "#src/events/event-versions.ts";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import { scopeOfRole } from "#src/sandbox/directory/roles.ts";
import { pathOf, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions, textOf } from "./options.ts";
import { BankRefused, configuredAddress } from "./sandbox-client.ts";
import { openTppFolder } from "./tpp-folder.ts";

const retryMs = 2_000;
const answerMs = 10_000;
const base = pathOf(newestEventVersion);
const Version = registeredVersion(newestEventVersion);

/** `./aldgate listen` */
export const command: Command = {
  name: "listen",
  summary: "polls a TPP's events, prints them, and forwards them to a program on this machine",
  usage: [
    "  ./aldgate listen [DIR] [--forward URL]",
    "Events are sent to URL as the bank sends them to a callback URL. If URL responds with 202, the",
    "event is acknowledged; otherwise it is sent again. DIR is a TPP's folder. The default is the",
    "sandbox's ready-made TPP. If the TPP is not registered for events, this command registers it.",
    "Ctrl-C stops the command.",
  ].join("\n"),
  hasItems: true,
  json: {
    "": "first {clientId}; then, for each event, {jti, types, sub, set, forwarded?}",
  },
  next: [
    ["act revoke CONSENT_ID", "causes an event"],
    ["events list CLIENT_ID", "shows what the bank has sent"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { forward: { type: "string" } });
    if (rest.length > 1) throw new UsageError("Give at most one folder.");
    const forward = textOf(values.forward);
    if (forward !== undefined && !/^https?:/.test(URL.parse(forward)?.protocol ?? "")) {
      throw new UsageError("--forward must be a URL that begins with http:// or https://.");
    }
    const config = configOf(cli.environment);
    const folder = rest[0] ?? join(config.ALDGATE_DATA, "keys", "tpps", "ready");
    const { bank, tpp } = await openTppFolder(folder, configuredAddress(config));
    const operations = listOperations(await cli.kinds());
    const client = new TppClient({ ...bank, operations }, tpp);
    let isOver = false;
    cli.onSignal(() => {
      isOver = true;
      client.close();
    });
    try {
      const scope = eventScope(tpp);
      await register(client, scope);
      const { clientId } = tpp;
      cli.print(`Listening for the events of ${clientId}. Ctrl-C ends.`, { clientId });
      await follow(cli, client, { scope, forward, isOver: () => isOver });
    } catch (error) {
      if (!isOver) throw error; // the request in progress was ended with the connections
    } finally {
      client.close();
    }
    return { lines: [], json: null };
  },
};

/** Returns a scope that the TPP may request. Events can be read with the scope of any API. */
function eventScope({ roles: [role] }: IssuedTpp): Scope {
  if (role === undefined) {
    throw new UsageError(
      "The TPP has no role, so it gets no events. Create a TPP with a role: " +
        "./aldgate tpp create --out DIR --roles AISP",
    );
  }
  return scopeOfRole[role];
}

/** Registers the TPP for polling, unless it is registered. Throws BankRefused. */
async function register(client: TppClient, scope: Scope): Promise<void> {
  const path = `${base}/event-subscriptions`;
  const token = await client.clientToken(scope);
  const listed = await client.call<Listed>({ path, token });
  const [found] = listed.body.Data?.EventSubscription ?? [];
  if (found?.CallbackUrl !== undefined) {
    throw new BankRefused(
      `The TPP receives its events at ${found.CallbackUrl}. Listen for another TPP, or change ` +
        `the subscription ${found.EventSubscriptionId} so that it has no CallbackUrl.`,
    );
  }
  if (found) return;
  const created = await client.call({ path, token, body: { Data: { Version } } });
  if (created.status !== 201) throw new BankRefused(`The bank refused: ${created.raw}`);
}

type Listed = {
  Data?: { EventSubscription?: { EventSubscriptionId: string; CallbackUrl?: string }[] };
};
type Polled = { sets: Record<string, string> };

type Following = { scope: Scope; forward: string | undefined; isOver(): boolean };

/** Polls until `isOver`, and acknowledges the events that the receiver has accepted. */
async function follow(
  cli: Cli,
  client: TppClient,
  { scope, forward, isOver }: Following,
): Promise<void> {
  let ack: string[] = [];
  while (!isOver()) {
    const token = await client.clientToken(scope);
    const answer = await client.call<Polled>({ path: `${base}/events`, token, body: { ack } });
    if (answer.status !== 200) throw new BankRefused(`The bank refused: ${answer.raw}`);
    ack = [];
    for (const [jti, set] of Object.entries(answer.body.sets)) {
      const forwarded = forward === undefined ? null : await forwardSet(forward, jti, set);
      if (forwarded === null || forwarded === "202") ack.push(jti);
      printEvent(cli, { jti, set, forwarded });
    }
    if (ack.length < Object.keys(answer.body.sets).length) await setTimeout(retryMs);
  }
}

type ReceivedEvent = {
  jti: string;
  set: string;
  /** What the program on this machine has answered; null if there is none. */
  forwarded: string | null;
};

function printEvent(cli: Cli, { jti, set, forwarded }: ReceivedEvent): void {
  const { sub, events } = decodeJwt<{ events: object }>(set);
  const types = Object.keys(events).map((urn) => urn.slice(urn.lastIndexOf(":") + 1));
  const answered = forwarded === null ? "" : `  -> ${forwarded}`;
  const item = { jti, types, sub, set, ...(forwarded === null ? {} : { forwarded }) };
  cli.print(`${jti}  ${types.join("+")}  ${sub}${answered}`, item);
}

/** Sends a SET; returns the status of the response, or why there is none. */
async function forwardSet(url: string, jti: string, set: string): Promise<string> {
  const headers = { "content-type": "application/jwt", "x-fapi-interaction-id": jti };
  const options = { method: "POST", headers, body: set, redirect: "manual" as const };
  try {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(answerMs) });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message || message : message;
  }
}
