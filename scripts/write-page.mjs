// Writes the output of a command to a page, only if the command succeeds. Usage:
// node scripts/write-page.mjs PAGE COMMAND [arguments]
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [page, ...command] = process.argv.slice(2);
const run = fileURLToPath(new URL("run.mjs", import.meta.url));
const { status, stdout } = spawnSync(process.execPath, [run, ...command], {
  stdio: ["ignore", "pipe", "inherit"],
  maxBuffer: 64 * 1024 * 1024,
});
if (status !== 0 || stdout.length === 0) {
  console.error(`${page} is unchanged, because the command failed. Its message is above.`);
  process.exit(status || 1);
}
writeFileSync(page, stdout);
