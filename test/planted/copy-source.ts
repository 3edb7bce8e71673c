import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Patch } from "./faults.ts";

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of the source in which faults are planted. */
export type SourceCopy = {
  root: string;
  /** Plants a patch. Returns what is wrong with it, or null. */
  plant(patch: Patch): string | null;
  /** Takes out what was planted. */
  restore(): void;
};

/** Copies the product's source. Everything else is a link to the checkout. */
export function copySource(): SourceCopy {
  const root = mkdtempSync(join(tmpdir(), "aldgate-planted-"));
  mkdirSync(join(root, "src"));
  cpSync(join(checkout, "src"), join(root, "src"), { recursive: true });
  for (const name of readdirSync(checkout)) {
    if (name !== "src" && name !== ".git") symlinkSync(join(checkout, name), join(root, name));
  }
  const originals = new Map<string, string>();
  return {
    root,
    plant({ file, find, replace }) {
      const path = join(root, file);
      const text = readFileSync(path, "utf8");
      const planted = replaceOnce(text, find, replace);
      if (planted === null) return `${file} does not contain this text once: ${find}`;
      if (!originals.has(path)) originals.set(path, text);
      writeFileSync(path, planted);
      return null;
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
