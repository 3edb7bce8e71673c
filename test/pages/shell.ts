import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Place } from "#test/cli/running-bank.ts";
import { runCommand } from "#test/server/run-command.ts";

/** What lines printed: the last call's body and status. */
export type Printed = { body: string; status: number };

/** A shell of a reader, in a folder with the bank's data and the command line. */
export type Shell = {
  /** Writes a file of the folder. */
  write(name: string, content: string): void;
  /** Runs lines that end with a call of curl. Variables stay for the next lines. */
  run(lines: string): Promise<Printed>;
  close(): Promise<void>;
};

/**
 * Opens a shell. Its `./aldgate` runs each command in this process, because a start of the command
 * line for each of several hundred calls takes minutes.
 */
export async function openShell({ folder: data, environment }: Place): Promise<Shell> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-reader-"));
  const inFolder = (word: string): string =>
    existsSync(join(folder, word)) ? join(folder, word) : word;
  const commands = createServer(async (request, reply) => {
    const line = (await text(request)).split(" ").map(inFolder).join(" ");
    const { code, printed, complained } = await runCommand(line, environment);
    reply.statusCode = code === 0 ? 200 : 500;
    reply.end(code === 0 ? printed : complained);
  });
  await once(commands.listen(0, "127.0.0.1"), "listening");
  const { port } = commands.address() as AddressInfo;
  symlinkSync(data, join(folder, "data"));
  const command = `#!/bin/sh\ncurl -q -sS --fail-with-body -d "$*" http://127.0.0.1:${port}\n`;
  writeFileSync(join(folder, "aldgate"), command, { mode: 0o755 });
  // what `curl -w` would print after the body
  writeFileSync(join(folder, ".curlrc"), 'write-out = "\\n%{http_code}"\n');
  const shell = spawn("sh", {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", CURL_HOME: folder },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const run = runnerIn(shell, folder);
  return {
    write: (name, content) => writeFileSync(join(folder, name), content),
    run,
    async close() {
      shell.stdin.end();
      if (shell.exitCode === null) await once(shell, "close");
      commands.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runnerIn(shell: ChildProcess, folder: string): Shell["run"] {
  const { stdin, stdout } = shell;
  assert.ok(stdin && stdout);
  const ends = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async (lines) => {
    stdin.write(`{\n${lines}\n} > printed.txt 2>&1\necho done\n`);
    const { value } = await ends.next();
    const printed = readFileSync(join(folder, "printed.txt"), "utf8");
    assert.equal(value, "done", `${lines}\n${printed}`);
    const at = printed.lastIndexOf("\n");
    return { body: printed.slice(0, at), status: Number(printed.slice(at + 1)) };
  };
}
