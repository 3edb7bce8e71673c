// The module that `aldgate/testing` loads (package.json). It imports nothing statically that an old
// Node lacks, so that a developer with one reads a message about Node.
import { readFileSync } from "node:fs";

const options = new URL("../../scripts/node-options.json", import.meta.url);
const { oldest } = JSON.parse(readFileSync(options, "utf8"));
if (Number.parseInt(process.versions.node, 10) < oldest) {
  throw new Error(
    `aldgate/testing needs Node ${oldest} or later, because it opens the bank in the process of your ` +
      `test. This is Node ${process.versions.node}. With an older Node, start a bank with npx aldgate ` +
      "and let each test open a world (docs/worlds.md).",
  );
}

/** Opens a bank for tests. `index.ts` has its description and all types. */
export const { openBank } = await import("./index.ts");
