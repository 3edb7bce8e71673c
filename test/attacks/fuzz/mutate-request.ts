import { scopes } from "#src/standard/api-version.ts";
import type { Draw } from "./draw.ts";
import { hostileDates, hostileTexts } from "./hostile-values.ts";
import type { Shot } from "./shot.ts";
import { type Actor, consentsOf, type World } from "./world.ts";

/** Changes a request, and returns what it did. */
type Change = (shot: Shot, draw: Draw, given: Given) => string | Promise<string>;
/** The inputs of a change. */
export type Given = { world: World; actor: Actor };

/** Changes anything in a request except its body. */
export async function mutateRequest(shot: Shot, draw: Draw, given: Given): Promise<void> {
  shot.changes.push(await draw.pick(requestChanges)(shot, draw, given));
}

const requestChanges: readonly Change[] = [
  changeToken,
  changeToken,
  changeHeader,
  changeHeader,
  changeHeader,
  changeQuery,
  changeQuery,
  changePath,
  changePath,
  changeMethod,
  changeSignature,
];

/** Replaces what a header cannot contain: everything but Latin-1 without control characters. */
const headerText = (text: string): string =>
  text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?").slice(0, 9000);

async function changeToken(shot: Shot, draw: Draw, { world, actor }: Given): Promise<string> {
  const other = draw.pick(world.actors);
  const consents = scopes.flatMap((scope) => consentsOf(other, scope));
  const granted = consents.flatMap(({ token }) => token ?? []);
  const values: (string | string[] | null)[] = [
    null,
    "",
    "Bearer",
    "Bearer ",
    `Basic ${Buffer.from("a:b").toString("base64")}`,
    `bearer ${await actor.clientToken("payments")}`,
    `Bearer ${await actor.clientToken("payments")}`,
    `Bearer ${await actor.clientToken("accounts")}`,
    `Bearer ${await other.clientToken("payments")}`,
    `Bearer ${draw.pick(granted)}`,
    `Bearer ${draw.pick(granted)}`,
    `Bearer  ${draw.pick(granted)}`,
    `Bearer ${draw.pick(granted)},x`,
    `Bearer ${headerText(draw.pick(hostileTexts))}`,
    [`Bearer ${draw.pick(granted)}`, `Bearer ${draw.pick(granted)}`],
    `Bearer ${"a".repeat(7000)}`,
  ];
  const value = draw.pick(values);
  setHeader(shot, "authorization", value);
  return "authorization";
}

function setHeader(shot: Shot, name: string, value: string | string[] | null): void {
  if (value === null) delete shot.headers[name];
  else shot.headers[name] = value;
}

