import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { controlRows } from "#src/sandbox/controls/interface.ts";
import type { ShownWorld } from "#src/sandbox/controls/world-shapes.ts";
import { routes } from "#test/sandbox/control-routes.ts";
import { type CommandResult, runCommand } from "#test/server/run-command.ts";
import { type Host, openWorldsHost } from "#test/worlds/worlds-bed.ts";

// Whatever the sandbox's interface does can be done by a command.

let host: Host;
let world: ShownWorld;
let folder: string;
let run: (line: string) => Promise<CommandResult>;
before(async () => {
  host = await openWorldsHost();
  const clock = { start: "2027-03-01T09:00Z", rate: 0 };
  world = await host.control<ShownWorld>("POST", "/worlds", { name: "frozen", clock });
  folder = mkdtempSync(join(tmpdir(), "aldgate-controls-"));
  run = (line) => runCommand(line, { PUBLIC_URL: host.publicUrl });
});
after(async () => {
  await host?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The row of a call, and the ids in its path. */
function rowOf(method: string, path: string): { name: string; ids: string[] } {
  // a path of words stands before one with an id in the same place
  const idsIn = ({ route }: (typeof controlRows)[number]): number => route[1].split(":").length;
  const rows = controlRows.toSorted((a, b) => idsIn(a) - idsIn(b));
  for (const { operationId: name, route } of rows) {
    const pattern = new RegExp(`^${route[1].replaceAll(/:\w+/g, "([^/]+)")}$`);
    const ids = pattern.exec(path)?.slice(1);
    if (route[0] === method && ids) return { name, ids };
  }
  throw new Error(`${method} ${path} has a row`);
}

test("`control` calls each of the sandbox's controls with its method, path and body", async () => {
  const received: [string, string, unknown][] = [];
  const recorder = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = (request.url ?? "").replace("/sandbox/v1", "");
    received.push([request.method ?? "", path, text === "" ? undefined : JSON.parse(text)]);
    response.end("{}");
  });
  await new Promise<void>((resolve) => recorder.listen(0, "127.0.0.1", resolve));
  const { port } = recorder.address() as AddressInfo;
  const file = join(folder, "body.json");
  for (const [method, path, body] of routes) {
    const { name, ids } = rowOf(method, path);
    writeFileSync(file, JSON.stringify(body ?? {}));
    const words = ["control", name, ...ids, ...(body === undefined ? [] : ["--body", file])];
    const environment = { PUBLIC_URL: `http://127.0.0.1:${port}` };
    const { code, complained } = await runCommand(words.join(" "), environment);
    assert.equal(code, 0, `${words.join(" ")}: ${complained}`);
  }
  recorder.close();
  assert.deepEqual(received, routes);
});

test("`control` lists the controls with the ids that they need", async () => {
  const { controls } = JSON.parse((await run("control --json")).printed);
  assert.equal(controls.length, controlRows.length);
  const { printed } = await run("control");
  assert.match(printed, /^\w+ CLIENTID CONTRACTID$/m);
});

test("`control` says what is wrong with its arguments, and what the sandbox refuses", async () => {
  const wrong: [line: string, code: number, message: RegExp][] = [
    ["control explode", 2, /There is no control "explode"/],
    ["control listCustomerPayments", 2, /needs login/],
    ["control listCustomers amara", 2, /needs no id/],
    ["control listCustomers --body {}", 2, /takes no body/],
    ["control setClock --body {", 2, /--body of setClock must be JSON: .* at byte 2/],
    ["control setClock --body nowhere.json", 2, /There is no file nowhere\.json/],
    ["control listCustomers --query limit=5", 2, /no query parameter "limit"/],
    ["control listCustomerPayments nobody", 1, /nobody/],
    ["control setClock", 1, /Give either `now` or `advance`/],
    ["control listCustomers --world none", 1, /no world "none"/],
  ];
  for (const [line, expected, message] of wrong) {
    const { code, complained } = await run(line);
    assert.equal(code, expected, line);
    assert.match(complained, message, line);
  }
});

test("`control` reads a query, and calls a world", async () => {
  const { code, printed } = await run("control listRequests --query limit=1&status=4xx --json");
  assert.equal(code, 0, printed);
  assert.ok(Array.isArray(JSON.parse(printed).requests));
  const clock = JSON.parse((await run("control readClock --world frozen")).printed);
  assert.deepEqual(clock, { now: "2027-03-01T09:00:00Z", rate: 0 });
});

test("`clock` shows, sets, advances and changes the clock of a world, and no other", async () => {
  const clock = async (words = ""): Promise<{ now: string; rate: number }> => {
    const { code, printed, complained } = await run(`clock${words} --world frozen --json`);
    assert.equal(code, 0, complained);
    return JSON.parse(printed);
  };
  const ofHost = async (): Promise<Temporal.Instant> =>
    Temporal.Instant.from(JSON.parse((await run("clock --json")).printed).now);
  const before = await ofHost();
  assert.deepEqual(await clock(), { now: "2027-03-01T09:00:00Z", rate: 0 });
  assert.deepEqual(await clock(" advance P1M"), { now: "2027-04-01T09:00:00Z", rate: 0 });
  const set = await clock(" set 2027-05-01T00:00Z");
  assert.deepEqual(set, { now: "2027-05-01T00:00:00Z", rate: 0 });
  assert.match((await run("clock --world frozen")).printed, /^2027-05-01T00:00:00Z {2}rate 0$/);
  assert.equal((await clock(" rate 60")).rate, 60);
  assert.equal((await clock(" rate 0")).rate, 0);
  const read = await host.control<{ now: string }>("GET", "/clock", undefined, world.publicUrl);
  assert.match(read.now, /^2027-05-01T/);
  assert.ok(before.until(await ofHost()).total("days") < 1);
});

test("`clock` sets the bank's own clock forward, and never back", async () => {
  const before = JSON.parse((await run("clock --json")).printed);
  const { printed } = await run("clock advance PT1H --json");
  const passed = Temporal.Instant.from(before.now).until(JSON.parse(printed).now);
  assert.ok(passed.total("minutes") >= 60);
  const back = await run(`clock set ${before.now}`);
  assert.deepEqual([back.code, /only goes forward/.test(back.complained)], [1, true]);
  for (const line of ["clock stop", "clock set", "clock advance P1D P1D", "clock rate fast"])
    assert.equal((await run(line)).code, 2, line);
});
