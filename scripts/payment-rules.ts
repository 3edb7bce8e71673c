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

const families = "immediate|scheduled|standingOrder|file";
const shapeNames = "single|recurring|withinLimits|ofFile";
// The family or the shape of an order, compared with one of them, in TypeScript or in SQL.
const asking = new RegExp(
  [
    `\\bfamily\\s*(?:[!=]==?|<>|=|\\bnot in\\b|\\bin\\b)\\s*\\(?\\s*["'](?:${families})["']`,
    `\\bcase "(?:immediate|scheduled|standingOrder)":`,
    `\\bshape\\s*[!=]==?`,
    `[!=]==?\\s*(?:${shapeNames})\\b(?![.(])`,
    `\\bnoun\\s*[!=]==?\\s*"`,
    // how often its consent can be used, also in SQL
    `\\buse\\s*[!=]==?\\s*"(?:once|within limits|never)"`,
    `\\bconsent_use\\s*(?:<>|=|!=|\\bnot in\\b|\\bin\\b|\\bis\\b)`,
    `'(?:once|within limits)'`,
    // a predicate of the family, in place of a member
    `\\b(?:is|has)[A-Z]\\w*\\((?:\\w+\\.)*(?:family|orderFamily|shape)\\)`,
  ].join("|"),
);
// What differs between orders, which other rooms get from the shape.
const partOfShapes =
  /from "#src\/payments\/(?:files\/file-summary|international\/summary|schedule)\b/;
// The shapes, the rows that name them, the tables of statuses and uses, and the courses of
// consents. Pages have words for each noun.
const ofShapes = ["shapes", "kinds", "files", "order/order-states.ts", "order/order-use.ts"];
const places = [
  ...ofShapes.map((each) => `payments/${each}`),
  ...["consents/states.ts", "pages/", "auth/login/confirming.ts"],
];
const mayAsk = new RegExp(`^src/(?:${places.map(RegExp.escape).join("|")})`);

/**
 * Only a shape knows how its orders differ from others. Any other code calls the members of the
 * kind's shape, and the customer's pages take no words from what only some shapes have.
 */
export function checkShapes({ path, text }: SourceFile): Finding[] {
  if (!path.startsWith("src/") || mayAsk.test(path)) return [];
  return text.split("\n").flatMap((content, index) => {
    const found =
      asking.exec(content)?.[0] ??
      (path.startsWith("src/auth/") ? partOfShapes.exec(content)?.[0] : undefined);
    if (found === undefined) return [];
    const message = `${found}: let the shape of the order answer (payments/definitions)`;
    return [{ path, line: index + 1, message }];
  });
}
