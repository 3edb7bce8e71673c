// A reporter for Node's test runner. It collects the results of a lane that scripts/run.mjs uses.
// If there were a reporter for each result, Node would warn of too many listeners on its stream of
// events.

/** Yields a JSON object: the titles of skipped tests, and the seconds of each test file. */
export default async function* laneResults(events) {
  const skipped = [];
  const files = [];
  for await (const { type, data } of events) {
    if (type === "test:pass" && data.skip !== undefined) skipped.push(data.name);
    // each file of a lane is a suite (test/share.ts)
    if (type === "test:complete" && data.nesting === 0 && data.name.endsWith(".test.ts")) {
      files.push([data.name, data.details.duration_ms / 1000]);
    }
  }
  yield JSON.stringify({ skipped, files });
}
