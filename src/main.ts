// The process: the only place that reads the arguments, the environment, the signals and the clock.
import { enableCompileCache } from "node:module";

enableCompileCache();
silenceRuntimeWarning();
const { runCli } = await import("#src/cli/main.ts");
const { systemClock } = await import("#src/lib/clock.ts");

process.exitCode = await runCli({
  arguments: process.argv.slice(2),
  environment: process.env,
  clock: systemClock,
  isTerminal: process.stdout.isTTY === true,
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  onSignal: (handler) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, handler);
  },
});

// oidc-provider warns of every runtime whose build bears no LTS name, as the pinned one's does not:
// a line that a newcomer would take for a fault.
function silenceRuntimeWarning(): void {
  const warn = console.warn;
  console.warn = (...texts: unknown[]) => {
    if (!String(texts[0]).includes("oidc-provider WARNING: Unsupported runtime")) warn(...texts);
  };
}
