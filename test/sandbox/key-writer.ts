// Writes one file of a folder of keys many times, and reports to the thread that started it.
import { parentPort, workerData } from "node:worker_threads";
import { openKeyFolder } from "#src/sandbox/directory/key-folder.ts";

const { path, text } = workerData as { path: string; text: string };
const folder = openKeyFolder(path);
for (let left = 500; left > 0; left -= 1) folder.write("tpps/one/tpp.json", text);
parentPort?.postMessage("written");
