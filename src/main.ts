// The process: the only place that reads the arguments, the environment, the signals and the clock.
import { enableCompileCache } from "node:module";

enableCompileCache();
const { runCli } = await import("#src/cli/main.ts");
const { systemClock } = await import("#src/lib/clock.ts");

// the reader may have read enough (`| head -1`): the command then continues without printing
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
// the kernel drops a signal that the first process of a container does not handle, so a command
// that needs nothing but its end would not end
const end = (): void => process.exit(143);
if (process.pid === 1) for (const signal of signals) process.on(signal, end);

process.exitCode = await runCli({
  arguments: process.argv.slice(2),
  environment: process.env,
  clock: systemClock,
  isTerminal: process.stdout.isTTY === true,
  kinds: async () => (await import("#src/payments/payment-kinds.ts")).paymentKinds,
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  onSignal: (handler) => {
    for (const signal of signals) process.off(signal, end).on(signal, handler);
  },
});
