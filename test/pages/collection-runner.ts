import assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import { present } from "#src/lib/assert.ts";

// Runs collections as Postman and Bruno do: it fills variables, runs the scripts of a collection
// with the objects that these programs give them, sends each request and runs its tests.

/** A request that was run: its answer, and which of its tests failed. */
export type Run = { name: string; status: number; body: string; failures: string[] };

type Variables = Map<string, string>;

const fill = (text: string, variables: Variables): string =>
  text.replaceAll(/\{\{([\w-]+)\}\}/g, (whole, name: string) => variables.get(name) ?? whole);

/** A request that the scripts may change before it is sent. */
type Prepared = { method: string; url: string; headers: Map<string, string>; body: string | null };

async function send(prepared: Prepared, variables: Variables) {
  const { method, url, headers, body } = prepared;
  const filled = [...headers].map(([name, value]) => [name, fill(value, variables)]);
  const answer = await fetch(fill(url, variables), {
    method,
    headers: Object.fromEntries(filled) as Record<string, string>,
    ...(body === null ? {} : { body: fill(body, variables) }),
  });
  return { status: answer.status, text: await answer.text() };
}

// ---- Postman

type Event = { listen: "prerequest" | "test"; script: { exec: string[] } };
type Item = {
  name: string;
  item?: Item[];
  event?: Event[];
  request?: {
    method: string;
    url: { raw: string; query: { disabled: boolean }[] };
    header: { key: string; value: string }[];
    body?: { mode: "raw"; raw: string };
  };
};
/** A collection as Postman stores it. */
export type PostmanFile = {
  info: { schema: string };
  item: Item[];
  event: Event[];
  variable: { key: string; value: string }[];
};

/** Runs every request of a Postman collection in its order. */
export async function runPostman(file: PostmanFile, bank: string): Promise<Run[]> {
  const variables: Variables = new Map(file.variable.map(({ key, value }) => [key, value]));
  variables.set("bank", bank);
  const items = (given: readonly Item[]): Item[] =>
    given.flatMap((one) => (one.item ? items(one.item) : [one]));
  const runs: Run[] = [];
  for (const item of items(file.item)) runs.push(await runItem(item, file.event, variables));
  return runs;
}

const scriptOf = (events: readonly Event[] = [], listen: Event["listen"]): string =>
  events
    .filter((one) => one.listen === listen)
    .flatMap(({ script }) => script.exec)
    .join("\n");

async function runItem(
  { name, request, event }: Item,
  shared: readonly Event[],
  variables: Variables,
): Promise<Run> {
  const { method, url, header, body } = present(request, name);
  const headers = new Map(header.map(({ key, value }) => [key, value]));
  const prepared: Prepared = { method, url: url.raw, headers, body: body?.raw ?? null };
  const asked: Promise<void>[] = [];
  const get = (key: string) => variables.get(key);
  const pm = {
    variables: { get, replaceIn: (text: string) => fill(text, variables) },
    request: {
      method,
      url: { toString: () => url.raw },
      headers: {
        get: (key: string) => headers.get(key),
        remove: (key: string) => headers.delete(key),
        upsert: ({ key, value }: { key: string; value: string }) => headers.set(key, value),
      },
      body,
    },
    sendRequest(given: PostmanSent, done: PostmanDone) {
      asked.push(sendForScript(given, done));
    },
  };
  runInNewContext(scriptOf(shared, "prerequest"), { pm });
  await Promise.all(asked).catch((error: unknown) => assert.fail(`${name}, ${url.raw}: ${error}`));
  const { status, text } = await send(prepared, variables);
  const failures: string[] = [];
  const tested = {
    test: (title: string, check: () => void) => note(failures, title, check),
    response: {
      json: () => JSON.parse(text) as unknown,
      to: { have: { status: (expected: number) => assert.equal(status, expected) } },
    },
    collectionVariables: { set: (key: string, value: string) => keep(variables, key, value) },
  };
  note(failures, "script", () =>
    runInNewContext(scriptOf(event, "test"), { pm: { ...pm, ...tested } }),
  );
  return { name: `${method} ${url.raw}`, status, body: text, failures };
}

type PostmanSent = {
  url: string;
  method: string;
  header: Record<string, string>;
  body: { raw: string };
};
type PostmanDone = (error: null, answer: { code: number; json(): unknown }) => void;

async function sendForScript(given: PostmanSent, done: PostmanDone): Promise<void> {
  const { url, method, header: headers } = given;
  const answer = await fetch(url, { method, headers, body: given.body.raw });
  const text = await answer.text();
  done(null, { code: answer.status, json: () => JSON.parse(text) as unknown });
}

