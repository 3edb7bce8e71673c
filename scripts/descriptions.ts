// Checks that every property of every OpenAPI document that the bank serves has a description. Run
// by `npm run check`. test/tidy/descriptions.test.ts has a failing case.
import { fileURLToPath } from "node:url";
import { documentId } from "#src/connector/document.ts";
import { propertiesOf } from "#test/standard/properties.ts";
import { ownInterfaces, servedDocuments } from "#test/standard/served-documents.ts";
import { type Finding, report } from "./source-files.ts";

/** Returns a finding for each property without a description, once for each place. */
export function findUndescribed(documents: ReadonlyMap<string, object>): Finding[] {
  return [...documents].flatMap(([name, document]) => {
    const path = wordsOf(name);
    const places = [...propertiesOf(document)]
      .filter(({ schema }) => !schema.description)
      .map((property) => property.path.slice(-2).join("."));
    return [...new Set(places)].map((place) => ({
      path,
      line: 1,
      message: `${place} of ${name} has no description: add a row that says what it is for`,
    }));
  });
}

function wordsOf(name: string): string {
  if (name === documentId) return "src/connector/words.ts";
  return ownInterfaces.includes(name)
    ? "src/sandbox/controls/interface-words.ts"
    : "src/standard/descriptions/standard-words.ts";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const documents = servedDocuments();
  process.exitCode = report("descriptions", documents.size, findUndescribed(documents));
}
