// A reporter for Node's test runner: lists the slowest test files, slowest first. Each file of a
// lane is a suite (test/share.ts).
const shown = 20;

/** Yields the slowest files with their seconds, after all files have run. */
export default async function* slowestFiles(events) {
  const files = [];
  for await (const { type, data } of events) {
    if (type !== "test:complete" || data.nesting !== 0 || !data.name.endsWith(".test.ts")) continue;
    files.push([data.name, data.details.duration_ms / 1000]);
  }
  if (files.length < 2) return;
  files.sort(([, one], [, other]) => other - one);
  const lines = files
    .slice(0, shown)
    .map(([file, seconds]) => `${seconds.toFixed(1).padStart(8)} s  ${file}\n`);
  yield `\nThe slowest of ${files.length} test files:\n${lines.join("")}`;
}
