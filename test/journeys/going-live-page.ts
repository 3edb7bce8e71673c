import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeAuthority } from "#test/http/certificates.ts";
import type { ProductionFolder } from "#test/server/production-folder.ts";
import type { Framework } from "./trust-framework.ts";

const page = readFileSync(new URL("../../docs/going-live.md", import.meta.url), "utf8");

/** The settings of every bank, and those of a core or a login, by the name of their first one. */
const blocks = [
  ...(/^## 2\.[\s\S]*?(?=^## 3\.)/m.exec(page)?.[0] ?? "").matchAll(/```sh\n([\s\S]*?)```/g),
]
  .map(([, block = ""]) => block)
  .map((block) => [/^export ([A-Z_]+)=/.exec(block)?.[1], block] as const);

/**
 * Reads the settings from docs/going-live.md as a shell reads them: those of every bank, and those
 * of the blocks that begin with a setting of `chosen`. `places` replaces the page's addresses,
 * files and folders by those of a test.
 */
export function settingsOfPage(
  chosen: readonly string[],
  places: Record<string, string>,
): Record<string, string> {
  const wanted = ["ALDGATE_PROFILE", ...chosen].map((name) => {
    const found = blocks.find(([begins]) => begins === name)?.[1];
    if (found === undefined) throw new Error(`no block of the page begins with ${name}`);
    return found;
  });
  // a test may run where openssl is not installed
  const block = wanted.join("").replace("$(openssl rand -hex 32)", randomBytes(32).toString("hex"));
  const script = Object.entries(places).reduce(
    (text, [written, actual]) => text.replaceAll(written, actual),
    block,
  );
  const print = `process.stdout.write(JSON.stringify(process.env))`;
  const shell = spawnSync("sh", ["-euc", `${script}\nexec "$NODE" -e "$PRINT"`], {
    env: { PATH: process.env.PATH ?? "", NODE: process.execPath, PRINT: print },
    encoding: "utf8",
  });
  if (shell.status !== 0) throw new Error(`the page's settings: ${shell.stderr}`);
  const names = [...block.matchAll(/\b([A-Z_]+)=/g)].map(([, name = ""]) => name);
  const read = JSON.parse(shell.stdout) as Record<string, string>;
  return Object.fromEntries(
    names.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]])),
  );
}

/** Lists the commands that the page names: `clients suspend`. */
export function commandsOfPage(): string[] {
  const named = [...page.matchAll(/\.\/aldgate\s+([a-z]+(?:\s+[a-z]+)?)/g)];
  return [...new Set(named.map(([, words = ""]) => words.replace(/\s+/g, " ")))].sort();
}

/** The parts of a bank whose files docs/going-live.md names. */
type Files = {
  folder: ProductionFolder;
  framework: Framework;
  issuerName: string;
  databaseRoot: string;
};

/** Writes the files that the page names, besides those of the production folder. */
export async function writeFiles(files: Files): Promise<void> {
  const { folder, framework, issuerName, databaseRoot } = files;
  const { rootPem, host } = framework;
  const issuer = {
    iss: issuerName,
    jwksUri: `https://${host}/issuer.jwks`,
    environment: "production",
    jwksHosts: [host],
  };
  folder.write("issuers.json", JSON.stringify({ issuers: [issuer] }));
  folder.write("database-root.pem", databaseRoot);
  mkdirSync(join(folder.path, "authorities"));
  folder.write("authorities/framework.pem", rootPem);
  folder.write("authorities/second.crt", (await makeAuthority("Second root")).cert);
  folder.write("authorities/README", "one file per authority");
}
