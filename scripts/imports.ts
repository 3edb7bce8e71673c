// Checks the direction of imports, and finds circles and files that nothing imports, with
// dependency-cruiser (docs/decisions/0018-imports-and-owners.md). Run by `npm run check`.
// test/tidy/imports.test.ts has a case for each rule that must fail.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  cruise,
  type ICruiseResult,
  type IForbiddenRuleType,
  type IModule,
} from "dependency-cruiser";
import {
  type Exception,
  entryFiles,
  knownCircles,
  knownSides,
  rooms,
  versionLists,
} from "./rooms.ts";

/** A broken rule: the file, and the problem with its imports. */
export type ImportFinding = { path: string; message: string };

/** The findings for a folder, and how many files and imports were checked. */
export type ImportReport = { findings: ImportFinding[]; files: number; imports: number };

const anyOf = (names: readonly string[]): string => `(?:${names.join("|")})`;

function directions(): IForbiddenRuleType[] {
  const steps = [...new Set(Object.values(rooms).map(({ step }) => step))];
  const roomsWhere = (holds: (step: number) => boolean): string[] =>
    Object.keys(rooms).filter((name) => holds(rooms[name]?.step ?? -1));
  return steps.flatMap((step): IForbiddenRuleType[] => {
    const below = `^src/(${anyOf(roomsWhere((other) => other === step))})/`;
    const above = roomsWhere((other) => other > step);
    const upwards = [`^src/main\\.ts$`, ...above.map((name) => `^src/${name}/`)];
    return [
      {
        name: "upwards",
        comment: "a room imports only from the rooms on lower steps",
        from: { path: below },
        to: { path: upwards },
      },
      {
        name: "sideways",
        comment: "rooms on one step never import each other: pass it in from the server",
        from: { path: below },
        to: { path: below, pathNot: "^src/$1/" },
      },
    ];
  });
}

const innerFolders = (): IForbiddenRuleType[] =>
  Object.entries(rooms).flatMap(([room, { inner }]) =>
    inner === undefined
      ? []
      : [
          {
            name: "inner",
            comment: "only the room may import this folder: use the room's interface instead",
            from: { pathNot: `^src/${room}/` },
            to: { path: `^src/${room}/${inner}/` },
          },
        ],
  );

// the folder of an API version, such as src/standard/aisp-v4.0/
const version = "(?:aisp|cbpii|events|pisp)-v[0-9][.][0-9]";

/** In each room, a folder imports only from the folders before it. */
const foldersInOrder = (): IForbiddenRuleType[] =>
  Object.entries(rooms).flatMap(([room, { folders = [] }]) => [
    ...folders.map((folder, index) => ({
      name: "folder upwards",
      comment:
        "a folder imports only from the folders before it: see `folders` in scripts/rooms.ts",
      from: { path: `^src/${room}/${folder}/` },
      to: { path: `^src/${room}/${anyOf(folders.slice(index + 1))}/` },
    })),
    {
      name: "unknown folder",
      comment: "list the folder in scripts/rooms.ts, where the order of imports puts it",
      from: {},
      to: { path: `^src/${room}/[^/]+/`, pathNot: `^src/${room}/${anyOf(folders)}/` },
    },
  ]);

const rules: IForbiddenRuleType[] = [
  ...directions(),
  ...foldersInOrder(),
  ...innerFolders(),
  {
    name: "version imports version",
    comment: "no API version depends on another: put what both need into a shared folder",
    from: { path: `/(${version})/` },
    to: { path: `/${version}/`, pathNot: "/$1/" },
  },
  {
    name: "version outside its list",
    comment: "only a list of versions imports a version (versionLists in scripts/rooms.ts)",
    from: {
      path: "^src/",
      pathNot: [`/${version}/`, ...versionLists.map((path) => `^${RegExp.escape(path)}$`)],
    },
    to: { path: `/${version}/` },
  },
  {
    name: "unknown room",
    comment: "scripts/rooms.ts does not list this room",
    from: {},
    to: { path: "^src/[^/]+/", pathNot: `^src/${anyOf(Object.keys(rooms))}/` },
  },
  {
    name: "product imports tests",
    comment: "the product imports nothing from test, bench or scripts",
    from: { path: "^src/" },
    to: { path: "^(?:test|bench|scripts)/" },
  },
  {
    name: "product imports library",
    comment: "a bank does not depend on the libraries for its callers",
    from: { path: "^src/" },
    to: { path: "^packages/" },
  },
  {
    name: "library imports product",
    comment: "a library is installed without the bank: it imports only its own files",
    from: { path: "^packages/([^/]+)/" },
    to: { path: "^(?:src|test|bench|scripts|packages)/", pathNot: "^packages/$1/" },
  },
  {
    name: "circle",
    comment: "these files import each other: move what they share into a file below them",
    from: {},
    to: { circular: true },
  },
  {
    name: "unreached",
    comment: "no import leads here from an entry file: delete it, or list it in scripts/rooms.ts",
    from: { path: `^${anyOf(Object.keys(entryFiles))}$` },
    to: { path: "^src/", pathNot: `^${anyOf(Object.keys(entryFiles))}$`, reachable: false },
  },
  {
    name: "orphan",
    comment: "this file imports nothing, and nothing imports it: delete it",
    from: {
      orphan: true,
      path: "^(?:src|test|bench|packages)/",
      pathNot: ["\\.test\\.ts$", `^${anyOf(Object.keys(entryFiles))}$`],
    },
    to: {},
  },
];

/**
 * Finds files that are below a subfolder of their folder and above one as well. The files directly
 * in a folder are either words, which its subfolders may import, or they put the subfolders
 * together: a word that leads to a subfolder would undo the order of the folders.
 */
