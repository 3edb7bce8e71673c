import { accountEventResources, accountSubjects } from "#src/accounts/event-resources.ts";
import type { Addresses } from "#src/config/addresses.ts";
import { readNetworks } from "#src/config/networks.ts";
import { consentSubjects } from "#src/consents/consent-facts.ts";
import { createDeliveryWork } from "#src/events/delivery-work.ts";
import type { EventDeps } from "#src/events/event-deps.ts";
import type { EventSubjects } from "#src/events/event-resource.ts";
import { createEventWork } from "#src/events/event-work.ts";
import { createWaitingPolls } from "#src/events/waiting-polls.ts";
import { fundsEventResources } from "#src/funds/event-resources.ts";
import { createAddressGuard } from "#src/http/outgoing/address-guard.ts";
import { createSender } from "#src/http/outgoing/guarded-request.ts";
import { createMessageSigner } from "#src/http/signature/message-signer.ts";
import {
  paymentAccessEvents,
  paymentAccountSubjects,
  paymentEventResources,
} from "#src/payments/event-resources.ts";
import { orderSubjects } from "#src/payments/order/payment-order.ts";
import { observeEvents } from "#src/server/health/observe-events.ts";
import type { Parts } from "#src/server/parts.ts";
import { signingOf } from "./message-signing.ts";

type EventOptions = Pick<
  Parts,
  | keyof Addresses
  | "app"
  | "config"
  | "database"
  | "clock"
  // TPPs compare the dates of signatures with their own clocks
  | "machineClock"
  | "keys"
  | "keyRing"
  | "kinds"
  | "metrics"
  | "pace"
>;

const unresponsive = "a TPP's event endpoint is unresponsive; its events wait";
const refused = "a TPP has refused an event";
const undelivered = "an event cannot be delivered; the TPP can poll it";

/** The TPPs that are notified of changes to each kind of object. */
export const eventSubjects = (kinds: Parts["kinds"]): EventSubjects[] => [
  { objectKind: "consent", rows: () => consentSubjects, ownEvents: paymentAccessEvents(kinds) },
  { objectKind: "order", rows: () => orderSubjects },
  accountSubjects,
  ...paymentAccountSubjects(kinds),
];

/** Joins the events with the owners of the resources that they are about. */
export function openEvents(options: EventOptions): {
  deps: EventDeps;
  parts: Pick<Parts, "events" | "eventSender">;
} {
  const { app, config, database, clock, keys, keyRing, kinds, pace } = options;
  const { admits } = pace;
  const onFailure = (error: unknown): void =>
    app.log.error({ err: error }, "the work on events failed; it will try again");
  const polls = createWaitingPolls();
  const counters = observeEvents(options.metrics, database, clock);
  const signer = createMessageSigner({
    ...signingOf(config, keyRing),
    clock: options.machineClock,
  });
  const guard = createAddressGuard(
    config.ALDGATE_PROFILE === "sandbox",
    readNetworks("EVENT_RECEIVER_NETWORKS", config.EVENT_RECEIVER_NETWORKS),
  );
  const signing = {
    database,
    resources: [...paymentEventResources(kinds), ...accountEventResources, ...fundsEventResources],
    issuer: options.publicUrl,
    base: options.mtlsUrl,
    sign: signer.signToken,
    isPublished: (kid: string) => keyRing.find(kid) !== undefined,
  };
  const sender = createSender(guard, keys.clientCa);
  const delivery = createDeliveryWork({
    ...signing,
    clock,
    sender,
    financialId: config.ORGANISATION_ID,
    admits,
    onTried: counters.tried,
    onTrouble: ({ isUnresponsive, ...trouble }) =>
      app.log.warn(trouble, isUnresponsive ? unresponsive : undelivered),
    onFailure,
  });
  const subjects = eventSubjects(kinds);
  return {
    deps: {
      ...signing,
      clock,
      polls,
      guard,
      advises: config.ALDGATE_PROFILE === "sandbox",
      longPollMs: config.EVENT_LONG_POLL_SECONDS * 1000,
      onRefused(refusal) {
        counters.refused(refusal.err);
        app.log.warn(refusal, refused);
      },
    },
    parts: {
      events: createEventWork({ database, clock, subjects, polls, delivery, admits, onFailure }),
      eventSender: sender,
    },
  };
}
