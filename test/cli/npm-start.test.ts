import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makePlace, skipReason } from "./running-bank.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const isOpen = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await condition()) return;
    await wait(100);
  }
  assert.fail(`after 60 s, ${what}`);
}

// npm signals only the shell that it starts, and the shell does not pass signals on
test("a bank started by npm closes when npm is terminated", { skip: skipReason }, async () => {
  const place = await makePlace();
  const { PATH = "", HOME = "" } = process.env;
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env: { PATH, HOME, ...place.environment },
    stdio: "ignore",
  });
  try {
    await until(() => isOpen(place.publicUrl), "the bank is not open");
    npm.kill("SIGTERM");
    await until(async () => !(await isOpen(place.publicUrl)), "the bank is still open");
  } finally {
    npm.kill("SIGKILL");
    place.remove();
  }
});
