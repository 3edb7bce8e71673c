import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys } from "./journeys.ts";
import { Visitor } from "./visitor.ts";

// How often a customer can refuse, or leave unanswered, what the bank's app asks.

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed({ inApp: true });
  journeys = await openJourneys(bed);
});
after(() => bed?.close());

/** Opens a new journey of a customer, who declines it in the app. */
async function decline(login: string): Promise<Visitor> {
  const { visitor } = await journeys.visit("domestic-payment");
  await visitor.login(login);
  assert.ok(visitor.isInApp, visitor.shown.body);
  bed.answerInApp("declined");
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.step, "returning", visitor.shown.body);
  return visitor;
}

const goesBackAtOnce = ({ shown }: Visitor) => /http-equiv="refresh"/.test(shown.body);

test("SCA-RTS 4(3)(b): the fourth refusal in the app warns of the wait, and the fifth says that it has begun", async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    const visitor = await decline("poor");
    assert.ok(goesBackAtOnce(visitor));
    assert.doesNotMatch(visitor.shown.body, /wait/);
  }
  const fourth = await decline("poor");
  const warning = /If you decline the next request too, you will have to wait before you can/;
  assert.match(fourth.shown.body, /You have cancelled this request\./);
  assert.match(fourth.shown.body, warning);
  assert.equal(goesBackAtOnce(fourth), false, "the warning has to be read");
  await fourth.open(fourth.shown.url);
  assert.match(fourth.shown.body, warning);
  assert.equal((await answerOf(fourth)).error, "access_denied");
  const fifth = await decline("poor");
  assert.match(fifth.shown.body, /Approving in your app is locked until \d\d:\d\d/);
  assert.match(
    fifth.shown.body,
    /You declined this request in your app\. There were too many tries/,
  );
  assert.match(fifth.shown.body, /Nothing was paid\./);
  assert.equal(goesBackAtOnce(fifth), false);
  assert.equal((await answerOf(fifth)).error, "access_denied");
});

test("the login to the bank's own pages warns of the wait after refusals in the app, too", async () => {
  bed.advance({ minutes: 16 });
  const logIn = async () => {
    const visitor = new Visitor(bed);
    await visitor.open(`${bed.publicUrl}/bank/login`);
    await visitor.login("poor");
    assert.ok(visitor.isInApp, visitor.shown.body);
    return visitor;
  };
  await (await logIn()).factor();
  const approves = await logIn();
  const approved = bed.inApp.sent.at(-1);
  const wantsCode = await logIn();
  const declined = async () => {
    const visitor = await logIn();
    bed.answerInApp("declined");
    await visitor.open(visitor.shown.url);
    assert.equal(visitor.step, "login");
    return visitor.shown.body;
  };
  for (let turn = 0; turn < 3; turn += 1) assert.doesNotMatch(await declined(), /role="alert"/);
  assert.match(await declined(), /If you decline the next request too, you will have to wait/);
  assert.match(await declined(), /too many tries in a row .* Try again after \d\d:\d\d/);
  // pages that were open before the wait ask for nothing any more
  bed.inApp.answer("approved", approved);
  await approves.open(approves.shown.url);
  await wantsCode.submit({ decision: "code" });
  for (const { shown, step } of [approves, wantsCode]) {
    assert.equal(shown.status, 429);
    assert.match(shown.body, /<h1>Approving in your app is locked until \d\d:\d\d/);
    assert.match(shown.body, /There were too many attempts\. Try again after \d\d:\d\d/);
    assert.equal(step, "returning", shown.body);
    assert.doesNotMatch(shown.body, /<form|You have until/);
  }
});

test("five refusals in the app lock it, even if no page has asked for them", async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const { visitor } = await journeys.visit("domestic-payment");
    await visitor.login("ben");
    assert.ok(visitor.isInApp, visitor.shown.body);
    bed.inApp.answer("declined");
  }
  const { visitor } = await journeys.visit("domestic-payment");
  await visitor.login("ben");
  assert.match(visitor.shown.body, /locked until/);
});

test("a refusal counts although the page asks for another request instead of the answer", async () => {
  const { visitor } = await journeys.visit("domestic-payment");
  await visitor.login("roll");
  for (let turn = 0; turn < 3; turn += 1) {
    bed.inApp.answer("declined");
    await visitor.submit({ decision: "renew" });
  }
  bed.inApp.answer("declined");
  const second = (await journeys.visit("domestic-payment")).visitor;
  await second.login("roll");
  bed.inApp.answer("declined");
  await second.submit({ decision: "renew" });
  assert.match(second.shown.body, /There were too many attempts/);
});

const call = async () => {
  const { visitor } = await journeys.visit("domestic-payment");
  await visitor.login("joint");
  return visitor;
};

for (const [how, confirm] of [
  ["approves in the app", async (visitor) => visitor.factor()],
  [
    "enters a right code",
    async (visitor) => {
      await visitor.submit({ decision: "code" });
      assert.equal(visitor.isInApp, false, visitor.shown.body);
      await visitor.factor();
    },
  ],
] satisfies [string, (visitor: Visitor) => Promise<unknown>][]) {
  test(`a customer who ${how} at the tenth request is called to the app again at once`, async () => {
    for (let turn = 0; turn < 9; turn += 1) assert.ok((await call()).isInApp, String(turn));
    const tenth = await call();
    await confirm(tenth);
    assert.equal(tenth.step, "accounts", tenth.shown.body);
    const next = await call();
    assert.ok(next.isInApp, next.shown.body);
    await next.factor();
  });
}

test("a customer who does not answer is called to the app ten times, and again after a wait", async () => {
  for (let turn = 0; turn < 10; turn += 1) assert.ok((await call()).isInApp);
  assert.match((await call()).shown.body, /locked until/);
  bed.advance({ minutes: 16 });
  const visitor = await call();
  assert.ok(visitor.isInApp, visitor.shown.body);
  assert.match((await call()).shown.body, /locked until/);
});
