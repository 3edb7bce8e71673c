import type { SigningKey } from "#src/http/signature/signer.ts";
import { judgeGoingOn, stopped } from "./judges.ts";
import type { ClientJudgement, Misbehaviour, PlayEvidence, SentAnswer } from "./misbehaviour.ts";
import { objectOf, polls } from "./observed-call.ts";
import { judgeAgain, judgeSwapped, judgeTwice, plays } from "./pushed-events.ts";

// The bank's signatures, and the events that it sends.

const signed = "x-jws-signature";

/** The id_token of an answer, if it has one, with the header for another key. */
function idTokenOf(body: string): { answer: Record<string, unknown>; claims: string } | null {
  const answer = objectOf(body);
  if (!answer || typeof answer.id_token !== "string") return null;
  return { answer, claims: answer.id_token.split(".")[1] ?? "" };
}

function judgeKeys(evidence: PlayEvidence): ClientJudgement | null {
  const { played, keySetFetches } = evidence;
  const gone = judgeGoingOn({
    ...evidence,
    later: evidence.later.filter((one) => one.played === null || one.at > played.at),
  });
  if (gone?.verdict !== "coped") return gone;
  const [fetched] = keySetFetches;
  if (fetched !== undefined) {
    return { verdict: "coped", seen: `The key set was fetched again. ${gone.seen}` };
  }
  const seen = `${gone.seen} Nobody fetched the key set, so it has not verified the signature.`;
  return { verdict: "at risk", seen };
}

type Sets = Record<string, string>;
const setsOf = (body: string): Sets => (objectOf(body)?.sets ?? {}) as Sets;

/** Whether the client acknowledged the event in a later poll. */
function judgeEvents({ later, memory }: PlayEvidence): ClientJudgement | null {
  const jtis = (memory.get("played") ?? []) as string[];
  const open = jtis.filter(
    (jti) =>
      !later.some(({ acknowledged, refused }) => [...acknowledged, ...refused].includes(jti)),
  );
  if (open.length > 0) return null;
  if (later.some(({ refused }) => refused.some((jti) => jtis.includes(jti)))) {
    return { verdict: "at risk", seen: `It refused an event of ${jtis.join(", ")}.` };
  }
  return { verdict: "coped", seen: `It acknowledged ${jtis.join(", ")}.` };
}

const eventsLeft = ({ played, memory }: PlayEvidence): ClientJudgement =>
  played.pushed
    ? { verdict: "cannot be judged", seen: "The bank did not send the event again in time." }
    : {
        verdict: "gave up",
        seen: `It did not acknowledge ${((memory.get("played") ?? []) as string[]).join(", ")}.`,
      };

type Judge = Misbehaviour["judge"];
const judgeEither =
  (judgePushed: Judge): Judge =>
  (evidence) =>
    evidence.played.pushed ? judgePushed(evidence) : judgeEvents(evidence);

/** The rows about keys and events. */
export const keysAndEvents: readonly Misbehaviour[] = [
  {
    name: "rotated-keys",
    title: "Another signing key",
    plays: "The bank makes signatures and id_tokens with another key, which it has just published.",
    touches: "signed answers, and token endpoint answers with an id_token",
    robust: "Fetches the key set again when it does not know a key, verifies, and continues.",
    advice:
      "Choose the key by `kid`, and fetch the key set again, at most once, if there is none. Do " +
      "not pin keys or algorithms.",
    most: 20,
    async change(call, answer, { memory, newKey }): Promise<SentAnswer | null> {
      if (call.status === null || call.status >= 300) return null;
      const token = call.path === "/token" ? idTokenOf(answer.body) : null;
      if (!token && answer.headers[signed] === undefined) return null;
      const key = (memory.get("key") as SigningKey | undefined) ?? (await newKey());
      memory.set("key", key);
      if (!token) return { ...answer, key };
      const header = Buffer.from(JSON.stringify({ alg: "PS256", kid: key.kid, typ: "JWT" }));
      const input = `${header.toString("base64url")}.${token.claims}`;
      const signature = (await key.sign(Buffer.from(input))).toString("base64url");
      const body = JSON.stringify({ ...token.answer, id_token: `${input}.${signature}` });
      return { ...answer, body };
    },
    judge: judgeKeys,
    judgeSilence: (evidence) =>
      evidence.played.path === "/token"
        ? { ...stopped(evidence), verdict: "gave up" }
        : stopped(evidence),
  },
  {
    name: "event-twice",
    title: "An event twice",
    plays: "The bank delivers an event that the client has already acknowledged.",
    touches:
      "a poll for events, after a poll that acknowledged an event; or an event that the client's " +
      "URL has accepted",
    ...plays.twice,
    robust: "Recognises the `jti`, does nothing else, and acknowledges the event again.",
    advice:
      "Remember the `jti` of the events that you have handled, and acknowledge them every time.",
    change(call, answer, { memory }) {
      if (!polls(call) || call.status !== 200) return null;
      const seen = (memory.get("seen") ?? {}) as Sets;
      const jti = call.acknowledged.find((one) => seen[one] !== undefined);
      const sets = setsOf(answer.body);
      memory.set("seen", { ...seen, ...sets });
      if (jti === undefined || memory.has("played")) return null;
      memory.set("played", [jti]);
      const body = { ...objectOf(answer.body), sets: { ...sets, [jti]: seen[jti] } };
      return { ...answer, body: JSON.stringify(body) };
    },
    judge: judgeEither(judgeTwice),
    judgeSilence: eventsLeft,
  },
  {
    name: "events-out-of-order",
    title: "Events out of order",
    plays: "The bank delivers a later event before an earlier one.",
    touches: "a poll that returns two or more events; or two events for the client's URL",
    ...plays.swapped,
    robust: "Acknowledges both events, and reads the resource for its current state.",
    advice:
      "An event says that something has changed. Read the resource instead of trusting the order.",
    change(call, answer, { memory }) {
      const sets = Object.entries(setsOf(answer.body));
      if (!polls(call) || call.status !== 200 || sets.length < 2) return null;
      memory.set(
        "played",
        sets.map(([jti]) => jti),
      );
      const body = { ...objectOf(answer.body), sets: Object.fromEntries(sets.reverse()) };
      return { ...answer, body: JSON.stringify(body) };
    },
    judge: judgeEither(judgeSwapped),
    judgeSilence: eventsLeft,
  },
  {
    name: "unaccepted-event",
    title: "An event that your URL did not accept",
    plays:
      "After a short pause, the bank sends an event again that the client's URL did not accept.",
    touches:
      "an event to which the client's URL answers with 408, 429 or 5xx, or not within 10 seconds",
    robust: "Handles the event when it comes again, and answers 202.",
    advice:
      "Store the event, answer 202 at once, and handle the event afterwards. An endpoint that does " +
      "not accept events for 24 hours gets no more of them.",
    ...plays.again,
    judge: judgeAgain,
    judgeSilence: eventsLeft,
  },
];
