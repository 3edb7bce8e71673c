// How the text of a migration is read: the comment lines at its head, and its statements.

/** One statement of a migration, without comments and line breaks, in one line. */
export type MigrationStatement = {
  code: string;
  /** As the migration has it, with its comments. */
  text: string;
  /** The text of the comment lines directly before the statement, in one line. */
  comment: string;
};

/** What the comment lines at the head of a migration say. */
type MigrationHead = {
  room: string | null;
  /**
   * "-- Outside a transaction.": the statements run one by one, because some cannot run in a
   * transaction, such as `create index concurrently`. Each must be repeatable.
   */
  isOutsideTransaction: boolean;
  /**
   * "-- Contract: after release 0.3.0.": the oldest release whose processes survive the migration;
   * null if every process does.
   */
  contractAfter: string | null;
};

/** Reads the comment lines at the head of a migration. */
export function headOf(text: string): MigrationHead {
  const lines = text.split("\n").map((line) => line.trim());
  const end = lines.findIndex((line) => !line.startsWith("--"));
  const head = lines.slice(0, end < 0 ? lines.length : end);
  const said = (pattern: RegExp): RegExpExecArray | null =>
    head.map((line) => pattern.exec(line)).find((match) => match !== null) ?? null;
  return {
    room: said(/^-- Room: ([\w-]+)\./)?.[1] ?? null,
    isOutsideTransaction: said(/^-- outside a transaction\b/i) !== null,
    contractAfter: said(/^-- Contract: after release (\d+\.\d+\.\d+)\.(?:\s|$)/)?.[1] ?? null,
  };
}

/** Splits a migration at the semicolons that end its statements. */
export function statementsOf(text: string): MigrationStatement[] {
  const statements: MigrationStatement[] = [];
  let from = 0;
  let code = "";
  const end = (at: number): void => {
    const own = text.slice(from, at).trim();
    const line = code.replace(/\s+/g, " ").trim();
    if (line !== "") statements.push({ code: line, text: own, comment: commentBefore(own) });
    from = at + 1;
    code = "";
  };
  for (let at = 0; at < text.length; ) {
    const next = endOfPiece(text, at);
    const piece = text.slice(at, next);
    if (piece === ";") end(at);
    else code += piece.startsWith("--") || piece.startsWith("/*") ? " " : piece;
    at = next;
  }
  end(text.length);
  return statements;
}

/** Returns the end of what begins here: a comment, a quoted text, or a single character. */
function endOfPiece(text: string, at: number): number {
  const after = (end: string, from: number): number => {
    const found = text.indexOf(end, from);
    return found < 0 ? text.length : found + end.length;
  };
  if (text.startsWith("--", at)) return after("\n", at);
  if (text.startsWith("/*", at)) return after("*/", at + 2);
  // a doubled quote inside a text ends one piece and begins the next
  if (text[at] === "'" || text[at] === '"') return after(text[at] as string, at + 1);
  const dollar = /^\$\w*\$/.exec(text.slice(at, at + 64))?.[0];
  return dollar === undefined ? at + 1 : after(dollar, at + dollar.length);
}

function commentBefore(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const end = lines.findIndex((line) => line !== "" && !line.startsWith("--"));
  return lines
    .slice(0, Math.max(0, end))
    .map((line) => line.replace(/^--\s*/, ""))
    .join(" ")
    .trim();
}
