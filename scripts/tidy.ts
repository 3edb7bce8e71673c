// The rules that the compiler, Biome and dependency-cruiser (imports.ts) cannot check. Run by `npm
// run check`. test/tidy has a case for each rule that must fail.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publishedKindIds } from "#src/standard/kind-id.ts";
import { checkTypeNames } from "./glossary.ts";
import { checkReadPaths, checkShapes } from "./payment-rules.ts";
import { checkPlurals } from "./plurals.ts";
import { type Finding, readSourceFiles, report, type SourceFile } from "./source-files.ts";
import { checkSteady } from "./steady.ts";

const maximumLines = 400;
const maximumWidth = 100;
const maximumLeaves = 10;

/** The product and its libraries. */
const shipped = /^(?:src|packages\/[^/]+\/src)\//;
/** The files of a library that its users import. */
const libraryEntry = /^packages\/[^/]+\/src\/(?:index|sandbox)\.ts$/;
/** The types that scripts/client-types.ts writes. */
const writtenTypes = /^packages\/[^/]+\/src\/types\//;

/** A literal that the formatter cannot break, such as a title, a pattern or a URL. */
const longLiteral = /"[^"]{50,}"|`[^`]{50,}`|\/\^[^ ]{40,}\/|https?:\/\/\S{40,}/;

/** Long files that contain data and not code, each with the reason. */
const longFiles: Record<string, string> = {
  "src/standard/shared/purpose-codes.ts": "a code set",
  "src/standard/shared/currency-codes.ts": "a code set",
  "src/sandbox/personas/households.ts": "the personas, as data",
};

const bannedNames = /(Manager|Helper|Helpers|Util|Utils|Service|manager|helper|util|utils)\b/;

