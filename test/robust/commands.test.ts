// docs/robust-client.md, the command line and the table agree: each command runs as it is printed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { misbehaviours } from "#src/sandbox/robust/misbehaviours.ts";
import type { RobustReport } from "#src/sandbox/robust/report.ts";
import { type BankWithTpp, skipReason, startBankWithTpp } from "#test/cli/running-bank.ts";
import { runCommand } from "#test/server/run-command.ts";

const page = readFileSync(new URL("../../docs/robust-client.md", import.meta.url), "utf8");
const commands = [...page.matchAll(/```sh\n([^`]*)```/g)]
  .flatMap(([, text = ""]) => text.replaceAll("\\\n", " ").trim().split("\n"))
  .map((line) => line.trim());

test("the page has a line for each misbehaviour, in its words", () => {
  const lines = misbehaviours.map(
    ({ name, plays, touches, robust }) => `| \`${name}\`: ${plays} | ${touches} | ${robust} |`,
  );
  assert.ok(page.includes(lines.join("\n")), lines.join("\n"));
});

suite("the commands of docs/robust-client.md", { skip: skipReason }, () => {
  let started: BankWithTpp;
  before(async () => {
    started = await startBankWithTpp();
  });
  after(() => started?.close());

  const run = (line: string) => {
    const { place, client } = started;
    return runCommand(line.replaceAll("tpp-1234", client.tpp.clientId), place.environment);
  };

  for (const line of commands) {
    test(line, async () => {
      if (line.startsWith("curl ")) {
        const { place, client } = started;
        const [, path = ""] = /localhost:8080([^' ]*)/.exec(line) ?? [];
        const [, body = ""] = /-d '([^']*)'/.exec(line) ?? [];
        const url = place.publicUrl + path.replace("tpp-1234", client.tpp.clientId);
        const headers = { "content-type": "application/json" };
        const answer = await fetch(url, { method: "POST", headers, body });
        assert.equal(answer.status, 201, await answer.text());
        return;
      }
      // the test does not wait as long as a build does
      const time = line.includes("--wait") ? " --lasts 10" : "";
      const { code, printed, complained } = await run(line.replace("./aldgate ", "") + time);
      assert.equal(complained, "");
      // this TPP calls nothing, so it copes with nothing
      const isOver = line.includes("--wait") || line.includes("stop");
      assert.equal(code, isOver ? 1 : 0, printed);
      if (line.includes("list")) {
        for (const { name, plays } of misbehaviours)
          assert.ok(printed.includes(`${name} `) && printed.includes(plays));
      }
      if (line.includes("--json")) {
        const report = JSON.parse(printed) as RobustReport;
        assert.equal(report.state, "ended");
        assert.equal(report.summary["not reached"], report.rows.length);
      }
    });
  }

  test("a wrong argument is refused with what is allowed", async () => {
    for (const [line, message] of [
      ["robust", /Say list, start, report or stop/],
      ["robust start", /Give one client id/],
      ["robust start tpp-1234 --patience soon", /--patience must be a number of seconds/],
    ] as const) {
      const { code, complained } = await run(line);
      assert.equal(code, 2);
      assert.match(complained, message);
    }
    const unknown = await run("robust report nobody");
    assert.equal(unknown.code, 1);
    assert.match(unknown.complained, /Nothing has been played on this TPP/);
  });
});
