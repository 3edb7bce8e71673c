import type { Operation } from "#src/http/operation.ts";
import type { Served } from "./served.ts";
import type { Target } from "./target.ts";

/** The routes without a place for a string in their body, each with its reason. */
const excused: Readonly<Record<string, string>> = {
  "PUT /register": "refuses the method before it reads anything",
  "PATCH /register": "refuses the method before it reads anything",
  "POST /register/:clientId": "refuses the method before it reads anything",
  "PATCH /register/:clientId": "refuses the method before it reads anything",
};

/**
 * Whether a route refuses its method, or answers as its GET does. `test/http/routes.test.ts` proves
 * that the other methods of an operation's path are refused.
 */
export function isRefusal(route: string, operations: readonly Operation[]): boolean {
  const [method = "", path = ""] = withoutSlash(route).split(" ");
  if (["HEAD", "OPTIONS"].includes(method)) return true;
  const own = operations.filter(({ api, path: end }) => api.basePath + end === path);
  return own.length > 0 && !own.some((operation) => operation.method === method);
}

/** The route, which is the same with a slash at its end. */
const withoutSlash = (route: string): string => route.replace(/(?<=\w)\/$/, "");

/**
 * The routes of any listener that no string reaches, in any place or in the body, and that have no
 * reason for it; and the reasons that no route needs.
 */
export function unreached(
  { bank, management }: Pick<Served, "bank" | "management">,
  targets: readonly Target[],
  operations: readonly Operation[],
): string[] {
  const routesOf = (some: readonly Target[]) => new Set(some.map(({ route }) => route));
  const reached = routesOf(targets);
  const inBody = routesOf(targets.filter(({ isBody }) => isBody));
  const unused = new Set(Object.keys(excused));
  const faults: string[] = [];
  for (const route of new Set([...bank, ...management].map(withoutSlash))) {
    if (isRefusal(route, operations)) continue;
    const hasBody = !/^(GET|DELETE) /.test(route);
    const lacks = hasBody ? !inBody.has(route) : !reached.has(route);
    if (lacks && !unused.delete(route)) {
      faults.push(`${route}: no string reaches ${hasBody ? "its body" : "it"}`);
    }
  }
  return [...faults, ...[...unused].map((route) => `${route} needs no reason`)];
}
