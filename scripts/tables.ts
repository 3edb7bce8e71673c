// Checks that only the room that owns a table names it in SQL (docs/architecture.md), and that SQL
// functions that are limited to some callers have no others. Run by `npm run check`.
// test/tidy/tables.test.ts has a case for each rule that must fail.
import { fileURLToPath } from "node:url";
import { type ForeignTables, foreignTables, migrationRooms, rooms } from "./rooms.ts";
import { type Finding, readSourceFiles, report, type SourceFile } from "./source-files.ts";

/**
 * A table that a file names, with the line (from 1), and whether it changes the table: its rows,
 * columns, indexes or triggers.
 */
export type NamedTable = { table: string; line: number; isChanged: boolean };

const isTest = (path: string): boolean => path.startsWith("test/");

const ownerOf = new Map<string, string>();
for (const [room, { tables = [] }] of Object.entries(rooms)) {
  for (const table of tables) ownerOf.set(table, room);
}

const limitedFunctions = Object.entries(rooms).flatMap(([owner, { functions = {} }]) =>
  Object.entries(functions).map(([name, callers]) => ({ name, owner, callers })),
);

/**
 * Returns the findings of one file: tables of other rooms, new tables without an owner, and calls
 * of functions that the file may not call.
 */
export function checkTables(
  { path, text }: SourceFile,
  exceptions: readonly ForeignTables[] = foreignTables,
): Finding[] {
  const room = roomOf(path);
  if (room === undefined) {
    return [{ path, line: 1, message: "scripts/rooms.ts does not say which room owns this file" }];
  }
  const known = exceptions.flatMap(({ files }) => files[path] ?? []);
  return [
    ...(path.endsWith(".sql") ? withoutOwner(path, text) : []),
    ...foreignIn(room, { path, text })
      .filter(({ table }) => !known.includes(table))
      .map(({ table, line, isChanged }) => {
        const owner = ownerOf.get(table);
        const verb = isChanged ? "changes" : "names";
        const message = isTest(path)
          ? `the test ${verb} ${table}: use a fixture of test/${owner}/, or add one there`
          : `${room} ${verb} ${table}: only ${owner} may, which can export the SQL`;
        return { path, line, message };
      }),
    ...(isTest(path) ? [] : wrongCalls(room, { path, text })),
  ];
}

function wrongCalls(room: string, { path, text }: SourceFile): Finding[] {
  const statements = path.endsWith(".sql") ? [{ sql: text, line: 1 }] : statementsOf(text);
  const refused = limitedFunctions.filter(
    ({ owner, callers }) => owner !== room && !callers.includes(path),
  );
  return statements.flatMap(({ sql, line }) => {
    const code = codeOf(sql);
    return refused.flatMap(({ name, owner }) =>
      [...code.matchAll(new RegExp(`\\b${name}\\s*\\(`, "g"))].map(({ index }) => ({
        path,
        line: line + lineAt(code, index) - 1,
        message: `${room} calls ${name}: only ${owner} and files listed in scripts/rooms.ts may`,
      })),
    );
  });
}

/** Returns the exceptions that no longer apply to their file. */
export function findObsolete(
  files: readonly SourceFile[],
  exceptions: readonly ForeignTables[] = foreignTables,
): Finding[] {
  const entries = exceptions.flatMap((one) => Object.entries(one.files));
  return entries.flatMap(([path, tables]) => {
    const text = files.find((file) => file.path === path)?.text ?? "";
    const named = foreignIn(roomOf(path) ?? "", { path, text }).map(({ table }) => table);
    return tables
      .filter((table) => !named.includes(table))
      .map((table) => {
        const message = `${table} is no longer named here: take it out of scripts/rooms.ts`;
        return { path, line: 1, message };
      });
  });
}

const roomOf = (path: string): string | undefined =>
  path.startsWith("migrations/") ? migrationRooms[path.slice(11)] : path.split("/")[1];

const foreignIn = (room: string, { path, text }: SourceFile): NamedTable[] =>
  (path.endsWith(".sql") ? tablesOfSql(text) : tablesOfTypeScript(text)).filter((named) =>
    isForeign(room, named),
  );

function isForeign(room: string, { table, isChanged }: NamedTable): boolean {
  const owner = ownerOf.get(table);
  if (owner === room || owner === undefined) return false;
  const read = rooms[owner]?.readers?.[room] ?? [];
  return isChanged || (read !== "all" && !read.includes(table));
}

