import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript-5";
import { checkUnknownTexts } from "#scripts/unknown-texts.ts";

function linesOf(text: string): number[] {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-texts-"));
  try {
    const path = join(folder, "a.ts");
    writeFileSync(path, text);
    const program = ts.createProgram([path], { strict: true, noEmit: true, types: [] });
    return checkUnknownTexts(program, [path]).map(({ line }) => line);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("an unknown value that becomes text without textOf is found in each form", () => {
  const found = linesOf(`declare const claims: Record<string, unknown>;
    declare const given: string | number;
    declare const maybe: unknown | undefined;
    declare const html: (parts: TemplateStringsArray, ...values: unknown[]) => string;
    export const a = String(claims.iss);
    export const b = \`\${claims.iss}\`;
    export const c = "issuer " + (claims.iss as any as unknown);
    export const d = [String(maybe)];
    export const e = String(given) + \`\${given}\` + given;
    export const g = claims.iss === undefined ? "" : String(claims.iss);
    export const h = String(claims.iss ?? "") + String({} as object);
    export const f = html\`\${claims.iss}\`;
  `);
  assert.deepEqual(found, [5, 6, 7, 8, 10, 11, 11]);
});