const headerValues: Readonly<Record<string, readonly (string | string[] | null)[]>> = {
  "content-type": [
    null,
    "",
    "application/json; charset=utf-8",
    "application/json; charset=utf-16",
    "application/json;",
    "application/json; charset=",
    "application/jose+jwe",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=",
    "text/plain",
    "*/*",
    "json",
    ";",
    "/",
    "application/json, text/html",
    ["application/json", "text/html"],
  ],
  accept: [
    null,
    "",
    "*/*",
    "application/*",
    "text/html",
    "application/json;q=0",
    "application/json; charset=utf-8",
    "application/pdf",
    "text/csv",
    ",,,",
    "*",
    "application/json;q=2, */*;q=-1",
    `${"a/b,".repeat(1000)}*/*`,
  ],
  "x-fapi-interaction-id": [
    null,
    "",
    "93bac548-d2de-4546-b106-880a5018460d",
    "93BAC548-D2DE-4546-B106-880A5018460D",
    "{93bac548-d2de-4546-b106-880a5018460d}",
    "a".repeat(129),
    "no uuid",
    ["93bac548-d2de-4546-b106-880a5018460d", "93bac548-d2de-4546-b106-880a5018460e"],
  ],
  "x-idempotency-key": [
    null,
    "",
    " ",
    "a",
    "a".repeat(40),
    "a".repeat(41),
    " leading",
    "é",
    "used-by-everybody",
    ["a", "b"],
  ],
  "x-fapi-auth-date": [
    "Sun, 10 Sep 2017 19:43:31 GMT",
    "Sun, 10 Sep 2017 19:43:31 UTC",
    "Mon, 10 Sep 2017 19:43:31 GMT",
    "Sun, 31 Feb 2017 19:43:31 GMT",
    "2017-09-10T19:43:31Z",
    "Sun, 10 Sep 2017 25:61:61 GMT",
    "",
  ],
  "x-fapi-customer-ip-address": ["127.0.0.1", "::1", "999.1.1.1", "::ffff:1.2.3.4%eth0", "", "x"],
  "x-customer-user-agent": ["", "a".repeat(8000), "\u00e9"],
  "x-customer-last-logged-time": ["Sun, 10 Sep 2017 19:43:31 GMT", "x"],
  cookie: ["", "=", "aldgate-bank=a.b", "_interaction=x; _interaction.sig=y", "a;b;;=;c="],
  host: ["", "evil.example", "localhost:1", "a b", "[::1]", "127.0.0.1"],
  origin: ["null", "https://evil.example"],
  expect: ["100-continue", "200-ok"],
  "transfer-encoding": ["chunked", "gzip, chunked", "identity"],
  "content-encoding": ["gzip", "br", "identity", "x"],
  connection: ["close", "upgrade", "keep-alive, x"],
  upgrade: ["websocket", "h2c"],
  te: ["trailers"],
  range: ["bytes=0-0", "bytes=5-1", "x"],
  "if-none-match": ["*", '"x"'],
  "if-modified-since": ["Sun, 10 Sep 2017 19:43:31 GMT", "x"],
  "x-forwarded-for": ["1.2.3.4", "::1, 127.0.0.1"],
  "x-http-method-override": ["DELETE"],
  "accept-encoding": ["gzip", "*;q=0"],
  "accept-language": ["", "x".repeat(3000)],
  __proto__: ["x"],
  "x-long": ["a".repeat(9000)],
};

/** The headers that are changed: all that the bank reads, and some others. */
export const headerNames: readonly string[] = Object.keys(headerValues);

