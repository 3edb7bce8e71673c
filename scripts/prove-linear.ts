// Proves that an expression needs linear time, with recheck's automata. recheck's other method, the
// fuzzer, only fails to find an attack, so it is not used.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./source-files.ts";

// the JavaScript build of recheck runs on every platform; the lock file has no other
process.env.RECHECK_SYNC_BACKEND = "pure";
const { checkSync } = await import("recheck");

const timeout = 60_000;
const noProof = "no proof";
const folder = join(root, "node_modules", ".cache", "aldgate");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
// another version may prove more, or less
const version: string = manifest.devDependencies.recheck;
const file = join(folder, `expressions-recheck-${version}.json`);

/** Proves expressions. Its results are kept in memory, and on disk for the next run. */
export type Prover = {
  /** Returns what is wrong with an expression; null if it needs linear time. */
  findFault(source: string, flags: string): string | null;
  /** Stores the results on disk. */
  save(): void;
};

/** Makes a prover with the results of earlier runs. */
export function createProver(): Prover {
  const known = readKnown();
  let isNew = false;
  return {
    findFault(source, flags) {
      const expression = `/${source}/${flags}`;
      const earlier = known.get(expression);
      if (earlier !== undefined) return earlier;
      const fault = judge(source, flags);
      // a proof that was not found in time may be found when the machine is less busy
      if (fault?.startsWith(noProof)) return fault;
      known.set(expression, fault);
      isNew = true;
      return fault;
    },
    save() {
      if (!isNew) return;
      mkdirSync(folder, { recursive: true });
      // another check may read the file at the same time
      writeFileSync(`${file}.${process.pid}`, JSON.stringify([...known]));
      renameSync(`${file}.${process.pid}`, file);
    },
  };
}

function readKnown(): Map<string, string | null> {
  try {
    return new Map(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return new Map(); // the first run
  }
}

/**
 * An expression without a loop reads a limited number of characters at each place, so that it may
 * be used in any way. A search for all matches of one with a loop must be linear too: an expression
 * may read far and match little each time, such as `b(?:b*c)?`.
 */
function judge(source: string, flags: string): string | null {
  const single = check(source, flags);
  if (single.isLoopless) return null;
  return single.fault ?? check(`^(?:${source}|[^])*`, flags.replace(/[gy]/g, "")).fault;
}

type Verdict = { isLoopless: boolean; fault: string | null };

function check(source: string, flags: string): Verdict {
  const found = checkSync(source, flags, { checker: "automaton", timeout });
  switch (found.status) {
    case "safe":
      return { isLoopless: found.complexity.type !== "linear", fault: null };
    case "vulnerable":
      return {
        isLoopless: false,
        fault: `${found.complexity.summary}: see ${found.attack.pattern}`,
      };
    default: {
      const { kind } = found.error;
      const why = "message" in found.error ? `${kind} ${found.error.message}` : kind;
      return { isLoopless: false, fault: `${noProof}: ${why}` };
    }
  }
}
