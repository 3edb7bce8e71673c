// Challenges that the customer answers in the bank's app.
import { type Challenge, type ChallengeResult, subjectHash } from "#src/bank/challenge.ts";
import { newId } from "#src/lib/ids.ts";
import { payment } from "./challenge-subjects.ts";
import { expectSame, expectThat, NotAsked } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase } from "./kit-case.ts";

const answers =
  "challengeResult returns the customer's answer in the app, as often as it is asked.";
const bound = "An approval has the hash of the subject that the app has shown.";
const onlyApp = "What awaits the app is answered in the app, and by no code.";

const row = (
  id: string,
  title: string,
  rule: string,
  run: KitCase["run"],
  more: Partial<Pick<KitCase, "asks" | "calls">> = {},
): KitCase => ({ id, title, calls: ["challenge", "challengeResult"], rule, run, ...more });

/** A challenge that only the app can answer, as a journey without a browser needs it. */
async function appChallenge(kit: Kit): Promise<Challenge> {
  const { customerId } = await kit.customer(0);
  const subject = payment("£10.00");
  const expiresAt = Temporal.Now.instant().add({ minutes: 5 });
  const journey = { journeyId: newId("jrn"), expiresAt };
  const request = { subjectHash: subjectHash(subject), journey };
  const found = await kit.call("challenge", customerId, subject, request);
  if (found.method !== "decoupled") {
    throw new NotAsked(`the core's challenges are ${found.method}, also without a browser`);
  }
  return found;
}

const resultOf = (kit: Kit, challengeId: string): Promise<ChallengeResult> =>
  kit.call("challengeResult", challengeId);

/** A challenge that the customer has approved. */
async function approved(kit: Kit) {
  const { challengeId } = await appChallenge(kit);
  const before = Temporal.Now.instant();
  await kit.answerInApp(challengeId, "approve");
  const result = await resultOf(kit, challengeId);
  expectThat(result.state === "approved", "the challenge to be approved", result);
  return { challengeId, before, result };
}

// the clocks of two machines differ a little
const clockMinutes = 5;

/** The cases of K2 about challenges in the app. */
export const appCases: readonly KitCase[] = [
  row("K2-24", "an unanswered challenge of the app is pending", answers, async (kit) => {
    const { challengeId } = await appChallenge(kit);
    for (const time of ["first", "second"]) {
      const { state } = await resultOf(kit, challengeId);
      expectSame(state, "pending", `the state, asked for the ${time} time`);
    }
  }),
  row("K2-25", "nobody has approved an unknown challenge", answers, async (kit) => {
    const exchange = await kit.send("challengeResult", ["no-such-challenge"]);
    if (exchange.status !== 200) return;
    const result = kit.read("challengeResult", ["no-such-challenge"], exchange);
    expectThat(result.state !== "approved", "any other state than approved", result);
  }),
  row(
    "K2-26",
    "a code does not answer a challenge of the app",
    onlyApp,
    async (kit) => {
      const { challengeId } = await appChallenge(kit);
      expectSame(await kit.call("verify", challengeId, "123456"), false, "the code is right");
      const { state } = await resultOf(kit, challengeId);
      expectThat(state !== "approved", "any other state than approved", state);
    },
    { calls: ["challenge", "challengeResult", "verify"] },
  ),
  row(
    "K2-27",
    "what the customer approves in the app is approved, with the hash of its subject",
    bound,
    async (kit) => {
      const { result, before } = await approved(kit);
      expectSame(result.subjectHash, subjectHash(payment("£10.00")), "the hash of the subject");
      expectThat(result.amr.length > 0, "the methods that the app has used", result.amr);
      const minutes = Math.abs(before.until(result.at).total("minutes"));
      expectThat(minutes < clockMinutes, "the time of the answer", result.at);
    },
    { asks: ["app"] },
  ),
  row(
    "K2-28",
    "an approval in the app is returned as often as it is asked",
    answers,
    async (kit) => {
      const { challengeId, result } = await approved(kit);
      expectSame(await resultOf(kit, challengeId), result, "the result, asked again");
    },
    { asks: ["app"] },
  ),
  row(
    "K2-29",
    "what the customer declines in the app is declined",
    answers,
    async (kit) => {
      const { challengeId } = await appChallenge(kit);
      await kit.answerInApp(challengeId, "decline");
      const { state } = await resultOf(kit, challengeId);
      expectSame(state, "declined", "the state");
    },
    { asks: ["app"] },
  ),
  row(
    "K2-30",
    "an approval of one challenge does not answer another",
    bound,
    async (kit) => {
      const other = await appChallenge(kit);
      await approved(kit);
      const { state } = await resultOf(kit, other.challengeId);
      expectSame(state, "pending", "the state of the other challenge");
    },
    { asks: ["app"] },
  ),
];
