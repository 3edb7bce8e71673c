import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endings, type JourneyOutcome } from "#src/auth/journey/outcomes.ts";
import { endingTexts } from "#src/pages/journey-endings.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import type { Kind } from "./journeys.ts";
import { InApp, InBrowser, type Traveller, type Way, type WayName, ways } from "./ways.ts";

// Each ending, reached in each way: by a code, in the bank's app beside our page, at the bank's
// provider, and in the app alone. The TPP gets the same answer, the consent the same status and
// reason, and the customer reads the same words.

const opened = {} as Record<WayName, Way & { lodge: Lodge }>;
type Lodge = (
  kind: Kind,
  data: Data,
  overrides?: object,
) => Promise<{ consentId: string; url: string }>;
type Data = Record<string, unknown>;

const names = Object.keys(ways) as WayName[];
before(async () => {
  for (const name of names) {
    const way = await ways[name]();
    const tpp = await way.bed.createTpp();
    const lodge: Lodge = async (kind, data, overrides = {}) => {
      const consentId = await way.bed.lodge(tpp, kind, { data });
      const scope = kind === "account-access" ? "accounts" : "payments";
      const claims = (id: string) => ({
        id_token: { openbanking_intent_id: { value: id }, ...overrides },
      });
      const more =
        Object.keys(overrides).length > 0 ? { overrides: { claims: claims(consentId) } } : {};
      return { consentId, url: await tpp.authorizationUrl({ scope, consentId, ...more }) };
    };
    opened[name] = { ...way, lodge };
  }
});
after(async () => {
  for (const way of Object.values(opened)) await way.close();
});

type Stage = { way: Way; one: Traveller; consentId: string; url: string };

/** How a journey comes to its end. */
type Drive = {
  kind?: Kind;
  data?: Data;
  /** Members of the requested id_token. */
  claims?: object;
  /** Brings the journey of `stage.one` to its end, who may become another customer. */
  leave(stage: Stage): Promise<unknown>;
};

/** A way on which an ending cannot be reached: why not, and what happens there instead. */
type Never = { never: string; instead(stage: Stage): Promise<void> };

/** Another customer, or the same one elsewhere, with the same request. */
async function another({ way, url }: Stage): Promise<Traveller> {
  const other = way.travel();
  await other.open(url);
  return other;
}

const approves = async (one: Traveller, login: string, account?: string): Promise<void> => {
  await one.confirm(login);
  await one.approve(account);
};

const drives: Record<JourneyOutcome, Drive> = {
  approved: { leave: ({ one }) => approves(one, "anna") },
  cancelled: { leave: ({ one }) => one.cancel() },
  timed_out: {
    kind: "domestic-payment",
    async leave({ way, one }) {
      way.bed.advance({ minutes: 16 });
      await one.look();
    },
  },
  locked: {
    async leave({ one }) {
      for (let turn = 0; turn < 5; turn += 1) await one.confirm("nobody");
    },
  },
  too_many_codes: {
    async leave({ one }) {
      for (let turn = 0; turn < 5; turn += 1) await one.confirm("ben", "failed");
    },
  },
  other_customer: {
    async leave(stage) {
      await approves(stage.one, "anna");
      await stage.one.goBack();
      stage.one = await another(stage);
      await approves(stage.one, "joint", "301");
    },
  },
  not_expected: {
    kind: "domestic-payment",
    claims: { sub: { value: "cust-anna" } },
    leave: ({ one }) => approves(one, "joint", "301"),
  },
  not_owned: {
    kind: "domestic-payment",
    data: { debtor: "20201012345201" },
    leave: ({ one }) => approves(one, "anna"),
  },
  not_usable: {
    kind: "domestic-payment",
    data: { debtor: "20201012345102" },
    leave: ({ one }) => approves(one, "anna"),
  },
  ambiguous: {
    kind: "domestic-payment",
    data: { debtor: "20201012345400" },
    leave: ({ one }) => approves(one, "roll"),
  },
  unmet: {
    kind: "domestic-payment",
    data: { Authorisation: { AuthorisationType: "Single" } },
    leave: ({ one }) => approves(one, "joint", "301"),
  },
  expired: {
    async leave({ way, one, consentId }) {
      await setConsent(way.bed.database, consentId, { expiresAt: way.bed.clock.now() });
      await approves(one, "anna");
    },
  },
  too_late: {
    kind: "domestic-payment",
    data: { late: "U012" },
    leave: async () => undefined,
  },
  refused: {
    kind: "domestic-payment",
    data: { amount: "£400.00" },
    leave: ({ one }) => approves(one, "anna"),
  },
  altered: {
    kind: "domestic-payment",
    leave: ({ one }) => one.confirm("anna", "altered"),
  },
  overtaken: {
    kind: "domestic-payment",
    async leave(stage) {
      await approves(await another(stage), "anna");
      await stage.one.look();
    },
  },
  withdrawn: {
    async leave({ way, one, consentId }) {
      await setConsent(way.bed.database, consentId, { deletedAt: way.bed.clock.now() });
      await approves(one, "anna");
    },
  },
  closed: {
    async leave(stage) {
      await (await another(stage)).cancel();
      await approves(stage.one, "anna");
    },
  },
};

