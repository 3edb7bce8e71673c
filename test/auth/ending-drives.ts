import assert from "node:assert/strict";
import { test } from "node:test";
import type { JourneyOutcome } from "#src/auth/journey/outcomes.ts";
import { setClientStatus } from "#src/clients/client-record.ts";
import { byBank } from "#src/history/change.ts";
import { waitEndText } from "#src/pages/wording.ts";
import { sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import type { AuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, type Kind, toApproval } from "./journeys.ts";
import { refused, wrongly } from "./refused-ending.ts";
import { Visitor } from "./visitor.ts";

/** Where the journeys of the endings happen. */
export type EndingPlace = { bed: AuthBed; journeys: Journeys };

type Opened = Awaited<ReturnType<Journeys["visit"]>>;

/** How a journey comes to an end, and what its page shows. */
export type Drive = {
  kind?: Kind;
  data?: Record<string, unknown>;
  /** Brings the journey to its end. */
  leave(visitor: Visitor, opened: Opened): Promise<unknown>;
  /** Texts that the page must show; a function if they depend on the time. */
  shows: readonly (string | RegExp | (() => string))[];
  /** Whether the page may say that nothing was paid or shared. */
  saysNothingWasDone: boolean;
};

/** What a page says if nothing was done. */
export const nothingDone = /Nothing was (paid|shared)|nothing was paid/;

/** Opens the same request in another browser. */
export async function elsewhere(bed: AuthBed, { url }: Pick<Opened, "url">): Promise<Visitor> {
  const visitor = new Visitor(bed);
  await visitor.open(url);
  return visitor;
}

/** Changes the login of a consent's journey to one at the bank's provider, by these methods. */
export async function loggedInBy(
  { database }: AuthBed,
  { consentId }: Pick<Opened, "consentId">,
  amr: string[],
): Promise<void> {
  await database.query(
    sql`update journey set login_amr = ${amr}::text[] where consent_id = ${consentId}`,
  );
}

/** Does something while the bank has suspended a TPP. */
export async function whileSuspended<T>(
  { database, clock }: Pick<AuthBed, "database" | "clock">,
  { tpp: { clientId } }: Journeys["tpp"],
  work: () => Promise<T>,
): Promise<T> {
  const set = (status: "suspended" | "active") =>
    setClientStatus(database, clientId, status, byBank(clock.now()));
  assert.ok(await set("suspended"));
  try {
    return await work();
  } finally {
    assert.ok(await set("active"));
  }
}

/** Approves, and goes back to the TPP. */
export async function approve(visitor: Visitor, login = "anna"): Promise<void> {
  await toApproval(visitor, login);
  await visitor.approve(login === "anna" ? "101" : "201");
  assert.ok((await answerOf(visitor)).code);
}

/** One way to each ending. The place may be filled in later. */
export function endingDrives(at: EndingPlace): Record<JourneyOutcome, Drive> {
  /** When a lock that begins now ends. */
  const inAQuarter = () => waitEndText(at.bed.clock.now().add({ minutes: 15 }), at.bed.clock.now());
  return {
    approved: {
      leave: (visitor) => toApproval(visitor).then(() => visitor.approve()),
      shows: ["Approved", "You allowed Test TPP to see information about one of your accounts"],
      saysNothingWasDone: false,
    },
    cancelled: {
      leave: (visitor) => visitor.submit({ decision: "cancel" }),
      shows: ["Cancelled", "You have cancelled this request.", "Nothing was shared."],
      saysNothingWasDone: true,
    },
    timed_out: {
      kind: "domestic-payment",
      leave: async (visitor) => {
        at.bed.advance({ minutes: 16 });
        await visitor.open(visitor.shown.url);
      },
      shows: ["Your time has run out", "Nothing was paid.", "start again from Test TPP"],
      saysNothingWasDone: true,
    },
    locked: {
      leave: (visitor) => wrongly(visitor, { login: "poor", password: "wrong" }),
      shows: [() => `Your login is locked until ${inAQuarter()}`, "too many wrong passwords"],
      saysNothingWasDone: true,
    },
    too_many_codes: {
      leave: async (visitor) => {
        await visitor.login("ben");
        await wrongly(visitor, { code: "000000" });
      },
      shows: [
        () => `Your security codes are locked until ${inAQuarter()}`,
        "too many tries to enter a code",
      ],
      saysNothingWasDone: true,
    },
    too_weak: {
      kind: "domestic-payment",
      leave: async (visitor, opened) => {
        await visitor.login("anna");
        await loggedInBy(at.bed, opened, ["otp"]);
        await visitor.factor();
      },
      shows: ["We could not be sure that it was you", "two different kinds", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    other_customer: {
      leave: async (visitor, opened) => {
        await approve(visitor);
        const other = await elsewhere(at.bed, opened);
        await other.login("joint");
        await other.factor();
        return other;
      },
      shows: ["This request belongs to another customer", "Nothing has changed."],
      saysNothingWasDone: false,
    },
    not_expected: {
      kind: "domestic-payment",
      leave: async (_visitor, { consentId }) => {
        const claims = {
          id_token: {
            openbanking_intent_id: { value: consentId },
            sub: { value: "cust-anna" },
          },
        };
        const url = await at.journeys.tpp.authorizationUrl({
          scope: "payments",
          consentId,
          overrides: { claims },
        });
        const other = await elsewhere(at.bed, { url });
        await other.login("joint");
        await other.factor();
        return other;
      },
      shows: ["Test TPP expects another customer", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    not_owned: {
      kind: "domestic-payment",
      data: { debtor: "20201012345201" },
      leave: async (visitor) => {
        await visitor.login("anna");
        await visitor.factor();
      },
      shows: ["The account that Test TPP named is not one of yours", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    not_usable: {
      kind: "domestic-payment",
      data: { debtor: "20201012345102" },
      leave: async (visitor) => {
        await visitor.login("anna");
        await visitor.factor();
      },
      shows: ["Your account cannot be used for this", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    ambiguous: {
      kind: "domestic-payment",
      data: { debtor: "20201012345400" },
      leave: async (visitor) => {
        await visitor.login("roll");
        await visitor.factor();
      },
      shows: ["More than one of your accounts has this number", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    unmet: {
      kind: "domestic-payment",
      data: { Authorisation: { AuthorisationType: "Single" } },
      leave: async (visitor) => {
        await visitor.login("joint");
        await visitor.factor();
      },
      shows: ["This request does not fit your accounts", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    expired: {
      leave: async (visitor, { consentId }) => {
        await setConsent(at.bed.database, consentId, { expiresAt: at.bed.clock.now() });
        await visitor.login("anna");
      },
      shows: ["This request has expired", "Nothing was shared."],
      saysNothingWasDone: true,
    },
    too_late: {
      kind: "domestic-payment",
      data: { late: "cutOffPassed" },
      leave: async () => undefined,
      shows: ["It is too late to approve this request", "cut-off time", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    not_served: {
      kind: "domestic-payment",
      leave: (visitor) =>
        whileSuspended(at.bed, at.journeys.tpp, () => visitor.open(visitor.shown.url)).then(() =>
          visitor.open(visitor.shown.url),
        ),
      shows: ["We do not accept requests from Test TPP now", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    agreement_over: {
      kind: "domestic-payment",
      data: { late: "contractOver" },
      leave: async () => undefined,
      shows: ["Test TPP can no longer ask for this", "agreement", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    refused,
    altered: {
      kind: "domestic-payment",
      leave: async (visitor, { consentId }) => {
        await visitor.login("anna");
        const body = JSON.stringify({ Data: { amount: "£999.00" } });
        await setConsent(at.bed.database, consentId, { body });
        await visitor.factor();
      },
      shows: ["This request has changed", "Nothing was paid."],
      saysNothingWasDone: true,
    },
    overtaken: {
      kind: "domestic-payment",
      leave: async (visitor, opened) => {
        await toApproval(visitor);
        await approve(await elsewhere(at.bed, opened));
        await visitor.approve();
      },
      shows: [
        "You have already approved this",
        "on another device or in another tab",
        "so that you do not pay twice",
      ],
      saysNothingWasDone: false,
    },
    withdrawn: {
      leave: async (visitor, { consentId }) => {
        await setConsent(at.bed.database, consentId, { deletedAt: at.bed.clock.now() });
        await visitor.login("anna");
      },
      shows: ["Test TPP has withdrawn this request", "Nothing was shared."],
      saysNothingWasDone: true,
    },
    closed: {
      leave: async (visitor, opened) => {
        const other = await elsewhere(at.bed, opened);
        await other.submit({ decision: "cancel" });
        await visitor.login("anna");
      },
      shows: ["This request is closed", "Nothing was shared."],
      saysNothingWasDone: true,
    },
  };
}

/** Registers a test for each ending; `by` says how customers confirm. */
export function testEndings(at: EndingPlace, drives: Record<JourneyOutcome, Drive>, by: string) {
  for (const [outcome, drive] of Object.entries(drives)) {
    const { kind = "account-access", data = {}, leave, shows, saysNothingWasDone } = drive;
    test(`the page of a journey that ended as ${outcome} gives this cause, also on later visits (${by})`, async () => {
      const opened = await at.journeys.visit(kind, data);
      const other = await leave(opened.visitor, opened);
      const visitor = other instanceof Visitor ? other : opened.visitor;
      const { url } = visitor.shown;
      assert.equal(visitor.step, "returning", visitor.shown.body);
      const check = () => {
        const text = visitor.shown.body;
        for (const each of shows) {
          const shown = typeof each === "function" ? each() : each;
          if (typeof shown === "string") assert.ok(text.includes(shown), `${shown} in ${text}`);
          else assert.match(text, shown);
        }
        assert.equal(nothingDone.test(text), saysNothingWasDone, text);
      };
      check();
      const isAtOnce = /http-equiv="refresh"/.test(visitor.shown.body);
      assert.equal(isAtOnce, outcome === "approved" || outcome === "cancelled");
      const [stored] = await at.bed.database.query<{ outcome: string }>(sql`
      select outcome from journey where uid = ${url.split("/").at(-1)}`);
      assert.equal(stored?.outcome, outcome);
      await visitor.goBack();
      await visitor.open(url);
      assert.equal(visitor.step, "page");
      check();
    });
  }
}
