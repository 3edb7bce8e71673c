import type { Draw } from "./draw.ts";
import { mutateStructure, textual, toJson } from "./mutate-body.ts";
import { mutateRequest } from "./mutate-request.ts";
import type { Shot } from "./shot.ts";
import { type Actor, journeyUrl, type World } from "./world.ts";

type Aimed = { method: string; path: string; body?: object };
type Aim = { weight: number; make(world: World, actor: Actor, draw: Draw): Promise<Aimed> | Aimed };

/** Makes a request to the sandbox's own interface, with up to two changes. */
export async function aimAtSandbox(world: World, number: number, draw: Draw): Promise<Shot> {
  const actor = draw.pick(world.actors);
  const { method, path, body } = await draw.pick(weighted).make(world, actor, draw);
  const shot: Shot = {
    number,
    from: `${method} /sandbox/v1/${path.split("/")[1]}`,
    changes: [],
    method,
    url: `${world.address.publicUrl}/sandbox/v1${path}`,
    headers: { accept: "application/json" },
    body: undefined,
  };
  if (body) {
    shot.headers["content-type"] = "application/json";
    if (draw.chance(0.15)) {
      const [name, change] = draw.pick(textual);
      shot.changes.push(name);
      shot.body = change(JSON.stringify(body), draw);
    } else {
      if (draw.chance(0.8)) shot.changes.push(...mutateStructure(body, draw));
      keepTheDay(body);
      shot.body = Buffer.from(toJson(body));
    }
  }
  // an account in a path would be closed, but other requests need it
  if (method === "GET" || path.startsWith("/multi")) {
    if (draw.chance(0.5)) await mutateRequest(shot, draw, { world, actor });
  }
  return shot;
}

/**
 * Keeps the clock within the day: another year would expire all tokens and consents of the attack.
 */
function keepTheDay(body: object): void {
  const given = body as { now?: unknown };
  if (typeof given.now !== "string") return;
  try {
    const tomorrow = Temporal.Now.instant().add({ hours: 24 });
    if (Temporal.Instant.compare(Temporal.Instant.from(given.now), tomorrow) > 0) {
      given.now = "2027-02-30T00:00:00Z";
    }
  } catch {
    // an invalid time does not change the clock
  }
}

const anyOrder = (actor: Actor, draw: Draw): string =>
  draw.pick([...[...actor.orders.values()].flat(), "none"]);

const aims: readonly Aim[] = [
  {
    weight: 1,
    make: () => ({
      method: "POST",
      path: "/tpps",
      body: {
        name: "Fuzzed TPP",
        roles: ["AISP"],
        redirectUris: ["http://localhost:9/x"],
        tokenEndpointAuthMethod: "private_key_jwt",
        certificateBound: true,
      },
    }),
  },
  {
    weight: 3,
    // a changed method may remove it
    make: ({ spareTpp }) => ({ method: "GET", path: `/tpps/${spareTpp}` }),
  },
  {
    weight: 4,
    async make({ strangers }, actor, draw) {
      const consent = draw.pick([...actor.consents.values()].flat());
      const authorizationUrl = await journeyUrl(actor, {
        scope: "payments",
        consentId: consent.consentId,
      });
      const decision = draw.pick(["approve", "deny", "abandon"]);
      const body = { authorizationUrl, customer: draw.pick(strangers).login, decision };
      return { method: "POST", path: "/authorisations", body: { ...body, accounts: ["none"] } };
    },
  },
  { weight: 1, make: () => ({ method: "GET", path: "/customers" }) },
  { weight: 2, make: () => ({ method: "GET", path: "/clock" }) },
  { weight: 3, make: () => ({ method: "PUT", path: "/clock", body: { advance: "PT1S" } }) },
  {
    weight: 3,
    make: () => ({ method: "PUT", path: "/clock", body: { now: "2020-01-01T00:00:00Z" } }),
  },
  {
    weight: 6,
    make: ({ customers }, actor, draw) => ({
      method: "POST",
      path: `/multi-authorisations/${anyOrder(actor, draw)}`,
      body: { decision: "approve", customer: draw.pick(customers).login },
    }),
  },
  {
    weight: 8,
    make: ({ customers }, _actor, draw) => ({
      method: "POST",
      path: "/exchange-contracts",
      body: {
        accountId: draw.pick(draw.pick(customers).accounts).accountId,
        amount: { Amount: "100.00", Currency: "EUR" },
        rate: "1.17",
        expires: "2099-01-01T00:00:00Z",
      },
    }),
  },
  {
    weight: 6,
    make({ customers }, _actor, draw) {
      const { accountId } = draw.pick(customers.at(-1)?.accounts ?? []);
      const act = draw.pick(["block", "reopen", "block", "reopen"]);
      return { method: "POST", path: `/accounts/${accountId}/${act}`, body: {} };
    },
  },
  {
    weight: 6,
    make: (_world, actor, draw) => ({
      method: "POST",
      path: "/explorer",
      body: {
        method: "GET",
        path: `/api/open-banking/v4.0/pisp/domestic-payments/${anyOrder(actor, draw)}`,
        headers: { accept: "application/json" },
      },
    }),
  },
];

const weighted = aims.flatMap((aim) => Array.from({ length: aim.weight }, () => aim));
