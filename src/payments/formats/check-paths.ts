import type { TSchema } from "typebox";
import type { Format, InitiationFormat, InstructionFormat, KindSchemas } from "./format.ts";
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

/** A path, and the schemas of which one must have it. */
type Place = readonly [path: string, schemas: readonly TSchema[]];

function check(name: string, expected: readonly Place[]): void {
  const wrong = expected
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
  const { schemas, paths, otherPaths, repeated, instruction } = format;
  const { consentRequest, orderRequest } = schemas;
  const bodies = [consentRequest, orderRequest];
  check(`${kind} in ${format.version.id}`, [
    ...places([...pathsIn(paths), ...otherPaths], bodies),
    ...repeated.flatMap((path) => bodies.map((body) => [path, [body]] as const)),
    ...(instruction ? placesOf(instruction, schemas) : []),
  ]);
}

const places = (paths: readonly string[], schemas: readonly TSchema[]): Place[] =>
  paths.map((path) => [path, schemas]);

function placesOf(
  { at, paths, repeated, chosenDebtor, funds }: InstructionFormat,
  { consentRequest, orderRequest }: KindSchemas,
): Place[] {
  return [
    ...places(pathsIn(paths), [consentRequest, orderRequest]),
    ...places([at, ...repeated.map(({ ordered }) => ordered)], [orderRequest]),
    ...places(
      repeated.map(({ consented }) => consented),
      [consentRequest],
    ),
    ...(chosenDebtor === undefined ? [] : places([chosenDebtor], [orderRequest])),
    ...(funds ? places(pathsIn(funds.paths), [funds.schema]) : []),
    ...(funds ? places(funds.references, [consentRequest]) : []),
  ];
}

/** Checks the paths into an initiation on its own, as files have it. Throws if one is wrong. */
export function checkInitiationPaths(name: string, format: InitiationFormat): void {
  const prefix = `${initiation}.`;
  const inside = [...pathsIn(format.paths), ...format.otherPaths]
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length));
  check(name, places(inside, [format.initiation]));
}