/** Changes what the consent says, while its customer is about to approve it. */
const change = ({ way, consentId }: Stage, data: Data): Promise<void> =>
  setConsent(way.bed.database, consentId, { body: JSON.stringify({ Data: data }) });

/** Asserts that a journey goes on, and has approved nothing. */
async function goesOn({ way, one, consentId }: Stage): Promise<void> {
  assert.equal((await storedOf(way, one.uid))?.outcome, null);
  assert.equal((await way.bed.consent(consentId)).status, "AWAU");
}

/** Where a way has a drive of its own, or no way to an ending. */
const exceptions: { [Name in WayName]: Partial<Record<JourneyOutcome, Partial<Drive> | Never>> } = {
  code: {
    altered: {
      async leave(stage) {
        assert.ok(stage.one instanceof InBrowser);
        await stage.one.login("anna");
        await change(stage, { amount: "£999.00" });
        await stage.one.confirm("anna");
      },
    },
  },
  decoupled: {
    cancelled: { leave: ({ one }) => one.confirm("anna", "declined") },
    too_many_codes: {
      // five refusals in a row lock the factor, so the sixth request is not sent
      async leave(stage) {
        const { way, one } = stage;
        const { lodge } = opened.decoupled;
        for (let turn = 0; turn < 5; turn += 1) {
          const refusing = way.travel();
          await refusing.open((await lodge("account-access", {})).url);
          await refusing.confirm("ben", "declined");
        }
        await one.confirm("ben");
      },
    },
  },
  redirect: {
    locked: {
      never: "the password is entered at the bank's provider, which limits its wrong ones",
      instead: async (stage) => {
        assert.equal((await storedOf(stage.way, stage.one.uid))?.step, "hand-over");
        await goesOn(stage);
      },
    },
  },
  app: {
    locked: {
      never: "the app's server authenticates the customer, and limits its wrong passwords",
      instead: async (stage) => {
        assert.equal((await storedOf(stage.way, stage.one.uid))?.step, "in-app");
        await goesOn(stage);
      },
    },
    too_many_codes: {
      never:
        "the app's server has the token of the bank's channels: its mistakes are refused, not counted",
      instead: async (stage) => {
        for (let turn = 0; turn < 10; turn += 1) await stage.one.confirm("ben", "failed");
        assert.ok(stage.one instanceof InApp);
        assert.equal(stage.one.refusals.length, 10);
        await goesOn(stage);
      },
    },
    altered: {
      data: { review: true },
      // a hash that has changed is refused before the decision; here it changes after the first
      async leave(stage) {
        const { one } = stage;
        assert.ok(one instanceof InApp);
        await one.confirm("anna");
        await one.decideOnce("101");
        await change(stage, { review: true, amount: "£999.00" });
        await one.approve();
        assert.match(one.refusals.join(), /shownHash/);
        await one.look();
        await one.approve();
      },
    },
  },
};

const storedOf = ({ bed }: Way, uid: string) =>
  first<{ outcome: string | null; step: string }>(
    bed.database,
    sql`select outcome, step from journey where uid = ${uid}`,
  );

/** The challenges of a journey that could still be answered. */
const openChallengesOf = ({ bed }: Way, uid: string) =>
  bed.database.query(sql`
    select c.challenge_id from journey j join login_challenge c using (challenge_id)
    where j.uid = ${uid} and c.verified_at is null and c.tries < 5
      and c.expires_at > ${bed.clock.now()}`);

/** What an ending has led to: the TPP's answer, the consent, and the words. */
type Result = { error: unknown; consent: unknown; title: string };
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
      const { consentId, url } = await way.lodge(kind, data, claims);
      const stage = { way, one: way.travel(), consentId, url };
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
      assert.equal(error, endings[outcome].error?.error);
      const { status, reasons } = await way.bed.consent(consentId);
      // a lock ends at another time for the next way
      const said = shown.title.replace(/\d\d:\d\d.*/, "a time");
      const result = { error: { error, why }, consent: { status, reasons }, title: said };
      const before = results.get(outcome) ?? result;
      results.set(outcome, before);
      const title = wordedByWay.has(outcome) ? before.title : result.title;
      assert.deepEqual({ ...result, title }, before);
    });
  }
}

for (const name of names) {
  test(`SCA-RTS 4(3)(d): the time after authentication is five minutes by ${name}`, async () => {
    const way = opened[name];
    for (const [minutes, outcome] of [
      [4, null],
      [6, "timed_out"],
    ] as const) {
      const { url } = await way.lodge("domestic-payment", { review: true });
      const one = way.travel();
      await one.open(url);
      await one.confirm("anna");
      if (one instanceof InApp) await one.decideOnce("101");
      way.bed.advance({ minutes });
      await one.look();
      assert.equal((await storedOf(way, one.uid))?.outcome, outcome);
    }
  });
}
