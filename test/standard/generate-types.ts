// Writes every OpenAPI document into a folder, with the TypeScript types that a generator makes of
// it. The generator needs the JavaScript API of TypeScript 5, which TypeScript 7 no longer has, so
// this process resolves the name to version 5. Usage: node test/standard/generate-types.ts FOLDER
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { servedDocuments } from "./served-documents.ts";

registerHooks({
  resolve: (name, context, next) => next(name === "typescript" ? "typescript-5" : name, context),
});
const { default: generate, astToString } = await import("openapi-typescript");

const [folder = "."] = process.argv.slice(2);
for (const [name, document] of servedDocuments()) {
  const text = JSON.stringify(document);
  writeFileSync(join(folder, `${name}.json`), text);
  writeFileSync(join(folder, `${name}.ts`), astToString(await generate(text, { silent: true })));
}
