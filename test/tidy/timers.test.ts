import assert from "node:assert/strict";
import { test } from "node:test";
import { readSourceFiles } from "#scripts/source-files.ts";

/**
 * Files that use timers of their own, or folders of them, by the reason. Regular work of a bank
 * goes by its pace (`Pace` in src/lib/clock.ts), which slows it down when the bank is idle, and
 * stops it while the schema is one that the process cannot serve.
 */
const ownTimers: Record<string, readonly string[]> = {
  "the pace goes by it": ["src/lib/clock.ts"],
  "a limit of how long one thing may take": [
    "src/account-store/account-feed.ts",
    "src/account-store/load-changes.ts",
    "src/bank/circuit.ts",
    "src/events/delivery-work.ts",
    "src/events/waiting-polls.ts",
    "src/http/outgoing/guarded-request.ts",
    "src/notices/notice-work.ts",
    "src/payments/execution/engine.ts",
    "src/storage/connection.ts",
    "src/storage/postgres.ts",
  ],
  "a pause within one piece of work": [
    "src/auth/login/attempts.ts",
    "src/connector/pull-changes.ts",
    "src/payments/execution/reconcile.ts",
    "src/sandbox/time/clock.ts",
    "src/server/sandbox/acts.ts",
    "src/storage/apply-migration.ts",
    "src/storage/sole-session.ts",
  ],
  "callers' connections are watched and held back without the database, also in an idle bank": [
    "src/http/access/admission.ts",
    "src/http/connection/",
    "src/http/refusal/count-refusals.ts",
    "src/server/listeners/surfaces.ts",
  ],
  "the state of the database's servers, which the pace depends on": [
    "src/storage/pipelined-connections.ts",
    "src/storage/server-watch.ts",
    "src/storage/standby.ts",
  ],
  "files of keys on the disk, which an idle bank must not use for longer": [
    "src/server/keys/watch-keys.ts",
  ],
  "writes what requests have left, only after requests": ["src/request-log/request-log.ts"],
  "plays answers to a client in real time, in memory": ["src/sandbox/robust/"],
  "processes that have no bank of their own, or several": [
    "src/server/sandbox/served-bank.ts",
    "src/worlds/",
  ],
  "not a bank": ["src/cli/", "src/connector/kit/", "src/testing/"],
};

const timers = /\bset(?:Interval|Timeout)\b|\bmachineTimers\b/;

test("regular work goes by the pace of the bank, and other timers have a reason", () => {
  const using = readSourceFiles("src/*.ts")
    .filter(({ text }) => timers.test(text))
    .map(({ path }) => path);
  const allowed = Object.values(ownTimers).flat();
  const isIn = (path: string, place: string): boolean =>
    place.endsWith("/") ? path.startsWith(place) : path === place;
  assert.deepEqual(
    using.filter((path) => !allowed.some((place) => isIn(path, place))),
    [],
    "use Pace.every or Pace.watch, or add the file with its reason",
  );
  assert.deepEqual(
    allowed.filter((place) => !using.some((path) => isIn(path, place))),
    [],
    "these need no exception any more",
  );
});
