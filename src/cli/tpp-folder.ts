import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import type { BankAddress, TppCredentials } from "#src/sandbox/tpp-client.ts";
import { UsageError } from "./command.ts";

/** Writes a TPP's keys, certificates and a curl configuration into a folder; gives its path. */
export function writeTppFolder(folder: string, tpp: IssuedTpp, bank: BankAddress): string {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  const files: Record<string, string> = {
    "tpp.json": `${JSON.stringify({ ...tpp, bank }, null, 2)}\n`,
    "signing.key.pem": tpp.signing.privateKeyPem,
    "signing.pem": tpp.signing.certificatePem,
    "transport.key.pem": tpp.transport.privateKeyPem,
    "transport.pem": tpp.transport.certificatePem,
    "ca.pem": tpp.caPem,
    "curl.conf": curlConfiguration(path),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(path, name), text);
    if (name.endsWith(".key.pem") || name === "tpp.json") chmodSync(join(path, name), 0o600);
  }
  return path;
}

const curlConfiguration = (path: string): string =>
  [
    `cert = "${join(path, "transport.pem")}"`,
    `key = "${join(path, "transport.key.pem")}"`,
    `cacert = "${join(path, "ca.pem")}"`,
    'header = "accept: application/json"',
    "silent",
    "show-error",
    "",
  ].join("\n");

/**
 * Reads a folder that `writeTppFolder` wrote, or that of a ready TPP, whose bank is the configured
 * one. Throws UsageError when it is neither.
 */
export function readTppFolder(
  folder: string,
  configured: BankAddress,
): { tpp: TppCredentials; bank: BankAddress } {
  const file = join(folder, "tpp.json");
  if (!existsSync(file)) {
    throw new UsageError(`${folder} holds no TPP. Make one: ./aldgate tpp create --out ${folder}`);
  }
  const { bank = configured, ...tpp } = JSON.parse(readFileSync(file, "utf8")) as IssuedTpp & {
    bank?: BankAddress;
  };
  return { bank, tpp };
}
