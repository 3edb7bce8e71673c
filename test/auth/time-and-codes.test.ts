import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { momentText } from "#src/pages/wording.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys } from "./journeys.ts";
import { paperBank } from "./paper-bank.ts";
import { wrongly } from "./refused-ending.ts";
import { Visitor } from "./visitor.ts";

// The time that a customer has for a page, and the codes that the customer can ask for.

let bed: AuthBed;
let journeys: Journeys;
let challenges = 0;
// for how long a code can be entered; null for longer than any test
let codeMinutes: number | null = null;
before(async () => {
  const bank = {
    async challenge(...given: Parameters<typeof paperBank.challenge>) {
      challenges += 1;
      const made = { ...(await paperBank.challenge(...given)), sentTo: "mobile ending 417" };
      if (codeMinutes === null) return made;
      return { ...made, expiresAt: bed.clock.now().add({ minutes: codeMinutes }) };
    },
  };
  bed = await openAuthBed({ bank });
  journeys = await openJourneys(bed);
});
after(() => bed.close());

const offers = ({ shown }: Visitor, decision: string): boolean =>
  shown.body.includes(`name="decision" value="${decision}"`);

const untilText = (minutes: number): string =>
  `until ${momentText(bed.clock.now().add({ minutes }), bed.clock.now())}`;

/** Sets the clock to the start of a minute, so that the texts name one minute throughout a test. */
const beginMinute = (): void => {
  const { second } = bed.clock.now().toZonedDateTimeISO("UTC");
  bed.advance({ seconds: 60 - second });
};

test("WCAG 2.2.1: each page says until when it can be used, and its time can be extended once", async () => {
  beginMinute();
  const { visitor } = await journeys.visit("account-access");
  assert.ok(visitor.shown.body.includes(untilText(15)));
  bed.advance({ minutes: 1 });
  await visitor.submit({ decision: "extend" });
  // who asks early loses nothing of the time that was left
  assert.ok(visitor.shown.body.includes(`You can now use this page ${untilText(29)}.`));
  assert.ok(visitor.shown.body.includes(`${untilText(29)} for this page`));
  assert.equal(offers(visitor, "extend"), false);
});

test("SCA-RTS 4(3)(d): after the second factor, more time for a page is five minutes from now", async () => {
  beginMinute();
  const { visitor } = await journeys.visit("account-access");
  await visitor.login("anna");
  await visitor.factor();
  assert.equal(visitor.step, "accounts");
  assert.ok(visitor.shown.body.includes(untilText(5)), visitor.shown.body);
  bed.advance({ minutes: 1 });
  await visitor.submit({ decision: "extend", account: "102" });
  assert.equal(visitor.step, "accounts");
  assert.ok(
    visitor.shown.body.includes(`You can now use this page ${untilText(5)}.`),
    visitor.shown.body,
  );
  assert.match(visitor.shown.body, /value="102" checked/, "the choice is kept");
  bed.advance({ minutes: 4 });
  await visitor.submit({ decision: "extend" });
  assert.equal(visitor.step, "accounts");
  assert.ok(visitor.shown.body.includes(`You can now use this page ${untilText(5)}.`));
  assert.equal(offers(visitor, "extend"), true);
  bed.advance({ minutes: 5 });
  await visitor.open(visitor.shown.url);
  assert.match(visitor.shown.body, /Your time has run out/);
  assert.equal((await answerOf(visitor)).error, "access_denied");
});

test("the code page says where the code was sent, and sends a new one, but not without end", async () => {
  const { visitor } = await journeys.visit("account-access");
  await visitor.login("ben");
  assert.match(visitor.shown.body, /to your mobile ending 417\./);
  const before = challenges;
  for (let turn = 0; turn < 3; turn += 1) {
    await visitor.submit({ decision: "renew" });
    assert.match(visitor.shown.body, /We have sent you a new code/);
  }
  assert.equal(challenges, before + 3);
  assert.equal(offers(visitor, "renew"), false);
  assert.match(visitor.shown.body, /You have had as many codes as we can send for this/);
  await visitor.submit({ decision: "renew" });
  assert.match(visitor.shown.body, /We cannot send more codes/);
  assert.equal(challenges, before + 3);
  await visitor.factor();
  assert.equal(visitor.step, "accounts");
});