/** Imports use `#src/` across folders and `./` within a folder, and always end with `.ts`. */
export function checkImports({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = [];
  eachLine(text, (content, line) => {
    const say = (message: string): void => void findings.push({ path, line, message });
    if (path.startsWith("src/") && /new URL\([^)]*\.ts["'`]/.test(content))
      say("a module's file ends with .js in the package: add extname(import.meta.filename)");
    const found = /(?:from|import)\s*\(?\s*"([^"]+)"/.exec(content)?.[1];
    if (found === undefined || !/^[.#]/.test(found)) return;
    if (!/\.(ts|mjs|json)$/.test(found)) say(`${found} must end with .ts, .mjs or .json`);
    if (found.startsWith(".."))
      say(`${found}: an import from another folder must begin with #src/ or #test/`);
    if (found.startsWith("#") && dirname(found.slice(1)) === dirname(path)) {
      say(`${found}: an import from the same folder must begin with ./`);
    }
  });
  return findings;
}

/** Files have at most 400 lines, and lines at most 100 characters. */
export function checkSize({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const lines = text.split("\n").length - 1;
  if (lines > maximumLines && !(path in longFiles)) {
    findings.push({
      path,
      line: 1,
      message: `${lines} lines: at most ${maximumLines} are allowed`,
    });
  }
  eachLine(text, (content, line) => {
    if (content.length > maximumWidth && !longLiteral.test(content)) {
      findings.push({
        path,
        line,
        message: `${content.length} characters: at most ${maximumWidth} are allowed`,
      });
    }
  });
  return findings;
}

/** Every export of the product has a doc comment. */
export function checkDocstrings({ path, text }: SourceFile): Finding[] {
  if (!shipped.test(path)) return [];
  const findings: Finding[] = [];
  const lines = text.split("\n");
  lines.forEach((content, index) => {
    const name = /^export (?:async )?(?:function|const|class|type) (\w+)/.exec(content)?.[1];
    if (name === undefined) return;
    // overloads follow the doc comment of the first one
    const before = lines[index - 1]?.trim() ?? "";
    if (!before.endsWith("*/") && !before.startsWith("export function")) {
      findings.push({ path, line: index + 1, message: `${name} has no docstring` });
    }
  });
  return findings;
}

/** Names say what a thing is. Manager, Helper, Util and Service are not allowed. */
export function checkNames({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = [];
  eachLine(text, (content, line) => {
    const name = /(?:function|const|class|type|let) (\w+)/.exec(content)?.[1];
    if (name && bannedNames.test(name)) {
      findings.push({ path, line, message: `${name} needs a name that says what it does` });
    }
  });
  if (bannedNames.test(path))
    findings.push({ path, line: 1, message: "the file needs a name that says what it does" });
  return findings;
}

const upperKeywords = /\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|WHERE|JOIN)\b/;

/** SQL is lower case and lists its columns. */
export function checkSql({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = [];
  for (const match of text.matchAll(/\bsql`([^`]*)`/g)) {
    const line = text.slice(0, match.index).split("\n").length;
    const statement = match[1] ?? "";
    if (upperKeywords.test(statement)) findings.push({ path, line, message: "SQL is lower case" });
    if (/select \*|returning \*/.test(statement)) {
      findings.push({ path, line, message: "the statement must list its columns" });
    }
  }
  return findings;
}

const unfinished = new RegExp(
  `\\b(${["TO", "FIX"].map((word) => `${word}DO|${word}ME`).join("|")}|XXX)\\b`,
);

/** Nothing is unfinished or silenced, and a skipped test gives its reason. */
export function checkHonesty({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = [];
  eachLine(text, (content, line) => {
    const say = (message: string): void => void findings.push({ path, line, message });
    if (unfinished.test(content)) say("unfinished");
    if (/@ts-(ignore|nocheck)|biome-ignore-all/.test(content))
      say("fix what the checker reports; do not silence it");
    if (/\bskip: true\b/.test(content)) say("a skipped test must give its reason");
  });
  return findings;
}

const kindId = `(?:${publishedKindIds.join("|")})`;
// A pattern for the ids of API versions and kinds.
const id = String.raw`(?:[a-z]+-v\d\.\d|${kindId})`;
const quoted = `["'\`]${id}["'\`]`;
// The methods that split or search a text.
const partOf = "startsWith|endsWith|includes|indexOf|lastIndexOf|match|replace|search|slice|split";
const comparingIds = [
  `[!=]==?\\s*${quoted}`,
  `${quoted}\\s*[!=]==?`,
  `\\bcase\\s+${quoted}`,
  `\\.(?:startsWith|endsWith|includes|indexOf|match|search)\\(\\s*${quoted}`,
  `(?:=|<>|\\blike|~|\\bin\\s*\\()\\s*'${id}'`,
  `/[^/"'\`\\s]*${id}[^/"'\`\\s]*/[a-z]*\\.(?:test|exec)\\(`,
  `\\b(?:id|kindId|apiVersion)\\.(?:${partOf})\\(`,
  `(?:\\.id|\\bkindId|\\bapiVersion) [<>]=? `,
  `\\.(?:match|search|replace|replaceAll|split)\\(/[^/"'\`\\s]*${id}`,
  // a version by its base path
  `\\.(?:startsWith|endsWith|includes|indexOf|match|search)\\(\\s*["'\`][^"'\`\\s]*/(?:aisp|cbpii|pisp)/`,
  // versions of a specification that has no id, such as that of client registration
  `\\b(?:version|release)\\s*[!=]==?\\s*["'\`]`,
];
const comparison = new RegExp(comparingIds.join("|"));
// A row by the name of its constant, such as `domesticPayment`, `fundsConfirmationKind`, `pispV40`.
const kindNames = publishedKindIds.map((each) =>
  each.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
);
const row = String.raw`(?:(?:[a-z]+V\d\d|(?:${kindNames.join("|")})(?:Kind)?)\b(?:\.id)?)`;
const comparingRows = [
  `[!=]==?\\s*${row}(?![.\\w(])`,
  `(?<![.\\w])${row}\\s*[!=]==?`,
  `\\bcase\\s+${row}\\s*:`,
  `(?:=|<>|\\bin\\s*\\()\\s*\\$\\{${row}\\}`,
];
const rowComparison = new RegExp(comparingRows.join("|"));
// A list or map of kinds is not allowed: every new kind would have to be added to it.
const naming = new RegExp(`["'\`]${kindId}["'\`]`);

/** The files with the rows of kinds and versions. Each row may name its own id. */
const rows =
  /^src\/(?:standard\/|payments\/(?:kinds\/|versions\/|payment-kinds\.ts$)|server\/examples\/|accounts\/consent\/account-access-kind\.ts$|funds\/funds-confirmation-kind\.ts$)/;
// Each of these rooms belongs to one kind, and may look for the consents of its own row.
const ofOneKind = /^src\/(?:accounts|funds)\//;

/**
 * No code branches on the id of a version or kind, and no list names kinds. A value that depends on
 * the id belongs in the kind's or version's row, and lists are made from the rows.
 */
export function checkIds({ path, text }: SourceFile): Finding[] {
  if (!/^(?:src|migrations|scripts|bench)\//.test(path) || rows.test(path)) return [];
  // a script or a benchmark may name the kind that it uses
  const mayName = !/^(?:src|migrations)\//.test(path);
  const findings: Finding[] = [];
  eachLine(text, (content, line) => {
    const found = (comparison.exec(content) ??
      (ofOneKind.test(path) ? null : rowComparison.exec(content)) ??
      (mayName ? null : naming.exec(content)))?.[0];
    if (found === undefined) return;
    const message = `${found}: put what depends on this id on the row of the kind or version`;
    findings.push({ path, line, message });
  });
  return findings;
}

/** src/lib has at most ten files. */
export function checkLeaves(files: readonly SourceFile[]): Finding[] {
  const leaves = files.filter(({ path }) => path.startsWith("src/lib/"));
  if (leaves.length <= maximumLeaves) return [];
  const message = `${leaves.length} files in src/lib: at most ${maximumLeaves} are allowed`;
  return [{ path: "src/lib", line: 1, message }];
}

/**
 * Module-level values that change, each with the reason why two banks in one process may share
 * them.
 */
const sharedState: Record<string, string> = {
  "src/accounts/views/transaction-text.ts codeTexts": "calculated once from its own text",
  "src/auth/provider/provider-configuration.ts ofGrants": "keyed by the request",
  "src/auth/provider/profile-of-request.ts allMetadata": "calculated once from its own client",
  "src/auth/provider/profile-of-request.ts profiles": "calculated once from its own client",
  "src/bank/checked-answer.ts validators": "compiled once from constants",
  "src/certificates/client-trust.ts known": "calculated once from its own certificate",
  "src/certificates/tpp-certificate.ts known": "calculated once from its own certificate",
  "src/http/body/find-faults.ts patterns": "compiled once from its own text",
  "src/http/connection/observe.ts noted": "keyed by the request",
  "src/http/connection/passed-checks.ts noted": "keyed by the request",
  "src/http/connection/peers.ts handedOn": "keyed by the trust of a bank",
  "src/http/connection/peers.ts peers": "keyed by the socket",
  "src/http/connection/peers.ts preparing": "keyed by the socket",
  "src/http/connection/peers.ts rulesOfSocket": "keyed by the socket",
  "src/http/connection/process-metrics.ts ofProcess": "measurements of the process",
  "src/lib/ids.ts used": "random bytes, each used once",
  "src/pages/assets.ts assets": "files of the product",
  "src/pages/html.ts placesOf": "calculated once from its own text",
  "src/pages/wording.ts moneyFormats": "formats made once, one per currency of the standard",
  "src/payments/calendar/timing.ts eras":
    "offsets of time zones, which are the same for every bank",
  "src/payments/calendar/timing.ts configured": "calculated once from its own text",
  "src/payments/definitions/payment-kind.ts read": "calculated once from its own body",
  "src/payments/request/read-request.ts split": "calculated once from its own text",
  "src/sandbox/directory/certificates.ts library": "a module",
  "src/storage/archived-files.ts known": "the contents of its own file, which nobody changes",
  "src/storage/archived-files.ts sharedContents": "which contents files share, whoever opened them",
  "src/storage/folder-lock.ts held": "a lock of the process, released by its holder",
  "src/storage/connection.ts names": "calculated once from its own text",
  "src/storage/sql.ts cached": "calculated once from its own text",
  "src/storage/statement-query.ts makers": "compiled once from its own text",
  "src/testing/index.ts opened": "the first key of each bank for tests",
};

const changing =
  /^(?:export )?(?:let (\w+)|const (\w+)(?::[^=]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|\[\]|\{\});)/;

/** A module has no state. State belongs to the value that `openServer` returns. */
export function checkState({ path, text }: SourceFile): Finding[] {
  if (!shipped.test(path)) return [];
  const findings: Finding[] = [];
  eachLine(text, (content, line) => {
    const [, variable, constant] = changing.exec(content) ?? [];
    const name = variable ?? constant;
    if (name === undefined || `${path} ${name}` in sharedState) return;
    const message = `${name} is shared by all banks of the process: make it where a bank is opened`;
    findings.push({ path, line, message });
  });
  return findings;
}

const exported = /^export (?:async )?(?:function\*?|const|class|type) (\w+)/gm;
const imported = /^(?:import|export) (?:type )?(?:\{([^}]*)\}|\* as \w+) from\s+"([#.][^"]+)"/gm;
const loaded = /\bimport\(\s*"([#.][^"]+)"/g;

/** Finds exports of the product that no other file imports: a use in their own file is no reason. */
export function checkExports(files: readonly SourceFile[]): Finding[] {
  const importedFrom = new Map<string, Set<string>>();
  const all = (text: string): string[] => text.match(/\w+/g) ?? [];
  for (const { path, text } of files) {
    const add = (specifier: string, names: string[]): void => {
      const target = specifier.startsWith("#")
        ? specifier.slice(1)
        : join(dirname(path), specifier);
      importedFrom.set(target, new Set([...(importedFrom.get(target) ?? []), ...names]));
    };
    for (const [, names, specifier = ""] of text.matchAll(imported))
      add(specifier, all(names ?? text));
    for (const [, specifier = ""] of text.matchAll(loaded)) add(specifier, all(text));
  }
  return files
    .filter(({ path }) => shipped.test(path) && !libraryEntry.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(exported)]
        .filter(([, name = ""]) => !importedFrom.get(path)?.has(name))
        .map(({ index, 1: name }) => ({
          path,
          line: text.slice(0, index).split("\n").length,
          message: `no other file imports ${name}: take "export" away, or delete it`,
        })),
    );
}

/** A command reads the files that settings name with the server's own reader. */
export function checkSettingFiles({ path, text }: SourceFile): Finding[] {
  if (!path.startsWith("src/cli/")) return [];
  const findings: Finding[] = [];
  eachLine(text, (content, line) => {
    if (!/\b(?:read|stat|open)\w*\((?:config|environment)\.(?!ALDGATE_)/.test(content)) return;
    const message = "read the setting with the function that the server uses (src/server)";
    findings.push({ path, line, message });
  });
  return findings;
}

/** The surfaces of the bank, each with the one file that answers its failures. */
const surfaces: Record<string, string> = {
  "src/auth/login/page-scope.ts": "the pages, and all else that has no surface of its own",
  "src/auth/register.ts": "the authorization server",
  "src/http/register-operations.ts": "the APIs",
  "src/registration/routes.ts": "the registration",
  "src/sandbox/controls/interface.ts": "the sandbox's controls",
  "src/connector/serve-core.ts": "a core that is served over HTTP",
  "src/server/listeners/guarded-rows.ts": "what the bank's own channels and its core use",
};

/** Each surface has one renderer of failures, and one function takes the interaction id. */
export function checkSurfaces({ path, text }: SourceFile): Finding[] {
  if (!path.startsWith("src/")) return [];
  const findings: Finding[] = [];
  const isOutside = (file: string): boolean => path !== file;
  eachLine(text, (content, line) => {
    const say = (message: string): void => void findings.push({ path, line, message });
    if (/\.setErrorHandler\(/.test(content) && isOutside("src/http/failure.ts"))
      say("answer failures with answerFailures, once for each surface");
    if (/^\s*answerFailures\(/.test(content) && !(path in surfaces))
      say("a further renderer of failures: use the surface's, or add a surface to the list");
    if (/headers\[interactionHeader\]/.test(content) && isOutside(interactionIds))
      say("take the interaction id with interactionIdOf");
  });
  return findings;
}

const interactionIds = "src/http/headers/request-headers.ts";

const fileRules = [
  checkImports,
  checkSize,
  checkDocstrings,
  checkNames,
  checkSql,
  checkPlurals,
  checkHonesty,
  checkSteady,
  checkIds,
  checkState,
  checkSettingFiles,
  checkSurfaces,
  checkReadPaths,
  checkShapes,
] as const;

/** The rules that also apply to migrations. */
const sqlRules = [checkHonesty, checkIds] as const;

/** Lists the findings of all rules. */
export function tidy(files: readonly SourceFile[]): Finding[] {
  const code = files.filter(({ path }) => path.endsWith(".ts"));
  const migrations = files.filter(({ path }) => path.endsWith(".sql"));
  return [
    ...code.flatMap((file) => fileRules.flatMap((rule) => rule(file))),
    ...migrations.flatMap((file) => sqlRules.flatMap((rule) => rule(file))),
    ...checkLeaves(code),
    ...checkExports(code),
    ...checkTypeNames(code),
  ];
}

function eachLine(text: string, visit: (content: string, line: number) => void): void {
  text.split("\n").forEach((content, index) => {
    visit(content, index + 1);
  });
}

function main(): number {
  const code = ["src/*.ts", "test/*.ts", "bench/*.ts", "scripts/*.ts", "packages/*.ts"];
  const files = readSourceFiles(...code, "migrations/*.sql");
  const isChecked = ({ path }: SourceFile): boolean =>
    !/tidy(\.test)?\.ts$/.test(path) && !writtenTypes.test(path);
  const checked = files.filter(isChecked);
  return report("tidy", checked.length, tidy(checked));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
