import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import type { ConsentSummary } from "#src/pages/consent-summary.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { readAuthorisations } from "#test/consents/stored-rows.ts";
import type { Kind } from "./journeys.ts";
import type { Traveller, Way, WayName } from "./traveller.ts";
import { storedOf } from "./way-drives.ts";
import { ways } from "./ways.ts";

// While a bank is upgraded, processes of two releases serve the same journey, and the new one may
// say the same facts in other words. Here, each request has words of its own: whoever shows a page
// never has the words of whoever takes its answer. Each journey is approved all the same, and its
// evidence has the words that the customer has read.

let areWordsSame = false;

/** The same facts, in words that no other request uses. */
const says = (summary: ConsentSummary, now: Temporal.Instant): ConsentSummary => {
  if (areWordsSame) return summary;
  const other = (words: string): string => `${words} (wording ${now.epochNanoseconds})`;
  if (summary.type === "funds") return summary;
  if (summary.type === "access") {
    const clusters = summary.clusters.map((each) => ({ ...each, title: other(each.title) }));
    return { ...summary, clusters, until: other(summary.until), ends: other(summary.ends) };
  }
  const { amount, payeeName, payeeAccount } = summary;
  const said = { amount: other(amount), payeeName: other(payeeName) };
  return { ...summary, ...said, payeeAccount: other(payeeAccount), notes: [other("A note")] };
};

const names = Object.keys(ways) as WayName[];
const opened = {} as Record<WayName, Way & { tpp: TppClient }>;
before(async () => {
  for (const name of names) {
    const way = await ways[name]({
      says,
      bank: { confirmPayee: async () => ({ result: "close match", name: "Acme Ltd" }) },
    });
    opened[name] = { ...way, tpp: await way.bed.createTpp() };
  }
});
after(async () => {
  for (const way of Object.values(opened)) await way.close();
});

/** Lodges a consent, and opens its journey. */
async function begin(name: WayName, kind: Kind, data: Record<string, unknown>) {
  const way = opened[name];
  const consentId = await way.bed.lodge(way.tpp, kind, { data });
  const scope = kind === "account-access" ? ("accounts" as const) : ("payments" as const);
  const asked = { scope, consentId };
  const url = await (way.ask?.(way.tpp, asked) ?? way.tpp.authorizationUrl(asked));
  const one = way.travel();
  await one.open(url);
  return { ...way, consentId, one };
}

/** Asserts that a journey was approved; returns its evidence. */
async function approvedBy(way: Way, one: Traveller, consentId: string) {
  if (one.ending() === null) await one.look();
  assert.equal((await storedOf(way, one.uid))?.outcome, "approved");
  const [given] = await readAuthorisations(way.bed.database, consentId);
  return present(given, "the authorisation").showings;
}

const cases: Record<string, [kind: Kind, data: Record<string, unknown>]> = {
  "access to accounts": ["account-access", {}],
  "a payment": ["domestic-payment", {}],
  "a payment from an account that the TPP names": [
    "domestic-payment",
    { debtor: "20201012345101" },
  ],
  "a payment whose account adds a price": ["domestic-payment", { review: true, fees: true }],
  "a payee whose name is another": ["domestic-payment", { payee: "Acme" }],
};

for (const [what, [kind, data]] of Object.entries(cases)) {
  for (const name of names) {
    test(`${what} is approved by ${name} although the words change all the time`, async () => {
      const { consentId, one, ...way } = await begin(name, kind, data);
      await one.confirm("anna");
      await one.approve("101");
      const showings = await approvedBy(way, one, consentId);
      const texts = showings.map((each) => JSON.stringify(each.shown));
      assert.match(texts.join(), /\(wording \d+\)/);
      // what a passkey has signed, or the app or the provider has returned, is what was shown first
      const first = present(
        showings.find(({ step }) => step !== "payee check"),
        "the first step",
      );
      const shown = present(first.shown, "what was shown") as { subject?: object };
      assert.equal(first.subjectHash, sha256(canonicalJson(shown.subject ?? shown)));
      assert.ok(showings.every((each) => each.factsHash === first.factsHash));
      assert.ok(showings.every((each) => each.at !== null));
    });
  }
}

/** Gives a journey's challenge and showings another hash of their facts, or none. */
const storeHash = ({ bed }: Way, uid: string, hash: string | null) =>
  bed.database.query(sql`
    with changed as (
      update login_challenge set facts_hash = ${hash}::text
      where challenge_id = (select challenge_id from journey where uid = ${uid}) returning 1)
    update journey j set showings = (
      select coalesce(json_agg(s.value::jsonb - 'factsHash' || case when ${hash}::text is null
        then '{}' else jsonb_build_object('factsHash', ${hash}::text) end
        order by s.position), '[]')
      from json_array_elements(j.showings) with ordinality as s(value, position))
    where uid = ${uid} returning (select count(*) from changed)`);

const hashesOfOthers = {
  "the release before, which has none": null,
  "a later release, in a form that this one does not know": "2.unknown",
};

for (const [release, hash] of Object.entries(hashesOfOthers)) {
  for (const name of ["code", "decoupled", "login there"] as const) {
    for (const outcome of ["approved", "altered"] as const) {
      test(`a journey with the hash of ${release} is compared by its words: ${name}, ${outcome}`, async () => {
        areWordsSame = outcome === "approved";
        const { consentId, one, ...way } = await begin(name, "domestic-payment", {});
        assert.ok("login" in one && typeof one.login === "function");
        await one.login("anna");
        await storeHash(way, one.uid, hash);
        await one.confirm("anna");
        if (outcome === "approved") await one.approve("101");
        if (one.ending() === null) await one.look();
        areWordsSame = false;
        assert.equal((await storedOf(way, one.uid))?.outcome, outcome);
        const status = outcome === "approved" ? "AUTH" : "RJCT";
        assert.equal((await way.bed.consent(consentId)).status, status);
      });
    }
  }
}
