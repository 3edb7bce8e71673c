import type { Config } from "#src/config/config.ts";
import { expireConsents, rejectOverdueConsents } from "#src/consents/sweep-consents.ts";
import { assert } from "#src/lib/assert.ts";
import { createPace, type Pace } from "#src/lib/clock.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { purgeBrokenFiles } from "#src/payments/files/store-file.ts";
import { keyLifetime } from "#src/payments/request/idempotency-key.ts";
import { inBatches } from "#src/storage/batches.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type BatchOptions, createBatch } from "./batch.ts";
import { completeFiles } from "./complete-files.ts";
import { rejectOverdueAuthorisations } from "./multi-authorisation.ts";
import { purgeFailures } from "./stuck-payments.ts";

// How payments are made. The engine wakes when an order arrives and when a payment becomes due.
// Each batch (batch.ts) leases due payments, takes each as far as possible through the steps ask,
// warehouse, reserve and execute, and stores the outcomes in one statement (settle.ts), with the
// next payment of a standing order. complete-files.ts completes a file. The sweep ends orders and
// consents that have waited for too long.
// Signatories approve in multi-authorisation.ts, and customers cancel in cancellation.ts.
// reconcile.ts compares the payments with those of the core.

/** The settings that decide whether leases are long enough. */
type LeaseConfig = Pick<Config, "BANK_EXECUTE_DEADLINE_MS" | "PAYMENT_LEASE_SECONDS">;

/**
 * Lists the faults of these settings. A payment may need two calls to the core before its outcome
 * is stored and its lease is renewed: one that asks about it, and one that moves it.
 */
export function leaseMistakes(config: LeaseConfig): string[] {
  const { BANK_EXECUTE_DEADLINE_MS: deadlineMs, PAYMENT_LEASE_SECONDS: leaseSeconds } = config;
  if (leaseSeconds * 1000 > 2 * deadlineMs) return [];
  const least = Math.floor((2 * deadlineMs) / 1000) + 1;
  return [
    `PAYMENT_LEASE_SECONDS: a lease of ${leaseSeconds} s can expire during two calls to the core ` +
      `of up to ${deadlineMs} ms each; set at least ${least}, or lower BANK_EXECUTE_DEADLINE_MS`,
  ];
}

type EngineOptions = BatchOptions & {
  /** How long a consent awaits authorisation; an hour by default. */
  consentLifetimeSeconds?: number;
};

type Loop = {
  /** Runs until stopped, and looks for due payments at this interval, or at that of the pace. */
  start(intervalMs: number, pace?: Pace): void;
  /**
   * Ends the loop. Resolves when every batch in progress is settled, or after that time. A payment
   * that is abandoned then is in doubt: the next engine that leases it asks the bank about it.
   */
  stop(withinMs?: number): Promise<void>;
  /** Makes the loop look immediately, because an order has arrived. */
  wake(): void;
};

/** Executes payments. */
export type Engine = Loop & {
  /** Claims and processes one batch; returns the number of payments in it. */
  tick(): Promise<number>;
  /** Runs until no payment is due that another engine has not leased. */
  drain(): Promise<void>;
  /** Rejects overdue consents and authorisations, deletes old idempotency keys. */
  sweep(): Promise<void>;
  /** Age of the oldest payment that is due, 0 when there is none. */
  lagSeconds(): Promise<number>;
  /** The time at which the next payment is due, which may be in the past; null if none waits. */
  nextDueAt(): Promise<Temporal.Instant | null>;
};

const sweepIntervalMs = 30_000;
const outageLogMs = 30_000;

// A batch that takes longer waits for the core, and other payments are processed in parallel.
const patienceMs = 1000;
const mostBatches = 8;

/**
 * Makes the engine that executes payments. It leases due payments in one statement, calls the bank
 * without holding a lock, and settles the batch in one statement. Any number of engines may run on
 * one database, and each may die at any point.
 */
