import { existsSync, readFileSync } from "node:fs";
import { type Config, ConfigError, loadConfig } from "#src/config/config.ts";

/** The configuration of this environment, with the file that ALDGATE_CONFIG names. */
export function configOf(environment: Record<string, string | undefined>): Readonly<Config> {
  const path = environment.ALDGATE_CONFIG;
  if (path === undefined) return loadConfig(environment);
  if (!existsSync(path)) throw new ConfigError([`ALDGATE_CONFIG: there is no file ${path}`]);
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new ConfigError([`ALDGATE_CONFIG: ${path} is not JSON: ${(error as Error).message}`]);
  }
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw new ConfigError([`ALDGATE_CONFIG: ${path} must contain a JSON object`]);
  }
  return loadConfig(environment, file as Record<string, unknown>);
}
