// Preloaded into a process (`--import`), this module takes an API version out of the product:
// imports from the version's folders fail as if the folders were deleted, and the lists of versions
// have no line of it. The other modules stay where they are, so their compiled code comes from the
// cache. The program's first argument names the version.
import { registerHooks } from "node:module";
import { versionLists } from "#scripts/rooms.ts";
import { present } from "#src/lib/assert.ts";

const root = new URL("../../", import.meta.url).href;
const lists = new Set(versionLists.map((path) => new URL(path, root).href));
const id = present(process.argv[2], "the version to leave out");

const isLeftOut = (url: string): boolean =>
  url.startsWith(root) && url.slice(root.length).split("/").includes(id);

/** A list of versions without the version's import and without its name. */
function withoutLine(text: string): string {
  const imported = new RegExp(`^import \\{ (\\w+) \\} .*/${id}/.*\n`, "m").exec(text);
  if (!imported) return text;
  const [line, name] = imported;
  return text.replace(line, "").replace(new RegExp(`${name}, |, ${name}`), "");
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!isLeftOut(found.url)) return found;
    throw Object.assign(
      new Error(`${found.url} is left out, but ${context.parentURL} imports it`),
      {
        code: "ERR_MODULE_NOT_FOUND",
      },
    );
  },
  load(url, context, next) {
    const loaded = next(url, context);
    if (!lists.has(url)) return loaded;
    const text = Buffer.from(loaded.source as Uint8Array).toString();
    return { ...loaded, source: withoutLine(text) };
  },
});
