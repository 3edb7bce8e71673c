import type { Operation } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { requestParameters, signBackchannel } from "#src/sandbox/test-tpp/authorization-flow.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import {
  backchannel,
  backchannelMembers,
  aims as forms,
  pushed,
} from "#test/attacks/fuzz/aim-at-oauth.ts";
import { aimAtOperation } from "#test/attacks/fuzz/aim-at-operations.ts";
import { claimsOf } from "#test/attacks/fuzz/aim-at-registration.ts";
import type { Draw } from "#test/attacks/fuzz/draw.ts";
import { headerNames, queryNames } from "#test/attacks/fuzz/mutate-request.ts";
import type { Shot } from "#test/attacks/fuzz/shot.ts";
import { type Actor, consentsOf, type World } from "#test/attacks/fuzz/world.ts";
import { cut, fitBody, mostBytes } from "./cut.ts";
import { fileTargets } from "./file-targets.ts";
import { journeyTargets } from "./journey-targets.ts";
import { pageTargets } from "./page-targets.ts";
import { routeTargets } from "./route-targets.ts";
import type { Served } from "./served.ts";
import type { Target } from "./target.ts";
import { headerText, inHeader, inUrl, listTexts, withText } from "./texts.ts";

/** Makes no change, and always the first choice. */
const tame: Draw = {
  below: () => 0,
  chance: (p) => p > 0.7,
  pick: ([first]) => present(first, ""),
};

/**
 * Lists every text member, header, parameter, form field and text of a file, of every request. Each
 * other route of the bank gets strings in its path, its headers and its query.
 */
export async function listTargets(world: World, served: Served): Promise<Target[]> {
  const operations = listOperations(paymentKinds);
  const firsts = firstOfEachApi(operations);
  return [
    ...operations.flatMap((operation) => bodyTargets(world, operation)),
    ...operations.flatMap((operation) => pathTargets(world, operation)),
    ...operations.flatMap((operation) =>
      headTargets(world, operation, { isFirst: firsts.includes(operation) }),
    ),
    ...(await formTargets(world)),
    ...claimTargets(world),
    ...(await registrationTargets(world)),
    ...loginTargets(world),
    ...(await journeyTargets(world)),
    ...(await pageTargets(world)),
    ...fileTargets(world),
    ...routeTargets(world, served, operations),
  ];
}

const routeOf = ({ api, method, path }: Operation): string => `${method} ${api.basePath}${path}`;

const aim = (world: World, operation: Operation): Promise<Shot> =>
  aimAtOperation(world, operation, 0, tame);

function bodyTargets(world: World, operation: Operation): Target[] {
  if (!operation.request) return [];
  return listTexts(operation.request).map((path) => ({
    name: `${operation.operationId} body ${path.join(".")}`,
    route: routeOf(operation),
    isBody: true,
    async make(text) {
      const shot = await aim(world, operation);
      const sent = JSON.parse(String(shot.body));
      shot.body = Buffer.from(JSON.stringify(withText(sent, path, text)));
      if (!operation.signed) return shot;
      const { client } = present(world.actors[0], "a TPP");
      shot.headers["x-jws-signature"] = await client.signature(shot.body);
      return shot;
    },
  }));
}

const pathTargets = (world: World, operation: Operation): Target[] =>
  [...operation.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name: `${operation.operationId} path ${name}`,
    route: routeOf(operation),
    isBody: false,
    async make(text) {
      const shot = await aim(world, operation);
      const { origin } = new URL(shot.url);
      const written = operation.path.replaceAll(/:(\w+)/g, (_, other: string) =>
        other === name ? inUrl(text) : "none",
      );
      return { ...shot, url: `${origin}${operation.api.basePath}${written}` };
    },
  }));

/** A reading and a writing operation of each API, because operations share the code of headers. */
function firstOfEachApi(operations: readonly Operation[]): Operation[] {
  const keyOf = ({ api, method }: Operation): string => `${api.id} ${method}`;
  return [...new Map(operations.map((one) => [keyOf(one), one])).values()];
}

