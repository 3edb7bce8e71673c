// `npm run walk -- order` prints the files of src/ that run for one request, in the order in which
// they are first entered, and how many functions of them run (`--functions` names them). The whole
// bank is open in this process, and the request comes through the sockets, on a connection that is
// open already. Left out: what also runs while the bank is idle, the test TPP and the sandbox's
// directory.
import { readFileSync } from "node:fs";
import { type Debugger, type Profiler, Session } from "node:inspector/promises";
import { basename, dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { globalSetup, globalTeardown } from "#test/setup.ts";
import { root } from "./source-files.ts";
import { walks } from "./walks.ts";

/** A function that ran, by its place in a file. */
type Ran = { file: string; name: string; start: number; end: number; scriptId: string };

const leftOut = /^src\/sandbox\/(?:test-tpp|directory)\//;
const idleMilliseconds = 3000;

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Debugger.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

const keyOf = ({ file, start }: Pick<Ran, "file" | "start">): string => `${file}:${start}`;

/** Returns the functions of src/ that have run since the last call. */
async function takeRan(): Promise<Ran[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result.flatMap(({ url, scriptId, functions }) => {
    const file = url.startsWith("file:") ? fileURLToPath(url).slice(root.length + 1) : "";
    if (!file.startsWith("src/") || leftOut.test(file)) return [];
    return functions.flatMap(({ functionName: name, ranges }: Profiler.FunctionCoverage) => {
      const [{ count, startOffset: start, endOffset: end }] = ranges as [Profiler.CoverageRange];
      // the function at 0 is the module itself
      return count > 0 && start > 0 ? [{ file, name, start, end, scriptId }] : [];
    });
  });
}

/** Returns the functions that run for a request but not while the bank is idle, before or after. */
async function follow(send: () => Promise<void>): Promise<Ran[]> {
  await takeRan();
  const idle = new Set<string>();
  const rest = async (): Promise<void> => {
    await setTimeout(idleMilliseconds);
    for (const one of await takeRan()) idle.add(keyOf(one));
  };
  await rest();
  await send();
  const ran = await takeRan();
  await rest();
  return ran.filter((one) => !idle.has(keyOf(one)));
}

const entered: number[] = [];
Object.assign(globalThis, { enteredByWalk: entered });

/**
 * Sends a request, and returns the functions in the order in which they are first entered. A
 * breakpoint whose condition is never true notes the entry and goes on.
 */
async function inOrder(ran: readonly Ran[], send: () => Promise<void>): Promise<Ran[]> {
  for (const [index, one] of ran.entries()) {
    const condition = `enteredByWalk.push(${index}), false`;
    for (const location of await locationsIn(one)) {
      // a place in two functions, of which one is in the other, has its breakpoint already
      const isSet = await session.post("Debugger.setBreakpoint", { location, condition }).then(
        () => true,
        () => false,
      );
      if (isSet) break;
    }
  }
  await send();
  // before the socket come the test TPP, which makes the request, and the end of the one before
  const socket = entered.findIndex((index) => ran[index]?.file.startsWith("src/http/connection/"));
  return [...new Set(entered.slice(Math.max(0, socket)))].map((index) => ran[index] as Ran);
}

async function locationsIn({ file, start, end, scriptId }: Ran): Promise<Debugger.Location[]> {
  const text = readFileSync(`${root}/${file}`, "utf8");
  const at = (offset: number): Debugger.Location => {
    const before = text.slice(0, offset).split("\n");
    return { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
  };
  const span = { start: at(start), end: at(end) };
  // the types of node:inspector/promises give this call no result
  const found = (await session.post("Debugger.getPossibleBreakpoints", span)) as unknown;
  return (found as Debugger.GetPossibleBreakpointsReturnType).locations;
}

/** Prints the files, in lines by folder or, with `--functions`, each with its functions. */
function print(what: string, ran: readonly Ran[], order: readonly Ran[]): void {
  console.log(`${what[0]?.toUpperCase()}${what.slice(1)}\n`);
  const all = [...new Set([...order, ...ran])];
  const files = [...new Set(all.map(({ file }) => file))];
  const lines: [folder: string, names: string[]][] = [];
  for (const file of files) {
    const path = file.slice("src/".length);
    const here = all.filter((one) => one.file === file && /^\W?[a-z]/i.test(one.name));
    if (process.argv.includes("--functions")) {
      lines.push([path, [...new Set(here.map((one) => one.name))]]);
      continue;
    }
    const folder = `${dirname(path)}/`;
    const last = lines.at(-1);
    if (last?.[0] === folder) last[1].push(basename(path, ".ts"));
    else lines.push([folder, [basename(path, ".ts")]]);
  }
  const width = Math.max(...lines.map(([folder]) => folder.length));
  for (const [folder, names] of lines) console.log(`${folder.padEnd(width)} ${names.join(", ")}`);
  console.log(`\n${files.length} files, ${ran.length} functions, with those that have no name`);
}

const [name = ""] = process.argv.slice(2);
const walk = walks[name];
if (walk === undefined) {
  console.error(`Name one of these requests: ${Object.keys(walks).join(", ")}`);
  process.exit(2);
}
await globalSetup();
try {
  const { prepare, close } = await walk.open();
  await (await prepare())(); // what a process does once is no part of the walk
  const ran = await follow(await prepare());
  print(walk.what, ran, await inOrder(ran, await prepare()));
  await close();
} finally {
  await globalTeardown();
}
