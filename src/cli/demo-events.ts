import { accountVersions } from "#src/accounts/account-versions.ts";
import { newestEventVersion, registeredVersion } from "#src/events/event-versions.ts";
import { assert, present } from "#src/lib/assert.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { CreatedResource, DemoScene } from "./demo-scene.ts";
import { type EventListener, listenForEvents } from "./event-listener.ts";

const scope = "accounts";
const waitMs = 30_000;

type Polled = { sets: Record<string, string> };

/**
 * A TPP learns that customers have withdrawn their consents: once at its callback URL, and once by
 * polling. It uses the newest version of each API.
 */
export async function receiveEvents(scene: DemoScene): Promise<void> {
  const { api } = present(accountVersions.at(-1), "a version");
  if (!(await scene.canDo("the events", api, "/account-access-consents"))) return;
  const listener = await listenForEvents();
  try {
    await play(scene, listener);
  } finally {
    listener.close();
  }
}

async function play(scene: DemoScene, listener: EventListener): Promise<void> {
  const base = pathOf(newestEventVersion);
  const [first, second] = await scene.chooseCustomers();
  const client = await scene.register();
  const token = await scene.ownToken(client, scope);
  const subscriptions = `${base}/event-subscriptions`;
  const chosen = { CallbackUrl: listener.url, Version: registeredVersion(newestEventVersion) };
  const created = await scene.call<CreatedResource>(
    client,
    "It subscribes, with a callback URL",
    201,
    {
      path: subscriptions,
      token,
      body: { Data: chosen },
    },
  );

  const sentId = await approved(scene, client, token, present(first, "a customer"));
  await scene.revoke(sentId);
  const sent = await within(listener.next(), "The bank sent no event");
  await show(scene, client, "The event arrives at its callback URL", listener.url, sent, sentId);

  const { EventSubscriptionId } = created.body.Data;
  await scene.call(client, "It changes its subscription, to poll from now on", 200, {
    method: "PUT",
    path: `${subscriptions}/${textOf(EventSubscriptionId)}`,
    token,
    body: { Data: { EventSubscriptionId, Version: chosen.Version } },
  });
  const polledId = await approved(scene, client, token, present(second, "another customer"));
  await scene.revoke(polledId);
  const poll = (what: string, body: object) =>
    scene.call<Polled>(client, what, 200, { path: `${base}/events`, token, body });
  // the response waits for an event
  const { body } = await poll("It polls, and the bank answers with the event", {});
  const [[jti, polled] = ["", ""]] = Object.entries(body.sets);
  await show(scene, client, "The event is in the response", `${base}/events`, polled, polledId);
  const rest = { ack: [jti], returnImmediately: true };
  const after = await poll("It acknowledges the event, and there are no more events", rest);
  assert(Object.keys(after.body.sets).length === 0, "there are no more events");

  scene.cli.print(
    "\nDone: the TPP was notified of two withdrawn consents. It has acknowledged both",
  );
  scene.cli.print("events, so the bank does not send them again.");
}

/** Creates a consent that a customer approves. Returns its id. */
async function approved(
  scene: DemoScene,
  client: TppClient,
  token: string,
  customer: Parameters<DemoScene["approve"]>[3],
): Promise<string> {
  const { api } = present(accountVersions.at(-1), "a version");
  const consent = await scene.call<CreatedResource>(client, "It asks to read accounts", 201, {
    path: `${pathOf(api)}/account-access-consents`,
    token,
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  const consentId = textOf(consent.body.Data.ConsentId);
  await scene.approve(client, scope, consentId, customer, "one");
  return consentId;
}

/** Verifies an event, and prints its claims. */
async function show(
  scene: DemoScene,
  client: TppClient,
  what: string,
  where: string,
  set: string,
  consentId: string,
): Promise<void> {
  const claims = await client.verifyToken(set); // throws if the signature is invalid
  assert(claims.sub?.endsWith(`/${consentId}`), "the event links to the consent");
  const { jti, sub, events } = claims;
  scene.tell(what, where, "signed by the bank");
  scene.cli.print(`\n   ${JSON.stringify({ jti, sub, events: Object.keys(Object(events)) })}`);
}

/** Waits for an event. Throws if it does not arrive in time. */
async function within<Result>(event: Promise<Result>, message: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${message} in ${waitMs / 1000} s.`)), waitMs);
  });
  return Promise.race([event, late]).finally(() => clearTimeout(timer));
}
