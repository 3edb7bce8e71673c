import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type IssuedTpp,
  type TppCertificates,
  withCertificates,
} from "#src/sandbox/directory/issued-tpp.ts";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { UsageError } from "./command.ts";
import {
  BankRefused,
  type SandboxAddress,
  sandboxClient,
  servedAddress,
} from "./sandbox-client.ts";

/** Whether a folder has keys that `writeTppFolder` would overwrite and that cannot be restored. */
export const holdsTpp = (folder: string): boolean =>
  ["tpp.json", "signing.key.pem", "transport.key.pem"].some((name) =>
    existsSync(join(folder, name)),
  );

/**
 * Writes a TPP's keys, certificates and a curl configuration into a folder, and further files by
 * name. Returns its path.
 */
export function writeTppFolder(
  folder: string,
  tpp: IssuedTpp,
  bank: BankAddress,
  further: Record<string, string> = {},
): string {
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
    ...further,
  };
  for (const [name, text] of Object.entries(files)) {
    const secret = name.endsWith(".key.pem") || name === "tpp.json";
    const draft = join(path, `.${name}.${process.pid}`);
    writeFileSync(draft, text, { mode: secret ? 0o600 : 0o644 });
    renameSync(draft, join(path, name)); // readers see either the old or the new file
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
 * Reads a folder that `writeTppFolder` wrote, or the folder of a ready TPP, which belongs to the
 * configured bank. If the bank has renewed the TPP's certificates, they are written to the folder
 * first; the bank updates the folders of ready TPPs itself. Throws UsageError for any other folder.
 */
export async function openTppFolder(
  folder: string,
  configured: SandboxAddress,
): Promise<{ tpp: IssuedTpp; bank: SandboxAddress }> {
  const file = join(folder, "tpp.json");
  if (!existsSync(file)) {
    throw new UsageError(
      `There is no TPP in ${folder}. Create one: ./aldgate tpp create --out ${folder}`,
    );
  }
  const { bank: written, ...tpp } = JSON.parse(readFileSync(file, "utf8")) as IssuedTpp & {
    bank?: BankAddress;
  };
  // if no bank answers, the later call reports it
  if (!written) return { bank: (await servedAddress(configured, tpp.caPem)) ?? configured, tpp };
  const bank: SandboxAddress = { ...configured, ...written };
  const served = await loadServed(bank, tpp);
  if (!served || !isNewer(served, tpp)) return { bank, tpp };
  const renewed = withCertificates(tpp, served);
  writeTppFolder(folder, renewed, written);
  return { bank, tpp: renewed };
}

// If the bank does not respond or does not know the TPP, the later call reports it.
async function loadServed(bank: SandboxAddress, tpp: IssuedTpp): Promise<TppCertificates | null> {
  try {
    return await sandboxClient(bank, tpp.caPem).readTpp(tpp.clientId);
  } catch (error) {
    if (error instanceof BankRefused) return null;
    throw error;
  }
}

// Certificates of another root are adopted too, because the bank trusts only its current root.
function isNewer(served: TppCertificates, tpp: IssuedTpp): boolean {
  if (served.caPem !== tpp.caPem) return true;
  const end = (pem: string): number => new X509Certificate(pem).validToDate.getTime();
  return end(served.transport.certificatePem) > end(tpp.transport.certificatePem);
}
