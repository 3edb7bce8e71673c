import { assetUrl } from "./assets.ts";
import { type Html, html, withCode } from "./html.ts";
import { layout } from "./layout.ts";
import { type Resolve, resolver, type Schema, sampleOf, schemaTree } from "./schema-tree.ts";

/** The parts of an OpenAPI document that the page uses. */
export type ReferenceDocument = {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, ReferenceOperation>>;
};

type ReferenceOperation = {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content?: Content; $ref?: string };
  responses?: Record<string, { description?: string; content?: Content; $ref?: string }>;
  security?: Record<string, string[]>[];
};

type Content = Record<string, { schema?: Schema; example?: unknown }>;
type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

/** The contents of the API reference. */
type ReferencePage = {
  bankName: string;
  /** A document made by `openApiDocument`; `url` is its address. */
  documents: { id: string; url: string; document: object }[];
  /**
   * The security profiles of the TPPs as which calls can be tried, the default first. Null if calls
   * cannot be tried: only a sandbox allows it.
   */
  explorer: readonly { id: string; title: string }[] | null;
  /** Bodies to start from, by the id of the document and of the operation. */
  samples: Readonly<Record<string, Samples>>;
};

type Entry = {
  anchor: string;
  method: string;
  /** With the document's base path. */
  path: string;
  tag: string;
  /** The summary, without the resource that the tag and the path already name. */
  title: string;
  operation: ReferenceOperation;
  resolve: Resolve;
};

/** The API reference. It is complete without script; with script, calls can be tried. */
export function referencePage(page: ReferencePage): string {
  const parts = page.documents.map(({ id, url, document: given }) => {
    const document = given as ReferenceDocument; // `openApiDocument` returns this structure
    return { id, url, info: document.info, entries: entriesOf(id, document) };
  });
  const body = html`<div class="reference-page">
<nav class="contents" aria-label="Operations">${parts.map(contents)}</nav>
<div class="operations">
<h1>API reference</h1>
<p class="lead">Open an operation to see its request and response${
    page.explorer && ", and try it: the sandbox signs the call and fetches its token for you"
  }.</p>
${page.explorer && profileField(page.explorer)}
${parts.map(
  ({ id, url, info, entries }) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${info.title} <small><a href="${url}">OpenAPI</a></small></h2>
${entries.map((entry) => operationSection(entry, page, page.samples[id] ?? {}))}</section>
`,
)}</div></div>`;
  const head = html`<link rel="stylesheet" href="${assetUrl("reference.css")}">
${page.explorer ? html`<script src="${assetUrl("reference.js")}" defer></script>` : null}`;
  const corner = html`<nav class="corner" aria-label="Pages"><a href="/">Home</a></nav>`;
  const { bankName } = page;
  return layout({ bankName, title: "API reference", width: "full", corner, head, body });
}

const methods = ["get", "post", "put", "delete"];

function entriesOf(id: string, document: ReferenceDocument): Entry[] {
  const resolve = resolver(document);
  const server = document.servers?.[0]?.url ?? "";
  const base = server.replace(/^https?:\/\/[^/]+/, "").replace(/\/$/, "");
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({
        anchor: `${id}-${operation.operationId ?? `${method}${path.replaceAll(/\W+/g, "-")}`}`,
        method: method.toUpperCase(),
        path: path.startsWith(base) ? path : `${base}${path}`,
        tag: operation.tags?.[0] ?? "Other",
        title: operation.summary?.replace(/ \([\w-]+\)$/, "") ?? path,
        operation,
        resolve,
      })),
  );
}

function contents(part: { id: string; info: { title: string }; entries: Entry[] }): Html {
  const tags = [...new Set(part.entries.map((entry) => entry.tag))];
  return html`<p><a href="#${part.id}"><b>${part.info.title}</b></a></p>
${tags.map(
  (tag) => html`<p class="tag">${tag}</p><ul class="plain">
${part.entries.filter((entry) => entry.tag === tag).map(contentsLine)}</ul>
`,
)}`;
}

const contentsLine = ({ anchor, method, title }: Entry): Html =>
  html`<li><a href="#${anchor}">${methodBadge(method)} <span>${title}</span></a></li>\n`;

const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

type Samples = Readonly<Record<string, object>>;

function operationSection(entry: Entry, page: ReferencePage, samples: Samples): Html {
  const { operation } = entry;
  return html`<details class="operation card" id="${entry.anchor}">
