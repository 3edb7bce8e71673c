import type { ApiVersion } from "#src/standard/api-version.ts";

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

/**
 * Makes the function that asks whether one of the served paths was meant by a path that leaves out
 * parts of it: the API, the version, or what all paths begin with. It returns an empty text if none
 * was. No text quotes the request.
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
      if (!isAt(sent.slice(at), route.segments)) return [];
      const before = sent.slice(0, at);
      const isNamed = (part: string) => route.base.includes(part);
      if (!before.every((part) => isVersion(part) || isNamed(part))) return [];
      return [{ ...route, isExact: before.every(isNamed) }];
    });
    // a version that is not served means any other
    const exact = found.filter(({ isExact }) => isExact);
    const named = new Set((exact.length > 0 ? exact : found).map(({ shown }) => shown));
    const texts = [...named].slice(0, mostNamed);
    return texts.length === 0 ? "" : ` Did you mean ${texts.join(" or ")}?`;
  };
}
