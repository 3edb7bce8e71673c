import assert from "node:assert/strict";
import { test } from "node:test";
import { type Finished, judgeReply } from "#src/events/delivery.ts";
import { createSendQueue, type SendQueue, type SignedEvent } from "#src/events/delivery-work.ts";
import { present } from "#src/lib/assert.ts";

const start = Temporal.Instant.from("2027-03-01T10:00:00Z");

type Bed = {
  queue: SendQueue;
  /** The events whose requests are in progress, in the order in which they began. */
  sending: string[];
  finished: Finished[];
  /** Answers a request, and waits until the queue has processed the response. */
  answer(jti: string, status: number): Promise<void>;
  setTime(now: Temporal.Instant): void;
};

/** Opens a queue whose requests the test answers. */
function openQueue(): Bed {
  let now = start;
  const requests = new Map<string, (status: number) => void>();
  const sending: string[] = [];
  const finished: Finished[] = [];
  const queue = createSendQueue({
    clock: { now: () => now },
    onFailure: assert.ifError,
    onFinished: (outcome) => finished.push(outcome),
    send: (event) => {
      sending.push(event.jti);
      return new Promise((resolve) => {
        requests.set(event.jti, (status) => resolve(judgeReply(event, { status, headers: {} })));
      });
    },
  });
  return {
    queue,
    sending,
    finished,
    async answer(jti, status) {
      present(requests.get(jti), jti)(status);
      sending.splice(sending.indexOf(jti), 1);
      await new Promise(setImmediate);
    },
    setTime(time) {
      now = time;
    },
  };
}

const eventsOf = (clientId: string, count: number): SignedEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    jti: `${clientId}${index}`,
    clientId,
    facts: {} as SignedEvent["facts"], // the queue does not read them
    occurredAt: start,
    callbackUrl: "https://tpp.example",
    attempts: 1,
    token: "token",
    claimedAt: start,
  }));

const outcomesOf = ({ finished }: Bed): string[] =>
  finished.map(({ jti, outcome }) => `${jti} ${outcome}`);

test("EV-19: each TPP has at most five requests in progress, and the next event is sent when one ends", async () => {
  const bed = openQueue();
  bed.queue.add([...eventsOf("a", 7), ...eventsOf("b", 2)]);
  assert.deepEqual(bed.sending, ["a0", "a1", "a2", "a3", "a4", "b0", "b1"]);
  await bed.answer("a2", 202);
  assert.deepEqual(bed.sending, ["a0", "a1", "a3", "a4", "b0", "b1", "a5"]);
  assert.deepEqual(outcomesOf(bed), ["a2 accepted"]);
  assert.equal(bed.queue.size(), 8);
});

test("EV-10: when a request fails, the TPP's events that are still in the queue are not sent", async () => {
  const bed = openQueue();
  bed.queue.add([...eventsOf("a", 7), ...eventsOf("b", 6)]);
  await bed.answer("a0", 503);
  assert.deepEqual(outcomesOf(bed), ["a5 stopped", "a6 stopped", "a0 failed"]);
  await bed.answer("a1", 202);
  await bed.answer("b0", 202);
  assert.deepEqual(bed.sending, ["a2", "a3", "a4", "b1", "b2", "b3", "b4", "b5"]);
});

test("EV-21: an event that has waited in the queue for more than five seconds is not sent", async () => {
  const bed = openQueue();
  bed.queue.add(eventsOf("a", 7));
  bed.setTime(start.add({ seconds: 5 }));
  await bed.answer("a0", 202);
  assert.ok(bed.sending.includes("a5"));
  bed.setTime(start.add({ seconds: 6 }));
  await bed.answer("a1", 202);
  assert.ok(!bed.sending.includes("a6"));
  assert.deepEqual(outcomesOf(bed), ["a0 accepted", "a1 accepted", "a6 stopped"]);
});

test("EV-21: a closed queue finishes its requests and does not send others", async () => {
  const bed = openQueue();
  bed.queue.add(eventsOf("a", 7));
  bed.queue.close();
  bed.queue.add(eventsOf("b", 1));
  assert.deepEqual(outcomesOf(bed), ["a5 stopped", "a6 stopped", "b0 stopped"]);
  const idle = bed.queue.idle();
  for (const jti of ["a0", "a1", "a2", "a3", "a4"]) await bed.answer(jti, 202);
  await idle;
  assert.equal(bed.queue.size(), 0);
});
