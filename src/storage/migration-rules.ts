import { headOf, type MigrationStatement, statementsOf } from "./migration-text.ts";

// What a statement of a migration does to a bank that runs: the lock that it takes, and whether the
// processes of an earlier version survive it. `./aldgate migrate --plan` prints this, and
// `npm run check` refuses new migrations with statements that they do not survive (decision 0067).

/**
 * Whether processes of an earlier version survive a statement. `reason`: only its author can know,
 * and says why in the comment before it. `apart`: only if it is in a migration of its own.
 * `contract`: not those that use what it takes away.
 */
type Survival = "yes" | "reason" | "apart" | "contract";

type Lock = "none" | "rows" | "share update exclusive" | "share" | "share row exclusive" | Strong;
type Strong = "access exclusive";

/** What one statement does. */
export type Effect = {
  code: string;
  lock: Lock;
  /** The tables that existed before, and on which it takes the lock. */
  tables: string[];
  survival: Survival;
  /** Why it is not simply survived; with a reason of its author, this reason. */
  because: string | null;
  /** What the author of a new migration can write instead. */
  remedy: string | null;
};

/** What other sessions cannot do to a table while a lock is held on it. */
export const lockStops: Record<Lock, string> = {
  none: "nothing",
  rows: "writes of the same rows",
  "share update exclusive": "only other changes of the schema",
  share: "writes",
  "share row exclusive": "writes",
  "access exclusive": "reads and writes",
};

/** A form of statement. The first group of its pattern is the table. */
type Rule = readonly [
  pattern: RegExp,
  lock: Lock,
  survival: Survival,
  because?: string,
  remedy?: string,
];

const uniqueness = 'an older process may write "on conflict" on the columns that it keeps unique';

const statementRules: readonly Rule[] = [
  [/^create table (?:if not exists )?\w+ partition of (\w+)/, "access exclusive", "yes"],
  [/^create table /, "none", "yes"],
  [
    /^create unique index concurrently if not exists \w+ on (?:only )?(\w+)/,
    "share update exclusive",
    "reason",
    "an older process may write rows that the index refuses",
  ],
  [
    /^create index concurrently if not exists \w+ on (?:only )?(\w+)/,
    "share update exclusive",
    "yes",
  ],
  [
    /^create (?:unique )?index (?:concurrently )?(?:if not exists )?(?:\w+ )?on (?:only )?(\w+)/,
    "share",
    "reason",
    "no row can be written while it is built",
    'write "create index concurrently if not exists", and "-- Outside a transaction." in the ' +
      "migration's head",
  ],
  [/^drop index concurrently /, "share update exclusive", "reason", uniqueness],
  [
    /^drop index /,
    "access exclusive",
    "reason",
    "its table can be neither read nor written meanwhile",
    'write "drop index concurrently if exists"',
  ],
  [/^comment on /, "share update exclusive", "yes"],
  [/^create (?:function|view|domain|type|sequence) /, "none", "yes"],
  [
    /^create or replace /,
    "none",
    "reason",
    "an older process uses the new definition from then on",
  ],
  [
    /^create (?:constraint )?trigger .*? on (\w+)/,
    "share row exclusive",
    "reason",
    "it also runs for what an older process writes",
  ],
  [/^insert into (\w+)/, "rows", "reason", "an older process reads the new rows"],
  [/^update (?:only )?(\w+)/, "rows", "reason", "an older process reads the changed rows"],
  [/^delete from (?:only )?(\w+)/, "rows", "reason", "an older process may still want the rows"],
  [/^truncate (?:table )?(\w+)/, "access exclusive", "contract", "the rows are gone"],
  [/^drop table (?:if exists )?(\w+)/, "access exclusive", "contract", "the table is gone"],
  [/^drop /, "access exclusive", "contract", "an older process may use what it drops"],
];

const rewritten = "the table is locked while all its rows are rewritten";
const scanned = "the table is locked while all its rows are read";
const stricter = "an older process may write rows that the constraint refuses";

