import { ofAccess, ofPages } from "./broken-access.ts";
import { type BrokenHistory, row } from "./broken-history.ts";
import { brokenVariants } from "./broken-variants.ts";
import { ofPeriods } from "./period-histories.ts";
import type { Scene } from "./scene.ts";

const paid = { paymentId: "payment of order of c1", amount: 500 };
const kept = { consentId: "c1", orderId: "order of c1" };
const vrp = (scene: Scene): Scene => scene.lodgeVrp("v1").decide("v1");
const nth = (n: number, amount = 500) => ({ key: `k${n}`, orderId: `o${n}`, amount });

const three = [1, 2, 3].map((n) => ({ consentId: "v1", orderId: `o${n}` }));

const ofConsents = [
  row("an order has a consent that its own client lodged", "another TPP's consent", (scene) =>
    scene.lodge("c1", { client: "other" }).decide("c1").order("c1"),
  ),
  row("an order has a consent that its own client lodged", "an unknown consent", (scene) =>
    scene.order("c1"),
  ),
  row("an order follows its customer's approval", "no decision", (scene) =>
    scene.lodge("c1").order("c1"),
  ),
  row("an order follows its customer's approval", "an approval that came later", (scene) =>
    scene.lodge("c1").order("c1").decide("c1"),
  ),
  row("a declined consent stays declined", "an approval after the refusal", (scene) =>
    scene.lodge("c1").decide("c1", false).decide("c1", true),
  ),
  row("an order to pay once is about its consent's amount", "a penny more", (scene) =>
    scene.approved("c1").order("c1", { amount: 501 }),
  ),
  row("the status of a consent only moves forward", "from AUTH back to AWAU", (scene) =>
    scene
      .approved("c1")
      .ok("readConsent", { consentId: "c1", token: null }, { status: "AUTH" })
      .ok("readConsent", { consentId: "c1", token: null }, { status: "AWAU" }),
  ),
  row("an order uses up a consent to one payment", "AUTH after the order", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .ok("readConsent", { consentId: "c1", token: null }, { status: "AUTH" }),
  ),
  row("only an order uses up a consent", "COND before the order is sent", (scene) =>
    scene
      .approved("c1")
      .ok("readConsent", { consentId: "c1", token: null }, { status: "COND" })
      .order("c1"),
  ),
];

const ofOrders = [
  row("a key stands for one order", "the second try makes a second order", (scene) =>
    scene.approved("c1").order("c1").order("c1", { orderId: "another" }),
  ),
  row("an order has one key", "a second key is answered with the first order", (scene) =>
    scene.approved("c1").order("c1").order("c1", { key: "another" }),
  ),
  row("a consent to one payment has one order", "two orders with keys of their own", (scene) =>
    vrp(scene)
      .approved("c1")
      .order("c1")
      .order("c1", { key: "another", orderId: "another" }, { start: 7, end: 9 }),
  ),
  row("an order that is sent again is answered again", "a refusal of the repetition", (scene) =>
    scene.approved("c1").order("c1").refused("order", scene.asking("c1", "key of c1"), 400),
  ),
  row("the first order of an approved consent is accepted", "a refusal without reason", (scene) =>
    scene.approved("c1").refused("order", scene.asking("c1", "k1"), 400),
  ),
  row("the first order of an approved consent is accepted", "after a lost answer", (scene) =>
    scene
      .approved("c1")
      .unknown("order", scene.asking("c1", "k1"))
      .refused("order", scene.asking("c1", "k1"), 400),
  ),
  row("an acknowledged order is kept", "an order that is lost", (scene) =>
    scene.approved("c1").order("c1").kept(),
  ),
  row("an acknowledged order can be read", "404 after 201", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .refused("readOrder", { orderId: "order of c1", token: null }, 404),
  ),
  row("every kept order was sent, once for each key", "two orders for one key", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept(kept, { ...kept, orderId: "another" }),
  ),
  row("every kept order was sent, once for each key", "two for a key without answer", (scene) =>
    scene
      .approved("c1")
      .unknown("order", scene.asking("c1", "k1"))
      .kept(kept, { ...kept, orderId: "another" }),
  ),
  row("every kept order was sent, once for each key", "a refused order", (scene) =>
    vrp(scene)
      .refused("order", scene.asking("v1", "k1", 600), 400)
      .kept({
        consentId: "v1",
        orderId: "refused",
      }),
  ),
  row("an order is kept as it was sent", "another amount", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept({ ...kept, amount: 5000 }),
  ),
  row("an order is kept as it was sent", "another consent", (scene) =>
    scene
      .approved("c1")
      .approved("c2")
      .order("c1")
      .unknown("order", scene.asking("c2", "k2"))
      .kept({ ...kept, consentId: "c2" }),
  ),
  row("the status of an order only moves forward", "from ACSC back to ACSP", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .readOrder("order of c1", "ACSC")
      .readOrder("order of c1", "ACSP"),
  ),
  row("the status of an order only moves forward", "alive again after RJCT", (scene) =>
    scene.approved("c1").order("c1", { status: "RJCT" }).readOrder("order of c1", "ACSP"),
  ),
  row("the status of an order only moves forward", "a word of no version", (scene) =>
    scene.approved("c1").order("c1").readOrder("order of c1", "DONE"),
  ),
];

