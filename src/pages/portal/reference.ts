import {
  apiPath,
  type Caller,
  type ListedDocument,
  resourcesOf,
  type ShownResource,
} from "./api-document.ts";
import type { Block, PortalPage } from "./blocks.ts";
import { type CodeSets, createCodeSets } from "./code-sets.ts";
import { code } from "./inline.ts";
import { propertiesOf } from "./properties.ts";
import { operationBlocks } from "./resource.ts";
import { resolver, type Schema } from "./schema.ts";
import { versionBlocks } from "./version-differences.ts";

/** What the reference is made of. */
type Reference = {
  documents: readonly ListedDocument[];
  /** What resources are for, in two sentences, by name. */
  about: Readonly<Record<string, string>>;
  caller: Caller;
};

type Api = ListedDocument & {
  resources: ShownResource[];
  codes: CodeSets;
  /** The objects that have a page of their own, by name. */
  objects: Map<string, Schema>;
};

/** The pages of all APIs: one for each API, resource, large object and code set. */
export function referencePages(reference: Reference): PortalPage[] {
  const codes = createCodeSets();
  const apis = reference.documents.map((listed) => ({
    ...listed,
    resources: resourcesOf(listed),
    codes,
    objects: new Map<string, Schema>(),
  }));
  const pages = apis.flatMap((api) => {
    const resources = api.resources.map((one) => resourcePage(one, api, apis, reference));
    // objects and code sets are found while the pages that use them are made
    for (const page of resources) page.blocks();
    return [apiPage(api, reference), ...resources, ...objectPages(api)];
  });
  return [...pages, ...codes.pages()];
}

/** The name of an API with its version, such as `Payment Initiation 4.0.1`. */
const apiTitle = ({ document: { info } }: ListedDocument): string =>
  `${info.title} ${info.version}`;

function apiPage(api: Api, { about }: Reference): PortalPage {
  const title = apiTitle(api);
  const rows = api.resources.map(({ name, path, operations }) => [
    `[${name}](${path})`,
    about[name] ?? operations.map((one) => one.title).join(", "),
  ]);
  return {
    path: apiPath(api.id),
    title,
    about: `Every resource of ${title}.`,
    part: title,
    isListed: true,
    hasForms: false,
    blocks: () => [
      {
        is: "lead",
        text: `A page for each resource. The [OpenAPI document](${api.url}) has the same facts.`,
      },
      { is: "table", head: ["Resource", "What it is for"], rows },
    ],
  };
}

function resourcePage(
  resource: ShownResource,
  api: Api,
  apis: readonly Api[],
  { about, caller }: Reference,
): PortalPage {
  const title = resource.name;
  const { path, operations } = resource;
  const purpose = about[title] ?? `${operations.map((one) => one.title).join(". ")}.`;
  return {
    path,
    title,
    about: purpose,
    part: apiTitle(api),
    isListed: true,
    hasForms: caller.profiles !== null,
    blocks() {
      const page = {
        resolve: resolver(api.document),
        codes: api.codes,
        path,
        title: `${title}, ${apiTitle(api)}`,
        objectAddress: (name: string, schema: Schema) => keepObject(api, name, schema),
        shown: new Map<string, string>(),
      };
      return [
        { is: "lead", text: purpose },
        { is: "text", text: placeText(resource, api) },
        ...operations.flatMap((one) => operationBlocks(one, api, page, caller)),
        ...statusBlocks(resource, api),
        ...errorBlocks(resource, api),
        ...versionBlocks(resource, api, apis),
      ];
    },
  };
}

function placeText({ operations }: ShownResource, api: Api): string {
  const links = operations.map(({ id, method, title }) => `[${method}: ${title}](#${id})`);
  return `${apiTitle(api)} · ${links.join(" · ")}`;
}

function keepObject({ id, objects }: Api, name: string, schema: Schema): string {
  if (!objects.has(name)) objects.set(name, schema);
  return objectPath(id, name);
}

const objectPath = (id: string, name: string): string => `${apiPath(id)}/objects/${name}`;

function objectPages(api: Api): PortalPage[] {
  const pages: PortalPage[] = [];
  // an object's page may need further objects, which join the end of the map
  for (const [name, schema] of api.objects) {
    const page = objectPage(name, schema, api);
    page.blocks();
    pages.push(page);
  }
  return pages;
}

function objectPage(name: string, schema: Schema, api: Api): PortalPage {
  const path = objectPath(api.id, name);
  const title = name.replaceAll(".", " ");
  const resolve = resolver(api.document);
  return {
    path,
    title,
    about: `The properties of the object ${code(name)} of ${apiTitle(api)}.`,
    part: apiTitle(api),
    isListed: false,
    hasForms: false,
    blocks(): Block[] {
      const page = {
        resolve,
        codes: api.codes,
        path,
        title: `${title}, ${apiTitle(api)}`,
        objectAddress: (part: string, inner: Schema) => keepObject(api, part, inner),
        shown: new Map<string, string>(),
      };
      const about = resolve(schema).description ?? `An object of ${apiTitle(api)}.`;
      return [
        { is: "lead", text: about },
        { is: "properties", rows: propertiesOf(page, schema, { name, anchor: name }) },
      ];
    },
  };
}

/** The status words of a resource: what they mean, whether they are final, what follows. */
function statusBlocks({ operations }: ShownResource, api: Api): Block[] {
  const statuses = operations.flatMap(({ id }) => api.statusesOf(id));
  if (statuses.length === 0) return [];
  return [
    { is: "heading", level: 2, id: "statuses", text: "Status words" },
    {
      is: "table",
      head: ["Status", "Meaning", "Final", "What follows"],
      rows: statuses.map(({ word, meaning, next }) => [
        code(word),
        meaning,
        next.length === 0 ? "yes" : "no",
        next.map((one) => `${code(one.word)} if ${one.when}`).join("; "),
      ]),
    },
  ];
}

/** The errors of a resource's operations: what they mean, and at which operations they occur. */
function errorBlocks({ operations }: ShownResource, api: Api): Block[] {
  const rows = new Map<string, string[]>();
  for (const { id, refusals } of operations) {
    const listed = api.errorsOf(id);
    const explained = new Set(listed.map(({ status }) => String(status)));
    const others = refusals
      .filter(({ status }) => !explained.has(status))
      .map(({ status, text }) => ({ status: Number(status), code: null, cause: text }));
    for (const error of [...listed, ...others]) {
      const shownCode = error.code ? `[${code(error.code)}](/docs/errors#${error.code})` : "";
      const cells = [String(error.status), shownCode, error.cause];
      rows.set(cells.join("\n"), cells);
    }
  }
  const sorted = [...rows.values()].sort(([a = "", b = ""], [c = "", d = ""]) =>
    `${a}${b}` < `${c}${d}` ? -1 : 1,
  );
  return [
    { is: "heading", level: 2, id: "errors", text: "Errors" },
    { is: "table", head: ["Status", "Code", "Cause"], rows: sorted },
  ];
}
