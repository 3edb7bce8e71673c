import assert from "node:assert/strict";
import { endings, type JourneyOutcome } from "#src/auth/journey/outcomes.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { AtTill } from "./at-till.ts";
import { whileSuspended } from "./ending-drives.ts";
import type { Kind } from "./journeys.ts";
import { type Answer, InBrowser, type Traveller, type Way, type WayName } from "./traveller.ts";
import { InApp } from "./ways.ts";

// How a journey comes to each of its ends, in each way.

/** A bank that offers a way, and what its TPP asks for. */
export type OpenedWay = Way & {
  tpp: TppClient;
  lodge: Lodge;
  /** Asks once more for the same access consent. */
  again(consentId: string): Promise<string>;
};

/** Creates a consent, and makes the request for its approval. */
export type Lodge = (
  kind: Kind,
  data: Data,
  overrides?: object,
) => Promise<{ consentId: string; url: string; browserUrl(): Promise<string> }>;

type Data = Record<string, unknown>;

/** A journey that is about to begin. */
export type Stage = {
  way: OpenedWay;
  one: Traveller;
  consentId: string;
  url: string;
  /** A request for the same consent in a browser. */
  browserUrl(): Promise<string>;
};

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

/** One way to each ending. */
export const drives: Record<JourneyOutcome, Drive> = {
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
  too_weak: { leave: ({ one }) => one.confirm("anna", "weak") },
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
    data: { late: "cutOffPassed" },
    leave: async () => undefined,
  },
  not_served: {
    kind: "domestic-payment",
    leave: ({ way, one }) => whileSuspended(way.bed, way.tpp, () => one.look()),
  },
  agreement_over: {
    kind: "domestic-payment",
    data: { late: "contractOver" },
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

/** The consent changes while its customer is about to confirm it. */
async function changedAfterLogin(stage: Stage): Promise<void> {
  assert.ok(stage.one instanceof InBrowser);
  await stage.one.login("anna");
  await change(stage, { amount: "£999.00" });
  await stage.one.confirm("anna");
}

/** A customer whose first factor is known: nothing that confirms the request is too weak. */
const neverTooWeak = (never: string, answer: Answer = "approved"): Never => ({
  never,
  async instead(stage) {
    await stage.one.confirm("anna", answer);
    assert.equal((await storedOf(stage.way, stage.one.uid))?.step, "accounts");
    await goesOn(stage);
  },
});

/** Where a way has a drive of its own, or no way to an ending. */
export const exceptions: {
  [Name in WayName]: Partial<Record<JourneyOutcome, Partial<Drive> | Never>>;
} = {
  code: {
    too_weak: neverTooWeak("a password and a code are factors of two kinds"),
    altered: { leave: changedAfterLogin },
  },
  decoupled: {
    too_weak: neverTooWeak("a password comes before the answer in the app", "weak"),
    cancelled: { leave: ({ one }) => one.confirm("anna", "declined") },
    too_many_codes: {
      // five refusals in a row lock the factor, so the sixth request is not sent
      async leave(stage) {
        const { way, one } = stage;
        const { lodge } = way;
        for (let turn = 0; turn < 5; turn += 1) {
          const refusing = way.travel();
          await refusing.open((await lodge("account-access", {})).url);
          await refusing.confirm("ben", "declined");
        }
        await one.confirm("ben");
      },
    },
  },
  passkey: {
    too_weak: neverTooWeak("a password and a passkey are factors of two kinds"),
    altered: { leave: changedAfterLogin },
  },
  backchannel: {
    locked: {
      never: "nobody enters a password: a hint or the app names the customer",
      instead: async (stage) => {
        assert.equal((await storedOf(stage.way, stage.one.uid))?.step, "by-hint");
        await goesOn(stage);
      },
    },
    too_many_codes: {
      never: "a customer whose codes are locked is not asked",
      async instead(stage) {
        const { way, one } = stage;
        const { lodge } = way;
        for (let turn = 0; turn < 5; turn += 1) {
          const refusing = new InBrowser(way.bed);
          await refusing.open(await (await lodge("account-access", {})).browserUrl());
          await refusing.confirm("ben", "declined");
        }
        await one.confirm("ben");
        assert.ok(one instanceof AtTill);
        assert.match(one.refusals.join(), /is not asked now/);
        await goesOn(stage);
      },
    },
    other_customer: {
      never: "the id of a consent that a customer has given cannot be scanned by another",
      async instead(stage) {
        const { way, one, consentId } = stage;
        assert.ok(one instanceof AtTill);
        await approves(one, "anna");
        await one.goBack();
        const again = way.travel() as AtTill;
        await again.open(await way.again(consentId));
        await again.confirm("joint");
        assert.match(again.refusals.join(), /No TPP waits/);
        assert.equal((await storedOf(way, again.uid))?.outcome, null);
        assert.equal((await way.bed.consent(consentId)).customer, "cust-anna");
      },
    },
    overtaken: {
      async leave(stage) {
        await approves(await inBrowser(stage), "anna");
        await stage.one.look();
      },
    },
    closed: {
      async leave(stage) {
        await (await inBrowser(stage)).cancel();
        await approves(stage.one, "anna");
      },
    },
  },
  redirect: {
    too_weak: neverTooWeak("the provider has confirmed all of it, and its `acr` counts", "weak"),
    locked: {
      never: "the password is entered at the bank's provider, which limits its wrong ones",
      instead: async (stage) => {
        assert.equal((await storedOf(stage.way, stage.one.uid))?.step, "hand-over");
        await goesOn(stage);
      },
    },
  },
  "login there": {
    locked: {
      never: "the password is entered at the bank's provider, which limits its wrong ones",
      instead: async (stage) => {
        assert.equal((await storedOf(stage.way, stage.one.uid))?.step, "hand-over");
        await goesOn(stage);
      },
    },
    altered: { leave: changedAfterLogin },
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
    too_weak: {
      never: "factors of one kind are a mistake of the app's server, which is refused",
      async instead(stage) {
        await stage.one.confirm("anna", "failed");
        assert.ok(stage.one instanceof InApp);
        assert.match(stage.one.refusals.join(), /factors of two kinds/);
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
        await one.choose("101");
        await change(stage, { review: true, amount: "£999.00" });
        await one.approve();
        assert.match(one.refusals.join(), /shownHash/);
        await one.look();
        await one.approve();
      },
    },
  },
};

/** A customer in a browser, for a consent whose TPP has begun without one. */
async function inBrowser({ way, browserUrl }: Stage): Promise<Traveller> {
  const other = new InBrowser(way.bed);
  await other.open(await browserUrl());
  return other;
}

/** How a journey stands. */
export const storedOf = ({ bed }: Way, uid: string) =>
  first<{ outcome: string | null; step: string }>(
    bed.database,
    sql`select outcome, step from journey where uid = ${uid}`,
  );

/** The error that the TPP gets: the token endpoint knows only two. Source: CB-47. */
export function errorBy(name: WayName, outcome: JourneyOutcome): string | undefined {
  const usual = endings[outcome].error?.error;
  if (name !== "backchannel" || usual === undefined) return usual;
  return outcome === "timed_out" ? "expired_token" : "access_denied";
}