/** The headers and parameters of an operation; of one that shares its code, the token alone. */
function headTargets(
  world: World,
  operation: Operation,
  { isFirst }: { isFirst: boolean },
): Target[] {
  const { operationId } = operation;
  const skipped = ["transfer-encoding", "expect", "connection", "upgrade", "host", "te"];
  const names = ["authorization", ...(isFirst ? ["x-jws-signature", ...headerNames] : [])];
  const place = { route: routeOf(operation), isBody: false };
  return [
    ...names
      .filter((name) => !skipped.includes(name))
      .map((name) => ({
        ...place,
        name: `${operationId} header ${name}`,
        async make(text: string) {
          const shot = await aim(world, operation);
          const value = headerText(name === "authorization" ? `Bearer ${text}` : text);
          return { ...shot, headers: { ...shot.headers, [name]: value } };
        },
      })),
    ...(isFirst ? queryNames : []).map((name) => ({
      ...place,
      name: `${operationId} query ${name}`,
      async make(text: string) {
        const shot = await aim(world, operation);
        return { ...shot, url: `${shot.url}?${name}=${inUrl(text)}` };
      },
    })),
  ];
}

/** Each field of the forms and queries of the authorization server, for each security profile. */
async function formTargets(world: World): Promise<Target[]> {
  const targets: Target[] = [];
  for (const actor of world.actors) {
    for (const make of new Set(forms)) {
      const { from, form = [] } = await make(actor, tame, world);
      for (const [index, [field]] of form.entries()) {
        targets.push({
          name: `${from} of ${actor.client.tpp.profile} field ${field}`,
          route: from,
          isBody: true,
          async make(text) {
            const aimed = await make(actor, tame, world);
            const write = (part: string): [string, string][] =>
              (aimed.form ?? []).map(([name, value], at) => [
                name,
                at === index ? part.toWellFormed() : value,
              ]);
            return formShot(aimed, { text, write, actor });
          },
        });
      }
    }
  }
  return targets;
}

type FormShot = { text: string; write(text: string): [string, string][]; actor: Actor };

async function formShot(
  { from, method, url }: Pick<Shot, "from" | "method" | "url">,
  { text, write, actor }: FormShot,
): Promise<Shot> {
  const sender = actor.client.tpp.clientId;
  const shot: Shot = { ...blank, from, method, url, headers: { accept: "*/*" }, sender };
  if (method === "GET") {
    const query = await fitBody(cut(text, inHeader / 3), inHeader, (part) => bytesOf(write(part)));
    return { ...shot, url: `${url}?${query}`.slice(0, inHeader) };
  }
  shot.headers["content-type"] = formType;
  return { ...shot, body: await fitBody(text, mostBytes.oauth, (part) => bytesOf(write(part))) };
}

const bytesOf = (fields: [string, string][]): Buffer =>
  Buffer.from(new URLSearchParams(fields).toString());

const formType = "application/x-www-form-urlencoded";
const blank = { number: 0, changes: [], body: undefined };

/** The claims of an authorization request that are texts. */
const requestClaims = [
  ...["iss", "aud", "client_id", "response_type", "response_mode", "redirect_uri", "scope"],
  ...["state", "nonce", "prompt", "acr_values", "max_age", "claims", "login_hint", "id_token_hint"],
  ...["ui_locales", "display", "code_challenge", "code_challenge_method", "dpop_jkt", "jti"],
];

