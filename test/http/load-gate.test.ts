import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadGate } from "#src/http/access/admission.ts";

/** A process with one queue, which serves a request in half a millisecond, in simulated time. */
class Simulated {
  now = 0;
  readonly gate = new LoadGate({ lateMilliseconds: 50, clock: () => this.now });
  /** The time that the queue needs. */
  #queue = 0;
  #refused = 0;
  #waits: number[] = [];

  /** Runs for some milliseconds with that many requests in each; refusals cost a tenth. */
  run(milliseconds: number, perMillisecond: number, caller = "crowd") {
    this.#refused = 0;
    this.#waits = [];
    for (let step = 0; step < milliseconds; step += 1) {
      this.now += 1;
      this.#queue = Math.max(0, this.#queue - 1);
      for (let sent = 0; sent < perMillisecond; sent += 1) this.#send(caller);
      if (this.now % 20 === 0) this.gate.tick();
    }
    const sorted = this.#waits.sort((a, b) => a - b);
    return { refused: this.#refused, median: sorted[Math.floor(sorted.length / 2)] ?? 0 };
  }

  #send(caller: string): void {
    if (!this.gate.admits(caller)) {
      this.#refused += 1;
      this.#queue += 0.05;
      return;
    }
    this.#queue += 0.5;
    this.gate.waited(this.#queue);
    this.#waits.push(this.#queue);
  }
}

test("a load that the process can serve is never refused", () => {
  const process = new Simulated();
  assert.equal(process.run(5000, 1).refused, 0);
});

test("a burst is served without refusals if the queue is empty afterwards", () => {
  const process = new Simulated();
  process.run(1000, 1);
  assert.equal(process.run(1, 150).refused, 0);
  assert.equal(process.run(1000, 1).refused, 0);
});

test("under a load of twice what the process can do, the requests that are admitted stay fast", () => {
  const process = new Simulated();
  process.run(1000, 1);
  process.run(2000, 4);
  const { refused, median } = process.run(5000, 4);
  assert.ok(refused > 5000, `${refused} of 20,000 are refused`);
  assert.ok(refused < 17_000, `${refused} of 20,000 are refused`);
  assert.ok(median < 15, `the median wait is ${median} ms`);
});

test("everything is served again within a second after the overload", () => {
  const process = new Simulated();
  process.run(5000, 4);
  process.run(1000, 1);
  assert.equal(process.run(1000, 1).refused, 0);
});

test("a caller with few requests is served while another one overloads the process", () => {
  const process = new Simulated();
  process.run(3000, 4);
  let refused = 0;
  for (let turn = 0; turn < 40; turn += 1) {
    process.run(50, 4);
    if (!process.gate.admits("honest")) refused += 1;
  }
  assert.ok(refused < 4, `${refused} of 40 are refused`);
});

test("with 0 the process is never late", () => {
  const gate = new LoadGate({ lateMilliseconds: 0 });
  gate.watch()();
  for (let sent = 0; sent < 1000; sent += 1) assert.ok(gate.admits("anyone"));
});
