// A reporter for Node's test runner. It collects the results of a lane that scripts/run.mjs uses.
// If there were a reporter for each result, Node would warn of too many listeners on its stream of
// events.

/**
 * Yields a JSON object: the titles of skipped tests, the seconds of each test file, the files that
 * failed, and the processes that failed although their tests passed.
 */
export default async function* laneResults(events) {
  const skipped = [];
  const files = [];
  const failed = [];
  const broken = [];
  for await (const { type, data } of events) {
    if (type === "test:pass" && data.skip !== undefined) skipped.push(data.name);
    if (type !== "test:complete" || data.nesting > 0) continue;
    const { passed, duration_ms, error } = data.details;
    // each file of a lane is a suite (test/share.ts), and the rest are the lane's processes
    if (data.name.endsWith(".test.ts")) {
      files.push([data.name, duration_ms / 1000]);
      if (!passed) failed.push(data.name);
    } else if (!passed && error?.failureType !== "subtestsFailed") broken.push(data.name);
  }
  yield JSON.stringify({ skipped, files, failed, broken });
}
