// Prints the software bill of materials (CycloneDX, JSON) of a bank's installation: the packages of
// the lock file without those for development and for a sandbox. Usage: npm run -s sbom.
//
// "npm sbom --omit dev" in the checkout leaves out what a package for development needs too, such
// as the database driver. So npm is given a folder with only the packages of a bank.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./source-files.ts";

type Placed = { dev?: boolean; optional?: boolean } & Record<string, unknown>;

const left = ["devDependencies", "optionalDependencies", "bundleDependencies", "overrides"];

function writeBank(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const name of left) delete manifest[name];
  const packages = Object.entries<Placed>(lock.packages)
    .filter(([place, { dev, optional }]) => place !== "" && !dev && !optional)
    .map(([place, { inBundle: _, ...facts }]) => [place, facts]);
  const { name, version, license, dependencies } = manifest;
  const own = { name, version, license, dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const whole = { ...lock, packages: { "": own, ...Object.fromEntries(packages) } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(whole));
}

const home = mkdtempSync(join(tmpdir(), "aldgate-sbom-"));
try {
  // npm names the component after its folder
  const folder = join(home, "aldgate");
  mkdirSync(folder);
  writeBank(folder);
  const line = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const options = { cwd: folder, encoding: "utf8", maxBuffer: 1e8 } as const;
  process.stdout.write(execFileSync("npm", line, options));
} finally {
  rmSync(home, { recursive: true, force: true });
}
