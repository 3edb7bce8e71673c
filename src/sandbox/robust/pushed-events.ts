import { setTimeout as delay } from "node:timers/promises";
import type { PostReply, Sender } from "#src/http/outgoing/guarded-request.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { ClientJudgement, Misbehaviour, PlayEvidence, PushTools } from "./misbehaviour.ts";
import { type Delivery, type ObservedCall, objectOf, pushedCall } from "./observed-call.ts";
import type { RobustRun } from "./robust-run.ts";

// Events that the bank sends to the URL of a run's client. The bank is the caller here, so the play
// is when and how often it sends, and the client is judged by how its URL answers.

/**
 * Lets the runs of clients play on the events that are sent to them. Returns what ends this.
 */
export function watchPushes(
  sender: Sender,
  now: () => number,
  find: (clientId: string) => RobustRun | null,
): () => void {
  const { post } = sender;
  sender.post = (request, signal) => {
    const { clientId, jti, resourceId } = claimsOf(request.body);
    const run = find(clientId);
    if (run === null) return post(request, signal);
    const call = pushedCall({ url: request.url, jti, resourceId, at: now() });
    return run.push(call, {
      now,
      post: () => post(request, signal),
      wait: (milliseconds) =>
        delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
    });
  };
  return () => {
    sender.post = post;
  };
}

/** For whom the token of an event is, its id, and the id of what it is about. */
function claimsOf(token: string): { clientId: string; jti: string; resourceId: string | null } {
  const claims = objectOf(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) ?? {};
  const text = (name: string): string => textOf(claims[name] ?? "");
  const resourceId = text("sub").split("/").at(-1);
  return { clientId: text("aud"), jti: text("jti"), resourceId: resourceId || null };
}

// An event that another process may send because its lease has ended would come twice anyway.
const longestWaitMs = 5000;
const heldMs = 3000;

/** Sends an event that has been accepted once more. */
const sendTwice: NonNullable<Misbehaviour["pushed"]> = async (_call, reply, { play, send }) => {
  if (reply.status === 202 && play()) await send();
  return reply;
};

/** Sends an event that has not been accepted once more. */
const sendAgain: NonNullable<Misbehaviour["pushed"]> = async (_call, reply, tools) => {
  if (!isFailure(reply) || !tools.play()) return reply;
  await tools.wait(Math.min(tools.settings.retryAfter * 1000, longestWaitMs));
  return tools.send();
};

/** Whether the bank sends an event again after this reply. */
const isFailure = ({ status }: PostReply): boolean =>
  status === null || status >= 500 || status === 408 || status === 429;

type Held = { call: ObservedCall; release(): void };

/** Holds an event until a later one has been sent, but not for long. */
async function hold(call: ObservedCall, { memory, wait }: PushTools): Promise<void> {
  if (memory.has("held")) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const held: Held = { call, release: resolve };
  memory.set("held", held);
  await Promise.race([promise, wait(heldMs)]);
  memory.delete("held");
}

/** Sends the event that is held, after a later one. */
const sendHeld: NonNullable<Misbehaviour["pushed"]> = async (call, reply, { memory, play }) => {
  const held = memory.get("held") as Held | undefined;
  if (held && held.call !== call && play()) {
    memory.set("pushed", [call, held.call]);
    held.release();
  }
  return reply;
};

const answerOf = ({ status, reason }: Delivery): string =>
  status === null ? `did not answer (${reason ?? "no answer"})` : `answered ${status}`;

/** The calls that a client made about an event while the bank waited for the answer of its URL. */
const handling = ({ pushed }: ObservedCall, { calls }: Delivery): ObservedCall[] =>
  calls.filter(
    ({ path, consentId }) =>
      pushed?.resourceId != null &&
      (path.includes(pushed.resourceId) || consentId === pushed.resourceId),
  );

/** Both deliveries of an event that was sent twice; null while one is open. */
function bothOf({ played }: PlayEvidence): [Delivery, Delivery] | null {
  const [first, second] = played.pushed?.deliveries ?? [];
  return first && second && second.endedAt !== null ? [first, second] : null;
}

/** Judges how a client's URL takes an event that it has already accepted. */
export function judgeTwice(evidence: PlayEvidence): ClientJudgement | null {
  const both = bothOf(evidence);
  if (both === null) return null;
  const { played } = evidence;
  const [first, second] = both;
  const jti = played.pushed?.jti ?? "";
  if (second.status !== 202) {
    const seen = `It accepted ${jti}, and ${answerOf(second)} when the event came again.`;
    return { verdict: "at risk", seen };
  }
  const [before, [again]] = [handling(played, first), handling(played, second)];
  if (before.length > 0 && again) {
    const call = `${again.method} ${again.path}`;
    const seen = `It accepted ${jti} twice, and handled it twice: it sent ${call} both times.`;
    return { verdict: "at risk", seen };
  }
  const seen =
    before.length > 0
      ? `It accepted ${jti} twice, and called the bank about it only the first time.`
      : `It accepted ${jti} twice. The bank cannot see whether it handled the event twice.`;
  return { verdict: "coped", seen };
}

/** Judges how a client's URL takes an event that it did not accept at first. */
export function judgeAgain(evidence: PlayEvidence): ClientJudgement | null {
  const both = bothOf(evidence);
  if (both === null) return null;
  const [first, second] = both;
  const jti = evidence.played.pushed?.jti ?? "";
  return second.status === 202
    ? { verdict: "coped", seen: `It ${answerOf(first)} to ${jti}, and accepted it the next time.` }
    : {
        verdict: "gave up",
        seen: `It ${answerOf(first)} to ${jti}, and ${answerOf(second)} the next time.`,
      };
}

/** Judges how a client's URL takes two events of which the later one comes first. */
export function judgeSwapped({ memory }: PlayEvidence): ClientJudgement | null {
  const events = (memory.get("pushed") ?? []) as ObservedCall[];
  const last = events.map(({ pushed }) => pushed?.deliveries.at(-1));
  if (last.some((delivery) => !delivery || delivery.endedAt === null)) return null;
  const jtis = events.map(({ pushed }) => pushed?.jti).join(" and then ");
  const bad = last.find((delivery) => delivery?.status !== 202);
  return bad
    ? { verdict: "at risk", seen: `It got ${jtis}, and ${answerOf(bad)} to one of them.` }
    : { verdict: "coped", seen: `It accepted ${jtis}.` };
}

/** What is played on events that are sent to a client's URL. */
export const plays = {
  twice: { pushed: sendTwice },
  swapped: { push: hold, pushed: sendHeld },
  again: { pushed: sendAgain },
};
