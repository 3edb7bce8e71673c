import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** What `npm pack` says about a package. */
export type Packed = { filename: string; size: number; files: { path: string; mode: number }[] };

/**
 * Other processes shall not know of these tests, nor of the npm that runs them. They trust the same
 * authorities.
 */
export const environment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(ALDGATE_|NODE_(?!EXTRA_CA_CERTS)|npm_(lifecycle|package|command))/.test(name),
  ),
);

function npm(line: string[], cwd: string): string {
  return execFileSync("npm", line, { cwd, env: environment, encoding: "utf8" });
}

const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];

/** Packs Aldgate, and installs the package into an empty folder. */
export function installAldgate(folder: string): Packed {
  const output = npm(["pack", "--json", "--loglevel=error", "--pack-destination", folder], root);
  const packed = JSON.parse(output.slice(output.indexOf("[\n")))[0];
  npm(["install", ...quiet, `./${packed.filename}`], folder);
  return packed;
}

/**
 * Packs the client library, and installs the package into an empty folder. Packs a copy, because
 * another test packs the library at the same time.
 */
export function installClient(folder: string): void {
  const copy = join(folder, "source");
  const client = join(copy, "packages/client");
  mkdirSync(client, { recursive: true });
  for (const name of ["node_modules", "tsconfig.json"]) {
    symlinkSync(join(root, name), join(copy, name));
  }
  const isSource = (path: string) => !path.endsWith("/dist");
  cpSync(join(root, "packages/client"), client, { recursive: true, filter: isSource });
  npm(["pack", "--loglevel=error", "--pack-destination", folder], client);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  npm(["install", ...quiet, `./${archive}`], folder);
}
