import { ConfigError } from "./config.ts";

// package.json lists these as optional dependencies, which the installation of a bank leaves out
// (docs/decisions/0042-packages-of-the-sandbox.md).
const packages = ["@electric-sql/pglite", "pdfkit"];

/** Throws ConfigError if a package is not installed that only a sandbox needs. */
export function requireSandboxPackages(): void {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  throw new ConfigError([
    `ALDGATE_PROFILE: a sandbox and the embedded database need ${missing.join(" and ")}, and this ` +
      "is the installation of a bank without them. For a sandbox, " +
      "run `npm ci --omit=dev` in the folder of Aldgate. " +
      "For a bank, set ALDGATE_PROFILE=production and DATABASE_URL.",
  ]);
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
