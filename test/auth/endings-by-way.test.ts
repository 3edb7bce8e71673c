import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JourneyOutcome } from "#src/auth/journey/outcomes.ts";
import { listAttempts } from "#src/consents/authorisations.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import { endingTexts } from "#src/pages/journey-endings.ts";
import { sql } from "#src/storage/sql.ts";
import { readAuthorisations } from "#test/consents/stored-rows.ts";
import { type Asked, methodBy, type Traveller, type Way, type WayName } from "./traveller.ts";
import { drives, errorBy, exceptions, type Lodge, type OpenedWay, storedOf } from "./way-drives.ts";
import { ways } from "./ways.ts";

// Each ending, reached in each way: by a code, with a passkey, in the bank's app beside our page,
// at the bank's provider, by a code after a login there, in the app alone, and without a browser.
// The TPP gets the same answer, the consent the same status and reason, and the customer reads the
// same words.

const opened = {} as Record<WayName, OpenedWay>;
const names = Object.keys(ways) as WayName[];
before(async () => {
  for (const name of names) {
    const way = await ways[name]();
    const tpp = await way.bed.createTpp();
    const request = (asked: Asked) => way.ask?.(tpp, asked) ?? tpp.authorizationUrl(asked);
    const lodge: Lodge = async (kind, data, overrides = {}) => {
      const consentId = await way.bed.lodge(tpp, kind, { data });
      const scope = kind === "account-access" ? "accounts" : "payments";
      const claims = (id: string) => ({
        id_token: { openbanking_intent_id: { value: id }, ...overrides },
      });
      const more =
        Object.keys(overrides).length > 0 ? { overrides: { claims: claims(consentId) } } : {};
      const asked = { scope, consentId, ...more } as const;
      const browserUrl = () => tpp.authorizationUrl(asked);
      return { consentId, url: await request(asked), browserUrl };
    };
    const again = (consentId: string) => request({ scope: "accounts", consentId });
    opened[name] = { ...way, tpp, lodge, again };
  }
});
after(async () => {
  for (const way of Object.values(opened)) await way.close();
});

/** The challenges of a journey that could still be answered. */
const openChallengesOf = ({ bed }: Way, uid: string) =>
  bed.database.query(sql`
    select c.challenge_id from journey j join login_challenge c using (challenge_id)
    where j.uid = ${uid} and c.verified_at is null and c.tries < 5
      and c.expires_at > ${bed.clock.now()}`);

/** What an ending has led to: the TPP's answer, the consent, and the words. */
type Result = { why: unknown; consent: unknown; title: string };
const results = new Map<JourneyOutcome, Result>();

// the words of the lock say what is locked
const wordedByWay: ReadonlySet<JourneyOutcome> = new Set(["too_many_codes"]);

for (const outcome of Object.keys(endingTexts) as JourneyOutcome[]) {
  for (const name of names) {
    const own = exceptions[name][outcome] ?? {};
    const isNever = "never" in own;
    const cannot = isNever
      ? ` cannot be reached: ${own.never}`
      : " is reached, with the same results";
    test(`${outcome} by ${name}${cannot}`, async () => {
      const way = opened[name];
      const drive = { ...drives[outcome], ...own };
      const { kind = "account-access", data = {}, claims = {}, leave } = drive;
      const { consentId, url, browserUrl } = await way.lodge(kind, data, claims);
      const stage = { way, one: way.travel(), consentId, url, browserUrl };
      await stage.one.open(url);
      if (isNever) {
        await own.instead(stage);
        return;
      }
      await leave(stage);
      const { one } = stage;
      // a late decision, or the page, says how it ended
      if (one.ending() === null) await one.look();
      const shown = one.ending();
      assert.ok(shown, "the customer reads how the journey has ended");
      assert.equal((await storedOf(way, one.uid))?.outcome, outcome);
      assert.deepEqual(await openChallengesOf(way, one.uid), [], "no answer counts any more");
      const { code, error, error_description: why } = await one.goBack();
      assert.equal(code === undefined, outcome !== "approved");
      assert.equal(error, errorBy(name, outcome));
      const { status, reasons } = await way.bed.consent(consentId);
      // a lock ends at another time for the next way
      const said = shown.title.replace(/\d\d:\d\d.*/, "a time");
      const isSaid = name !== "backchannel" || outcome !== "timed_out";
      const told = isSaid ? why : results.get(outcome)?.why;
      const result = { why: told, consent: { status, reasons }, title: said };
      const before = results.get(outcome) ?? result;
      results.set(outcome, before);
      const title = wordedByWay.has(outcome) ? before.title : result.title;
      assert.deepEqual({ ...result, title }, before);
    });
  }
}

