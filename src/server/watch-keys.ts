import { readFileSync } from "node:fs";
import type { Config } from "#src/config/config.ts";
import { type Keys, loadKeys } from "./keys.ts";
import { checkProduction } from "./production-checks.ts";

/** Told of what became of changed files. */
export type KeyListener = {
  onChanged(keys: Pick<Keys, "server" | "clientCa" | "signing">): void;
  /** ConfigError: the new files cannot be used, and the old ones stay in use. */
  onFailure(error: unknown): void;
};

/** Certificate files under watch. */
export type KeyWatch = {
  /** Takes the files as they are now, changed or not. Throws ConfigError, and changes nothing. */
  reload(): void;
  stop(): void;
};

const intervalMs = 10_000;

/**
 * Looks every ten seconds at the server's certificate and key, at the roots of TPPs and at the
 * certificate of the signature key, and reloads them when they have changed, so that a renewed
 * certificate does not need a restart. A set that is half written, whose key is not the
 * certificate's, is reported once and left alone.
 */
export function watchKeys(config: Config, listener: KeyListener, everyMs = intervalMs): KeyWatch {
  const read = (): string =>
    [config.TLS_CERTIFICATE, config.TLS_KEY, config.CLIENT_CA, config.SIGNING_CERTIFICATE]
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
