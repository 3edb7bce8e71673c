// Refuses text made from a value of unknown type by String(), by a template or by +, because that
// throws for an object from JSON that has a member `toString`. `textOf` never throws. Run by `npm
// run check`. test/tidy/unknown-texts.test.ts has a failing case for each form.
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript-5";
import { type Finding, report, root } from "./source-files.ts";

/** Files that make text of such values themselves, each with the reason. */
const exempt: Readonly<Record<string, string>> = {
  "src/lib/plain-text.ts": "it has textOf",
  "src/storage/pglite-statements.ts": "parameters of statements, whose JSON is text already",
};

/** The findings in the files of a program. */
export function checkUnknownTexts(program: ts.Program, paths: readonly string[]): Finding[] {
  const checker = program.getTypeChecker();
  return paths.flatMap((path) => {
    const file = program.getSourceFile(path);
    if (!file) throw new Error(`${path} is not in the program`);
    const findings: Finding[] = [];
    const visit = (node: ts.Node): void => {
      for (const value of textsOf(node)) {
        if (!isUnknown(checker.getTypeAtLocation(value))) continue;
        const { line } = file.getLineAndCharacterOfPosition(value.getStart());
        const message = `${value.getText()} is unknown: make it text with textOf`;
        findings.push({ path: relative(root, path), line: line + 1, message });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return findings;
  });
}

/** The expressions that an expression turns into text. */
function textsOf(node: ts.Node): readonly ts.Expression[] {
  if (ts.isTemplateExpression(node)) {
    if (ts.isTaggedTemplateExpression(node.parent)) return [];
    return node.templateSpans.map(({ expression }) => expression);
  }
  if (ts.isCallExpression(node)) {
    return node.expression.getText() === "String" ? node.arguments.slice(0, 1) : [];
  }
  const isSum = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
  return isSum ? [node.left, node.right] : [];
}

/** Whether a type says nothing of its values: `unknown`, `object`, or what narrowing leaves. */
function isUnknown(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some(isUnknown);
  if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) return true;
  const isObject = (type.flags & ts.TypeFlags.Object) !== 0;
  return isObject && type.symbol === undefined && type.getProperties().length === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const settings = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(settings.config, ts.sys, root);
  const source = join(root, "src/");
  const paths = fileNames.filter((name) => name.startsWith(source));
  const checked = paths.filter((path) => !(relative(root, path) in exempt));
  const findings = checkUnknownTexts(ts.createProgram(paths, options), checked);
  process.exitCode = report("unknown texts", checked.length, findings);
}
