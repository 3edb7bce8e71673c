import { type ApiVersion, versionName, versionNumber } from "#src/standard/api-version.ts";
import { isAt, isVersion, likelyPaths, shownPath } from "./likely-paths.ts";
import { nearest } from "./nearest.ts";
import type { Profile } from "./refusals.ts";

/** What a bank serves, for the texts of refusals. */
type Served = { api: ApiVersion; path: string };

/** Explains why no operation serves a path (of a URL, without its query). */
type DescribeUnserved = (path: string) => string;

/**
 * Makes the function that explains a 404: it names the versions that serve the path, or what the
 * bank or the API serves instead, and the path that was probably meant if a part of it is missing
 * or misspelt. A sandbox also names the paths that are spelt similarly. No text quotes the request,
 * except for a version that can be one.
 */
export function unservedPaths(served: readonly Served[], profile: Profile): DescribeUnserved {
  const routes = served.map(({ api, path }) => ({
    api,
    path,
    shown: shownPath(path),
    segments: path.split("/"),
  }));
  const apis = [...new Set(served.map(({ api }) => api))].sort(
    (a, b) => versionNumber(a.release) - versionNumber(b.release),
  );
  const families = new Set(apis.map(familyOf));
  const roots = new Set(apis.map(({ basePath }) => rootOf(basePath.split("/"))));
  const likely = likelyPaths(served);
  const near = (api: ApiVersion, rest: string): string[] => {
    const paths = new Set(routes.filter((route) => route.api === api).map(({ shown }) => shown));
    return nearest(rest, [...paths]);
  };
  const similar = (api: ApiVersion, rest: string, most: number): string => {
    if (profile === "production") return "";
    const texts = near(api, rest).map((_, at, all) => all.slice(0, at + 1).join(", "));
    const fitting = texts.findLast((text) => text.length <= most);
    return fitting === undefined ? "" : ` Similar paths: ${fitting}.`;
  };
  const resources = (api: ApiVersion): string =>
    resourcesText(
      routes.filter((route) => route.api === api).map(({ segments }) => `/${segments[1]}`),
    );
  const bases = ` The bank serves ${apis.map(({ basePath }) => basePath).join(", ")}.`;
  const unknownText = (meant: string, requested: ApiVersion | undefined): string => {
    const none = `No API of the bank has this path.${meant}`;
    const below = requested
      ? ` Directly below ${requested.basePath} it serves ${resources(requested)}.`
      : "";
    if (meant === "") return none + bases + below;
    const instead = below || bases;
    return none.length + instead.length > longestMessage ? none : none + instead;
  };
  return (path) => {
    const parts = split(path, families);
    const { base, rest, isSwapped } = parts;
    // a path with other words or capitals before the API may be misspelt
    const family = roots.has(parts.root) && !/[A-Z]/.test(base) ? parts.family : undefined;
    const versions = apis.filter((api) => familyOf(api) === family);
    const requested = versions.find(({ basePath }) => basePath === base);
    const segments = rest.split("/");
    const findRoute = (api: ApiVersion) =>
      routes.find((route) => route.api === api && isAt(segments, route.segments));
    if (isSwapped && family) {
      const asked = requested ? [requested] : versions;
      const meant = asked.map((api) => `${api.basePath}${findRoute(api)?.shown ?? ""}`);
      return `In a path, the version comes before the API: ${meant.join(" or ")}.`;
    }
    const serving = versions.filter((api) => findRoute(api) !== undefined);
    const meant = family ? "" : likely(path);
    // a path without the name of an API is one of events only if it resembles their paths
    const isEvents = versions.some((api) => near(api, rest).length > 0);
    if (versions.length === 0 || (family === "" && serving.length === 0 && !isEvents)) {
      return unknownText(meant, requested);
    }
    const title = versions[0]?.title;
    if (serving.length > 0) {
      const asked = requested ? versionName(requested) : "The version in this path";
      return `${asked} of ${title} does not serve this path. ${list(serving)} does.`;
    }
    if (requested) {
      const none = `${title} ${versionName(requested)} has no such path.`;
      const instead = ` It serves ${resources(requested)}.`;
      const most = longestMessage - none.length - instead.length;
      return `${none}${similar(requested, rest, most)}${instead}`;
    }
    return `There is no ${shownVersion(parts.version)} of ${title}. The bank serves ${list(versions)}.`;
  };
}

// the standard's messages have 500 characters, and some begin with the name of the error
const longestMessage = 430;

/**
 * The first parts of paths. A long list names the consents of the other resources only once.
 */
function resourcesText(all: readonly string[]): string {
  const paths = [...new Set(all)].sort();
  const others = paths.filter((path) => {
    const [, stem] = /^(.+)-consents$/.exec(path) ?? [];
    return stem === undefined || !paths.includes(`${stem}s`);
  });
  const [first, ...more] = paths.filter((path) => !others.includes(path));
  if (first === undefined || more.length < 2) return paths.join(", ");
  return `${others.join(", ")}, and the consents of each, such as ${first}`;
}

/** Explains a 405. `allow` is the value of the header: the methods that the path has. */
export const describeMethod = (allow: string): string =>
  `This path does not have the requested method. It has: ${allow}.`;

const shownVersion = (version: string): string =>
  /^v\d{1,2}(\.\d{1,2}){0,2}$/.test(version) ? version : "such version";

const list = (apis: readonly ApiVersion[]): string => apis.map(versionName).join(" or ");

// The base path of events has no name of the API.
const familyOf = ({ basePath }: ApiVersion): string => basePath.split("/")[4] ?? "";

// what all base paths begin with
const rootOf = (segments: readonly string[]): string => segments.slice(0, 3).join("/");

type PathParts = {
  root: string;
  base: string;
  family: string | undefined;
  version: string;
  rest: string;
  /** Whether the name of the API comes before the version. */
  isSwapped: boolean;
};

// In /api/open-banking/v4.0/pisp/domestic-payments/1, the base path has the first four segments.
// That of events has three.
function split(path: string, families: ReadonlySet<string>): PathParts {
  const segments = path.replace(/\/$/, "").split("/");
  const [first = "", second = "", ...more] = segments.slice(3);
  const root = rootOf(segments);
  const isApi = (segment: string) => segment !== "" && families.has(segment);
  const isSwapped = isApi(first) && isVersion(second);
  const [version, name] = isSwapped ? [second, first] : [first, second];
  const base = `${root}/${version}`;
  if (isApi(name)) {
    const rest = `/${more.join("/")}`;
    return { root, base: `${base}/${name}`, family: name, version, rest, isSwapped };
  }
  const family = isVersion(version) ? "" : undefined;
  return { root, base, family, version, rest: `/${[name, ...more].join("/")}`, isSwapped };
}
