import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { sharedKeys } from "#test/harness.ts";
import { onPostgres } from "#test/postgres.ts";
import { archiveFile } from "#test/setup.ts";
import { readOptions } from "#test/soak/options.ts";
import { runSimulations, type SimulationPlan } from "./run-simulations.ts";

// `npm run soak -- simulate` simulates more banks, and looks for the shortest list of commands.

const skip = onPostgres && "the database of a simulation is the embedded one";

const planned = (plan: Pick<SimulationPlan, "seed" | "runs">) => ({
  template: archiveFile("seeded"),
  // the run's database ends on this day, or on the day before
  beginning: `${Temporal.Now.plainDateISO("UTC")}T23:00:00Z`,
  generateKey: sharedKeys(),
  ...plan,
});

test("banks of two processes break no rule, whatever fails in their network, database and core", {
  skip,
}, async (t) => {
  const seed = randomInt(1_000_000);
  t.diagnostic(`seed ${seed}`);
  const report = await runSimulations(planned({ seed, runs: 2 }));
  assert.deepEqual(report.findings, [], `${report.failed.join("\n")}\n${report.again}`);
  assert.equal(report.runs, 2);
});

test("the command that a failed simulation prints does the shortest failing list again", {
  skip,
}, async () => {
  // consents to payments within limits cannot be stored
  const statement =
    "alter table consent add constraint planted check (kind <> 'domestic-vrp') not valid";
  // one of these banks is given such a consent, and of this seed's list, one command is left
  const plan = { ...planned({ seed: 226, runs: 40 }), planted: [{ statement }] };
  const found = await runSimulations({ ...plan, commands: 5, shrinks: true });
  assert.deepEqual(found.broken, ["no answer is a fault"]);
  assert.equal(found.failed.length, 1);
  assert.match(found.failed[0] ?? "", /^lodge/);

  const words = found.again?.matchAll(/'([^']*)'|(\S+)/g) ?? [];
  const [npm, run, soak, dashes, ...line] = [...words].map(([, quoted, word]) => quoted ?? word);
  assert.deepEqual([npm, run, soak, dashes], ["npm", "run", "soak", "--"]);
  const { wanted, options } = readOptions(line as string[]) ?? {};
  assert.deepEqual(
    wanted?.map(({ name }) => name),
    ["simulate"],
  );
  const { seed = 0, begin, path, replay, commands } = options ?? {};
  const again = await runSimulations({
    ...plan,
    seed,
    beginning: begin ?? "",
    path: path ?? undefined,
    replay: replay ?? undefined,
    commands: commands ?? undefined,
    runs: 1,
  });
  assert.deepEqual(again.failed, found.failed);
  assert.deepEqual(again.broken, found.broken);
  assert.equal(again.runs, 1);
});