// after this time, the requests that a customer has not approved do not count any more
const forgotten = { hours: 1 };

for (const name of names) {
  test(`SCA-RTS 4(3)(d): the time after authentication is five minutes by ${name}`, async () => {
    const way = opened[name];
    way.bed.advance(forgotten);
    for (const [minutes, outcome] of [
      [4, null],
      [6, "timed_out"],
    ] as const) {
      const { url } = await way.lodge("domestic-payment", { review: true });
      const one = way.travel();
      await one.open(url);
      await one.confirm("anna");
      await one.choose("101");
      way.bed.advance({ minutes });
      await one.look();
      assert.equal((await storedOf(way, one.uid))?.outcome, outcome);
    }
  });
}

/** What the evidence of an approval says, but for the consent's id. */
let evidence: unknown;

for (const name of names) {
  test(`the steps after the authentication, and what is approved, are the same by ${name}`, async () => {
    const way = opened[name];
    way.bed.advance(forgotten);
    const { consentId, url } = await way.lodge("domestic-payment", { review: true });
    const one = way.travel();
    await one.open(url);
    await one.confirm("anna");
    // the app alone sends everything in its decision
    if (name !== "app") assert.equal((await storedOf(way, one.uid))?.step, "accounts");
    await one.choose("101");
    assert.equal((await storedOf(way, one.uid))?.step, "review");
    assert.equal((await way.bed.consent(consentId)).status, "AWAU");
    await one.approve();
    assert.equal((await storedOf(way, one.uid))?.outcome, "approved");
    const [given] = await readAuthorisations(way.bed.database, consentId);
    assert.equal(given?.method, methodBy(name));
    const shown = { ...given?.showings[0]?.shown, id: null };
    evidence ??= shown;
    assert.deepEqual(shown, evidence);
    assert.equal(given?.acr, "urn:openbanking:psd2:sca");
  });
}

/** What a customer was shown after the request itself, and does then. */
type Left = { after: string[]; leave(way: OpenedWay, one: Traveller): Promise<unknown> };

/** A way of a customer to the page of accounts; the app sends its decision and goes on. */
const untilAccounts = async (name: WayName, one: Traveller) => {
  await one.confirm("anna");
  if (name === "app") await one.choose("101");
};

const accountsBy = (name: WayName) => (name === "app" ? ["accounts", "review"] : ["accounts"]);

/** How customers leave who have been shown the request; null if nobody knows whether they were. */
const leftBy: Partial<Record<JourneyOutcome, (name: WayName) => Left | null>> = {
  cancelled(name) {
    // the provider says no more than that its customer has refused
    if (name === "redirect") return null;
    if (name === "backchannel") return { after: [], leave: (_, one) => one.cancel() };
    const leave = async (_: OpenedWay, one: Traveller) => {
      await untilAccounts(name, one);
      await one.cancel();
    };
    return { after: accountsBy(name), leave };
  },
  timed_out: (name) => ({
    after: accountsBy(name),
    async leave({ bed }, one) {
      await untilAccounts(name, one);
      bed.advance({ minutes: 6 });
    },
  }),
  not_owned: (name) => ({ after: [], leave: (_, one) => untilAccounts(name, one) }),
};

for (const [outcome, left] of Object.entries(leftBy)) {
  for (const name of names) {
    const { after: steps = [], leave } = left(name) ?? {};
    if (!leave) continue;
    test(`what was shown before ${outcome} is kept by ${name}, although nothing was approved`, async () => {
      const way = opened[name];
      way.bed.advance(forgotten);
      const debtor = outcome === "not_owned" ? { debtor: "20201012345201" } : {};
      const { consentId, url } = await way.lodge("domestic-payment", { review: true, ...debtor });
      const one = way.travel();
      await one.open(url);
      await leave(way, one);
      await one.look();
      const [attempt, ...others] = await listAttempts(way.bed.database, consentId);
      assert.deepEqual([attempt?.ending, attempt?.customerId, others], [outcome, "cust-anna", []]);
      const { showings = [] } = attempt ?? {};
      assert.deepEqual(showings.map(({ step }) => step).slice(1), steps);
      assert.ok(JSON.stringify(showings[0]?.shown).includes("£10.00"));
      const answers = showings.map(({ answer }) => answer?.decision ?? null);
      const isLast = outcome !== "not_owned";
      assert.deepEqual(answers, isLast ? [...steps.map(() => "continue"), null] : ["continue"]);
      for (const { shown, shownHash } of showings) {
        assert.equal(sha256(canonicalJson(shown)), shownHash);
      }
    });
  }
}