const ofLimits = [
  row("a payment is at most its consent's maximum", "600 of 500 pence", (scene) =>
    vrp(scene).order("v1", nth(1, 600)),
  ),
  row("a payment is accepted on a day of its consent", "a day too early", (scene) =>
    scene.lodgeVrp("v1", { from: "2027-03-02" }).decide("v1").order("v1", nth(1)),
  ),
  row("a payment is accepted on a day of its consent", "a day too late", (scene) =>
    scene.lodgeVrp("v1", { to: "2027-02-28" }).decide("v1").order("v1", nth(1)),
  ),
  row("no period's payments exceed its limit", "three of two, one after the other", (scene) =>
    vrp(scene)
      .order("v1", nth(1))
      .order("v1", nth(2))
      .order("v1", nth(3))
      .kept(...three),
  ),
  row("no period's payments exceed its limit", "three of two at the same time", (scene) =>
    [1, 2, 3]
      .reduce((all, n) => all.order("v1", nth(n), { start: 10 + n, end: 20 }), vrp(scene))
      .kept(...three),
  ),
  row("no period's payments exceed its limit", "though one is rejected much later", (scene) =>
    vrp(scene)
      .order("v1", nth(1))
      .order("v1", nth(2))
      .order("v1", nth(3))
      .readOrder("o1", "ACSP")
      .readOrder("o2", "ACSP")
      .readOrder("o1", "RJCT"),
  ),
  row("no period's payments exceed its limit", "the last day of a month", (scene) =>
    vrp(scene)
      .order("v1", nth(1))
      .order("v1", { ...nth(2), created: "2027-03-31T22:59:59Z" })
      .order("v1", { ...nth(3), created: "2027-03-31T22:59:59Z" })
      .kept(...three),
  ),
  row("a refusal for a limit is due", "the limit is not used up", (scene) =>
    vrp(scene).order("v1", nth(1)).refused("order", scene.asking("v1", "k2"), 400, {}, ["U014"]),
  ),
  row("a refusal for a limit is due", "what was rejected counts no more", (scene) =>
    vrp(scene)
      .order("v1", nth(1))
      .order("v1", nth(2))
      .readOrder("o2", "RJCT")
      .refused("order", scene.asking("v1", "k3"), 400, {}, ["U014"]),
  ),
];

const ofMoney = [
  row("an order has a payment of its own", "two payments", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept({ ...kept, payments: ["p1", "p2"] })
      .books([{ paymentId: "p1", amount: 500 }]),
  ),
  row("an order has a payment of its own", "another order's payment", (scene) =>
    scene
      .approved("c1")
      .approved("c2")
      .order("c1")
      .order("c2")
      .kept(
        { ...kept, payments: ["p1"] },
        {
          consentId: "c2",
          orderId: "order of c2",
          payments: ["p1"],
        },
      ),
  ),
  row("money leaves once for a payment", "twice", (scene) =>
    scene.approved("c1").order("c1").kept(kept).books([paid, paid]),
  ),
  row("a settled order is paid", "no money moved", (scene) =>
    scene.approved("c1").order("c1").kept(kept).books(),
  ),
  row("a settled order is paid", "a part came back", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept(kept)
      .books([paid, { ...paid, amount: -200 }]),
  ),
  row("a rejected order is not paid", "money that never came back", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept({ ...kept, status: "RJCT" })
      .books([paid]),
  ),
  row("a paid order says so", "PDNG after the money was moved", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept({ ...kept, status: "PDNG", isOpen: true })
      .books([paid])
      .kept({ ...kept, status: "PDNG", isOpen: true }),
  ),
  row("an order with nothing left to do has ended", "ACSP for ever", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept({ ...kept, status: "ACSP" })
      .books(),
  ),
  row("an order with nothing left to do has ended", "ACSP though it was paid", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept({ ...kept, status: "ACSP" })
      .books([paid]),
  ),
  row("an ended order holds no money", "a hold after the payment", (scene) =>
    scene.approved("c1").order("c1").kept(kept).books([paid], [paid.paymentId]),
  ),
  row("a payment moves the amount of its order", "10 times as much", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept(kept)
      .books([{ ...paid, amount: 5000 }]),
  ),
  row("only orders move money", "a payment without an order", (scene) =>
    scene
      .approved("c1")
      .order("c1")
      .kept(kept)
      .books([paid, { paymentId: "p9", amount: 1 }]),
  ),
  row(
    "what was ordered is paid once, even if the bank has forgotten it",
    "a payment that the bank has forgotten, and made again",
    (scene) => {
      const told = { movements: [paid], held: [], paidIds: ["e1", "e1"] };
      return scene.approved("c1").order("c1").kept(kept).ok("books", {}, told);
    },
  ),
  row("a balance is the sum of its entries", "a penny too much", (scene) =>
    scene.ok("account", { accountId: "a1" }, { opening: 1000, entries: [-500, 200], closing: 701 }),
  ),
];

