import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys } from "./journeys.ts";
import { Visitor } from "./visitor.ts";

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed();
  journeys = await openJourneys(bed);
});
after(() => bed.close());

const guesses = 20;
const judgedAtMost = 5;

/** Sends the same form many times concurrently, and ignores the responses. */
async function burst(visitor: Visitor, fields: Record<string, string>): Promise<void> {
  const form = { ...visitor.hidden, ...fields };
  const { url } = visitor.shown;
  await Promise.all(Array.from({ length: guesses }, () => visitor.copy().open(url, form)));
}

async function openOwnPages(login?: string): Promise<Visitor> {
  const visitor = new Visitor(bed);
  await visitor.open(`${bed.publicUrl}/bank/login`);
  if (login !== undefined) await visitor.login(login);
  return visitor;
}

const bursts: [
  title: string,
  open: () => Promise<Visitor>,
  fields: Record<string, string>,
  what: "passwords" | "codes",
][] = [
  [
    "passwords in one journey",
    async () => (await journeys.visit("account-access")).visitor,
    { login: "anna", password: "wrong" },
    "passwords",
  ],
  [
    "codes in one journey",
    async () => {
      const { visitor } = await journeys.visit("domestic-payment");
      await visitor.login("ben");
      return visitor;
    },
    { code: "000000" },
    "codes",
  ],
  [
    "passwords on the bank's own pages",
    () => openOwnPages(),
    { login: "joint", password: "wrong" },
    "passwords",
  ],
  ["codes on the bank's own pages", () => openOwnPages("poor"), { code: "000000" }, "codes"],
];
for (const [title, open, fields, what] of bursts) {
  test(`of ${guesses} wrong ${title} sent at the same time, at most ${judgedAtMost} are checked`, async () => {
    const visitor = await open();
    const before = bed.judged[what];
    await burst(visitor, fields);
    const judged = bed.judged[what] - before;
    assert.ok(judged > 0 && judged <= judgedAtMost, `${judged} were judged`);
  });
}

test("wrong guesses in one channel and journey count in all others", async () => {
  const before = bed.judged.codes;
  const endsLocked = async () => {
    const { visitor } = await journeys.visit("account-access");
    await visitor.login("ben");
    assert.match(visitor.shown.body, /Approving is locked until/);
  };
  await endsLocked();
  const own = await openOwnPages("ben");
  assert.equal(own.shown.status, 429);
  assert.equal(own.step, "login");
  assert.equal(bed.judged.codes, before);
  bed.advance({ minutes: 14 });
  await endsLocked();
  bed.advance({ minutes: 1, seconds: 1 });
  const later = await openOwnPages("ben");
  await later.submit({ code: "246802" });
  assert.equal(bed.judged.codes, before + 1);
});

test("journeys are deleted a day after they end, when their responses have expired", async () => {
  const { visitor } = await journeys.visit("account-access");
  await visitor.submit({ decision: "cancel" });
  await answerOf(visitor);
  const count = async (): Promise<number> => {
    const rows = await bed.database.query({ text: "select uid from journey", values: [] });
    return rows.length;
  };
  await bed.auth.sweep();
  assert.ok((await count()) > 0);
  bed.advance({ hours: 24, minutes: 16 });
  await bed.auth.sweep(); // ends journeys that nobody has ended
  bed.advance({ hours: 24 });
  await bed.auth.sweep();
  assert.equal(await count(), 0);
});
