import type { Operation } from "./operation.ts";

/** The operation of a request, with the values in its path by their names. */
type FoundOperation = { operation: Operation; params: Readonly<Record<string, string>> };

/** Returns the operation that serves a method and a path (without its query), or undefined. */
export type FindOperation = (method: string, path: string) => FoundOperation | undefined;

/**
 * Makes the function that finds the operation of a request. Like the listeners, it accepts a
 * trailing slash.
 */
export function operationFinder(operations: readonly Operation[]): FindOperation {
  const routes = operations.map((operation) => {
    return { operation, parts: `${operation.api.basePath}${operation.path}`.split("/") };
  });
  return (method, path) => {
    const given = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
    for (const { operation, parts } of routes) {
      const params = operation.method === method ? paramsOf(parts, given) : null;
      if (params) return { operation, params };
    }
    return undefined;
  };
}

/** The values in a path by their names; null if it is another path. */
function paramsOf(parts: readonly string[], given: readonly string[]) {
  if (parts.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":") && value !== "") params[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return params;
}
