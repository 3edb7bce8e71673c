// A process that does nothing but look at the clock: how long the machine lets one wait. Started by
// `openBystander`; it tells its longest stall in milliseconds when it is asked, and ends.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(import.meta.url);

/** Starts one; `ask` gives the longest time that it was kept waiting since, and ends it. */
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
