import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { openKeyFolder } from "#src/sandbox/directory/key-folder.ts";

const name = "tpps/one/tpp.json";

test("a key file that several writers replace at the same time is never missing or incomplete", async () => {
  const path = mkdtempSync(join(tmpdir(), "aldgate-keys-"));
  try {
    const folder = openKeyFolder(path);
    const texts = ["a", "b"].map((letter) => letter.repeat(3000));
    folder.write(name, texts[0] ?? "");
    const workers = texts.map(
      (text) =>
        new Worker(new URL("./key-writer.ts", import.meta.url), { workerData: { path, text } }),
    );
    let working = workers.length;
    const written = workers.map(async (worker) => {
      await once(worker, "message");
      working -= 1;
      await worker.terminate();
    });
    const reading = (async () => {
      while (working > 0) {
        assert.ok(texts.includes(folder.read(name) ?? "missing"));
        const taken = await folder.take(name, () => assert.fail("the file is missing"));
        assert.ok(texts.includes(taken));
        await setImmediate();
      }
    })();
    await Promise.all([...written, reading]);
    assert.deepEqual(readdirSync(join(path, "tpps/one")), ["tpp.json"]);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});