/** Each claim of the signed requests that a TPP pushes, and of those without a browser. */
function claimTargets(world: World): Target[] {
  const actor = present(world.actors[0], "a TPP");
  const { client } = actor;
  const signJwt = client.signJwt.bind(client);
  const scope = "payments" as const;
  const consentId = present(consentsOf(actor, scope)[0], "a consent").consentId;
  const signed = async (path: string, overrides: Record<string, string>): Promise<string> => {
    if (path === "/request") {
      const { request } = await requestParameters(client, { scope, consentId, overrides });
      return present(request, "a signed request");
    }
    const { login_hint_token } = backchannelMembers(tame);
    const claims = { login_hint_token, ...overrides };
    return signBackchannel(
      { tpp: client.tpp, bank: client.bank, signJwt },
      { scope, consentId, claims },
    );
  };
  const names = {
    "/request": requestClaims,
    "/backchannel": [
      "iss",
      "aud",
      "jti",
      "openbanking-intent-id",
      ...Object.keys(backchannelMembers(tame)),
    ],
  };
  return Object.entries(names).flatMap(([path, claims]) =>
    claims.map((claim) => ({
      name: `POST ${path} claim ${claim}`,
      route: `POST ${path}`,
      isBody: true,
      async make(text: string): Promise<Shot> {
        const aimed = await (path === "/request" ? pushed : backchannel)(actor, tame, world);
        const others = (aimed.form ?? []).filter(
          ([name]) => name === "client_id" || name.startsWith("client_assertion"),
        );
        const write = async (part: string): Promise<Buffer> =>
          bytesOf([...others, ["request", await signed(path, { [claim]: part.toWellFormed() })]]);
        const { from, method, url } = aimed;
        return {
          ...blank,
          ...{ from, method, url },
          headers: { accept: "*/*", "content-type": formType },
          body: await fitBody(text, mostBytes.oauth, write),
          sender: client.tpp.clientId,
        };
      },
    })),
  );
}

/** Each claim of a registration, and the JWS as a whole. */
async function registrationTargets(world: World): Promise<Target[]> {
  const actor = present(world.actors[0], "a TPP");
  const { client } = actor;
  const claims = await claimsOf(world, actor, true);
  const names = [...Object.keys(claims).filter((name) => name !== "software_statement"), ""];
  return ["POST", "PUT"].flatMap((method) =>
    names.map((name) => ({
      name: `${method} /register claim ${name}`,
      route: method === "PUT" ? "PUT /register/:clientId" : "POST /register",
      isBody: true,
      async make(text: string): Promise<Shot> {
        const claims = await claimsOf(world, actor, method === "POST");
        const write = async (part: string): Promise<Buffer> =>
          Buffer.from(
            name === ""
              ? part
              : await client.signJwt({ ...claims, [name]: part } as object as never),
          );
        const own = method === "PUT" ? `/${client.tpp.clientId}` : "";
        const token = await actor.clientToken("accounts");
        return {
          ...blank,
          from: `${method} /register`,
          method,
          url: `${world.address.mtlsUrl}/register${own}`,
          headers: { "content-type": "application/jose", authorization: `Bearer ${token}` },
          body: await fitBody(text, mostBytes.registration, write),
          sender: client.tpp.clientId,
        };
      },
    })),
  );
}

/** The fields of the bank's login page. */
const loginTargets = ({ address }: World): Target[] =>
  ["login", "password", "csrf", "decision"].map((field) => ({
    name: `POST /bank/login field ${field}`,
    route: "POST /bank/login",
    isBody: true,
    ...(field === "csrf" ? {} : { isForm: true }),
    async make(text) {
      const url = `${address.publicUrl}/bank/login`;
      const page = await fetch(url);
      const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
      const cookie = page.headers.getSetCookie().map((one) => one.split(";")[0]);
      const known = { csrf, login: "none", password: "none", decision: "continue" };
      const write = (part: string): Buffer =>
        bytesOf(Object.entries({ ...known, [field]: part.toWellFormed() }));
      const headers = {
        "content-type": formType,
        cookie: cookie.join("; "),
        origin: address.publicUrl,
        accept: "text/html",
      };
      const body = await fitBody(text, mostBytes.page, write);
      return { ...blank, from: "POST /bank/login", method: "POST", url, headers, body };
    },
  }));
