import { type Config, configSchema } from "./config.ts";

/** The settings by which a command finds a running sandbox and its keys. */
const findingSettings = [
  "ALDGATE_DATA",
  "PUBLIC_PORT",
  "MTLS_PORT",
  "PUBLIC_URL",
  "MTLS_URL",
  "PUBLIC_TLS",
] as const;

/** How a command is shown, such as `PUBLIC_PORT=9080 ./aldgate logs`. */
export type ShownCommand = (command: string) => string;

/**
 * Shows commands with the settings that they need to reach this bank from another terminal. A
 * setting that has its default is left out.
 */
export function shownCommands(
  config: Pick<Config, (typeof findingSettings)[number]>,
): ShownCommand {
  const set = findingSettings.flatMap((name) => {
    const value = config[name];
    if (value === undefined || value === defaultOf(name)) return [];
    return [`${name}=${inShell(String(value))} `];
  });
  return (command) => `${set.join("")}${command}`;
}

function defaultOf(name: (typeof findingSettings)[number]): unknown {
  const setting: object = configSchema.properties[name];
  return "default" in setting ? setting.default : undefined;
}

/** A word for a POSIX shell. */
export const inShell = (word: string): string =>
  /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
