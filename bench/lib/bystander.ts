// A process that only reads the clock, to measure how long the machine makes a process wait.
// `openBystander` starts it. When asked, it reports its longest stall in milliseconds and ends.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(import.meta.url);

/** Starts such a process. `ask` returns its longest stall so far and ends it. */
export function openBystander(): { ask(): Promise<number> } {
  const child: ChildProcess = fork(file);
  return {
    async ask() {
      const answer = once(child, "message");
      child.send("ask");
      const [milliseconds] = await answer;
      return Number(milliseconds);
    },
  };
}

if (process.argv[1] === file && process.send) {
  const delay = monitorEventLoopDelay({ resolution: 2 });
  delay.enable();
  process.once("message", () => {
    process.send?.(delay.max / 1e6);
    process.disconnect?.();
  });
}
