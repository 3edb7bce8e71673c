import { scryptSync } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { present } from "#src/lib/assert.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { HashRequest } from "./password.ts";

// The thread that hashes passwords. It does not use the thread pool, which signs messages.
const port = present(parentPort, "the thread's port");

port.on("message", ({ id, password, salt, length, options }: HashRequest) => {
  try {
    port.postMessage({ id, key: scryptSync(password, salt, length, options) });
  } catch (error) {
    port.postMessage({ id, failure: textOf(error) });
  }
});
