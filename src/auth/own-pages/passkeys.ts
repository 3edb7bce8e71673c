import type { OwnPasskey, Passkeys } from "#src/bank/passkeys.ts";
import { present } from "#src/lib/assert.ts";
import {
  addPasskeyPage,
  longestName,
  namePasskeyPage,
  passkeysPage,
  removePasskeyPage,
  type ShownPasskey,
} from "#src/pages/own-passkeys.ts";
import { dateText } from "#src/pages/wording.ts";
import { confirmAct } from "./confirm.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { ownActs } from "./own-acts.ts";
import type { PageAnswer, Visit, VisitRoutes } from "./visit.ts";

const listed = "/bank/passkeys";

const texts = {
  name: `Give the passkey a name with up to ${longestName} characters.`,
  most: "You have as many passkeys as you can. To add another one, remove one first.",
  none: "We did not get a passkey. Try again, on a device and in a browser that have passkeys.",
  over: "That took too long. Add the passkey once more.",
};

/** The pages of passkeys below `/bank/passkeys`, if the bank keeps any. */
export function registerPasskeys({ get, post }: VisitRoutes, { passkeys }: OwnPagesDeps): void {
  if (passkeys === null) return;
  get("/passkeys", list);
  get("/passkeys/new", async (_deps, { frame }) => ({
    page: namePasskeyPage({ ...frame, error: null }),
  }));
  post("/passkeys/new", prepare);
  get("/passkeys/:id/add", (deps, visit) => making(deps, visit, null));
  post("/passkeys/:id/add", add);
  get("/passkeys/:id", removal);
  post("/passkeys/:id", decideRemoval);
}

async function list(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const passkeys = (await keptBy(deps).list(visit.customerId)).map(shown);
  const hasRoom = passkeys.length < keptBy(deps).most;
  return { page: passkeysPage({ ...visit.frame, passkeys, hasRoom }) };
}

async function prepare(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  if (visit.form.get("decision") !== "continue") return { goTo: listed };
  const name = (visit.form.get("name") ?? "").trim();
  if (name === "" || name.length > longestName) {
    return { page: namePasskeyPage({ ...visit.frame, error: texts.name }) };
  }
  const id = await keptBy(deps).prepare(visit.customerId, name);
  if (id === null) return { goTo: listed, message: texts.most };
  return confirmAct(deps, ownActs["add passkey"], { ...visit, params: { id } });
}

async function making(deps: OwnPagesDeps, visit: Visit, error: string | null): Promise<PageAnswer> {
  const { id } = visit.params;
  const { customerId } = visit;
  const name = await keptBy(deps).prepared(customerId, id);
  if (name === null) return null;
  const creation = await keptBy(deps).creation(customerId, id);
  if (creation === null) return { goTo: listed, message: texts.over };
  const path = `${listed}/${id}/add`;
  return { page: addPasskeyPage({ ...visit.frame, path, id, name, creation, error }) };
}

async function add(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  if (visit.form.get("decision") !== "add") return { goTo: listed };
  const { customerId, params } = visit;
  const name = await keptBy(deps).prepared(customerId, params.id);
  // such as a form that was sent twice
  if (name === null) return { goTo: listed };
  const isAdded = await keptBy(deps).add(customerId, params.id, visit.form.get("passkey") ?? "");
  if (!isAdded) return making(deps, visit, texts.none);
  return { goTo: listed, message: `You can now confirm with the passkey ${name}.` };
}

async function find(deps: OwnPagesDeps, visit: Visit): Promise<ShownPasskey | null> {
  const all = await keptBy(deps).list(visit.customerId);
  const found = all.find(({ passkeyId }) => passkeyId === visit.params.id);
  return found ? shown(found) : null;
}

async function removal(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const passkey = await find(deps, visit);
  return passkey && { page: removePasskeyPage({ ...visit.frame, passkey }) };
}

async function decideRemoval(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  if (visit.form.get("decision") !== "remove") return { goTo: listed };
  return confirmAct(deps, ownActs["remove passkey"], visit);
}

const keptBy = ({ passkeys }: OwnPagesDeps): Passkeys => present(passkeys, "the passkeys");

const shown = ({ passkeyId, name, addedAt, usedAt, isSynced }: OwnPasskey): ShownPasskey => ({
  id: passkeyId,
  name,
  added: `Added on ${dateText(addedAt)}`,
  used: usedAt ? `Last used on ${dateText(usedAt)}` : "Not used yet",
  isSynced,
});
