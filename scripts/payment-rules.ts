// Rules for src/payments that tidy.ts runs.
import type { Finding, SourceFile } from "./source-files.ts";

// A path that is written where a body is read, such as `textAt(body, "Data.ConsentId")`.
const writtenPath =
  /\b(?:(?:first)?[tT]exts?At|numberAt|values?At|hasMember)\([^()"'`]*,\s*\[?["'`]/;

/**
 * Payments read bodies by the paths of their formats, which a bank compares with the schemas when
 * it opens (payments/formats/check-paths.ts). It cannot compare a path that a reader writes itself.
 */
export function checkReadPaths({ path, text }: SourceFile): Finding[] {
  if (!path.startsWith("src/payments/")) return [];
  return text.split("\n").flatMap((content, index) => {
    const found = writtenPath.exec(content)?.[0];
    if (found === undefined) return [];
    const message = `${found}: take the path from the format's \`paths\` or \`otherPaths\``;
    return [{ path, line: index + 1, message }];
  });
}
