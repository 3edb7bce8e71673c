import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { present } from "#src/lib/assert.ts";
import type { Patch } from "./planted-fault.ts";

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of the source in which faults are planted. */
export type SourceCopy = {
  root: string;
  /** Plants a patch. Throws if its text does not occur once. */
  plant(patch: Patch): void;
  /** Takes out what was planted. */
  restore(): void;
};

// The product, and the simulations, which import it.
const copied = ["src", "test"];

/** Copies the product's source and the tests. Everything else is a link to the checkout. */
export function copySource(): SourceCopy {
  const root = mkdtempSync(join(tmpdir(), "aldgate-planted-"));
  for (const name of copied) {
    cpSync(join(checkout, name), join(root, name), { recursive: true });
  }
  for (const name of readdirSync(checkout)) {
    if (copied.includes(name) || name === ".git") continue;
    symlinkSync(join(checkout, name), join(root, name));
  }
  const originals = new Map<string, string>();
  return {
    root,
    plant({ file, find, replace }) {
      const path = join(root, file);
      const text = readFileSync(path, "utf8");
      const planted = replaceOnce(text, find, replace);
      if (!originals.has(path)) originals.set(path, text);
      writeFileSync(path, present(planted, `the only place in ${file} with the text ${find}`));
    },
    restore() {
      for (const [path, text] of originals) writeFileSync(path, text);
      originals.clear();
    },
  };
}

/** Replaces a text that occurs once; null if it does not. */
export function replaceOnce(text: string, find: string, replace: string): string | null {
  const [before, after, ...more] = text.split(find);
  return before === undefined || after === undefined || more.length > 0
    ? null
    : before + replace + after;
}