test("a page whose code was replaced in another window asks for the new code, and counts no wrong one", async () => {
  const { visitor } = await journeys.visit("domestic-payment");
  await visitor.login("anna");
  const other = visitor.copy();
  await other.submit({ decision: "renew" });
  const judged = bed.judged.codes;
  const asked = challenges;
  const stale = visitor.shown;
  await visitor.submit({ decision: "renew" });
  assert.match(visitor.shown.body, /We have sent you a new code/);
  assert.equal(challenges, asked, "the other window has just asked for a new code");
  visitor.shown = stale;
  await visitor.factor();
  assert.match(visitor.shown.body, /That code can no longer be used/);
  assert.equal(bed.judged.codes, judged);
  await visitor.factor();
  assert.equal(visitor.step, "accounts", visitor.shown.body);
});

test("the login to the bank's own pages tells the codes of two windows apart, too", async () => {
  const { visitor } = await journeys.visit("domestic-payment");
  await visitor.open(`${bed.publicUrl}/bank/login`);
  await visitor.login("ben");
  const other = visitor.copy();
  await other.submit({ decision: "renew" });
  assert.match(other.shown.body, /We have sent you a new code/);
  const judged = bed.judged.codes;
  await visitor.factor();
  assert.match(visitor.shown.body, /That code can no longer be used/);
  assert.equal(bed.judged.codes, judged);
  await visitor.factor();
  assert.match(visitor.shown.url, /\/bank$/);
});

test("a customer whose codes are locked is sent no code, in a new journey or on a page that is open", async () => {
  const open = (await journeys.visit("account-access")).visitor;
  await open.login("joint");
  const { visitor } = await journeys.visit("account-access");
  await visitor.login("joint");
  await wrongly(visitor, { code: "000000" });
  assert.match(visitor.shown.body, /Your security codes are locked until/);
  const asked = challenges;
  const next = (await journeys.visit("account-access")).visitor;
  await next.login("joint");
  assert.equal(next.step, "returning", next.shown.body);
  assert.match(next.shown.body, /Approving is locked until \d\d:\d\d/);
  await open.submit({ decision: "renew" });
  assert.match(open.shown.body, /There were too many attempts\. Try again after \d\d:\d\d/);
  await next.open(`${bed.publicUrl}/bank/login`);
  await next.login("joint");
  assert.equal(next.step, "login");
  assert.match(next.shown.body, /There were too many attempts\. Try again after \d\d:\d\d/);
  assert.equal(challenges, asked);
});

test("the login to the bank's own pages offers to cancel only where that leads elsewhere", async () => {
  const { visitor } = await journeys.visit("account-access");
  assert.ok(offers(visitor, "cancel"));
  // this bank has no website of its own
  await visitor.open(`${bed.publicUrl}/bank/login`);
  assert.equal(visitor.step, "login");
  assert.equal(offers(visitor, "cancel"), false);
  await visitor.login("roll");
  assert.ok(offers(visitor, "cancel"));
  await visitor.submit({ decision: "cancel" });
  assert.equal(visitor.step, "login");
});

test("who waits until the minute that a lock names can log in", async () => {
  beginMinute();
  bed.advance({ seconds: 20 });
  const { visitor } = await journeys.visit("account-access");
  await wrongly(visitor, { login: "roll", password: "wrong" });
  const named = /login is locked until (\d\d):(\d\d)/.exec(visitor.shown.body);
  assert.ok(named, visitor.shown.body);
  const now = bed.clock.now().toZonedDateTimeISO("Europe/London").round("second");
  const [hour, minute] = [Number(named[1]), Number(named[2])];
  const end = now.with({ hour, minute, second: 0 });
  bed.advance(
    now.until(end).total("seconds") < 0 ? now.until(end.add({ days: 1 })) : now.until(end),
  );
  const next = (await journeys.visit("account-access")).visitor;
  await next.login("roll");
  assert.equal(next.step, "factor", next.shown.body);
});

