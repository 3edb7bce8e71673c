// Refuses text made from a value of unknown type by String(), by a template or by +, because that
// throws for an object from JSON that has a member `toString`. `textOf` never throws. Run by `npm
// run check`. test/tidy/unknown-texts.test.ts has a failing case for each form.
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript-5";
import { type Finding, report, root } from "./source-files.ts";

const exempt = "src/lib/plain-text.ts";

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

const isUnknown = (type: ts.Type): boolean =>
  type.isUnion() ? type.types.some(isUnknown) : (type.flags & ts.TypeFlags.Unknown) !== 0;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const settings = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(settings.config, ts.sys, root);
  const source = join(root, "src/");
  const paths = fileNames.filter((name) => name.startsWith(source));
  const checked = paths.filter((path) => relative(root, path) !== exempt);
  const findings = checkUnknownTexts(ts.createProgram(paths, options), checked);
  process.exitCode = report("unknown texts", checked.length, findings);
}
