import type { Operation } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { aims as forms } from "#test/attacks/fuzz/aim-at-oauth.ts";
import { aimAtOperation } from "#test/attacks/fuzz/aim-at-operations.ts";
import { claimsOf } from "#test/attacks/fuzz/aim-at-registration.ts";
import type { Draw } from "#test/attacks/fuzz/draw.ts";
import { headerNames, queryNames } from "#test/attacks/fuzz/mutate-request.ts";
import type { Shot } from "#test/attacks/fuzz/shot.ts";
import type { Actor, World } from "#test/attacks/fuzz/world.ts";
import { fileTargets } from "./file-targets.ts";
import { journeyTargets } from "./journey-targets.ts";
import type { Target } from "./target.ts";
import { listTexts, withText } from "./texts.ts";

// Node refuses headers of more than 16 kB in all, and the path is among them
const inHeader = 11_000;

const headerText = (text: string): string =>
  text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?").slice(0, inHeader);
// three characters for one
const inUrl = (text: string): string =>
  encodeURIComponent(text.slice(0, inHeader / 9).toWellFormed());

/** Makes no change, and always the first choice. */
const tame: Draw = {
  below: () => 0,
  chance: (p) => p > 0.7,
  pick: ([first]) => present(first, ""),
};

/** Lists every text member, header, parameter, form field and text of a file, of every request. */
export async function listTargets(world: World): Promise<Target[]> {
  const operations = listOperations(paymentKinds);
  return [
    ...operations.flatMap((operation) => bodyTargets(world, operation)),
    ...operations.flatMap((operation) => pathTargets(world, operation)),
    ...firstOfEachApi(operations).flatMap((operation) => headTargets(world, operation)),
    ...(await formTargets(world)),
    ...(await registrationTargets(world)),
    ...loginTargets(world),
    ...(await journeyTargets(world)),
    ...fileTargets(world),
  ];
}

const aim = (world: World, operation: Operation): Promise<Shot> =>
  aimAtOperation(world, operation, 0, tame);

function bodyTargets(world: World, operation: Operation): Target[] {
  if (!operation.request) return [];
  return listTexts(operation.request).map((path) => ({
    name: `${operation.operationId} body ${path.join(".")}`,
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

function headTargets(world: World, operation: Operation): Target[] {
  const { operationId } = operation;
  const skipped = ["transfer-encoding", "expect", "connection", "upgrade", "host", "te"];
  const names = ["authorization", "x-jws-signature", ...headerNames];
  return [
    ...names
      .filter((name) => !skipped.includes(name))
      .map((name) => ({
        name: `${operationId} header ${name}`,
        async make(text: string) {
          const shot = await aim(world, operation);
          const value = headerText(name === "authorization" ? `Bearer ${text}` : text);
          return { ...shot, headers: { ...shot.headers, [name]: value } };
        },
      })),
    ...queryNames.map((name) => ({
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
          async make(text) {
            const aimed = await make(actor, tame, world);
            const fields = (aimed.form ?? []).map(([name, value], at): [string, string] => [
              name,
              at === index ? text.toWellFormed() : value,
            ]);
            return formShot(aimed, fields, actor);
          },
        });
      }
    }
  }
  return targets;
}

function formShot(
  { from, method, url }: Pick<Shot, "from" | "method" | "url">,
  fields: [string, string][],
  actor: Actor,
): Shot {
  const sender = actor.client.tpp.clientId;
  const shot: Shot = { ...blank, from, method, url, headers: { accept: "*/*" }, sender };
  if (method === "GET") {
    const short = fields.map(([name, value]) => [name, value.slice(0, inHeader / 3)]);
    return { ...shot, url: `${url}?${new URLSearchParams(short)}`.slice(0, inHeader) };
  }
  shot.headers["content-type"] = formType;
  return { ...shot, body: Buffer.from(new URLSearchParams(fields).toString()) };
}

const formType = "application/x-www-form-urlencoded";
const blank = { number: 0, changes: [], body: undefined };

/** Each claim of a registration, and the JWS as a whole. */
async function registrationTargets(world: World): Promise<Target[]> {
  const actor = present(world.actors[0], "a TPP");
  const { client } = actor;
  const claims = await claimsOf(world, actor, true);
  const names = [...Object.keys(claims).filter((name) => name !== "software_statement"), ""];
  return ["POST", "PUT"].flatMap((method) =>
    names.map((name) => ({
      name: `${method} /register claim ${name}`,
      async make(text: string): Promise<Shot> {
        const changed = { ...(await claimsOf(world, actor, method === "POST")), [name]: text };
        const own = method === "PUT" ? `/${client.tpp.clientId}` : "";
        const token = await actor.clientToken("accounts");
        return {
          ...blank,
          from: `${method} /register`,
          method,
          url: `${world.address.mtlsUrl}/register${own}`,
          headers: { "content-type": "application/jose", authorization: `Bearer ${token}` },
          body: Buffer.from(name === "" ? text : await client.signJwt(changed as object as never)),
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
    async make(text) {
      const url = `${address.publicUrl}/bank/login`;
      const page = await fetch(url);
      const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
      const cookie = page.headers.getSetCookie().map((one) => one.split(";")[0]);
      const known = { csrf, login: "none", password: "none", decision: "continue" };
      const form = new URLSearchParams({ ...known, [field]: text.toWellFormed() });
      const headers = {
        "content-type": formType,
        cookie: cookie.join("; "),
        origin: address.publicUrl,
        accept: "text/html",
      };
      const body = Buffer.from(form.toString());
      return { ...blank, from: "POST /bank/login", method: "POST", url, headers, body };
    },
  }));
