import type { Cli } from "./command.ts";

/** Shows the progress of long work: one updated line on a terminal, a few lines otherwise. */
export type Progress = { show(text: string, done?: number, total?: number): void; end(): void };

/** Progress on the command line's error stream. */
export function createProgress(cli: Pick<Cli, "isTerminal" | "complain">): Progress {
  let last = "";
  let open = false;
  return {
    show(text, done, total) {
      const known = done !== undefined && total !== undefined && total > 0;
      const percent = known ? Math.floor((done / total) * 100) : null;
      if (cli.isTerminal) {
        const line = percent === null ? `  ${text} …` : `  ${text} … ${percent} %`;
        if (line === last) return;
        process.stderr.write(`\r\u001b[K${line}`);
        last = line;
        open = true;
        return;
      }
      // without a terminal: a line at the beginning, and at each further quarter
      const line = `${text}${percent === null ? "" : ` ${percent - (percent % 25)} %`}`;
      if (line !== last) cli.complain(`  ${line}`);
      last = line;
    },
    end() {
      if (open) process.stderr.write("\r\u001b[K");
      open = false;
    },
  };
}