function changeHeader(shot: Shot, draw: Draw): string {
  const name = draw.pick(Object.keys(headerValues));
  const values = headerValues[name] ?? [];
  const value = draw.chance(0.25) ? headerText(draw.pick(hostileTexts)) : draw.pick(values);
  const safe = Array.isArray(value) || value === null ? value : value.trim() === "" ? value : value;
  // a body with two lengths belongs to the attacks on connections
  if (name === "transfer-encoding" && shot.body) {
    setHeader(shot, "te", "trailers");
    return "te";
  }
  Object.defineProperty(shot.headers, name, {
    value: safe,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  if (safe === null) delete shot.headers[name];
  return name;
}

/** The parameters of queries that are changed: all that the bank reads, and some others. */
export const queryNames: readonly string[] = [
  "page",
  "fromBookingDateTime",
  "toBookingDateTime",
  "fromStatementDateTime",
  "toStatementDateTime",
  "fromScheduledPaymentDateTime",
  "ConsentId",
  "access_token",
  "__proto__",
  "constructor",
  "limit",
  "",
];

function changeQuery(shot: Shot, draw: Draw): string {
  const pieces: string[] = [];
  for (let left = 1 + draw.below(3); left > 0; left--) {
    const name = draw.pick(queryNames);
    const value = draw.chance(0.5)
      ? draw.pick([...hostileDates, "2026-01-01T00:00:00", "1", "-1", "99999999999999999999"])
      : draw.pick(hostileTexts).slice(0, 1500);
    const written = draw.chance(0.8) ? encode(value) : wire(value);
    pieces.push(draw.chance(0.95) ? `${name}=${written}` : written);
  }
  if (draw.chance(0.2)) pieces.push(...pieces);
  shot.url += `${shot.url.includes("?") ? "&" : "?"}${pieces.join("&")}`;
  return `query ${pieces[0]?.slice(0, 60)}`;
}

/** Percent-encodes a text. Lone surrogates become replacement characters. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Leaves a text as it is, except for spaces and control characters, which Node does not send. */
const wire = (text: string): string => text.replaceAll(/[^\x21-\xff]/g, "%");

function changePath(shot: Shot, draw: Draw, { world }: Given): string {
  const { origin } = new URL(shot.url);
  const [path = "", query] = shot.url.slice(origin.length).split("?");
  const parts = path.split("/");
  const at = 1 + draw.below(parts.length - 1);
  const text = draw.pick(hostileTexts).slice(0, 2500);
  const other = draw.pick(world.actors);
  const theirs = [
    ...[...other.consents.values()].flat().map(({ consentId }) => consentId),
    ...[...other.orders.values()].flat(),
    ...other.accountIds,
    ...other.statementIds,
  ];
  const changed = draw.pick([
    () => parts.with(-1, encode(text)),
    () => parts.with(at, encode(text)),
    () => parts.with(at, wire(text)),
    () => parts.with(at, `${parts[at]}${encode(text)}`),
    () => parts.with(-1, draw.pick(theirs)),
    () => parts.with(-1, draw.pick(theirs)),
    () => [...parts, ""],
    () => [...parts, draw.pick(theirs)],
    () => ["", ...parts],
    () => parts.with(at, `${parts[at]};a=b`),
    () => parts.with(at, parts[at]?.toUpperCase() ?? ""),
    () => parts.with(at, "%c0%ae%c0%ae"),
    () => parts.with(at, "."),
    () => parts.with(at, ".."),
    () => parts.slice(0, at),
  ])();
  const written = changed.join("/") || "/";
  shot.url = `${origin}${written.startsWith("/") ? "" : "/"}${written}${query ? `?${query}` : ""}`;
  return `path ${written.slice(0, 80)}`;
}

function changeMethod(shot: Shot, draw: Draw): string {
  shot.method = draw.pick(["HEAD", "PUT", "PATCH", "OPTIONS", "DELETE", "TRACE", "GET", "POST"]);
  if (draw.chance(0.05)) shot.method = draw.pick(["PROPFIND", "SEARCH", "PURGE", "M-SEARCH"]);
  return `method ${shot.method}`;
}

async function changeSignature(shot: Shot, draw: Draw, { actor, world }: Given): Promise<string> {
  const body = shot.body ?? Buffer.from("");
  const { client } = actor;
  const now = Math.floor(Date.now() / 1000);
  const claim = (name: string): string => `http://openbanking.org.uk/${name}`;
  const header = (members: Record<string, unknown>) => () => client.signature(body, members);
  const values: (() => Promise<string | string[] | null>)[] = [
    async () => null,
    async () => "",
    async () => "..",
    async () => "a.b.c",
    async () => headerText(draw.pick(hostileTexts)),
    async () => `${Buffer.from("{").toString("base64url")}..AAAA`,
    async () => `${Buffer.from('{"alg":"none"}').toString("base64url")}..`,
    async () => `${Buffer.from("null").toString("base64url")}..AAAA`,
    async () => (await client.signature(body)).replace("..", `.${body.toString("base64url")}.`),
    async () => (await client.signature(body)).slice(0, -4),
    async () => [await client.signature(body), await client.signature(body)],
    () => client.signature(Buffer.concat([body, Buffer.from(" ")])),
    () => draw.pick(world.actors).client.signature(body),
    header({ kid: "unknown" }),
    header({ kid: draw.pick(hostileTexts) }),
    header({ kid: "__proto__" }),
    header({ [claim("iat")]: now + 3600 }),
    header({ [claim("iat")]: draw.pick([0, -1, 1e300, 1.5, "1", null, now - 86_400]) }),
    header({ [claim("iss")]: draw.pick([...hostileTexts, 1, null, {}]) }),
    header({ [claim("tan")]: draw.pick([...hostileTexts, 1, null, []]) }),
    header({ typ: "x", cty: "y", jku: "http://127.0.0.1:1/", jwk: {}, x5u: "http://127.0.0.1:1/" }),
  ];
  const value = await draw.pick(values)();
  setHeader(shot, "x-jws-signature", value);
  return "x-jws-signature";
}
