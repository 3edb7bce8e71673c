import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Call, Ending, OperationName, Operations } from "./calls.ts";

// A history on disk is JSON Lines, so that any program can write one. A line says that a call was
// sent, or how one ended:
//   {"call":7,"at":12.3,"client":"tpp-1","operation":"readOrder","asked":{…}}
//   {"call":7,"at":15.9,"outcome":"ok","told":{…}}
// A call whose second line is missing has no known outcome.

type SentLine = Pick<Call, "client" | "operation" | "asked"> & { call: number; at: number };
type EndingLine = Ending<OperationName> & { call: number; at: number };

type Line = SentLine | EndingLine;

/** A history that is being recorded. */
export class History {
  readonly #lines: Line[] = [];
  readonly #file: number | null;
  #calls = 0;
  #last = 0;
  readonly #clock: () => number;

  /**
   * Keeps the history in memory and, if a path is given, in that file too, line by line. `clock`
   * returns milliseconds; by default, they are the machine's.
   */
  constructor(
    path: string | null = null,
    clock = () => performance.timeOrigin + performance.now(),
  ) {
    this.#file = path === null ? null : openSync(path, "a");
    this.#clock = clock;
  }

  /** Notes that a call is sent. The returned function notes how it ended. */
  send<Name extends OperationName>(
    client: string,
    operation: Name,
    asked: Operations[Name]["asked"],
  ): (ending: Ending<Name>) => void {
    this.#calls += 1;
    const call = this.#calls;
    this.#write({ call, at: this.#now(), client, operation, asked });
    return (ending) => this.#write({ call, at: this.#now(), ...ending });
  }

  /** Notes a fact of which the lane is sure, as a call that is answered at once. */
  note<Name extends OperationName>(
    client: string,
    operation: Name,
    asked: Operations[Name]["asked"],
    told: Operations[Name]["told"],
  ): void {
    this.send(client, operation, asked)({ outcome: "ok", told } as Ending<Name>);
  }

  /** The place up to which the history has come. */
  mark(): number {
    return this.#lines.length;
  }

  /**
   * Takes back the answers after a place: the bank has been restored from a backup of that time, so
   * it may know of what it said since, or not.
   */
  doubt(mark: number): void {
    for (const line of this.#lines.slice(mark)) {
      if ("operation" in line || line.outcome === "unknown") continue;
      this.#write({ call: line.call, at: this.#now(), outcome: "unknown" });
    }
  }

  /** Returns the calls so far. */
  calls(): Call[] {
    return pair(this.#lines.map((line, index) => ({ line, number: index + 1 })));
  }

  /** Takes over the calls that another process has recorded in a file. */
  take(path: string): void {
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .filter((text) => text.trim() !== "");
    for (const [index, text] of lines.entries()) {
      const line = parse(text, index, lines.length);
      if (line !== null) this.#write(line);
    }
  }

  /** Closes the file. */
  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }

  /** No two lines have one time, so that an answer is always before what is sent after it. */
  #now(): number {
    const now = Math.max(this.#clock(), this.#last + 0.001);
    this.#last = Math.round(now * 1000) / 1000;
    return this.#last;
  }

  #write(line: Line): void {
    this.#lines.push(line);
    if (this.#file !== null) writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** Reads the lines of a history, in any order. An incomplete last line is left out. */
export const readHistory = (lines: readonly string[]): Call[] =>
  pair(
    lines.flatMap((text, index) => {
      const line = parse(text, index, lines.length);
      return line === null ? [] : [{ line, number: index + 1 }];
    }),
  );

function parse(text: string, index: number, count: number): Line | null {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    // the recorder was killed while it wrote
    if (index >= count - 2) return null;
    throw new Error(`line ${index + 1} of the history is not JSON`, { cause: error });
  }
}

/** Puts the two lines of each call together. */
function pair(lines: readonly { line: Line; number: number }[]): Call[] {
  const endings = new Map<number, { line: EndingLine; number: number }>();
  for (const { line, number } of lines) {
    if (!("operation" in line)) endings.set(line.call, { line, number });
  }
  return lines
    .flatMap(({ line, number }): Call[] => {
      if (!("operation" in line)) return [];
      const { call, at: start, ...sent } = line;
      const said = endings.get(call);
      if (said === undefined || said.line.outcome === "unknown") {
        const numbers = said === undefined ? [number] : [number, said.number];
        return [{ ...sent, start, end: Infinity, lines: numbers, outcome: "unknown" } as Call];
      }
      const { call: _, at: end, ...ending } = said.line;
      return [{ ...sent, start, end, lines: [number, said.number], ...ending } as Call];
    })
    .sort((one, other) => one.start - other.start);
}
