import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Value from "typebox/value";
import { type ShownWorld, shownWorld } from "#src/sandbox/controls/world-shapes.ts";
import { type CommandResult, runCommand } from "#test/server/run-command.ts";
import { type Host, openWorldsHost } from "./worlds-bed.ts";

let host: Host;
let run: (line: string) => Promise<CommandResult>;
before(async () => {
  host = await openWorldsHost();
  const { port } = new URL(host.publicUrl);
  run = (line) => runCommand(line, { PUBLIC_PORT: port });
});
after(() => host?.close());

test("`worlds open --json` prints a world as its schema describes it", async () => {
  const { code, printed } = await run("worlds open amber --json");
  assert.equal(code, 0);
  const world = JSON.parse(printed) as ShownWorld;
  assert.deepEqual([...Value.Errors(shownWorld, world)], []);
  assert.equal(world.name, "amber");
  assert.match(world.caPem, /BEGIN CERTIFICATE/);
  const document = (await (await fetch(`${host.publicUrl}/openapi/sandbox-v1.json`)).json()) as {
    components: { schemas: { World: { properties: object } } };
  };
  assert.deepEqual(
    Object.keys(document.components.schemas.World.properties).sort(),
    Object.keys(world).sort(),
  );
});

test("worlds are opened, listed, shown and deleted by commands", async () => {
  const opened = await run("worlds open green");
  assert.match(opened.printed, /The world green is open\.[\s\S]*Home, documentation +http:/);
  assert.match((await run("worlds list")).printed, /^green {2}open {2}http:\S+ {2}its time 20/m);
  assert.match((await run("worlds")).printed, /^green/m);
  const shown = await run("worlds show green");
  assert.match(shown.printed, /Ready TPP +tpp-\S+, keys in \//);
  assert.match(shown.printed, /Customers +amara/);
  assert.equal((await run("worlds delete green")).printed, "The world green is deleted.");
  assert.doesNotMatch((await run("worlds list")).printed, /^green/m);
});

test("a world begins at a time, is reset, snapped, restored and copied by commands", async () => {
  const opened = await run("worlds open stopped --clock 2027-03-01T09:00Z --rate 0 --json");
  const { now, clock } = JSON.parse(opened.printed) as ShownWorld;
  assert.deepEqual([now, clock.rate], ["2027-03-01T09:00:00Z", 0]);
  assert.equal(
    (await run("worlds snapshot stopped first")).printed,
    "The snapshot first of stopped is taken.",
  );
  assert.match((await run("worlds reset stopped")).printed, /^The world stopped is as it began\./);
  assert.match((await run("worlds restore stopped")).printed, /^The world stopped is restored\./);
  assert.match(
    (await run("worlds fork stopped second --snapshot first")).printed,
    /^The world second is a copy of stopped\./,
  );
  const unknown = 'The world has no snapshot "none". Its snapshots: first.';
  assert.equal((await run("worlds restore stopped none")).complained, unknown);
  const { complained, code } = await run("worlds restore second");
  assert.deepEqual([code, complained], [1, "The world has no snapshot."]);
  assert.equal((await run("worlds open --rate fast")).code, 2);
});

test("a wrong command or name says what is wrong, with the exit code", async () => {
  const { code, complained } = await run("worlds open amber");
  assert.deepEqual([code, complained], [1, 'There already is a world "amber".']);
  assert.equal((await run("worlds shut")).code, 2);
  assert.equal((await run("worlds show")).code, 2);
  assert.equal((await run("worlds open one two")).code, 2);
  assert.match((await run("worlds show nobody")).complained, /no world "nobody"/);
});
