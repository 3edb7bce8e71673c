// Runs a share of a lane's test files in one process, because loading the bank's modules and
// compiling the database cost more than most files. Processes with free capacity take the next file
// of the queue, so that no process waits while another has files left.
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { present } from "#src/lib/assert.ts";
import { closeOpened } from "./close-after.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A lane's queue: a folder with the list of files and, per file, the marks of its progress. */
type Queue = { folder: string; files: string[] };

// A process that did not end would stop the lane, so it ends this long after its last test, and
// fails.
const secondsToEnd = 60;

// Tests leak memory, so a process that holds this much takes no further file.
const fullBytes = 1200 * 2 ** 20;

/**
 * Runs files of the queue in ALDGATE_TEST_QUEUE, one after the other: at least `least` if there are
 * so many, and more while the process has memory left.
 */
export async function runShare(least: number): Promise<void> {
  const folder = present(process.env.ALDGATE_TEST_QUEUE, "the folder of the lane's queue");
  const files: string[] = JSON.parse(readFileSync(join(folder, "files.json"), "utf8"));
  for (let count = 0; count < least || process.memoryUsage.rss() < fullBytes; count++) {
    const index = claimNext({ folder, files });
    if (index === null) break;
    await runFile(present(files[index], "the claimed file"));
    writeFileSync(join(folder, `${index}.done`), "");
  }
  setTimeout(failOpen, secondsToEnd * 1000).unref();
}

/** Ends the process, which has closed everything but these resources. */
function failOpen(): void {
  console.error(`Tests left these open: ${process.getActiveResourcesInfo().join(", ")}`);
  process.exit(1);
}

/** Returns the index of a file that only this process runs; null if none is left. */
function claimNext({ folder, files }: Queue): number | null {
  for (const index of files.keys()) {
    try {
      closeSync(openSync(join(folder, `${index}.claimed`), "wx"));
      return index;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  return null;
}

/** Runs a file as one suite, so that its hooks run before and after its own tests only. */
function runFile(file: string): Promise<void> {
  return new Promise((resolve) => {
    describe(file, async () => {
      try {
        await import(pathToFileURL(join(root, file)).href);
      } catch (error) {
        test("the file loads", () => {
          throw error;
        });
      }
      after(async () => {
        await closeOpened();
        resolve();
      });
    });
  });
}
