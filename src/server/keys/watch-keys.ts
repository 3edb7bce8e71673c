import { readFileSync } from "node:fs";
import type { Config } from "#src/config/config.ts";
import { anchorFiles, type Keys, loadKeys } from "./keys.ts";
import { checkProduction } from "./production-checks.ts";

/** Called after changed files have been read. */
type KeyListener = {
  onChanged(keys: Pick<Keys, "server" | "clientCa">): void;
  /** ConfigError: the new files cannot be used, and the old ones stay in use. */
  onFailure(error: unknown): void;
};

/** Certificate files under watch. */
export type KeyWatch = {
  /** Reloads the files, changed or not. Throws ConfigError, and then changes nothing. */
  reload(): void;
  stop(): void;
};

const intervalMs = 10_000;

/**
 * Checks the server's certificate and key, the roots of TPPs and the certificate of the signing key
 * every ten seconds, and reloads them if they have changed, so that a renewal needs no restart. If
 * the files are incomplete or do not belong together, this is reported once and they are not used.
 */
export function watchKeys(config: Config, listener: KeyListener, everyMs = intervalMs): KeyWatch {
  const read = (): string =>
    [config.TLS_CERTIFICATE, config.TLS_KEY, config.SIGNING_CERTIFICATE, ...anchorFiles(config)]
      .map((path) => (path === undefined ? "" : readFileSync(path, "utf8")))
      .join("\0");
  let seen = read();
  const reload = (): void => {
    seen = read();
    checkProduction(config);
    listener.onChanged(loadKeys(config));
  };
  const look = (): void => {
    try {
      if (read() !== seen) reload();
    } catch (error) {
      listener.onFailure(error);
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return { reload, stop: () => clearInterval(timer) };
}
