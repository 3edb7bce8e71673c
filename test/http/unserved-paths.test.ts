// The words of a 404: what the bank serves instead, and which path was probably meant.
import assert from "node:assert/strict";
import { test } from "node:test";
import { likelyPaths } from "#src/http/refusal/likely-paths.ts";
import { unservedPaths } from "#src/http/refusal/unserved.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";

const id = "1f4c2c0e-6a51-4f59-9a2e-111111111111";
const operations = listOperations(paymentKinds);
for (const api of new Set(operations.map((one) => one.api))) {
  for (const profile of ["sandbox", "production"] as const) {
    test(`a path that ${api.id} lacks is told what the API serves (${profile})`, () => {
      const describePath = unservedPaths(operations, profile);
      const served = operations.filter((one) => one.api === api).map(({ path }) => path);
      const resources = new Set(served.map((path) => `/${path.split("/")[1]}`));
      for (const rest of ["/foo", "/accounts/1/foo", "/domestic-paymants", "/domestic-vrp"]) {
        const text = describePath(`${api.basePath}${rest}`);
        // the base path of events begins the paths of all APIs of the version
        if (api.id.startsWith("events")) {
          assert.ok(text.includes(`Directly below ${api.basePath} it serves `), text);
        }
        const list = text.split(/ it serves /i)[1] ?? "";
        const listed = new Set(list.match(/\/[\w-]+/g));
        const folded = /the consents of each, such as (\S+)\.$/.exec(text)?.[1];
        for (const resource of resources) {
          const order = resource.replace(/-consents$/, "s");
          const isSaid = listed.has(resource) || (folded && order !== resource);
          assert.ok(isSaid && (listed.has(resource) || listed.has(order)), `${resource}: ${text}`);
        }
        assert.ok(folded === undefined || resources.has(folded), text);
        // the longest name of an error comes before it
        assert.ok(text.length <= 470, String(text.length));
      }
    });
  }
}