function findBothSides(modules: readonly IModule[]): ImportFinding[] {
  const imports = new Map(
    modules.map(({ source, dependencies }) => [
      source,
      dependencies.map(({ resolved }) => resolved).filter((path) => path.startsWith("src/")),
    ]),
  );
  const words = new Map<string, string>();
  for (const [path, targets] of imports) {
    for (const target of targets) {
      const folder = dirname(target);
      if (folder !== "src" && isBelow(folder, path)) words.set(target, words.get(target) ?? path);
    }
  }
  return [...words].flatMap(([word, reader]) => {
    const way = wayBelow(dirname(word), word, imports);
    if (way === null) return [];
    const [from, to] = way;
    const through = from === word ? "imports" : `leads through ${from} to`;
    const message = `both sides: ${reader} imports this file, which ${through} ${to}: split it`;
    return [{ path: word, message }];
  });
}

/** Finds folders of rooms that import one of their subfolders, although that imports them. */
function findBothWays(modules: readonly IModule[]): ImportFinding[] {
  const pairs = new Map<string, { up?: string; down?: string }>();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [source, resolved].map(dirname) as [string, string];
      if (to.startsWith(`${from}/`))
        pairs.set(`${from} ${to}`, { ...pairs.get(`${from} ${to}`), down: source });
      if (from.startsWith(`${to}/`))
        pairs.set(`${to} ${from}`, { ...pairs.get(`${to} ${from}`), up: source });
    }
  }
  return [...pairs].flatMap(([pair, { up, down }]) => {
    const [folder = "", part = ""] = pair.split(" ");
    // the files directly in a room are its words, or put it together
    if (up === undefined || down === undefined || !/^src\/[^/]+\//.test(folder)) return [];
    return [
      { path: down, message: `both ways: it imports ${part}/, and ${up} imports ${folder}/` },
    ];
  });
}

/** Whether a file is in a subfolder of a folder. */
const isBelow = (folder: string, path: string): boolean => dirname(path).startsWith(`${folder}/`);

/** The import with which a file in a folder leads to a subfolder; null if it leads to none. */
function wayBelow(
  folder: string,
  start: string,
  imports: ReadonlyMap<string, readonly string[]>,
): [from: string, to: string] | null {
  const reached = new Set([start]);
  // the iteration of a set also visits files that are added meanwhile
  for (const from of reached) {
    for (const to of imports.get(from) ?? []) {
      if (isBelow(folder, to)) return [from, to];
      if (dirname(to) === folder) reached.add(to);
    }
  }
  return null;
}

/** Checks the imports below a folder with src/ and, if they exist, the folders of tests. */
export async function checkImports(
  root: string,
  folders: readonly string[],
  circles: readonly Exception[] = [],
  sides: readonly Exception[] = [],
): Promise<ImportReport> {
  const { output } = await cruise(
    [...folders],
    {
      baseDir: root,
      parser: "swc",
      doNotFollow: { path: "node_modules" },
      // the built modules of a library are not sources
      includeOnly: "^(?:src|test|bench|scripts|packages/[^/]+/src)/",
      // count imports of types as well
      tsPreCompilationDeps: true,
      validate: true,
      ruleSet: { forbidden: rules },
    },
    { conditionNames: ["node", "import"], extensions: [".ts", ".mjs", ".js"] },
  );
  const { modules, summary } = output as ICruiseResult;
  const both = findBothSides(modules);
  return {
    findings: [
      ...findingsOf(summary, circles),
      ...findBothWays(modules),
      ...both.filter(({ path }) => !sides.some(({ files: known }) => known.includes(path))),
      ...sides
        .flatMap(({ files: known }) => known)
        .filter((known) => !both.some(({ path }) => path === known))
        .map((path) => ({ path, message: "take it out of knownSides in scripts/rooms.ts" })),
    ],
    files: summary.totalCruised,
    imports: summary.totalDependenciesCruised ?? 0,
  };
}

function findingsOf(
  { violations }: ICruiseResult["summary"],
  known: readonly Exception[],
): ImportFinding[] {
  const findings: ImportFinding[] = [];
  const seen = new Set<string>();
  const met = new Set<Exception>();
  for (const { rule, from, to, cycle } of violations) {
    // a circle is reported once for each of its files
    const files = cycle === undefined ? [] : [...new Set(cycle.map(({ name }) => name))].sort();
    const exception = known.find((one) => files.length > 0 && isWithin(files, one.files));
    if (exception !== undefined) met.add(exception);
    const key = files.length > 0 ? files.join(" ") : `${rule.name} ${from} ${to}`;
    if (exception !== undefined || seen.has(key)) continue;
    seen.add(key);
    const path = rule.name === "unreached" ? to : from;
    const others = files.length > 0 ? `${files.join(", ")}: ` : path === to ? "" : `${to}: `;
    const comment = rules.find(({ name }) => name === rule.name)?.comment;
    findings.push({ path, message: `${rule.name}: ${others}${comment}` });
  }
  for (const { files } of known.filter((one) => !met.has(one))) {
    const path = files[0] ?? "";
    findings.push({ path, message: "this circle is gone: take it out of scripts/rooms.ts" });
  }
  return findings;
}

const isWithin = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((file) => all.includes(file));

async function main(): Promise<number> {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const folders = ["src", "test", "bench", "scripts", "packages"];
  const { findings, files, imports } = await checkImports(root, folders, knownCircles, knownSides);
  for (const { path, message } of findings) console.error(`${path}: ${message}`);
  console.log(`imports: ${files} files, ${imports} imports, ${findings.length} findings`);
  return findings.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
