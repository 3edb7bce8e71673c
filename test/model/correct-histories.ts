import { inNextPeriod } from "./period-histories.ts";
import type { Scene } from "./scene.ts";

const paid = { paymentId: "payment of order of c1", amount: 500 };
const kept = { consentId: "c1", orderId: "order of c1" };
const vrp = (scene: Scene): Scene => scene.lodgeVrp("v1").decide("v1");
const nth = (n: number, amount = 500) => ({ key: `k${n}`, orderId: `o${n}`, amount });

/** Histories that look broken and are not, because a correct bank may answer like this. */
export const correctHistories: readonly { name: string; write(scene: Scene): Scene }[] = [
  ...inNextPeriod,
  {
    name: "an approval and an order at the same time",
    write: (scene) =>
      scene
        .lodge("c1")
        .decide("c1", true, { start: 10, end: 30 })
        .order("c1", {}, { start: 20, end: 25 }),
  },
  {
    name: "an approval without an answer, and an order",
    write: (scene) =>
      scene.lodge("c1").unknown("decide", { consentId: "c1", approves: true }).order("c1"),
  },
  {
    name: "a read that overlaps a revocation, with either answer",
    write: (scene) =>
      scene
        .access("a1")
        .ok("revoke", { consentId: "a1" }, {}, { start: 20, end: 30 })
        .read("a1", { start: 25, end: 40 })
        .refused("readData", scene.reading("a1"), 401, { start: 25, end: 40 }),
  },
  {
    name: "a revocation without an answer, and reads with either answer",
    write: (scene) =>
      scene
        .access("a1")
        .unknown("revoke", { consentId: "a1" })
        .read("a1")
        .refused("readData", scene.reading("a1"), 401),
  },
  {
    name: "a read that was sent before the end of its consent, and answered after it",
    write: (scene) =>
      scene.access("a1", "2027-03-01T10:00:10Z").read("a1", { start: 9999, end: 10_010 }),
  },
  {
    name: "a consent that its customer ends and renews, and a change without a new status",
    write: (scene) => scene.keptChanges("v1", "AWAU", "AUTH", "CANC", "AUTH", "AUTH"),
  },
  {
    name: "a token that ends because its code is sent again",
    write: (scene) =>
      scene
        .access("a1")
        .refused("token", { grant: "authorization_code", by: "code of a1" }, 400)
        .refused("readData", scene.reading("a1"), 401),
  },
  {
    name: "pages that overlap each other and a delivery, with and without its entry",
    write: (scene) =>
      scene
        .access("a1")
        .page("a1", 1)
        .deliver(2, { start: 20, end: 30 })
        .page("a1", 2, { start: 22, end: 29 })
        .page("a1", 1, { start: 21, end: 28 })
        .page("a1", 2),
  },
  {
    name: "a read after a renewed approval",
    write: (scene) =>
      scene
        .access("a1")
        .ok("revoke", { consentId: "a1" }, {})
        .decide("a1")
        .token("a1", "new code")
        .read("a1"),
  },
  {
    name: "an order that is answered again after its consent was revoked",
    write: (scene) =>
      vrp(scene).order("v1", nth(1)).ok("revoke", { consentId: "v1" }, {}).order("v1", nth(1)),
  },
  {
    name: "a refused order, because one without an answer may have used up the limit",
    write: (scene) =>
      vrp(scene)
        .order("v1", nth(1))
        .unknown("order", scene.asking("v1", "k2"))
        .refused("order", scene.asking("v1", "k3"), 400, {}, ["U014"]),
  },
  {
    name: "a refused order, because two at the same time use up the limit",
    write: (scene) =>
      vrp(scene)
        .order("v1", nth(1), { start: 10, end: 20 })
        .order("v1", nth(2), { start: 11, end: 19 })
        .refused("order", scene.asking("v1", "k3"), 400, { start: 9, end: 12 }, ["U014"]),
  },
  {
    name: "a third order, after one was rejected",
    write: (scene) =>
      vrp(scene)
        .order("v1", nth(1))
        .order("v1", nth(2))
        .readOrder("o1", "RJCT")
        .order("v1", nth(3)),
  },
  {
    name: "a third order, though the rejection of the first was seen only later",
    write: (scene) =>
      vrp(scene)
        .order("v1", nth(1))
        .order("v1", nth(2))
        .order("v1", nth(3))
        .readOrder("o1", "RJCT"),
  },
  {
    name: "a limit that is used up again in the next month",
    write: (scene) =>
      vrp(scene)
        .order("v1", nth(1))
        .order("v1", nth(2))
        .order("v1", { ...nth(3), created: "2027-04-01T09:00:00Z" })
        .order("v1", { ...nth(4), created: "2027-04-01T09:00:00Z" }),
  },
  {
    name: "an order without an answer, which the bank has or has not",
    write: (scene) =>
      scene
        .approved("c1")
        .approved("c2")
        .unknown("order", scene.asking("c1", "k1"))
        .unknown("order", scene.asking("c2", "k2"))
        .kept(kept)
        .books([paid]),
  },
  {
    name: "a payment that was made after its order was read",
    write: (scene) =>
      scene
        .approved("c1")
        .order("c1")
        .kept({ ...kept, status: "ACSP", isOpen: true })
        .books([paid], [paid.paymentId])
        .kept(kept),
  },
  {
    name: "a payment that came back",
    write: (scene) =>
      scene
        .approved("c1")
        .order("c1")
        .kept({ ...kept, status: "RJCT" })
        .books([paid, { ...paid, amount: -500 }]),
  },
  {
    name: "an event that is polled twice at the same time",
    write: (scene) =>
      scene
        .poll(["e1"])
        .poll([], { settles: ["e1"], when: { start: 10, end: 20 } })
        .poll(["e1"], { when: { start: 15, end: 30 } })
        .keptEvents(["e1"]),
  },
  {
    name: "a token that is refused at the millisecond of its end",
    write: (scene) =>
      scene
        .access("a1")
        .token("a1", "another code", { start: 100.25, end: 100.5 })
        .refused("readData", scene.reading("a1"), 401, { start: 300_100, end: 300_100.125 }),
  },
  {
    name: "reads at the same time that show different statuses",
    write: (scene) =>
      scene
        .approved("c1")
        .order("c1")
        .readOrder("order of c1", "ACSC", { start: 20, end: 30 })
        .readOrder("order of c1", "ACSP", { start: 19, end: 31 }),
  },
];
