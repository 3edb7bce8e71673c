import { textOf } from "#src/lib/plain-text.ts";
import type { Caller, ListedDocument, Parameter, ShownOperation } from "./api-document.ts";
import type { Block, Property } from "./blocks.ts";
import { curlOf } from "./curl.ts";
import { code } from "./inline.ts";
import { type PropertyPage, propertiesOf } from "./properties.ts";
import { answerOf, type Schema, sampleOf, typeText, valuesOf } from "./schema.ts";
import { tryForm } from "./try-form.ts";

/** What any operation of the standard may be sent: described on one page. */
const everywhere = [
  "x-fapi-interaction-id",
  "x-fapi-auth-date",
  "x-fapi-customer-ip-address",
  "x-customer-user-agent",
];

/** An operation on its resource's page: words at the left, code at the right. */
export function operationBlocks(
  operation: ShownOperation,
  { samples }: ListedDocument,
  page: PropertyPage,
  caller: Caller,
): Block[] {
  const { id, method, path, title, description, request, answer } = operation;
  const given = samples[id] ?? (request && sampleOf(request.schema, page.resolve));
  const sample = request && !isJson(request.types) ? null : (given ?? null);
  const code = [
    curlOf(operation, sample, caller),
    ...(sample ? [requestBody(operation, sample)] : []),
    ...answerSample(answer, page),
    ...(caller.profiles ? [tryForm(operation, sample)] : []),
  ];
  return [
    {
      is: "beside",
      id,
      blocks: [
        { is: "heading", level: 2, id, text: title },
        { is: "text", text: `**${method}** \`${path}\`` },
        { is: "text", text: callerText(operation) },
        ...(description === "" ? [] : [{ is: "text" as const, text: description }]),
        ...parameterBlocks(operation, page),
        ...bodyBlocks(operation, page),
      ],
      code,
    },
  ];
}

/** Whether a body is a file, which may have several formats. */
export const isFile = (request: ShownOperation["request"]): boolean =>
  (request?.types.length ?? 0) > 1;

const isJson = (types: readonly string[]): boolean => types.includes("application/json");

const json = (title: string, value: unknown): Block => ({
  is: "code",
  language: "json",
  title,
  text: JSON.stringify(value, null, 2),
});

/** A file is shown as its bytes are sent, because the consent has their hash. */
const requestBody = ({ request }: ShownOperation, sample: object): Block =>
  isFile(request)
    ? {
        is: "code",
        language: "json",
        title: "Request body, without a line break at its end",
        text: JSON.stringify(sample),
      }
    : json("Request body", sample);

function answerSample({ status, schema, types }: ShownOperation["answer"], page: PropertyPage) {
  if (!schema || !isJson(types)) return [];
  return [
    json(`Answer ${status}, without most of what is optional`, answerOf(schema, page.resolve)),
  ];
}

function callerText({ needsCustomer, scopes }: ShownOperation): string {
  if (needsCustomer === null)
    return "For whoever may use [the sandbox's controls](/docs/guides/sandbox#who-may-use-the-controls). No token of a TPP is needed.";
  const scope = `scope ${scopes.map(code).join(" or ")}`;
  return needsCustomer
    ? `For a TPP with an access token that the customer authorised for this consent (grant \`authorization_code\`, ${scope}).`
    : `For a TPP with a token of its own (grant \`client_credentials\`, ${scope}).`;
}

function parameterBlocks({ id, parameters }: ShownOperation, page: PropertyPage): Block[] {
  const own = parameters.filter(({ name }) => !everywhere.includes(name));
  const rows = own.map((parameter): Property => parameterRow(id, parameter, page));
  const shared = own.length < parameters.length;
  if (!shared && own.length === 0) return [];
  return [
    { is: "heading", level: 3, id: `${id}-parameters`, text: "Parameters" },
    ...(rows.length > 0 ? [{ is: "properties" as const, rows }] : []),
    ...(shared
      ? [{ is: "text" as const, text: "Also the [headers of every request](/docs/headers)." }]
      : []),
  ];
}

function parameterRow(
  id: string,
  { name, in: place, required, description, schema = {} }: Parameter,
  { resolve }: PropertyPage,
): Property {
  const values = valuesOf(schema);
  const facts = [
    schema.pattern ? code(schema.pattern) : "",
    values ? `one of ${values.map((value) => code(textOf(value))).join(", ")}` : "",
  ];
  return {
    name,
    id: `${id}.${name}`,
    type: `${typeText(schema, resolve)} in ${place}`,
    required: required ?? false,
    about: description ?? parameterText(name, place),
    facts: facts.filter((text) => text !== ""),
    children: [],
  };
}

const parameterText = (name: string, place: string): string =>
  place === "path" ? `The ${code(name)} of the resource.` : "";

function bodyBlocks({ id, request, answer }: ShownOperation, page: PropertyPage): Block[] {
  const part = (
    heading: string,
    suffix: string,
    schema: Schema | null,
    types: string[],
  ): Block[] => {
    const key = schema && JSON.stringify(schema);
    const earlier = key && page.shown.get(key);
    const at = `${id}-${suffix}`;
    const title: Block = { is: "heading", level: 3, id: at, text: heading };
    if (!schema || !key) return [title, { is: "text", text: "No body." }];
    const other = isJson(types) ? [] : [`Sent as ${types.map(code).join(" or ")}.`];
    if (earlier) return [title, { is: "text", text: `The same as [above](#${earlier}).` }];
    page.shown.set(key, at);
    const rows = propertiesOf(page, schema, {
      name: schema.$ref?.split("/").at(-1) ?? id,
      anchor: at,
    });
    return [
      title,
      ...other.map((text) => ({ is: "text" as const, text })),
      ...(rows.length > 0 ? [{ is: "properties" as const, rows }] : []),
    ];
  };
  return [
    ...(request ? part("Request body", "request", request.schema, request.types) : []),
    ...part(`Answer ${answer.status}`, "answer", answer.schema, answer.types),
  ];
}
