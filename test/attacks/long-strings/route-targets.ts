import { appJourneyRows } from "#src/channels/app-journey-rows.ts";
import { channelsPath, consentRows } from "#src/channels/consent-rows.ts";
import { corePath, coreRows } from "#src/connector/core-rows.ts";
import type { InterfaceRow } from "#src/http/interface-row.ts";
import type { Operation } from "#src/http/operation.ts";
import { controlRows } from "#src/sandbox/controls/interface.ts";
import { sandboxSamples } from "#src/sandbox/controls/interface-samples.ts";
import type { Shot } from "#test/attacks/fuzz/shot.ts";
import type { World } from "#test/attacks/fuzz/world.ts";
import { fitBody, mostBytes } from "./cut.ts";
import { isRefusal } from "./excused.ts";
import type { Served } from "./served.ts";
import type { Target } from "./target.ts";
import { headerText, inUrl, listTexts, withText } from "./texts.ts";

type Row = Omit<InterfaceRow<never>, "handle"> & { shown?: InterfaceRow<never>["request"] };

const guarded = new RegExp(`^(${channelsPath}|${corePath})/`);
const controlsPath = "/sandbox/v1";

/** The rows of the interfaces for the bank's own programs, by their routes. */
const rows = new Map<string, Row>(
  [
    { prefix: controlsPath, rows: controlRows as readonly Row[] },
    { prefix: channelsPath, rows: [...consentRows, ...appJourneyRows] as readonly Row[] },
    { prefix: corePath, rows: coreRows as readonly Row[] },
  ].flatMap(({ prefix, rows: own }) =>
    own.map((row): [string, Row] => [`${row.route[0]} ${prefix}${row.route[1]}`, row]),
  ),
);

/** Samples with which a call would change what the rest of the attack needs. */
const withoutSample = ["setClock", "openWorld", "takeSnapshot"];

/** The bodies that no row describes: their fields or, for bytes, nothing. */
const rawBodies: Readonly<Record<string, { type: string; fields: readonly string[] }>> = {
  "POST /directory/ocsp": { type: "application/ocsp-request", fields: [] },
  "POST /directory/token": {
    type: "application/x-www-form-urlencoded",
    fields: ["grant_type", "scope", "client_id", "client_assertion_type", "client_assertion"],
  },
};

const headers = [
  ...["authorization", "cookie", "accept", "accept-language", "content-type", "origin", "dpop"],
  ...["user-agent", "x-forwarded-for", "x-fapi-interaction-id", "if-none-match"],
];
const queries = ["q", "page", "id", "name", "done", "client", "text", "state", "error"];

/** Strings in the path, the headers, the query and the body of each route that is no operation. */
export function routeTargets(
  { address: { publicUrl, mtlsUrl } }: Pick<World, "address">,
  served: Served,
  operations: readonly Operation[],
): Target[] {
  const { bank, management, managementUrl } = served;
  const withMtls = /^\/(token|request|backchannel|me|register)\b/;
  const listed = [
    ...bank.map((route) => ({ route, base: withMtls.test(pathOf(route)) ? mtlsUrl : publicUrl })),
    ...management.map((route) => ({ route, base: managementUrl })),
  ];
  return listed
    .filter(({ route }) => !isRefusal(route, operations))
    .filter(({ route }) => !route.includes(" /api/"))
    .flatMap(({ route, base }) => targetsOf(route, base, served));
}

const pathOf = (route: string): string => route.slice(route.indexOf(" ") + 1);

function targetsOf(route: string, base: string, { token }: Served): Target[] {
  const [method = ""] = route.split(" ", 1);
  const path = pathOf(route);
  const row = rows.get(route);
  const written = (name?: string, text = ""): string =>
    base + path.replaceAll(/:(\w+)|\*/g, (_, own = "*") => (own === name ? inUrl(text) : "none"));
  const hasBody = method !== "GET" && method !== "DELETE";
  // a body that cannot be read, so that a string elsewhere changes nothing
  const unreadable = { "content-type": "application/json" };
  const shot = (changed: Partial<Shot> = {}): Shot => ({
    number: 0,
    changes: [],
    from: route,
    method,
    url: written(),
    body: hasBody ? Buffer.from("{") : undefined,
    ...changed,
    headers: {
      accept: "*/*",
      ...(hasBody ? unreadable : {}),
      ...(guarded.test(path) ? { authorization: `Bearer ${token}` } : {}),
      ...changed.headers,
    },
  });
  const place = { route, isBody: false } as const;
  const parameters = [...path.matchAll(/:(\w+)|\*/g)].map(([, name = "*"]) => name);
  return [
    ...parameters.map((name) => ({
      ...place,
      name: `${route} path ${name}`,
      make: async (text: string) => shot({ url: written(name, text) }),
    })),
    ...headers.map((name) => ({
      ...place,
      name: `${route} header ${name}`,
      async make(text: string) {
        const before = { authorization: "Bearer ", cookie: "aldgate-bank=" }[name] ?? "";
        return shot({ headers: { [name]: headerText(before + text) } });
      },
    })),
    ...Object.keys(row?.query ?? Object.fromEntries(queries.map((name) => [name, ""]))).map(
      (name) => ({
        ...place,
        name: `${route} query ${name}`,
        make: async (text: string) => shot({ url: `${written()}?${name}=${inUrl(text)}` }),
      }),
    ),
    ...bodyTargets(route, row, shot),
  ];
}

function bodyTargets(
  route: string,
  row: Row | undefined,
  shot: (changed: Partial<Shot>) => Shot,
): Target[] {
  const place = { route, isBody: true } as const;
  const raw = rawBodies[route];
  if (raw) {
    const fields = raw.fields.length === 0 ? ["whole"] : raw.fields;
    return fields.map((field) => ({
      ...place,
      name: `${route} body ${field}`,
      async make(text) {
        const write = (part: string): Buffer => {
          if (raw.fields.length === 0) return Buffer.from(part);
          const form = raw.fields.map((name) => [name, name === field ? part.toWellFormed() : "a"]);
          return Buffer.from(new URLSearchParams(form).toString());
        };
        const body = await fitBody(text, mostBytes.small, write);
        return shot({ headers: { "content-type": raw.type }, body });
      },
    }));
  }
  const request = row?.request ?? row?.shown;
  if (!row || !request) return [];
  const { operationId } = row;
  const sample = withoutSample.includes(operationId) ? {} : (sandboxSamples[operationId] ?? {});
  const isSmall = route.includes(` ${channelsPath}/`);
  const most = isSmall ? mostBytes.small : Math.min(row.bodyLimit ?? Infinity, mostBytes.usual);
  const paths = listTexts(request);
  return (paths.length === 0 ? [["Amount"]] : paths).map((path) => ({
    ...place,
    name: `${route} body ${path.join(".")}`,
    async make(text) {
      const write = (part: string): Buffer =>
        Buffer.from(JSON.stringify(withText(structuredClone(sample), path, part)));
      return shot({ body: await fitBody(text, most, write) });
    },
  }));
}
