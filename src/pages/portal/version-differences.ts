import { type ListedDocument, resourcesOf, type ShownResource } from "./api-document.ts";
import type { Block } from "./blocks.ts";
import { code } from "./inline.ts";
import { membersOf, type Resolve, resolver, type Schema } from "./schema.ts";

/** Which properties a resource has in one version and not in another of the same API. */
export function versionBlocks(
  resource: ShownResource,
  own: ListedDocument,
  all: readonly ListedDocument[],
): Block[] {
  const others = all.filter(
    (other) => other !== own && other.document.info.title === own.document.info.title,
  );
  const parts = others.flatMap((other): Block[] => {
    const twin = resourcesOf(other).find(({ name }) => name === resource.name);
    const { version } = other.document.info;
    if (!twin) return [{ is: "text", text: `Version ${version} does not have this resource.` }];
    const here = propertyNames(resource, resolver(own.document));
    const there = propertyNames(twin, resolver(other.document));
    return [
      { is: "text", text: `The same resource in [${version}](${twin.path}):` },
      {
        is: "list",
        ordered: false,
        items: [
          [{ is: "text", text: onlyIn(own.document.info.version, here, there) }],
          [{ is: "text", text: onlyIn(version, there, here) }],
        ],
      },
    ];
  });
  if (parts.length === 0) return [];
  return [{ is: "heading", level: 2, id: "versions", text: "Versions" }, ...parts];
}

function onlyIn(version: string, here: ReadonlySet<string>, there: ReadonlySet<string>): string {
  const only = [...here].filter((name) => !there.has(name));
  // what is below a new object is new as well
  const first = only.filter((name) => !only.some((other) => name.startsWith(`${other}.`)));
  if (first.length === 0) return `${version} has no property that the other does not have.`;
  return `Only ${version} has ${first.map(code).join(", ")}.`;
}

/** The properties of a resource's bodies, by the name in the body. */
function propertyNames({ operations }: ShownResource, resolve: Resolve): Set<string> {
  const names = new Set<string>();
  const visit = (schema: Schema, above: string, depth: number): void => {
    for (const { name, given } of membersOf(schema, resolve)) {
      names.add(`${above}${name}`);
      if (depth < 8) visit(given, `${above}${name}.`, depth + 1);
    }
  };
  for (const { request, answer } of operations) {
    if (request) visit(request.schema, "", 0);
    if (answer.schema) visit(answer.schema, "", 0);
  }
  return names;
}
