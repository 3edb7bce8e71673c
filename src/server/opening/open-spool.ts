import { access, constants } from "node:fs/promises";
import { tmpdir } from "node:os";
import { type Config, ConfigError } from "#src/config/config.ts";
import { removeLeftSpools } from "#src/http/body/spool.ts";

/** Clears what a killed process left of its spool. Throws ConfigError for an unusable folder. */
export async function openSpool({ SPOOL_FOLDER: folder }: Config): Promise<void> {
  try {
    await access(folder ?? tmpdir(), constants.W_OK);
    await removeLeftSpools(folder);
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError([`SPOOL_FOLDER: the folder must exist and be writable (${message})`]);
  }
}
