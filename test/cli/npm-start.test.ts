import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "#test/until.ts";
import { makePlace, skipReason } from "./running-bank.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const isOpen = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

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
    await until(() => isOpen(place.publicUrl), Boolean);
    npm.kill("SIGTERM");
    await until(
      () => isOpen(place.publicUrl),
      (open) => !open,
    );
  } finally {
    npm.kill("SIGKILL");
    place.remove();
  }
});
