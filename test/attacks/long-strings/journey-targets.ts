import { present } from "#src/lib/assert.ts";
import type { ServedKind } from "#src/payments/definitions/payment-kind.ts";
import { sampleNames } from "#src/server/examples/reference-samples.ts";
import { createGun, type Gun, type Shot } from "#test/attacks/fuzz/shot.ts";
import { type Actor, journeyUrl, kinds, type World } from "#test/attacks/fuzz/world.ts";
import { fitBody, mostBytes } from "./cut.ts";
import type { Target } from "./target.ts";

type Field = [name: string, value: string];
/** A page with a form, as the browser has it, and the form filled in as a customer would. */
type Page = { url: string; cookies: Map<string, string>; step: string; fields: Field[] };
type Start = { actor: Actor; kind: ServedKind };

const pagesAtMost = 12;

/**
 * Each field of the form of each step of a journey. For each string a journey begins anew, and goes
 * on to that step.
 */
export async function journeyTargets(world: World): Promise<Target[]> {
  const gun = createGun(world.actors.map(({ client }) => client.tpp));
  const targets = new Map<string, Target>();
  let journeys = 0;
  const actor = present(world.actors[1], "a TPP without other journeys");
  for (const start of kinds.map((kind) => ({ actor, kind }))) {
    for await (const { step, fields } of walk(world, gun, start, world.strangers[0])) {
      for (const [field] of fields) {
        const name = `POST /journey form ${step}/${field}`;
        if (targets.has(name)) continue;
        targets.set(name, {
          name,
          route: "POST /journey/:uid",
          isBody: true,
          ...(field === "csrf" ? {} : { isForm: true }),
          async make(text) {
            // a customer who has entered wrong codes is locked for a while
            for (const _ of world.strangers) {
              const customer = world.strangers[journeys++ % world.strangers.length];
              for await (const page of walk(world, gun, start, customer)) {
                if (page.step === step) return shotOf(page, field, text);
              }
            }
            throw new Error(`no customer gets to the step ${step} of ${start.kind.id}`);
          },
        });
      }
    }
  }
  return [...targets.values()];
}

/** Creates a consent. A journey that is left until its time is up ends its consent. */
async function lodge({ samples }: World, { actor, kind }: Start): Promise<string> {
  const { basePath, id } = kind.format.version;
  const { status, body, raw } = await actor.client.call<{ Data: { ConsentId: string } }>({
    path: `${basePath.replace("/api/open-banking", "")}/${kind.id}-consents`,
    token: await actor.clientToken("payments"),
    body: present(samples[id], "its samples")[sampleNames(kind).consent],
  });
  if (status !== 201) throw new Error(`${kind.id}: ${raw}`);
  return body.Data.ConsentId;
}

/** Goes through a journey without deciding it. Yields each page with a form. */
async function* walk(
  world: World,
  gun: Gun,
  start: Start,
  customer: World["customers"][number] | undefined,
): AsyncGenerator<Page> {
  const cookies = new Map<string, string>();
  const consentId = await lodge(world, start);
  let url = await journeyUrl(start.actor, { scope: "payments", consentId });
  let form: Field[] | null = null;
  for (let count = 0; count < pagesAtMost; count += 1) {
    const shot = await shotOf({ url, cookies, step: "", fields: form ?? [] });
    if (form === null) Object.assign(shot, { method: "GET", body: undefined });
    const { headers, raw } = await gun.fire(shot);
    for (const cookie of headers["set-cookie"] ?? []) {
      const [pair = ""] = cookie.split(";");
      cookies.set(pair.split("=")[0] ?? "", pair);
    }
    form = null;
    const next = headers.location === undefined ? null : new URL(headers.location, url);
    if (next && next.origin !== new URL(world.address.publicUrl).origin) return;
    url = next?.href ?? url;
    if (next) continue;
    const fields = fillIn(raw.toString(), customer);
    const step = fields.find(([name]) => name === "step")?.[1];
    if (step === undefined) return;
    yield { url, cookies, step, fields };
    if (fields.some(([, value]) => value === "approve")) return;
    form = fields;
  }
}

function fillIn(html: string, customer: World["customers"][number] | undefined): Field[] {
  const known: Record<string, string> = {
    login: customer?.login ?? "",
    password: customer?.password ?? "",
    code: /class="big">(\d+)</.exec(html)?.[1] ?? "",
  };
  const inputs = (html.match(/<input\s[^>]*>/g) ?? [])
    .filter((input) => !/\sdisabled[\s>]/.test(input))
    .map((input): Field => {
      const name = /\sname="([^"]*)"/.exec(input)?.[1] ?? "";
      return [name, known[name] ?? /\svalue="([^"]*)"/.exec(input)?.[1] ?? ""];
    });
  const [decision = ""] = [...html.matchAll(/name="decision" value="([^"]*)"/g)].map(
    ([, value = ""]) => value,
  );
  // one of several accounts
  const fields = [...new Map(inputs)];
  return decision === "" ? fields : [...fields, ["decision", decision]];
}

/** Sends the form of a page, with another text in a field. */
async function shotOf({ url, cookies, fields }: Page, field?: string, text = ""): Promise<Shot> {
  const write = (part: string): Buffer => {
    const sent = fields.map(([name, value]) => [name, name === field ? part : value]);
    return Buffer.from(new URLSearchParams(sent).toString());
  };
  return {
    number: 0,
    changes: [],
    from: "POST /journey",
    method: "POST",
    url,
    headers: {
      accept: "text/html",
      cookie: [...cookies.values()].join("; "),
      "content-type": "application/x-www-form-urlencoded",
      origin: new URL(url).origin,
    },
    body: await fitBody(text.toWellFormed(), mostBytes.page, write),
  };
}
