import type { Clock } from "#src/lib/clock.ts";
import type { OfferedKind } from "#src/server/examples/example.ts";

/** The parts of the process that a command uses; `main.ts` or a test passes them in. */
export type Cli = {
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

/** One command of the command line. */
export type Command = {
  /** As typed: `tpp create`. */
  name: string;
  summary: string;
  /** Lines of the help text after the summary. */
  usage: string | ((cli: Cli) => Promise<string>);
  /** Runs the command and returns the exit code. Throws UsageError for wrong arguments. */
  run(cli: Cli): Promise<number>;
};

/** Wrong arguments: the message says what is expected; exit code 2. */
export class UsageError extends Error {}
