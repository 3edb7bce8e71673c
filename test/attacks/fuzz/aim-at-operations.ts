import { randomUUID } from "node:crypto";
import { eventVersions } from "#src/events/event-versions.ts";
import { registrationForms } from "#src/events/registration-forms.ts";
import type { Operation } from "#src/http/operation.ts";
import { sampleNames } from "#src/server/examples/reference-samples.ts";
import type { Draw } from "./draw.ts";
import { mutateStructure, textual, toJson } from "./mutate-body.ts";
import { mutateRequest } from "./mutate-request.ts";
import type { Shot } from "./shot.ts";
import {
  type Accesses,
  type Actor,
  type Body,
  type KnownConsent,
  keyOf,
  kinds,
  orderOf,
  type World,
} from "./world.ts";

/** Makes a valid request of the operation, with up to three changes. */
export async function aimAtOperation(
  world: World,
  operation: Operation,
  number: number,
  draw: Draw,
): Promise<Shot> {
  const [first, ...others] = world.actors;
  const actor = first && draw.chance(0.8) ? first : draw.pick(others);
  const subject = chooseSubject(world, actor, operation, draw);
  const { api, method, path, signed, idempotent } = operation;
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => subject.ids[name] ?? randomUUID());
  const headers: Shot["headers"] = {
    accept: operation.success.contentTypes?.[0] ?? "application/json",
    authorization: `Bearer ${subject.token ?? (await actor.clientToken(api.scopes[0]))}`,
  };
  const shot: Shot = {
    number,
    from: operation.operationId,
    changes: [],
    method,
    url: `${actor.client.base}${api.basePath}${filled}`,
    headers,
    body: undefined,
    sender: actor.client.tpp.clientId,
  };
  const turns = draw.pick([0, 1, 1, 1, 2, 3]);
  if (operation.request) {
    shot.body = makeBody(subject.body, turns, draw, shot.changes);
    headers["content-type"] = "application/json";
    if (signed) headers["x-jws-signature"] = await actor.client.signature(shot.body);
    if (idempotent) headers["x-idempotency-key"] = randomUUID();
  }
  const elsewhere = operation.request ? draw.pick([0, 0, 1]) : turns;
  for (let left = elsewhere; left > 0; left--) await mutateRequest(shot, draw, { world, actor });
  return shot;
}

type Subject = { ids: Record<string, string>; token: string | null; body: Body | object };

function chooseSubject(world: World, actor: Actor, operation: Operation, draw: Draw): Subject {
  if (eventVersions.includes(operation.api))
    return chooseRegistration(world, actor, operation, draw);
  return subjects[operation.api.scopes[0]](world, actor, operation, draw);
}

function chooseAccess(world: World, actor: Actor, operation: Operation, draw: Draw): Subject {
  const { ConsentId, token } = chooseGrant(actor.accesses.accounts, operation, draw);
  const AccountId = draw.pick(actor.accountIds);
  const StatementId = draw.pick(actor.statementIds.length > 0 ? actor.statementIds : ["none"]);
  return {
    ids: { ConsentId, AccountId, StatementId },
    token,
    body: structuredClone(world.samples[operation.api.id]?.CreateAccountAccessConsents) ?? {},
  };
}

function chooseFunds(world: World, actor: Actor, operation: Operation, draw: Draw): Subject {
  const { consentId, ConsentId, token } = chooseGrant(
    actor.accesses.fundsconfirmations,
    operation,
    draw,
  );
  const sample = world.samples[operation.api.id]?.[operation.operationId] ?? {};
  if (!("Data" in sample) || token === null) {
    return { ids: { ConsentId }, token, body: structuredClone(sample) };
  }
  // few references are used a second time
  const Reference = `Purchase ${draw.below(100_000)}`;
  const Data = { ...(sample as Body).Data, ConsentId: consentId, Reference };
  return { ids: { ConsentId }, token, body: structuredClone({ ...sample, Data }) };
}

// nothing listens there, so the bank calls no other machine
const callbackUrl = "https://127.0.0.1:9/open-banking/v4.0/event-notifications";

/** A registration for events, or a poll. */
function chooseRegistration(world: World, actor: Actor, operation: Operation, draw: Draw): Subject {
  const ids = Object.fromEntries(
    registrationForms.map(({ idField }) => [
      idField,
      draw.pick([...(actor.registrations.get(idField) ?? []), "none"]),
    ]),
  );
  const body = structuredClone(world.samples[operation.operationId]) ?? {};
  const { Data = {} } = body as Partial<Body>;
  if ("Url" in Data) Data.Url = callbackUrl;
  for (const [field, id] of Object.entries(ids)) if (field in Data) Data[field] = id;
  return { ids, token: null, body };
}

/** A consent and its token, which is null if the operation needs the TPP's own. */
function chooseGrant(
  { consents, spare }: Accesses,
  { grant, method }: Operation,
  draw: Draw,
): { consentId: string; ConsentId: string; token: string | null } {
  // most use the first consent, some one that sees less or was deleted
  const [widest] = consents;
  const { consentId, token } = widest && draw.chance(0.8) ? widest : draw.pick(consents);
  const isSpare = method === "DELETE" || draw.chance(0.3);
  const ConsentId = isSpare ? draw.pick([...spare.slice(-9), "none"]) : consentId;
  return { consentId, ConsentId, token: grant === "authorization_code" ? token : null };
}

function choosePayment(world: World, actor: Actor, operation: Operation, draw: Draw): Subject {
  const { api, path, operationId } = operation;
  const kind = kinds.find(
    ({ id, format }) =>
      format.version === api && (path.startsWith(`/${id}-consents`) || path.startsWith(`/${id}s`)),
  );
  if (!kind) throw new Error(`${path} belongs to no kind of payment`);
  const consents = actor.consents.get(keyOf(kind)) ?? [];
  const granted = consents.filter(({ token }) => token !== null);
  const fresh = granted.filter(({ used }) => used !== true);
  const byCustomer = operation.grant === "authorization_code";
  const isOrder = path === `/${kind.id}s`;
  const wanted = [isOrder ? fresh : [], byCustomer ? granted : []].find((some) => some.length > 0);
  const consent: KnownConsent = draw.pick(wanted && draw.chance(0.9) ? wanted : consents);
  const ids = {
    ConsentId: consent.consentId,
    [kind.orderIdField]: draw.pick(actor.orders.get(keyOf(kind)) ?? [consent.consentId]),
  };
  const token = byCustomer ? consent.token : null;
  if (isOrder) return { ids, token, body: orderOf(consent) };
  const names = sampleNames(kind);
  const isFunds = path.endsWith("/funds-confirmation");
  const sample = operation.upload ? names.file : isFunds ? names.funds : names.consent;
  const body = world.samples[api.id]?.[sample];
  if (operation.request && !body) throw new Error(`${operationId} has no sample`);
  const copy = structuredClone(body) ?? {};
  if (isFunds && body) (copy as Body).Data.ConsentId = consent.consentId;
  return { ids, token, body: copy };
}

const subjects = {
  accounts: chooseAccess,
  payments: choosePayment,
  fundsconfirmations: chooseFunds,
} as const;

function makeBody(body: object, turns: number, draw: Draw, changes: string[]): Buffer {
  if (turns === 0) return Buffer.from(JSON.stringify(body));
  if (draw.chance(0.2)) {
    const [name, change] = draw.pick(textual);
    changes.push(name);
    return change(JSON.stringify(body), draw);
  }
  changes.push(...mutateStructure(body, draw));
  return Buffer.from(toJson(body));
}
