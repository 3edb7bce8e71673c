import { spawn } from "node:child_process";
import { extname, join } from "node:path";
import { AlreadyExplained } from "./plain-fault.ts";

/**
 * Runs `./aldgate seed` with these settings in a separate process, because the embedded database
 * never returns the memory that this takes. Throws AlreadyExplained.
 */
export async function seedApart(
  environment: Record<string, string | undefined>,
  options: string[],
): Promise<void> {
  // modules end with .js in the package
  const main = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);
  const child = spawn(process.execPath, [main, "seed", ...options], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  if (code !== 0) throw new AlreadyExplained("The data was not made: see the message above.");
}