/** Runs with codes that can be entered for a minute. */
async function withShortCodes(run: () => Promise<void>): Promise<void> {
  codeMinutes = 1;
  try {
    await run();
  } finally {
    codeMinutes = null;
  }
}

/** Opens the code page of a new journey, or of a new login to the bank's own pages. */
const codePage: Record<"journey" | "own", (login: string) => Promise<Visitor>> = {
  async journey(login) {
    const { visitor } = await journeys.visit("account-access");
    await visitor.login(login);
    return visitor;
  },
  async own(login) {
    const own = new Visitor(bed);
    await own.open(`${bed.publicUrl}/bank/login`);
    await own.login(login);
    return own;
  },
};

const codePages = async (login: string): Promise<Visitor[]> => [
  await codePage.journey(login),
  await codePage.own(login),
];

test("a page whose code is over sends no new one to a customer whose codes are locked", () =>
  withShortCodes(async () => {
    const pages = await codePages("poor");
    const { visitor } = await journeys.visit("account-access");
    await visitor.login("poor");
    await wrongly(visitor, { code: "000000" });
    bed.advance({ minutes: 2 });
    const asked = challenges;
    for (const page of pages) {
      await page.open(page.shown.url);
      assert.match(page.shown.body, /There were too many attempts\. Try again after \d\d:\d\d/);
      // the login has ended, but the journey may still be cancelled
      if (page.step !== "factor") continue;
      await page.factor();
      assert.match(page.shown.body, /There were too many attempts\. Try again after \d\d:\d\d/);
    }
    assert.equal(challenges, asked);
  }));

test("a code page that is opened again says that codes are locked, as it does after a code", async () => {
  const [journey, own] = [await codePage.journey("anna"), await codePage.own("anna")];
  const { visitor: guesser } = await journeys.visit("account-access");
  await guesser.login("anna");
  await wrongly(guesser, { code: "000000" });
  await journey.open(journey.shown.url);
  assert.match(journey.shown.body, /There were too many attempts\. Try again after \d\d:\d\d/);
  await own.open(own.shown.url);
  assert.match(own.shown.body, /<h1>Your security codes are locked until \d\d:\d\d/);
  assert.notEqual(own.step, "factor");
});

/** A page that offers only the way back, and says why once. */
function assertEnded({ shown: { body } }: Visitor): void {
  const said = /That code can no longer be used, and we cannot send more codes for this request\./g;
  assert.equal(body.match(said)?.length, 1, body);
  assert.doesNotMatch(body, /as many codes|name="code"|to your mobile|until \d\d:\d\d/);
  const buttons = [...body.matchAll(/name="decision" value="(\w+)"/g)].map(([, value]) => value);
  assert.deepEqual(buttons, ["cancel"]);
}

test("after as many codes as we send, a page whose code is over sends no more, and says so", () =>
  withShortCodes(async () => {
    for (const page of await codePages("roll")) {
      for (let turn = 0; turn < 3; turn += 1) await page.submit({ decision: "renew" });
      assert.match(page.shown.body, /Use the latest one, or cancel/);
      bed.advance({ minutes: 2 });
      const asked = challenges;
      await page.open(page.shown.url);
      assertEnded(page);
      await page.submit({ decision: "continue", code: "123456" });
      assertEnded(page);
      assert.equal(challenges, asked);
      await page.submit({ decision: "cancel" });
      assert.notEqual(page.step, "factor");
    }
  }));

test("a code that the page replaces by itself counts among those that we send", () =>
  withShortCodes(async () => {
    for (const open of [codePage.journey, codePage.own]) {
      const page = await open("ben");
      const asked = challenges;
      for (let turn = 1; turn <= 5; turn += 1) {
        bed.advance({ minutes: 2 });
        await page.open(page.shown.url);
        assert.equal(challenges, asked + Math.min(turn, 3));
      }
      assertEnded(page);
    }
  }));