function withoutOwner(path: string, text: string): Finding[] {
  const created = [...codeOf(text).matchAll(/\bcreate\s+(?:table|view)\s+(\w+)/g)];
  return created
    .filter(([, name = ""]) => !ownerOf.has(name))
    .map(({ index, 1: name }) => {
      const message = `${name} has no owner: add it to a room in scripts/rooms.ts`;
      return { path, line: lineAt(text, index), message };
    });
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

// A foreign key may refer to another room's table, because no statement reads it.
const listed = String.raw`[a-z_]+(?:\s+(?:as\s+)?[a-z_]+)?`;
const changes = [
  "insert\\s+into|update|delete\\s+from|truncate|(?:create|alter|drop)\\s+(?:table|view)",
  "index\\s+\\w+\\s+on",
  // a trigger adds its work to every statement of the owner
  "(?:before|after|instead\\s+of)\\s+(?:insert|update|delete|truncate)" +
    "\\b(?:\\s*,\\s*\\w+|\\s+\\w+)*?\\s+on",
];
const reads = [
  String.raw`\b(?:from|join|setof|using)`,
  // every table of a list
  String.raw`(?<=\b(?:from|using)\s+${listed}(?:\s*,\s*${listed})*\s*),`,
];
const naming = new RegExp(
  `(?:(?<change>\\b(?:${changes.join("|")}))|${reads.join("|")})` +
    "\\s+(?:only\\s+)?(?<table>[a-z_]+)\\b",
  "g",
);

/** Lists the tables that SQL text names. Strings and comments are skipped. */
export function tablesOfSql(text: string): NamedTable[] {
  const code = codeOf(text);
  return [...code.matchAll(naming)].flatMap(({ index, groups }) => {
    const { table = "", change } = groups ?? {};
    if (!ownerOf.has(table)) return [];
    return [{ table, line: lineAt(code, index), isChanged: change !== undefined }];
  });
}

function codeOf(sql: string): string {
  return sql.replace(/--[^\n]*/g, blank).replace(/'(?:[^']|'')*'/g, blank);
}

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/**
 * Lists the tables that are named by templates with the tag `sql`, including nested ones, by texts
 * of `execute`, and by members `table: "…"`. Code that stores such rows puts this name into its
 * statements.
 */
export function tablesOfTypeScript(text: string): NamedTable[] {
  const members = [...text.matchAll(/\btable: "([a-z_]+)"/g)]
    .filter(([, table = ""]) => ownerOf.has(table))
    .map(({ index, 1: table = "" }) => ({ table, line: lineAt(text, index), isChanged: true }));
  const inTemplates = templatesOf(text, /\b(?:sql|execute\()`/g).flatMap(({ sql, line }) => {
    // a fragment may consist of only a table's name, or the name and an alias
    const alone = /^\s*([a-z_]+)(?:\s+\w+)?\s*$/.exec(sql)?.[1] ?? "";
    const named = ownerOf.has(alone)
      ? [{ table: alone, line: 1, isChanged: false }]
      : tablesOfSql(sql);
    return named.map((one) => ({ ...one, line: one.line + line - 1 }));
  });
  return [...members, ...inTemplates];
}

/** Lists the templates with the tag `sql`, without their expressions, each with its line. */
export const statementsOf = (text: string): { sql: string; line: number }[] =>
  templatesOf(text, /\bsql`/g);

const templatesOf = (text: string, opening: RegExp): { sql: string; line: number }[] =>
  [...text.matchAll(opening)].map(({ index, 0: { length } }) => {
    const begin = index + length;
    return { sql: readTemplate(text, begin).own, line: lineAt(text, begin) };
  });

// Returns the text of a template without its expressions, and the position after its end.
function readTemplate(text: string, begin: number): { own: string; end: number } {
  let own = "";
  let at = begin;
  while (at < text.length && text[at] !== "`") {
    if (text[at] === "\\") at += 2;
    else if (text.startsWith("${", at)) {
      const end = endOfExpression(text, at + 2);
      own += blank(text.slice(at, end));
      at = end;
    } else own += text[at++];
  }
  return { own, end: at + 1 };
}

function endOfExpression(text: string, begin: number): number {
  let depth = 1;
  let at = begin;
  while (at < text.length && depth > 0) {
    const character = text[at] ?? "";
    if (character === "`") at = readTemplate(text, at + 1).end;
    else if (character === '"' || character === "'") at = text.indexOf(character, at + 1) + 1;
    else {
      depth += character === "{" ? 1 : character === "}" ? -1 : 0;
      at += 1;
    }
  }
  return at;
}

function main(): number {
  const files = readSourceFiles("src/*.ts", "migrations/*.sql", "test/*.ts").filter(
    // the cases of this check
    ({ path }) => !path.startsWith("test/tidy/"),
  );
  const findings = [...files.flatMap((file) => checkTables(file)), ...findObsolete(files)];
  return report("tables", files.length, findings);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
