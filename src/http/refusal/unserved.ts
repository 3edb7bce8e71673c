import { type ApiVersion, versionName, versionNumber } from "#src/standard/api-version.ts";
import { nearest } from "./nearest.ts";
import type { Profile } from "./refusals.ts";

/** What a bank serves, for the texts of refusals. */
type Served = { api: ApiVersion; path: string };

/** Explains why no operation serves a path (of a URL, without its query). */
type DescribeUnserved = (path: string) => string;

/**
 * Makes the function that explains a 404: it names the versions that serve the path, or what the
 * bank or the API serves instead. A sandbox also names the paths that are spelt similarly. No text
 * quotes the request.
 */
export function unservedPaths(served: readonly Served[], profile: Profile): DescribeUnserved {
  const routes = served.map(({ api, path }) => ({
    api,
    path,
    shown: path.replaceAll(/:(\w+)/g, "{$1}"),
    segments: path.split("/"),
  }));
  const apis = [...new Set(served.map(({ api }) => api))].sort(
    (a, b) => versionNumber(a.release) - versionNumber(b.release),
  );
  const similar = (api: ApiVersion, rest: string, most: number): string => {
    if (profile === "production") return "";
    const paths = new Set(routes.filter((route) => route.api === api).map(({ shown }) => shown));
    const near = nearest(rest, [...paths]).map((_, at, all) => all.slice(0, at + 1).join(", "));
    const fitting = near.findLast((text) => text.length <= most);
    return fitting === undefined ? "" : ` Similar paths: ${fitting}.`;
  };
  const resources = (api: ApiVersion): string =>
    resourcesText(
      routes.filter((route) => route.api === api).map(({ segments }) => `/${segments[1]}`),
    );
  return (path) => {
    const { base, family, rest } = split(path);
    const requested = apis.find(({ basePath }) => basePath === base);
    const versions = apis.filter((api) => familyOf(api) === family);
    if (versions.length === 0) {
      const bases = apis.map(({ basePath }) => basePath).join(", ");
      return `No API of the bank has this path. The bank serves ${bases}.`;
    }
    const segments = rest.split("/");
    const serving = versions.filter((api) =>
      routes.some((route) => route.api === api && isAt(segments, route.segments)),
    );
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
    return `The bank serves ${title} in ${list(versions)}, and not in the version of this path.`;
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

const list = (apis: readonly ApiVersion[]): string => apis.map(versionName).join(" or ");

const familyOf = ({ basePath }: ApiVersion): string => basePath.slice(basePath.lastIndexOf("/"));

// /api/open-banking/v4.0/pisp/domestic-payments/1: the base path has the first four segments
function split(path: string): { base: string; family: string; rest: string } {
  const segments = path.split("/");
  const base = segments.slice(0, 5).join("/");
  const rest = segments.slice(5).join("/");
  return { base, family: `/${segments[4] ?? ""}`, rest: `/${rest.replace(/\/$/, "")}` };
}

const isAt = (segments: readonly string[], template: readonly string[]): boolean =>
  segments.length === template.length &&
  template.every((part, at) => part === segments[at] || (part.startsWith(":") && segments[at]));
