import type { ApiVersion } from "#src/standard/api-version.ts";
import { nearEdits } from "./nearest.ts";

/** A path of an API. */
type ServedPath = { api: ApiVersion; path: string };

/** A path as texts show it: with the names of its parameters in braces. */
export const shownPath = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

/** Whether a segment of a path names a version. */
export const isVersion = (segment: string): boolean => /^v\d/.test(segment);

/** Whether the segments of a path are those of a template. */
export const isAt = (segments: readonly string[], template: readonly string[]): boolean =>
  segments.length === template.length &&
  template.every((part, at) => part === segments[at] || (part.startsWith(":") && segments[at]));

const segmentsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");
const mostNamed = 3;

// less than an edit
const otherVersion = 0.5;

/** The edits from the beginning of a path, which may leave out parts of it, to a base path. */
function editsOfBase(sent: readonly string[], base: readonly string[]): number {
  const words = base.filter((word) => !isVersion(word));
  return sent.reduce((all, part) => {
    const version = part.toLowerCase();
    if (isVersion(version)) return all + (base.includes(version) ? 0 : otherVersion);
    return all + Math.min(...words.map((word) => nearEdits(part, word)));
  }, 0);
}

/** The edits from segments to those of a template, in which a parameter has any value. */
function editsOfRest(sent: readonly string[], template: readonly string[]): number {
  let all = 0;
  for (const [at, part] of template.entries()) {
    if (!part.startsWith(":")) all += nearEdits(sent[at], part);
    if (all === Infinity) return all;
  }
  return all;
}

/**
 * Makes the function that asks whether one of the served paths was meant by a path that leaves out
 * parts of it (the API, the version, or what all paths begin with), has other capitals, or is
 * misspelt by few letters. It returns an empty text if none was. No text quotes the request.
 */
export function likelyPaths(served: readonly ServedPath[]): (path: string) => string {
  const routes = served.map(({ api, path }) => ({
    base: segmentsOf(api.basePath),
    segments: segmentsOf(path),
    shown: api.basePath + shownPath(path),
  }));
  return (path) => {
    const sent = segmentsOf(path);
    const found = routes.flatMap((route) => {
      const at = sent.length - route.segments.length;
      // a longer path leaves nothing out, and somebody may send thousands of segments
      if (at < 0 || at > route.base.length) return [];
      const rest = editsOfRest(sent.slice(at), route.segments);
      if (rest === Infinity) return []; // as nearly every path
      const edits = rest + editsOfBase(sent.slice(0, at), route.base);
      return edits === Infinity ? [] : [{ shown: route.shown, edits }];
    });
    const fewest = Math.min(...found.map(({ edits }) => edits));
    const nearest = found.filter(({ edits }) => edits === fewest);
    const named = new Set(nearest.map(({ shown }) => shown));
    const texts = [...named].slice(0, mostNamed);
    return texts.length === 0 ? "" : ` Did you mean ${texts.join(" or ")}?`;
  };
}
