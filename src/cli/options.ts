import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ProfileId, profileIds } from "#src/clients/security-profile.ts";
import { UsageError } from "./command.ts";

type Wanted = Record<string, { type: "string" | "boolean"; default?: string | boolean }>;

// Each option is a long one. A word with one hyphen is an id, such as a key's (one of 64 begins
// so), and parseArgs would take it for options of one letter. No argument of a process has NUL.
const shield = (word: string): string => (/^-[^-]/.test(word) ? `\0${word}` : word);
const unshield = <Value>(value: Value): Value | string =>
  typeof value === "string" ? value.replace(/^\0/, "") : value;

/** Reads `--name value` options and positional arguments. Throws UsageError for unknown options. */
export function readOptions<Options extends Wanted>(
  given: string[],
  options: Options,
): { values: { [Name in keyof Options]?: string | boolean }; rest: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: given.map(shield),
      options,
      allowPositionals: true,
      strict: true,
    });
    const read = Object.entries(values).map(([name, value]) => [name, unshield(value)]);
    return { values: Object.fromEntries(read), rest: positionals.map(unshield) };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The message for an argument to a command that has none. */
export const optionsOnly = "The command takes options only.";

/** Throws UsageError if there is any argument or option. */
export function readNothing(given: string[]): void {
  if (readOptions(given, {}).rest.length > 0) throw new UsageError(optionsOnly);
}

/** The text of an option, or undefined. */
export const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** The text of an option that must be given. Throws UsageError if it is empty or too long. */
export function readShortText(
  name: string,
  given: string | boolean | undefined,
  longest: number,
): string {
  const value = String(given ?? "");
  if (value.length > 0 && value.length <= longest) return value;
  throw new UsageError(`Give --${name} with at most ${longest} characters.`);
}

/** The date of an option, or null if it was not given. Throws UsageError unless it is a date. */
export function dateOf(
  name: string,
  value: string | boolean | undefined,
): Temporal.PlainDate | null {
  if (value === undefined) return null;
  try {
    return Temporal.PlainDate.from(String(value));
  } catch {
    throw new UsageError(`--${name} must be a date, such as 2027-03-31.`);
  }
}

const methods = ["tls_client_auth", "private_key_jwt"] as const;

/** The method of the option `--auth`. Throws UsageError for an unknown one. */
export function methodOf(
  value: string | boolean | undefined,
  standard: (typeof methods)[number],
): (typeof methods)[number] {
  const found = methods.find((method) => method === (value ?? standard));
  if (!found) {
    throw new UsageError(`There is no authentication method "${textOf(value)}".`, methods);
  }
  return found;
}

/** How usage texts describe the option `--profile`. */
export const profileUsage = `${profileIds.join(", ")} (default: ${profileIds[0]})`;

/** The security profile of the option `--profile`. Throws UsageError for an unknown name. */
export function profileOf(value: string | boolean | undefined): ProfileId {
  const [standard] = profileIds;
  const name = value ?? standard;
  const found = profileIds.find((id) => id === name);
  if (!found)
    throw new UsageError(`--profile must be one of ${profileIds.join(", ")}.`, profileIds);
  return found;
}

/** Reads a file that the command line names. Throws UsageError if there is none. */
export function readGiven(path: string): string {
  requireFile(path);
  return readFileSync(path, "utf8");
}

/** Throws UsageError if there is no file that the command line names. */
export function requireFile(path: string): void {
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
}
