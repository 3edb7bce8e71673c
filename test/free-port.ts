import { closeSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

// Systems assign higher ports to outgoing connections and to listeners on port 0. So another
// program does not get the port of a test between the choice of the port and the test's use of it.
const lowest = 12_000;
const count = 20_000;

const taken = new Set<number>();

/** Returns a free loopback port, which no other test of this run gets. */
export const freePort = (): Promise<number> => firstOfFree(1);

/** The first of so many free loopback ports in a row, which no other test of this run gets. */
export async function firstOfFree(wanted: number): Promise<number> {
  for (let tries = 0; tries < count; tries += 1) {
    const first = lowest + Math.floor(Math.random() * (count - wanted + 1));
    const ports = Array.from({ length: wanted }, (_, more) => first + more);
    if (!ports.every(claim)) continue;
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
  throw new Error(`no ${wanted} ports from ${lowest} to ${lowest + count - 1} are free`);
}

/** Returns whether no test of this run has claimed the port before. */
function claim(port: number): boolean {
  if (taken.has(port)) return false;
  taken.add(port);
  const folder = process.env.ALDGATE_TEST_PORTS;
  if (!folder) return true; // outside a test run, such as the soak, one process chooses all ports
  try {
    closeSync(openSync(join(folder, String(port)), "wx"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
