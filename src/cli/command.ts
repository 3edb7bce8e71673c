import type { Clock } from "#src/lib/clock.ts";
import type { OfferedKind } from "#src/server/examples/example.ts";

/** The parts of the process that the command line uses; `main.ts` or a test passes them in. */
export type Terminal = {
  arguments: string[];
  environment: Record<string, string | undefined>;
  clock: Clock;
  /** Whether the output is a terminal: colours and progress lines. */
  isTerminal: boolean;
  print(text: string): void;
  complain(text: string): void;
  /** Loads the payment kinds that the bank offers. */
  kinds(): Promise<readonly OfferedKind[]>;
  /** Calls the handler at each signal that a server handles. */
  onSignal(handler: (signal: "SIGINT" | "SIGTERM" | "SIGHUP") => void): void;
};

/** What one command uses. */
export type Cli = Omit<Terminal, "print"> & {
  /**
   * Prints something before the command ends: the text, or, with `--json`, the item in one line; a
   * text is JSON already. With `--json`, a text without an item is not printed.
   */
  print(text: string, item?: object | string): void;
};

/** What a command has done. */
export type Result = {
  /** For people. */
  lines: readonly string[];
  /** The same as one JSON document; null if the command has printed items instead. */
  json: object | null;
  /** Lines for people that belong on the error stream. */
  complaints?: readonly string[];
  /** 0 if it is left out. */
  exitCode?: number;
};

/** A command that usually follows, and what it does. */
type NextCommand = readonly [command: string, what: string];

/** One command of the command line. */
export type Command = {
  /** As typed: `tpp create`. */
  name: string;
  summary: string;
  /** Lines of the help text after the summary. */
  usage: string | ((cli: Pick<Terminal, "kinds">) => Promise<string>);
  /**
   * What `--json` prints, by the first argument; "" for every other. A list names the members of
   * the object, with `?` after one that can be absent.
   */
  json: Readonly<Record<string, string | readonly string[]>>;
  /** Whether `--json` prints a line for each item instead of one document. */
  hasItems?: true;
  next: readonly [NextCommand, ...NextCommand[]];
  /** Runs the command. Throws UsageError for wrong arguments. */
  run(cli: Cli): Promise<Result>;
};

/** Wrong arguments: the message says what is expected; exit code 2. */
export class UsageError extends Error {
  /** The values that are allowed, if they can be listed. */
  readonly allowed: readonly string[] | undefined;

  constructor(message: string, allowed?: readonly string[]) {
    super(message);
    this.allowed = allowed;
  }
}

/** Returns the row with this name. Throws UsageError, which lists the names. */
export function rowOf<Row>(
  rows: Readonly<Record<string, Row>>,
  name: string,
  message: string,
): Row {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row !== undefined) return row;
  throw new UsageError(message, Object.keys(rows));
}