export function createEngine(options: EngineOptions): Engine {
  const { database, clock, consentLifetimeSeconds = 3600 } = options;
  const tick = createBatch(options);
  const sweepOnce = () => sweep(database, clock.now(), consentLifetimeSeconds);

  async function nextDueAt(): Promise<Temporal.Instant | null> {
    const row = await first<{ dueAt: Temporal.Instant | null }>(
      database,
      sql`select min(due_at) as "dueAt" from payment where due_at is not null`,
    );
    return row?.dueAt ?? null;
  }

  return {
    tick,
    async drain() {
      while ((await tick()) > 0);
    },
    sweep: sweepOnce,
    nextDueAt,
    async lagSeconds() {
      const dueAt = await nextDueAt();
      return dueAt === null ? 0 : Math.max(0, clock.now().since(dueAt).total("seconds"));
    },
    ...createLoop(options, tick, sweepOnce),
  };
}

// The engine tries several times per second: an outage of an hour is logged every half minute.
function newsOfOutages(): (error: unknown) => boolean {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (unavailableOf(error)?.part !== "database") return true;
    const now = performance.now();
    if (now - loggedAt < outageLogMs) return false;
    loggedAt = now;
    return true;
  };
}

function createLoop(
  { batchSize, log }: EngineOptions,
  tick: () => Promise<number>,
  sweepOnce: () => Promise<void>,
): Loop {
  let loop: Promise<void> | null = null;
  let running = false;
  let isGivenUp = false;
  let woken = false;
  const isNews = newsOfOutages();
  let endPause = (): void => undefined;
  const batches = new Set<Promise<number>>();

  async function run(intervalMs: number, pace: Pace): Promise<void> {
    let isSweepDue = true;
    const ends = [
      pace.every(intervalMs, () => endPause()),
      pace.every(sweepIntervalMs, () => {
        isSweepDue = true;
      }),
    ];
    while (running) {
      woken = false;
      const worked = pace.admits() ? await workBatch() : 0;
      if (worked > 0) pace.stir(); // a payment that has moved may be due again soon
      if (isSweepDue && pace.admits()) {
        isSweepDue = false;
        await guarded(sweepOnce, undefined);
      }
      if (worked === batchSize || !running || woken) continue;
      await new Promise<void>((resolve) => {
        endPause = resolve;
      });
    }
    for (const end of ends) void end();
  }

  /** Processes a batch; returns how many payments it had, or the full number if it takes long. */
  async function workBatch(): Promise<number> {
    if (batches.size >= mostBatches) await Promise.race(batches);
    const batch = guarded(tick, 0);
    batches.add(batch);
    batch.then(() => batches.delete(batch));
    const { promise, resolve } = Promise.withResolvers<number>();
    const timer = setTimeout(() => resolve(batchSize), patienceMs);
    const worked = await Promise.race([batch, promise]);
    clearTimeout(timer);
    return worked;
  }

  async function guarded<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isGivenUp && isNews(error)) {
        log.error({ err: error }, "the engine failed; it will try again");
      }
      return otherwise;
    }
  }

  const wake = (): void => {
    woken = true;
    endPause();
  };

  return {
    wake,
    start(intervalMs, pace = createPace()) {
      assert(!running, "the engine has already been started");
      running = true;
      loop = run(intervalMs, pace);
    },
    async stop(withinMs = Number.POSITIVE_INFINITY) {
      running = false;
      wake();
      const ended = loop?.then(() => Promise.all(batches));
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = Number.isFinite(withinMs) ? setTimeout(resolve, withinMs) : undefined;
      await Promise.race([ended, promise]);
      clearTimeout(timer);
      isGivenUp = true;
      loop = null;
    },
  };
}

/**
 * Ends what has waited for too long and deletes what is out of date: one pass, safe on any number
 * of processes at once. `consentLifetimeSeconds`: how long a consent waits for its customer.
 */
export async function sweep(
  on: Queryable,
  now: Temporal.Instant,
  consentLifetimeSeconds: number,
): Promise<void> {
  await rejectOverdueConsents(on, now, consentLifetimeSeconds);
  await expireConsents(on, now);
  await rejectOverdueAuthorisations(on, now);
  await completeFiles(on, null, now);
  await purgeIdempotencyKeys(on, now);
  await purgeFailures(on);
  while ((await purgeBrokenFiles(on)) > 0);
}

const purgeIdempotencyKeys = (on: Queryable, now: Temporal.Instant): Promise<number> =>
  inBatches(
    on,
    (limit) => sql`
      delete from idempotency_key where ctid = any(array(
        select ctid from idempotency_key
        where created_at <= ${now}::timestamptz - ${keyLifetime}
        order by created_at limit ${limit} for update skip locked))
      returning 1`,
  );
