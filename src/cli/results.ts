import { textOf } from "#src/lib/plain-text.ts";
import type { Cli, Result, Terminal } from "./command.ts";

/** Why a command has failed. */
export type CommandFault = {
  code: string;
  message: string;
  /** The single faults, if there can be several. */
  faults?: readonly string[];
  /** The values that are allowed. */
  allowed?: readonly string[] | undefined;
  /** The command that helps. */
  next?: string;
};

/** The output of a command, as text or as JSON. */
export type Output = {
  cli: Cli;
  /** Prints a result, and returns the exit code. */
  show(result: Result): number;
  /** Reports a failure: JSON on stdout, or text on stderr, with `help` after it. */
  fail(fault: CommandFault, help?: string): void;
  /** With JSON, reports an error that nobody has foreseen. It is thrown after that. */
  crash(error: unknown): void;
};

/** Takes the option `--json` out of the arguments. Every command has it. */
export function takeJson(given: readonly string[]): { asJson: boolean; words: string[] } {
  const end = given.includes("--") ? given.indexOf("--") : given.length;
  const words = given.filter((word, index) => index >= end || word !== "--json");
  return { asJson: words.length < given.length, words };
}

/** Prints what commands return: this is the only place that knows text from JSON. */
export function createOutput(terminal: Terminal, asJson: boolean): Output {
  return asJson ? jsonOutput(terminal) : textOutput(terminal);
}

function textOutput(terminal: Terminal): Output {
  return {
    cli: terminal,
    show({ lines, complaints = [], exitCode = 0 }) {
      for (const line of lines) terminal.print(line);
      for (const line of complaints) terminal.complain(line);
      return exitCode;
    },
    fail({ message, faults = [] }, help) {
      const text = [message, ...faults.map((fault) => `  ${fault}`)].join("\n");
      terminal.complain(help === undefined ? text : `${text}\n\n${help}`);
    },
    crash: () => undefined,
  };
}

function jsonOutput(terminal: Terminal): Output {
  // in one line, so that it can follow items
  const fail = (error: CommandFault): void => terminal.print(JSON.stringify({ error }));
  return {
    cli: {
      ...terminal,
      print(_text, item) {
        if (item === undefined) return;
        terminal.print(typeof item === "string" ? item : JSON.stringify(item));
      },
    },
    show({ json, exitCode = 0 }) {
      if (json !== null) terminal.print(JSON.stringify(json, null, 2));
      return exitCode;
    },
    fail,
    crash: (error) => fail({ code: "unexpected", message: textOf(error) }),
  };
}

/** What the bank has told a customer about the payee's name, in the words of a command. */
export const warnedText = ({ title, text }: { title: string; text: string }): string =>
  `The bank warned the customer. ${title}. ${text}`;
