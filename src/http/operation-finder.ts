import type { Operation } from "./operation.ts";

/** The operation of a request, with the values in its path by their names. */
export type FoundOperation = { operation: Operation; params: Readonly<Record<string, string>> };

/** Returns the operation that serves a method and a path (without its query), or undefined. */
export type FindOperation = (method: string, path: string) => FoundOperation | undefined;

/**
 * Makes the function that finds the operation of a request. Like the listeners, it accepts a
 * trailing slash.
 */
export function operationFinder(operations: readonly Operation[]): FindOperation {
  const routes = operations.map((operation) => {
    const template = operation.path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)");
    return { operation, pattern: new RegExp(`^${operation.api.basePath}${template}/?$`) };
  });
  return (method, path) => {
    for (const { operation, pattern } of routes) {
      const match = operation.method === method ? pattern.exec(path) : null;
      if (match) return { operation, params: { ...match.groups } };
    }
    return undefined;
  };
}
