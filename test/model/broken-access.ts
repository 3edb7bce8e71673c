import { row } from "./broken-history.ts";

/** Histories that break rules about access and tokens. */
export const ofAccess = [
  row("no token is issued after a revocation", "a refresh", (scene) =>
    scene
      .access("a1")
      .ok("revoke", { consentId: "a1" }, {})
      .ok(
        "token",
        { grant: "refresh_token", by: "refresh token of a1" },
        { token: "another", consentId: "a1", seconds: 300 },
      ),
  ),
  row("nothing is read after a revocation", "a read sent after the answer", (scene) =>
    scene.access("a1").read("a1").ok("revoke", { consentId: "a1" }, {}).read("a1"),
  ),
  row("nothing is ordered after a revocation", "an order sent after the answer", (scene) =>
    scene
      .lodgeVrp("v1")
      .decide("v1")
      .ok("revoke", { consentId: "v1" }, {})
      .order("v1", { key: "k1", orderId: "o1" }),
  ),
  row("nothing is read after the end of its consent", "a read a moment later", (scene) =>
    scene.access("a1", "2027-03-01T10:00:10Z").read("a1", { start: 10_000.1, end: 10_001 }),
  ),
  row("nothing is read before an approval", "a token without an approval", (scene) =>
    scene.lodge("a1").token("a1").read("a1"),
  ),
  row("a token is issued before it opens anything", "a token of nobody", (scene) =>
    scene.access("a1").read("a2"),
  ),
  row("a code is exchanged once", "two tokens", (scene) =>
    scene
      .access("a1")
      .ok(
        "token",
        { grant: "authorization_code", by: "code of a1" },
        { token: "another", consentId: "a1", seconds: 300 },
      ),
  ),
  row("a revoked token opens nothing", "a read after the revocation", (scene) =>
    scene.access("a1").ok("revokeToken", { token: "token of a1" }, {}).read("a1"),
  ),
  row("a token opens nothing after its time", "301 seconds later", (scene) =>
    scene.access("a1").read("a1", { start: scene.time + 301_000 }),
  ),
  row("a token works until its end", "a refusal right after its issue", (scene) =>
    scene.access("a1").refused("readData", scene.reading("a1"), 401),
  ),
];

/** Histories that break rules about pages. */
export const ofPages = [
  row("no page is older than one that was shown before", "an entry is gone again", (scene) =>
    scene.access("a1").page("a1", 1).page("a1", 2).page("a1", 1),
  ),
  row("a page shows what was delivered before it", "a page without the entry", (scene) =>
    scene.access("a1").deliver(2).page("a1", 1),
  ),
];
