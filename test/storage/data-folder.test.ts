import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { FolderInUse, lockFolder } from "#src/storage/folder-lock.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { until } from "#test/until.ts";

const work = mkdtempSync(join(tmpdir(), "aldgate-folder-"));
after(() => rmSync(work, { recursive: true, force: true }));

const newFolder = (name: string): string => {
  mkdirSync(join(work, name));
  return join(work, name);
};

/** Lists the files of a folder that others may access. */
const openToOthers = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0);

test("a new data folder and all of the database's files are readable only by their owner", async () => {
  const folder = join(work, "data", "database");
  const database = await openPglite({ folder });
  await database.execute(
    "create table t (n integer); insert into t select generate_series(1, 5000); checkpoint",
  );
  await database.close();
  assert.ok(readdirSync(join(folder, "postgres")).length > 10);
  for (const path of [join(work, "data"), folder]) {
    assert.equal(statSync(path).mode & 0o777, 0o700, path);
  }
  assert.deepEqual(openToOthers(folder), []);
  const again = await openPglite({ folder });
  assert.deepEqual(await again.query({ text: "select count(n) as n from t", values: [] }), [
    { n: 5000n },
  ]);
  await again.close();
});

test("a locked folder is refused until it is unlocked, with the id of the process that has it", () => {
  const folder = newFolder("twice");
  const unlock = lockFolder(folder);
  assert.throws(
    () => lockFolder(folder),
    (error) => error instanceof FolderInUse && error.processId === process.pid,
  );
  unlock();
  lockFolder(folder)();
});

test("a copy of a folder in use is not locked", () => {
  const folder = newFolder("original");
  const unlock = lockFolder(folder);
  cpSync(folder, join(work, "copy"), { recursive: true });
  assert.equal(readFileSync(join(work, "copy", "process-id"), "utf8"), String(process.pid));
  lockFolder(join(work, "copy"))();
  unlock();
});

test("a running process with the recorded id does not lock a folder", () => {
  const folder = newFolder("reused");
  // as after the restart of a container, where the same process ids occur again
  for (const id of [process.pid, process.ppid, 1]) {
    writeFileSync(join(folder, "process-id"), String(id));
    lockFolder(folder)();
  }
});

const locker = new URL("./lock-folder.ts", import.meta.url).pathname;

test("the lock of a killed process is released before the process is reaped", async () => {
  const folder = newFolder("killed");
  // the shell starts the locker and then becomes a program that never waits for its children
  const parent = spawn(
    "sh",
    ["-c", `"$0" "$1" "$2" & exec sleep 600`, process.execPath, locker, folder],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    const [said] = await once(present(parent.stdout, "what it prints"), "data");
    const id = Number(String(said));
    assert.throws(
      () => lockFolder(folder),
      (error) => error instanceof FolderInUse && error.processId === id,
    );
    process.kill(id, "SIGKILL");
    const unlock = await untilFree(folder);
    process.kill(id, 0); // throws if the process no longer exists
    unlock();
  } finally {
    parent.kill("SIGKILL");
  }
});

/** Waits until the folder can be locked: a killed process releases its files a moment later. */
async function untilFree(folder: string): Promise<() => void> {
  const tryLock = (): (() => void) | null => {
    try {
      return lockFolder(folder);
    } catch (error) {
      if (error instanceof FolderInUse) return null;
      throw error;
    }
  };
  return present(await until(tryLock, Boolean), "the lock of the folder");
}
