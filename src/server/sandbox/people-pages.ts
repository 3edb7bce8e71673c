import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formOf, preparePages } from "#src/auth/login/page-scope.ts";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { customersPage, customersPath, tppsPage, tppsPath } from "#src/pages/people.ts";
import type { ShownClient } from "#src/registration/client-operator.ts";
import type { SandboxControls } from "#src/sandbox/controls/controls.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";
import { createTpp } from "#src/sandbox/controls/interface.ts";
import { deleteTpp } from "#src/sandbox/controls/registration-rows.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import { TppRefused } from "#src/sandbox/directory/issued-tpp.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import { customerDocument, longestDocument } from "#src/sandbox/own-data/document.ts";
import { CustomerRefused } from "#src/sandbox/own-data/import-customer.ts";
import { tppRequest } from "#src/sandbox/test-tpp/tpp-shapes.ts";
import { admitDevelopers } from "./developer-pages.ts";

type PeopleParts = {
  bankName: string;
  gate: Gate;
  controls: SandboxControls;
  /** Whether a customer belongs to every sandbox, so that nobody can delete it. */
  isPersona(login: string): boolean;
};

/** What a page says besides its list. */
type Said = { done?: string; error?: string; text?: string; shift?: boolean; made?: string };
type Page = {
  path: string;
  show(said: Said, deleting: string | undefined): Promise<string>;
  add(form: URLSearchParams): Promise<Said>;
  /** Returns what is deleted, as the page names it. */
  delete(id: string): Promise<string>;
};

/** Serves the pages of customers and TPPs, on which they are added and deleted. */
export function registerPeoplePages(app: FastifyInstance, parts: PeopleParts): void {
  const { bankName, gate } = parts;
  void app.register(async (scope) => {
    const back = { url: "/", text: "Go to the home page" };
    preparePages(scope, { bankName, wayBack: () => back, formBytes: 3 * longestDocument });
    admitDevelopers(scope, { bankName, gate, title: "You cannot use the controls", back });
    for (const page of [customersOf(parts), tppsOf(parts)]) {
      scope.get(page.path, async (request, reply) => {
        const { delete: deleting, done } = request.query as Record<string, string | undefined>;
        const said = done && /^[\w .-]{1,80}$/.test(done) ? { done: `${done} is deleted.` } : {};
        return reply.send(await page.show(said, deleting));
      });
      scope.post(page.path, (request, reply) => perform(page, request, reply));
    }
  });
}

async function perform(
  page: Page,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request);
  try {
    if (form.get("act") === "delete") {
      const done = await page.delete(form.get("id") ?? "");
      return reply.redirect(`${page.path}?${new URLSearchParams({ done })}`, 303);
    }
    return reply.code(201).send(await page.show(await page.add(form), undefined));
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const shift = form.has("shift");
    const said = { error: refusal.message, text: form.get("text") ?? "", shift };
    return reply.code(refusal.statusCode).send(await page.show(said, undefined));
  }
}

/** The refusal that an error is, with its faults in the message; null if it is another error. */
function refusalOf(error: unknown): SandboxRefusal | null {
  if (error instanceof SandboxRefusal) return error;
  if (error instanceof TppRefused) return new SandboxRefusal(400, error.faults.join(". "));
  if (!(error instanceof CustomerRefused)) return null;
  const told = error.faults.map(({ path, message }) => `${path}: ${message}`);
  return new SandboxRefusal(error.statusCode, [error.message, ...told].join(" "));
}

const example = JSON.stringify(
  {
    login: "robin",
    name: "Robin Reed",
    accounts: [{ key: "main", type: "CurrentAccount", balance: "1250.00" }],
  },
  null,
  2,
);

const document = compileSchema(customerDocument);

function customersOf({ bankName, controls, isPersona }: PeopleParts): Page {
  const list = async () =>
    (await controls.listCustomers()).map(({ login, password, name, description, accounts }) => ({
      id: login,
      name,
      about: [
        ["User ID", login],
        ["Password", password],
        ["About", description],
      ] as const,
      folded: {
        title: countOf(accounts.length, "account", "accounts"),
        rows: accounts.map(
          (one) =>
            [
              one.nickname ?? one.accountSubType,
              one.balance === null
                ? one.identification
                : `${one.identification}, ${one.balance} ${one.currency}`,
            ] as const,
        ),
      },
      canDelete: !isPersona(login),
    }));
  return {
    path: customersPath,
    async show({ done, error, text = example, shift = false }, deleting) {
      const customers = await list();
      const asked = customers.find(({ id, canDelete }) => canDelete && id === deleting) ?? null;
      const said = { done: done ?? null, error: error ?? null, text, shift };
      return customersPage({ bankName, ...said, customers, deleting: asked });
    },
    async add(form) {
      const given = parsed(form.get("text") ?? "");
      refuseFaults(document, given);
      const shift = form.has("shift");
      // its schema accepts it
      const { login } = await controls.customers.create(given as never, { shift });
      const dates = shift ? " All dates have moved to the bank's time." : "";
      return { done: `The customer ${login} is added.${dates}` };
    },
    async delete(login) {
      await controls.customers.delete(login);
      return `The customer ${login}`;
    },
  };
}

// the bank's own channel is a client without roles
const isTpp = ({ roles, status }: ShownClient): boolean => roles.length > 0 && status !== "removed";

const newTpp = compileSchema(tppRequest);

function tppsOf({ bankName, controls }: PeopleParts): Page {
  const list = async () =>
    (await controls.clients.list()).filter(isTpp).map((one) => ({
      id: one.clientId,
      name: one.softwareName,
      about: [
        ["Client id", one.clientId],
        ["Status", one.status],
        ["Roles", one.roles.join(", ")],
        ["Profile", one.profile],
      ] as const,
      canDelete: true,
    }));
  return {
    path: tppsPath,
    async show({ done, error, made }, deleting) {
      const tpps = await list();
      const asked = tpps.find(({ id }) => id === deleting) ?? null;
      const said = { done: done ?? null, error: error ?? null, made: made ?? null };
      return tppsPage({ bankName, ...said, tpps, roles: tppRoles, deleting: asked });
    },
    async add(form) {
      const given = {
        name: form.get("name")?.trim() ?? "",
        roles: form.getAll("role"),
        redirectUris: [form.get("redirectUri")?.trim() ?? ""],
      };
      refuseFaults(newTpp, given);
      const made = await createTpp(controls, given as never); // its schema accepts it
      return { done: `The TPP ${given.name} is added.`, made: JSON.stringify(made, null, 2) };
    },
    async delete(clientId) {
      await deleteTpp(controls, clientId);
      return `The TPP ${clientId}`;
    },
  };
}

const parsed = (text: string): unknown =>
  parseJsonObject(Buffer.from(text), (why) => new SandboxRefusal(400, `The customer ${why}.`));

function refuseFaults(schema: Parameters<typeof judge>[0], given: unknown): void {
  const faults = judge(schema, given);
  if (faults.length === 0) return;
  const told = faults.map(({ path = "", message }) => `${path}: ${message}`);
  throw new SandboxRefusal(400, told.join(" "));
}
