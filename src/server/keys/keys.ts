import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#src/config/config.ts";
import { listOf } from "#src/config/networks.ts";
import { present } from "#src/lib/assert.ts";

// The keys and certificates of the bank, and its trust in those of TPPs. This file reads the files
// that the settings name, and production-checks.ts refuses files and settings that production must
// not use. watch-keys.ts reloads renewed files. open-signing.ts opens the keys with which the bank
// signs, and open-trust.ts opens the trust in the certificates of TPPs.

/**
 * Keys, certificates and secrets, as PEM text. A deployment supplies them; a sandbox generates
 * them.
 */
export type Keys = {
  server: { key: string; cert: string };
  /** The roots that TPP certificates chain to. */
  clientCa: string;
  cookieSecret: string;
};

/** The settings that name one file of keys or certificates. */
export const fileKeys = [
  "TLS_CERTIFICATE",
  "TLS_KEY",
  "SIGNING_KEY",
  "SIGNING_CERTIFICATE",
] as const satisfies readonly (keyof Config)[];

/** The name of such a setting. */
export type FileKey = (typeof fileKeys)[number];

/**
 * Reads the keys that the configuration names. `checkProduction` has checked that the files exist.
 */
export function loadKeys(config: Config): Keys {
  const read = (key: FileKey): string => readFileSync(present(config[key], key), "utf8");
  return {
    server: { key: read("TLS_KEY"), cert: read("TLS_CERTIFICATE") },
    clientCa: readAnchors(config),
    cookieSecret: present(config.COOKIE_SECRET, "COOKIE_SECRET"),
  };
}

/** The files that CLIENT_CA names, and those in the folders that it names, in order of name. */
export const anchorFiles = ({ CLIENT_CA: text }: Pick<Config, "CLIENT_CA">): string[] =>
  listOf(text).flatMap((path) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(path)
          .filter((name) => /\.(pem|crt|cer)$/.test(name))
          .sort()
          .map((name) => join(path, name))
      : [path],
  );

/** Reads the certificates of the authorities that CLIENT_CA names, as one PEM text. */
export const readAnchors = (config: Pick<Config, "CLIENT_CA">): string =>
  anchorFiles(config)
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
