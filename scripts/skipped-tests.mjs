// A reporter for Node's test runner: lists the skipped tests, one per line.

/** Yields the titles of skipped tests. */
export default async function* skippedTests(events) {
  for await (const { type, data } of events) {
    if (type === "test:pass" && data.skip !== undefined) yield `${data.name}\n`;
  }
}