/** The forms of what `alter table` does. */
const alterRules: readonly Rule[] = [
  [/^add column .*\bgenerated /, "access exclusive", "reason", rewritten],
  [/^add column .*\b(?:unique|primary key)\b/, "access exclusive", "reason", scanned],
  [/^add column .*\bcheck ?\(/, "access exclusive", "reason", scanned],
  [/^add column .*\bdefault now\(\)/, "access exclusive", "yes"],
  [
    /^add column .*\bdefault [\w.]+\(/,
    "access exclusive",
    "reason",
    `${rewritten}, unless the default is the same for all`,
  ],
  [/^add column .*\bdefault /, "access exclusive", "yes"],
  [
    /^add column .*\bnot null\b/,
    "access exclusive",
    "contract",
    "an older process writes rows without the column",
    "give it a default, or allow null",
  ],
  [/^add column /, "access exclusive", "yes"],
  [/^drop column /, "access exclusive", "contract", "an older process may use the column"],
  [/^rename /, "access exclusive", "contract", "an older process uses the old name"],
  [/^alter (?:column )?\w+ (?:set data )?type /, "access exclusive", "contract", rewritten],
  [
    /^alter (?:column )?\w+ set not null/,
    "access exclusive",
    "contract",
    "an older process may write null",
  ],
  [
    /^alter (?:column )?\w+ drop not null/,
    "access exclusive",
    "reason",
    "an older process may not expect null",
  ],
  [/^alter (?:column )?\w+ set default /, "access exclusive", "yes"],
  [
    /^alter (?:column )?\w+ drop default/,
    "access exclusive",
    "contract",
    "an older process may leave the column out",
  ],
  [/^alter (?:column )?\w+ set compression /, "access exclusive", "yes"],
  [/^alter (?:column )?\w+ set storage /, "access exclusive", "yes"],
  [/^alter (?:column )?\w+ (?:re)?set (?:statistics|\()/, "share update exclusive", "yes"],
  [/^drop constraint /, "access exclusive", "reason", uniqueness],
  [/^add (?:constraint \w+ )?check ?\(.* not valid$/, "access exclusive", "reason", stricter],
  [
    /^add (?:constraint \w+ )?foreign key ?\(.* not valid$/,
    "share row exclusive",
    "reason",
    stricter,
  ],
  [
    /^add (?:constraint \w+ )?foreign key/,
    "share row exclusive",
    "reason",
    `${scanned}, and ${stricter}`,
  ],
  [
    /^add (?:constraint|check|unique|primary)/,
    "access exclusive",
    "reason",
    `${scanned}, and ${stricter}`,
  ],
  [/^validate constraint /, "share update exclusive", "yes"],
  [/^(?:re)?set ?\(/, "share update exclusive", "yes"],
  [/^attach partition /, "share update exclusive", "yes"],
];

const unknown: Rule = [
  /^/,
  "access exclusive",
  "reason",
  "its effect is not known",
  "give its form a row in src/storage/migration-rules.ts",
];

/** Returns what each statement of a migration does. */
export function effectsOf(text: string): Effect[] {
  const made = new Set<string>();
  const effects = statementsOf(text).map((statement): Effect => {
    const effect = effectOf(statement, made);
    const reason = /\bolder processes survive this: (\S.*)/i.exec(statement.comment)?.[1];
    if (reason === undefined || effect.survival !== "reason") return effect;
    return { ...effect, survival: "yes", because: reason, remedy: null };
  });
  return headOf(text).isOutsideTransaction ? effects : withHeldLocks(effects);
}

// what may take as long as a table is large; a row with given values does not
const long = [
  /^(?:update|delete|select|with|do) /,
  /^create (?:unique )?index /,
  /^insert into .*\bselect\b/,
  /^alter table .*\b(?:validate|add (?:constraint|check|unique|primary|foreign))\b/,
];

/**
 * Judges the statements of one transaction together: a lock that stops writes is held until its
 * end, so nothing that takes long may follow.
 */
function withHeldLocks(effects: readonly Effect[]): Effect[] {
  const held = new Set<string>();
  return effects.map((effect) => {
    const line = withoutTexts(effect.code);
    const isOfOthers =
      effect.tables.length > 0 || [...held].some((name) => effect.code.includes(name));
    const isHeldUp = held.size > 0 && isOfOthers && long.some((form) => form.test(line));
    if (/writes$/.test(lockStops[effect.lock])) for (const name of effect.tables) held.add(name);
    if (!isHeldUp || effect.survival === "contract") return effect;
    const because = `${[...held].join(", ")} stays locked for as long as it takes`;
    const remedy = "put it into a migration of its own";
    return { ...effect, survival: "apart", because, remedy };
  });
}

function effectOf({ code }: MigrationStatement, made: Set<string>): Effect {
  const line = withoutTexts(code);
  const created = /^create table (?:if not exists )?(\w+)/.exec(line)?.[1];
  const altered = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(line);
  if (created !== undefined) made.add(created);
  const [, table, actions] = altered ?? [];
  const effects =
    table !== undefined && actions !== undefined
      ? splitActions(actions).map((action) => judge(action, alterRules, made, table))
      : [judge(line, statementRules, made)];
  const referred = [...line.matchAll(/\breferences (\w+)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !made.has(name) && name !== table);
  const worst = (rank: (effect: Effect) => number): Effect =>
    effects.reduce((one, other) => (rank(other) > rank(one) ? other : one));
  const byLock = worst(({ lock, tables }) => (tables.length === 0 ? -1 : strengths.indexOf(lock)));
  const { survival, because, remedy } = worst((effect) => survivals.indexOf(effect.survival));
  const tables = [...new Set([...effects.flatMap((effect) => effect.tables), ...referred])];
  const lock =
    tables.length > 0 && byLock.tables.length === 0 ? "share row exclusive" : byLock.lock;
  return { code, lock: tables.length === 0 ? "none" : lock, tables, survival, because, remedy };
}

const strengths = Object.keys(lockStops);
const survivals: Survival[] = ["yes", "reason", "apart", "contract"];

function judge(
  code: string,
  rules: readonly Rule[],
  made: ReadonlySet<string>,
  given?: string,
): Effect {
  const [pattern, lock, survival, because = null, remedy = null] =
    rules.find(([form]) => form.test(code)) ?? unknown;
  const table = given ?? pattern.exec(code)?.[1];
  // nobody else uses a table that the migration itself creates
  if (table !== undefined && made.has(table)) {
    return { code, lock: "none", tables: [], survival: "yes", because: null, remedy: null };
  }
  return { code, lock, tables: table === undefined ? [] : [table], survival, because, remedy };
}

/** Empties the quoted texts and leaves out a body, because their words are not SQL. */
function withoutTexts(code: string): string {
  const body = code.indexOf("$");
  const own = body < 0 ? code : code.slice(0, body);
  return own.replace(/'[^']*'/g, "''").toLowerCase();
}

/** Splits what `alter table` does at the commas outside parentheses. */
function splitActions(text: string): string[] {
  const actions = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth === 0) actions.push("");
    else actions.push(`${actions.pop()}${character}`);
  }
  return actions.map((action) => action.trim());
}