<summary><h3>${methodBadge(entry.method)} <span>${entry.title}</span></h3>
<code>${entry.path}</code></summary>
${operation.description && html`<p>${withCode(operation.description)}</p>`}
${parameterTable(entry)}
${requestPart(entry)}
${responsePart(entry)}
${page.explorer ? tryForm(entry, samples) : null}
</details>
`;
}

const parametersOf = ({ operation, resolve }: Entry): Parameter[] =>
  (operation.parameters ?? []).map(resolve);

function parameterTable(entry: Entry): Html | null {
  const parameters = parametersOf(entry);
  if (parameters.length === 0) return null;
  return html`<h4>Parameters</h4><div class="scroll"><table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">About</th></tr></thead>
<tbody>
${parameters.map(
  ({ name, in: place, required, description }) => html`<tr><td><code>${name}</code>${
    required ? html`<br><span class="required">required</span>` : null
  }</td><td>${place}</td><td>${withCode(description ?? "")}</td></tr>
`,
)}</tbody></table></div>`;
}

const schemaOf = (content: Content | undefined): Schema | undefined =>
  Object.values(content ?? {})[0]?.schema;

/** The content types, unless the only one is JSON. */
function typesOf(content: Content | undefined): Html | null {
  const types = Object.keys(content ?? {});
  if (types.every((type) => type === "application/json")) return null;
  return html` <small>${types.map((type) => html`<code>${type}</code> `)}</small>`;
}

function requestPart({ operation, resolve }: Entry): Html | null {
  const content = operation.requestBody && resolve(operation.requestBody).content;
  const schema = schemaOf(content);
  return schema
    ? html`<h4>Request body${typesOf(content)}</h4>${schemaTree(schema, resolve)}`
    : null;
}

function responsePart({ operation, resolve }: Entry): Html {
  const rows = Object.entries(operation.responses ?? {}).map(([status, given]) => {
    const response = resolve(given);
    const schema = schemaOf(response.content);
    const heading = html`<b class="code-${status[0] ?? ""}">${status}</b> ${response.description}`;
    if (!schema) return html`<p class="answer">${heading}</p>`;
    return html`<details class="answer"><summary>${heading}${typesOf(response.content)}</summary>
${schemaTree(schema, resolve)}</details>`;
  });
  return html`<h4>Answers</h4>${rows}`;
}

// Set by the sandbox for each call it sends.
const setHeaders = ["authorization", "x-jws-signature", "x-idempotency-key", "content-type"];

/** Hidden until the script shows it. */
function tryForm(entry: Entry, samples: Samples): Html {
  const { operation, resolve, anchor } = entry;
  const inputs = parametersOf(entry).filter(
    ({ name, in: place }) => place !== "header" || !setHeaders.includes(name.toLowerCase()),
  );
  const schema = operation.requestBody && schemaOf(resolve(operation.requestBody).content);
  const sample = samples[operation.operationId ?? ""] ?? (schema && sampleOf(schema, resolve));
  const sampleText = JSON.stringify(sample, null, 2);
  const needsConsent = operation.security?.some((each) => "PSUOAuth2Security" in each) ?? false;
  return html`<form class="try" hidden data-method="${entry.method}" data-path="${entry.path}">
<h4>Try it</h4>
<div class="inputs">
${needsConsent ? consentField(anchor) : null}
${inputs.map((each) => field(`${anchor}-${each.name}`, each.name, each.name, each.in))}</div>
${
  schema &&
  html`<label for="${anchor}-body">Body</label>
<textarea id="${anchor}-body" name="body" rows="12" spellcheck="false">${sampleText}</textarea>`
}
<p><button class="button">Send</button></p>
<div class="result" aria-live="polite"></div>
</form>`;
}

/** Hidden until the script shows it. */
const profileField = (profiles: readonly { id: string; title: string }[]): Html =>
  html`<form class="profile" hidden><label for="profile">Try calls as a TPP of</label>
<select id="profile" name="profile">${profiles.map(
    ({ id, title }) => html`<option value="${id}">${title}</option>`,
  )}</select></form>`;

const consentField = (anchor: string): Html =>
  field(`${anchor}-consent`, "consentId", "ConsentId (approved for you)", "consent");

const field = (id: string, name: string, label: string, place: string): Html =>
  html`<div class="field"><label for="${id}">${label} <small>${place}</small></label>
<input id="${id}" name="${name}" data-in="${place}" autocomplete="off" spellcheck="false"></div>
`;
