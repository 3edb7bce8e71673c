import { type BrokenHistory, row } from "./broken-history.ts";
import type { Scene } from "./scene.ts";

// Breaches that other histories show too, here in the words of v3.1, in the statuses of other
// kinds of orders, and with events that the bank sends.

const paid = { paymentId: "payment of order of c1", amount: 500 };
const kept = { consentId: "c1", orderId: "order of c1" };
const shown = (scene: Scene, status: string): Scene =>
  scene.ok("readConsent", { consentId: "c1", token: null }, { status });
const event = (jti: string, toe = 0, body = `body of ${jti}`) => ({
  jti,
  subject: "order",
  toe,
  body,
});
const sent = (scene: Scene, one: ReturnType<typeof event>, settling: "accepted" | null): Scene =>
  scene.ok("arrive", { event: one, settling }, {});

const ofWords = [
  row("an order uses up a consent to one payment", "Authorised after the order", (scene) =>
    shown(scene.approved("c1").order("c1"), "Authorised"),
  ),
  row("only an order uses up a consent", "Consumed before the order", (scene) =>
    shown(scene.approved("c1"), "Consumed"),
  ),
  row("the status of a consent only moves forward", "Authorised after Rejected", (scene) =>
    shown(shown(scene.lodge("c1"), "Rejected"), "Authorised"),
  ),
  row("the status of an order only moves forward", "Pending after its settlement", (scene) =>
    scene
      .approved("c1")
      .order("c1", { status: "AcceptedSettlementCompleted" })
      .readOrder("order of c1", "Pending"),
  ),
  row("the status of an order only moves forward", "INCO after INFA", (scene) =>
    scene.approved("c1").order("c1", { status: "INFA" }).readOrder("order of c1", "INCO"),
  ),
  row("a refusal for a limit is due", "in the words of v3.1", (scene) =>
    scene
      .lodgeVrp("v1")
      .decide("v1")
      .refused("order", scene.asking("v1", "k1"), 400, {}, [
        "UK.OBIE.Rules.FailsControlParameters",
      ]),
  ),
];

const ofStatuses = [
  row("a rejected order is not paid", "paid though it was cancelled", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept({ ...kept, status: "CANC" })
      .books([paid]),
  ),
  row("an ended order holds no money", "a hold after the rejection", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept({ ...kept, status: "RJCT" })
      .books([], [paid.paymentId]),
  ),
  row("the kept history only moves forward", "a consent that is used again", (scene) =>
    scene.keptChanges("c1", "AWAU", "AUTH", "COND", "AUTH"),
  ),
  row("an acknowledged order can be read", "400 after 201", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .refused("readOrder", { orderId: "order of c1", token: null }, 400),
  ),
];

const ofSentEvents = [
  row("an event always has the same bytes", "sent again with other bytes", (scene) =>
    sent(sent(scene, event("e1"), null), event("e1", 0, "other bytes"), "accepted"),
  ),
  row("the events of a resource arrive in order", "sent, by their times alone", (scene) =>
    sent(sent(scene, event("e2", 2), "accepted"), event("e1", 1), "accepted"),
  ),
  row("a settled event is stored as its client settled it", "sent and accepted", (scene) =>
    sent(scene, event("e1"), "accepted").keptEvents(["e1"], "refused"),
  ),
];

/** Further broken histories. */
export const brokenVariants: readonly BrokenHistory[] = [
  ...ofWords,
  ...ofStatuses,
  ...ofSentEvents,
];
