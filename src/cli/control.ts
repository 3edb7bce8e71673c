import { parseJsonObject } from "#src/http/json-object.ts";
import type { ControlRow } from "#src/sandbox/controls/control-row.ts";
import { controlRows } from "#src/sandbox/controls/interface.ts";
import { type Command, type Result, UsageError } from "./command.ts";
import { readGiven, readOptions, textOf } from "./options.ts";
import { sandboxOf } from "./sandbox-client.ts";

const idsOf = ({ route: [, path] }: ControlRow): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

/** `./aldgate control` */
export const command: Command = {
  name: "control",
  summary: "calls any of the running sandbox's controls by its name in their OpenAPI document",
  usage: [
    "  ./aldgate control                       lists the controls",
    "  ./aldgate control NAME [ID…]            calls one; each ID stands for a part of its path",
    "      --body JSON      its body: JSON, or a file of JSON (default: {}, if it takes a body)",
    "      --query TEXT     its query, such as status=4xx&limit=5",
    "      --world NAME     calls the controls of a world",
  ].join("\n"),
  json: {
    "": "without a NAME, {controls}; otherwise the answer, as `./aldgate openapi sandbox-v1` describes it",
  },
  next: [
    ["openapi sandbox-v1", "prints the bodies of the controls, with examples"],
    ["act --help", "describes the acts on an order, a consent or an account"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      body: { type: "string" },
      query: { type: "string" },
      world: { type: "string" },
    });
    const [name, ...ids] = rest;
    if (name === undefined) return list();
    const row = controlRows.find(({ operationId }) => operationId === name);
    if (!row) {
      const names = controlRows.map(({ operationId }) => operationId);
      throw new UsageError(`There is no control "${name}".`, names);
    }
    const { method, path } = placeOf(row, ids);
    const query = queryOf(row, textOf(values.query));
    const body = bodyOf(row, textOf(values.body));
    const { call } = await sandboxOf(cli, textOf(values.world));
    const answer = (await call(method, `${path}${query}`, body)) as object;
    return { lines: [JSON.stringify(answer, null, 2)], json: answer };
  },
};

function list(): Result {
  const controls = controlRows.map((row) => {
    const { operationId: name, summary, route } = row;
    return { name, ids: idsOf(row), method: route[0], path: route[1], summary };
  });
  const lines = controls.map(({ name, ids, summary }) =>
    [[name, ...ids.map((id) => id.toUpperCase())].join(" "), `    ${summary}`].join("\n"),
  );
  return { lines, json: { controls } };
}

function placeOf(row: ControlRow, ids: readonly string[]): { method: string; path: string } {
  const [method, path] = row.route;
  const wanted = idsOf(row);
  if (ids.length !== wanted.length) {
    const names = wanted.length === 0 ? "no id" : wanted.join(" and ");
    throw new UsageError(`${row.operationId} needs ${names}.`);
  }
  let place = path;
  for (const [index, name] of wanted.entries())
    place = place.replace(`:${name}`, encodeURIComponent(ids[index] ?? ""));
  return { method, path: place };
}

function queryOf({ operationId, query = {} }: ControlRow, given = ""): string {
  const asked = new URLSearchParams(given);
  const unknown = [...asked.keys()].find((name) => !Object.hasOwn(query, name));
  if (unknown !== undefined) {
    const message = `${operationId} has no query parameter "${unknown}".`;
    throw new UsageError(message, Object.keys(query));
  }
  return asked.size === 0 ? "" : `?${asked}`;
}

function bodyOf({ operationId, request }: ControlRow, given?: string): object | undefined {
  if (!request) {
    if (given === undefined) return undefined;
    throw new UsageError(`${operationId} takes no body.`);
  }
  const text =
    given === undefined ? "{}" : given.trimStart().startsWith("{") ? given : readGiven(given);
  const refuse = (why: string) => new UsageError(`--body of ${operationId} ${why}.`);
  return parseJsonObject(Buffer.from(text), refuse);
}