test("a path that leaves out a part of a served one is told which one is likely", () => {
  const describePath = unservedPaths(operations, "production");
  const likely = likelyPaths(operations);
  for (const { api, path } of operations) {
    const [, standard, rest, version = "", family = ""] = api.basePath.split("/");
    const shown = `${api.basePath}${path.replaceAll(/:(\w+)/g, "{$1}")}`;
    for (const left of [[version], [family], [], [version, family], [family, version]]) {
      for (const root of [[], [standard], [rest], [standard, rest]]) {
        const base = [...root, ...left].filter((part) => part !== "");
        const sent = `/${base.join("/")}${path}`.replace(/^\/\//, "/");
        const isServed = operations.some((one) => `${one.api.basePath}${one.path}` === sent);
        if (isServed) continue;
        // what does not begin with /api is no path of an API
        const said = base[0] === standard ? describePath(sent) : likely(sent);
        assert.ok(said.includes(shown), `${sent}: ${said}`);
        assert.ok(said.length <= 470, `${said.length}: ${said}`);
      }
    }
  }
});

// each is what a hand may do to a word of a path
const slips: Record<string, (word: string) => string> = {
  capitals: (word) => word.toUpperCase(),
  "a letter left out": (word) => word.slice(0, -2) + word.slice(-1),
  "two letters swapped": (word) => word.replace(/^(.)(.)/, "$2$1"),
};
for (const [slip, change] of Object.entries(slips)) {
  test(`a path with ${slip} before the API's name is told which one is likely`, () => {
    const describePath = unservedPaths(operations, "production");
    const likely = likelyPaths(operations);
    for (const { api, path } of operations) {
      const shown = `${api.basePath}${path.replaceAll(/:(\w+)/g, "{$1}")}`;
      const [, root = "", standard = "", ...others] = `${api.basePath}${path}`.split("/");
      const rest = others.map((part) => (part.startsWith(":") ? "1" : part));
      const text = describePath(`/${root}/${change(standard)}/${rest.join("/")}`);
      assert.ok(text.includes(shown), `${shown}: ${text}`);
      const isWord = (part: string) => /^[a-z]/.test(part) && !/^v\d/.test(part);
      const all = rest.map((part) => (isWord(part) ? change(part) : part));
      const said = likely(`/${change(root)}/${change(standard)}/${all.join("/")}`);
      assert.ok(said.includes(shown), `${shown}: ${all} ${said}`);
    }
  });
}

test("a path of many or long segments is never likely", () => {
  const likely = likelyPaths(operations);
  for (const segment of ["accounts", "a".repeat(60), "a".repeat(16_000)]) {
    assert.equal(likely(`/api/open-banking/v4.0/${`${segment}/`.repeat(1000)}`), "");
    assert.equal(likely(`/api/open-banking/v4.0/aisp/${segment}x/y/z`), "");
  }
});

const openBanking = "/api/open-banking";
const subscriptions = "/event-subscriptions, /event-subscriptions/{EventSubscriptionId}.";
const balances = "/accounts/{AccountId}/balances, /accounts, /accounts/{AccountId}.";
const details = "/domestic-payments/{DomesticPaymentId}/payment-details, ";
const transactions = "/accounts/{AccountId}/statements/{StatementId}/transactions, ";
for (const [path, words] of [
  ["/v4.0/event", "Event Notifications v4.0 has no such path. Similar paths: /events."],
  ["/v4.0/events/x", "v4.0 has no such path. Similar paths: /events. It serves /callback-urls, "],
  ["/v4.0/event-subscription", `v4.0 has no such path. Similar paths: ${subscriptions}`],
  ["/v3.1/event-subscription", `v3.1 has no such path. Similar paths: ${subscriptions}`],
  ["/v4.0.1/event-subscriptions", "of Event Notifications does not serve this path. v3.1 or v4.0"],
  ["/v5.0/event", "There is no v5.0 of Event Notifications. The bank serves v3.1 or v4.0."],
  ["/v4.0", "Directly below /api/open-banking/v4.0 it serves /callback-urls, "],
  ["/pisp/v4.0/domestic-payments", "the API: /api/open-banking/v4.0/pisp/domestic-payments."],
  [
    "/aisp/v3.1/accounts",
    "the version comes before the API: /api/open-banking/v3.1/aisp/accounts.",
  ],
  [
    "/aisp/v5/party",
    "API: /api/open-banking/v3.1/aisp/party or /api/open-banking/v4.0/aisp/party.",
  ],
  ["/pisp/events", "No API of the bank has this path. The bank serves /api/open-banking/v3.1/"],
  ["/v4.0/aisp/accounts/x/balance", `Similar paths: ${balances}`],
  [`/v4.0/aisp/account/${id}/balance`, `Similar paths: ${balances}`],
  [`/v4.0/pisp/domestic-payments/${id}/payment-detail`, `Similar paths: ${details}`],
  [`/v3.1/aisp/accounts/${id}/statement/${id}/transaction`, `Similar paths: ${transactions}`],
  ["/V4.0/aisp/accounts", "Did you mean /api/open-banking/v4.0/aisp/accounts?"],
  ["/v4.0/AISP/Accounts", "Did you mean /api/open-banking/v4.0/aisp/accounts?"],
  ["/v4.0/aips/acounts", "Did you mean /api/open-banking/v4.0/aisp/accounts?"],
  ["/v4.0/aisp/ACCOUNTS/x/BALANCES", `Similar paths: ${balances}`],
  ["/v4.0/aisp/accounts/x/foo", "Similar paths: /accounts, /accounts/{AccountId}, "],
] as const) {
  test(`the bank explains ${path.replaceAll(id, "{id}")}`, () => {
    const text = unservedPaths(operations, "sandbox")(`${openBanking}${path}`);
    assert.ok(text.includes(words), text);
    assert.ok(text.length <= 470, String(text.length));
  });
}