const ofEvents = [
  row("an event always has the same bytes", "another body the second time", (scene) =>
    scene.poll(["e1"]).ok(
      "poll",
      { settles: {} },
      {
        events: [{ jti: "e1", subject: "order", toe: 0, body: "other bytes" }],
      },
    ),
  ),
  row("the events of a resource arrive in order", "the later change first", (scene) =>
    scene
      .poll(["e2"])
      .poll(["e1"], { settles: ["e2"] })
      .poll([], { settles: ["e1"] })
      .keptEvents(["e1", "e2"]),
  ),
  row("the events of a resource arrive in order", "one that a poll left out", (scene) =>
    scene
      .poll(["e3", "e1"])
      .poll(["e2"], { settles: ["e1", "e3"] })
      .poll([], { settles: ["e2"] })
      .keptEvents(["e1", "e2", "e3"]),
  ),
  row("a settled event does not return", "after its acknowledgement", (scene) =>
    scene
      .poll(["e1"])
      .poll([], { settles: ["e1"] })
      .poll(["e1"]),
  ),
  row("every event arrives", "one that never did", (scene) =>
    scene
      .poll(["e1"])
      .poll([], { settles: ["e1"] })
      .keptEvents(["e1", "e2"]),
  ),
  row("an event that arrived is the bank's", "one that the bank does not have", (scene) =>
    scene
      .poll(["e1"])
      .poll(["e2"], { settles: ["e1"] })
      .keptEvents(["e1"]),
  ),
  row("a change has one event", "two events", (scene) =>
    scene.poll(["e1", "e2"]).keptEvents(["e1", "e2"], "waiting", [7, 7]),
  ),
  row("a settled event is stored as its client settled it", "still waiting", (scene) =>
    scene
      .poll(["e1"])
      .poll([], { settles: ["e1"] })
      .keptEvents(["e1"], "waiting"),
  ),
  row("each status of an order that was seen has an event", "no event at all", (scene) =>
    scene.ok("subscribe", {}, {}).approved("c1").order("c1").kept(kept).keptEvents([]),
  ),
  row("each status of an order that was seen has an event", "one event of two", (scene) =>
    scene
      .ok("subscribe", {}, {})
      .approved("c1")
      .order("c1", { orderId: "order" })
      .readOrder("order", "ACSC")
      .kept({ ...kept, orderId: "order" })
      .poll(["e1"])
      .keptEvents(["e1"], "waiting"),
  ),
  row("the kept history only moves forward", "ACSP again, which nobody saw", (scene) =>
    scene.keptChanges("order", "RCVD", "ACSP", "ACSC", "ACSP", "ACSC"),
  ),
  row("each change of an order by the bank has an event", "one that nobody saw", (scene) =>
    scene
      .ok("subscribe", {}, {})
      .approved("c1")
      .order("c1", { orderId: "order" })
      .keptChanges("order", "PDNG", "ACSP", "ACSC")
      .poll(["e1", "e2"])
      .keptEvents(["e1", "e2"], "waiting"),
  ),
  row("an event is about a resource of its client", "another TPP's order", (scene) =>
    scene.poll(["e1"], { subject: "order of somebody else" }).kept(),
  ),
];

/** The broken histories: at least one for each rule. */
export const brokenHistories: readonly BrokenHistory[] = [
  ...ofConsents,
  ...ofOrders,
  ...ofLimits,
  ...ofPeriods,
  ...ofMoney,
  ...ofEvents,
  ...ofAccess,
  ...ofPages,
  ...brokenVariants,
];
