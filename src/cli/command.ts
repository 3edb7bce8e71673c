import type { Clock } from "#src/lib/clock.ts";
import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";

/** What a command has of the process; handed in by `main.ts`, or by a test. */
export type Cli = {
  arguments: string[];
  environment: Record<string, string | undefined>;
  clock: Clock;
  /** Whether a person is looking: colours and progress lines. */
  isTerminal: boolean;
  print(text: string): void;
  complain(text: string): void;
  /** Loads the payment kinds that the bank offers. */
  kinds(): Promise<readonly PaymentKind[]>;
  /** Calls the handler at each of the signals that a server answers. */
  onSignal(handler: (signal: "SIGINT" | "SIGTERM" | "SIGHUP") => void): void;
};

/** One command of the command line. */
export type Command = {
  /** As typed: `tpp create`. */
  name: string;
  summary: string;
  /** Lines of the help text after the summary. */
  usage: string | ((cli: Cli) => Promise<string>);
  /** Does it, and gives the exit code. Throws UsageError when called wrongly. */
  run(cli: Cli): Promise<number>;
};

/** Called wrongly: the message says what is expected; exit code 2. */
export class UsageError extends Error {}
