import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { openBenchBank } from "./bank.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const loadProcess = "bench/lib/journey-load-process.ts";

/** The code of one commit, with what a benchmark of journeys needs of it. */
export type EarlierCommit = {
  openBenchBank: typeof openBenchBank;
  /** URL of the process that runs journeys, with the commit's own customer and TPP. */
  loadProcess: string;
  remove(): void;
};

/**
 * Checks out a commit into a temporary folder. The code there uses the packages that are installed
 * here, or those of its own lock file if that is another. Its load process is replaced with this
 * code's.
 */
export async function checkOut(commit: string): Promise<EarlierCommit> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-commit-"));
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "pipe" });
  git("worktree", "add", "--detach", "--force", folder, commit);
  const remove = (): void => {
    git("worktree", "remove", "--force", folder);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    addPackages(folder);
    const own = join(folder, loadProcess);
    writeFileSync(own, adapted(folder));
    const bank = (await import(pathToFileURL(join(folder, "bench/lib/bank.ts")).href)) as {
      openBenchBank: typeof openBenchBank; // the same since its first version
    };
    return { openBenchBank: bank.openBenchBank, loadProcess: pathToFileURL(own).href, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function addPackages(folder: string): void {
  const lockOf = (place: string): string => readFileSync(join(place, "package-lock.json"), "utf8");
  if (lockOf(folder) === lockOf(root)) {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    return;
  }
  console.error("That commit has other packages, which are installed first");
  const args = ["ci", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", args, { cwd: folder, stdio: "inherit" });
}

/** This code's load process, for a commit that has its customer and its TPP in another folder. */
function adapted(folder: string): string {
  const text = readFileSync(join(root, loadProcess), "utf8");
  const isMoved = existsSync(join(folder, "src/sandbox/test-tpp"));
  return isMoved ? text : text.replaceAll("#src/sandbox/test-tpp/", "#src/sandbox/");
}
