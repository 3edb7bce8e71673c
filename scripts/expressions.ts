// Proves that every regular expression of the product and its libraries needs linear time, because
// one that does not lets a single request stop a process. Run by `npm run check`.
// test/tidy/expressions.test.ts has expressions that must fail.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type FoundExpression,
  type Making,
  readExpressions,
  recordExpressions,
} from "./find-expressions.ts";
import { createProver, type Prover } from "./prove-linear.ts";
import { entryFiles } from "./rooms.ts";
import { type Finding, readSourceFiles, report, root, type SourceFile } from "./source-files.ts";

/** An expression, or a place that makes one, without a proof. */
export type ExpressionException = {
  path: string;
  /** The expression as its literal, or the code of the place. */
  code: string;
  /** Why there is no proof. */
  reason: string;
  /** What limits the input. */
  bound: string;
};

const exceptions: readonly ExpressionException[] = [
  {
    path: "src/http/openapi.ts",
    code: String.raw`/^(?!\s)(.*)(\S)$/u`,
    reason: "the OpenAPI document shows it as the standard has published it",
    bound: "the bank never runs it",
  },
  {
    path: "src/http/body/find-faults.ts",
    code: 'new RegExp(pattern, "u")',
    reason: "it has the pattern of a schema, which is checked where the schema names it",
    bound: "that of the request's body",
  },
];

/** Lists the expressions without a proof, and the exceptions that are not needed. */
export function checkExpressions(
  found: readonly FoundExpression[],
  unseen: readonly Making[],
  { findFault }: Pick<Prover, "findFault">,
  allowed = exceptions,
): Finding[] {
  const findings: Finding[] = [];
  const used = new Set<ExpressionException>();
  const isExcepted = (path: string, code: string): boolean => {
    const exception = allowed.find((one) => one.path === path && one.code === code);
    if (exception) used.add(exception);
    return exception !== undefined;
  };
  for (const { path, line, source, flags } of found) {
    const code = `/${source}/${flags}`;
    const fault = findFault(source, flags);
    if (fault === null || isExcepted(path, code)) continue;
    findings.push({ path, line, message: `${code} is not proved to be linear (${fault})` });
  }
  for (const { path, line, code } of unseen) {
    if (isExcepted(path, code)) continue;
    const message = `${code}: no module makes this expression when it is loaded, so it is not checked`;
    findings.push({ path, line, message });
  }
  for (const { path, code } of allowed.filter((one) => !used.has(one))) {
    findings.push({ path, line: 1, message: `${code} needs no exception: remove it` });
  }
  return findings;
}

/** Finds the expressions of the product; `unseen` are places whose expressions are not known. */
export async function findExpressions(
  files: readonly SourceFile[],
): Promise<{ found: FoundExpression[]; unseen: Making[] }> {
  const read = files.map((file) => ({ file, ...readExpressions(file) }));
  const isEntry = new RegExp(`^(?:${Object.keys(entryFiles).join("|")})$`);
  const recorded = await recordExpressions(read, async () => {
    for (const { path } of files) if (!isEntry.test(path)) await import(join(root, path));
  });
  const makings = read.flatMap((one) => one.makings);
  return {
    found: [...read.flatMap(({ literals }) => literals), ...[...recorded.values()].flat()],
    unseen: makings.filter((making) => !recorded.has(making)),
  };
}

async function main(): Promise<number> {
  const files = readSourceFiles("src/*.ts", "src/*.js", "packages/*.ts");
  const { found, unseen } = await findExpressions(files);
  const prover = createProver();
  const findings = checkExpressions(found, unseen, prover);
  prover.save();
  return report("expressions", files.length, findings);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
