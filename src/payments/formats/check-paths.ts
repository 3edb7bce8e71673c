import type { TSchema } from "typebox";
import type { Format, InitiationFormat } from "./format.ts";
import { initiation } from "./member-paths.ts";

type Node = { properties?: Readonly<Record<string, Node>>; items?: Node };

/** Whether a body with this schema can have a member at a path; `[]` is any item of a list. */
export function hasPath(schema: TSchema, path: string): boolean {
  // safe: the published schemas of bodies are JSON schemas
  let node: Node | undefined = schema as Node;
  for (const part of path.split(".")) {
    const name = part.replace("[]", "");
    node = node?.properties?.[name];
    if (part !== name) node = node?.items;
  }
  return node !== undefined;
}

type Places = readonly (readonly [path: string, schemas: readonly TSchema[]])[];

function check(name: string, places: Places): void {
  const wrong = places
    .filter(([path, schemas]) => !schemas.some((schema) => hasPath(schema, path)))
    .map(([path]) => path);
  if (wrong.length > 0) {
    const named = [...new Set(wrong)].join(", ");
    throw new Error(`${name}: no schema has ${named}. Correct the paths of the format.`);
  }
}

const pathsIn = (paths: Readonly<Record<string, string | undefined>>): string[] =>
  Object.values(paths).filter((path) => path !== undefined);

/**
 * Checks every path by which a format reads, compares or completes bodies against the schemas of
 * the bodies. A wrong path would find nothing, and no test might notice. Throws when a bank opens.
 */
export function checkPaths(kind: string, format: Format): void {
  const { consentRequest, orderRequest, fundsRequest } = format.schemas;
  const bodies = [consentRequest, orderRequest];
  const { paths, orderPaths = {}, repeated, repeatedElsewhere = [], chosenDebtor } = format;
  check(`${kind} in ${format.version.id}`, [
    ...[...pathsIn(paths), ...pathsIn(orderPaths)].map((path) => [path, bodies] as const),
    ...repeated.flatMap((path) => bodies.map((body) => [path, [body]] as const)),
    ...repeatedElsewhere.flatMap(({ consented, ordered }) => [
      [consented, [consentRequest]] as const,
      [ordered, [orderRequest]] as const,
    ]),
    ...(chosenDebtor === undefined ? [] : [[chosenDebtor, [orderRequest]] as const]),
    ...(fundsRequest
      ? pathsIn(fundsRequest.paths).map((path) => [path, [fundsRequest.schema]] as const)
      : []),
  ]);
}

/** Checks the paths into an initiation on its own, as files have it. Throws if one is wrong. */
export function checkInitiationPaths(name: string, format: InitiationFormat): void {
  const below = `${initiation}.`;
  const inside = pathsIn(format.paths).filter((path) => path.startsWith(below));
  check(
    name,
    inside.map((path) => [path.slice(below.length), [format.initiation]] as const),
  );
}
