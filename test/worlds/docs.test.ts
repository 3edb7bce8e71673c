// docs/worlds.md and the sandbox agree: each command of the page runs as it is printed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import type { WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import { runCommand } from "#test/server/run-command.ts";
import { type Host, openWorldsHost } from "./worlds-bed.ts";

const page = readFileSync(new URL("../../docs/worlds.md", import.meta.url), "utf8");
const lines = [...page.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, text = ""]) =>
  text.replaceAll("\\\n", " ").trim().split("\n"),
);

suite("the commands of docs/worlds.md", () => {
  let host: Host;
  before(async () => {
    host = await openWorldsHost();
  });
  after(() => host?.close());

  const names = async (): Promise<string[]> =>
    (await host.control<{ worlds: WorldSummary[] }>("GET", "/worlds")).worlds.map(
      ({ name }) => name,
    );

  /** Sends what a line with curl sends. */
  function sent(line: string): Promise<Response> {
    const [, path = ""] = /localhost:8080\/sandbox\/v1(\S*)/.exec(line) ?? [];
    const [, body] = / -d '([^']*)'/.exec(line) ?? [];
    const [, method = body === undefined ? "GET" : "POST"] = / -X (\w+)/.exec(line) ?? [];
    return host.call(method, path, body === undefined ? undefined : JSON.parse(body));
  }

  test("the page has commands for the command line and for the interface", () => {
    assert.ok(lines.filter((line) => line.startsWith("./aldgate worlds ")).length >= 9);
    assert.ok(lines.filter((line) => line.startsWith("curl ")).length >= 8);
  });

  for (const [index, line] of lines.entries()) {
    test(`${index + 1}. ${line.slice(0, 70)}`, async () => {
      // the first block of the page deletes the world that the next ones use
      if (/ red\b/.test(line) && !line.includes(" open ") && !(await names()).includes("red")) {
        await host.world("red");
      }
      if (line.startsWith("curl ")) {
        const answer = await sent(line);
        assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
        return;
      }
      assert.match(line, /^\.\/aldgate worlds /);
      const { port } = new URL(host.publicUrl);
      const { code, complained } = await runCommand(line.replace("./aldgate ", ""), {
        PUBLIC_PORT: port,
      });
      assert.equal(code, 0, complained);
    });
  }

  test("the worlds that the page copies and opens are there in the end", async () => {
    const left = await names();
    for (const name of ["red", "green", "azure", "frozen"]) assert.ok(left.includes(name), name);
    for (const name of ["blue"]) assert.equal(left.includes(name), false);
  });

  test("the table of `worlds open --json` names each member of its answer", async () => {
    const world = await host.world("whole");
    for (const member of Object.keys(world)) assert.ok(page.includes(`\`${member}\``), member);
  });
});
