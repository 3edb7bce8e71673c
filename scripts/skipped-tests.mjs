// A reporter of Node's test runner: one line for each test that was skipped.

/** Gives the titles of skipped tests. */
export default async function* skippedTests(events) {
  for await (const { type, data } of events) {
    if (type === "test:pass" && data.skip !== undefined) yield `${data.name}\n`;
  }
}