function note(failures: string[], title: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    failures.push(`${title}: ${error}`);
  }
}

function keep(variables: Variables, name: string, value: unknown): void {
  assert.equal(typeof value, "string", `nothing to keep as ${name}`);
  variables.set(name, String(value));
}

// ---- Bruno

/** The blocks of a file in Bru, by their names. */
export function readBru(text: string): Map<string, string> {
  const blocks = new Map<string, string>();
  for (const [, name = "", body = ""] of text.matchAll(/^([\w:-]+) \{\n([\s\S]*?)^\}\n/gm))
    blocks.set(name, body.replaceAll(/^ {2}/gm, "").replace(/\n$/, ""));
  return blocks;
}

const pairsOf = (block = ""): [string, string][] =>
  block
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("~"))
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);

/** Runs every request of a Bruno collection, in the order of its folders and requests. */
export async function runBruno(files: ReadonlyMap<string, string>, bank: string): Promise<Run[]> {
  const environment = readBru(present(files.get("environments/sandbox.bru"), "environment"));
  const variables: Variables = new Map(pairsOf(environment.get("vars")));
  variables.set("bank", bank);
  const script = readBru(present(files.get("collection.bru"), "collection.bru")).get(
    "script:pre-request",
  );
  const orderOf = (path: string): number[] =>
    path.split("/").map((_part, index, parts) => {
      const file =
        index === parts.length - 1 ? path : `${parts.slice(0, index + 1).join("/")}/folder.bru`;
      return Number(new Map(pairsOf(readBru(files.get(file) ?? "").get("meta"))).get("seq"));
    });
  const requests = [...files.keys()].filter(
    (path) => /\/(?!folder)\w+\.bru$/.test(path) && !path.startsWith("environments/"),
  );
  const ordered = requests.sort((a, b) => compareNumbers(orderOf(a), orderOf(b)));
  const runs: Run[] = [];
  for (const path of ordered)
    runs.push(await runBru(readBru(files.get(path) ?? ""), present(script, "script"), variables));
  return runs;
}

const compareNumbers = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, index) => value - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;

const methods = ["get", "post", "put", "delete"];

async function runBru(
  blocks: ReadonlyMap<string, string>,
  script: string,
  variables: Variables,
): Promise<Run> {
  const method = present(
    methods.find((one) => blocks.has(one)),
    "method",
  );
  const { url = "" } = Object.fromEntries(pairsOf(blocks.get(method)));
  const headers = new Map(pairsOf(blocks.get("headers")));
  const body = blocks.get("body:text") ?? null;
  const prepared: Prepared = { method: method.toUpperCase(), url, headers, body };
  const scope = {
    require: () => ({ post: postForScript }),
    bru: { interpolate: (text: string) => fill(text, variables) },
    req: {
      getMethod: () => prepared.method,
      getUrl: () => url,
      getHeader: (name: string) => headers.get(name),
      setHeader: (name: string, value: string) => headers.set(name, value),
      deleteHeader: (name: string) => headers.delete(name),
      getBody: (options: { raw: boolean } = { raw: false }) =>
        options.raw || prepared.body === null
          ? prepared.body
          : (JSON.parse(prepared.body) as object),
      setBody(text: string) {
        prepared.body = text;
      },
    },
  };
  const prepare = runInNewContext(`(async () => {${script}\n})()`, scope) as Promise<void>;
  await prepare.catch((error: unknown) => assert.fail(`${method} ${url}: ${error}`));
  const { status, text } = await send(prepared, variables);
  const failures: string[] = [];
  const expect = (actual: unknown) => ({
    to: { equal: (expected: unknown) => assert.equal(actual, expected) },
  });
  const tested = {
    test: (title: string, check: () => void) => note(failures, title, check),
    expect,
    res: { getStatus: () => status },
  };
  note(failures, "script", () => runInNewContext(present(blocks.get("tests"), "tests"), tested));
  for (const [name, expression] of pairsOf(blocks.get("vars:post-response")))
    note(failures, name, () => {
      const value = runInNewContext(expression, { res: { body: JSON.parse(text) } }) as unknown;
      keep(variables, name, value);
    });
  return { name: `${prepared.method} ${url}`, status, body: text, failures };
}

async function postForScript(
  url: string,
  body: string,
  { headers }: { headers: Record<string, string> },
): Promise<{ status: number; data: unknown }> {
  const answer = await fetch(url, { method: "POST", headers, body });
  const response = { status: answer.status, data: (await answer.json()) as unknown };
  if (!answer.ok) throw Object.assign(new Error(`status ${answer.status}`), { response });
  return response;
}
