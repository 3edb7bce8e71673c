import { runCli } from "#src/cli/main.ts";
import { systemClock } from "#src/lib/clock.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";

/** The output of a command and its exit code. */
export type CommandResult = { code: number; printed: string; complained: string };

/** Runs a command of the CLI in this process, with only this environment. */
export async function runCommand(
  line: string,
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const printed: string[] = [];
  const complained: string[] = [];
  const code = await runCli({
    arguments: line === "" ? [] : line.split(" "),
    environment,
    clock: systemClock,
    isTerminal: false,
    kinds: async () => paymentKinds,
    print: (text) => void printed.push(text),
    complain: (text) => void complained.push(text),
    onSignal: () => undefined,
  });
  return { code, printed: printed.join("\n"), complained: complained.join("\n") };
}
