import type { FastifyInstance } from "fastify";
import { formOf, preparePages } from "#src/auth/login/page-scope.ts";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import { present } from "#src/lib/assert.ts";
import { type ActForms, actsPath } from "#src/pages/acts.ts";
import { explanationPage, explanationsPath } from "#src/pages/explanation.ts";
import type { Warning } from "#src/pages/journey.ts";
import { whyUnknown } from "#src/request-log/explain/wire-ids.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import {
  type ActObject,
  type ActRow,
  type Acts,
  actRows,
  actsOn,
} from "#src/sandbox/controls/act-rows.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import { admitDevelopers } from "./developer-pages.ts";

type ActParts = { bankName: string; gate: Gate; acts: Acts; requests: LogReader };

/** Returns the page of an id: what explains it, and what can be done to it. */
export async function resourcePage(
  { bankName, acts, requests }: Omit<ActParts, "gate">,
  id: string,
  said: ActForms["said"] = null,
): Promise<{ isKnown: boolean; page: string }> {
  const explained = id === "" ? null : await requests.explain(id);
  const on = id === "" ? null : await acts.find(id);
  const forms = on && { on, id, said, acts: actsOn(on).map((row) => formFor(on, row)) };
  return {
    isKnown: id === "" || explained !== null || on !== null,
    page: explanationPage({ bankName, id, explained, unknown: whyUnknown(id), forms }),
  };
}

/** Serves the buttons of orders, consents, accounts and customers. */
export function registerActPages(app: FastifyInstance, parts: ActParts): void {
  const { bankName, gate, acts } = parts;
  void app.register(async (scope) => {
    preparePages(scope, { bankName, wayBack: () => ({ url: "/", text: "Go to the home page" }) });
    admitDevelopers(scope, { bankName, gate, title: "You cannot use the controls" });
    scope.post(actsPath, async (request, reply) => {
      const form = formOf(request);
      const id = form.get("id")?.trim() ?? "";
      try {
        const { status, warning } = await perform(acts, id, form);
        if (warning) {
          // not in an address, which anybody can make up
          const text = `Result: ${status}. The customer was told: ${warning.title}. ${warning.text}`;
          return reply.send((await resourcePage(parts, id, { text, isRefusal: false })).page);
        }
        const query = new URLSearchParams({ id, done: form.get("act") ?? "", status });
        return reply.redirect(`${explanationsPath}?${query}`, 303);
      } catch (error) {
        if (!(error instanceof SandboxRefusal)) throw error;
        const said = { text: error.message, isRefusal: true };
        return reply.code(error.statusCode).send((await resourcePage(parts, id, said)).page);
      }
    });
  });
}

/** What the address of a page says has been done. */
export function doneIn({ done, status }: Record<string, unknown>): ActForms["said"] {
  const row = actRows.find(({ act }) => act === done);
  if (!row || typeof status !== "string" || !/^[\w -]{1,80}$/.test(status)) return null;
  return { text: `Done: ${row.label}. Result: ${status}.`, isRefusal: false };
}

/** The fields of each act, compiled at its first use. */
const bodies = new Map(actRows.map((row) => [row, compileSchema(row.request)]));

type Done = { status: string; warning?: Warning | null };

async function perform(acts: Acts, id: string, form: URLSearchParams): Promise<Done> {
  const on: ActObject | null = id === "" ? null : await acts.find(id);
  const row = actsOn(on).find((one) => one.act === form.get("act"));
  if (!row) throw new SandboxRefusal(404, "Nothing has this id, or it has no such act.");
  const body = Object.fromEntries(
    Object.keys(row.request.properties).flatMap((name) => {
      const value = form.get(name)?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
  const [fault] = judge(present(bodies.get(row), row.act), body);
  if (fault) throw new SandboxRefusal(400, `${fault.path}: ${fault.message}`);
  const done = await row.run(acts, id, body as never); // safe: its own schema has just accepted it
  return typeof done === "string" ? { status: done } : done;
}

const examples: Record<string, string> = { by: "PT1H", amount: "25.00", reason: "AC04" };
// a field that says nothing about other objects
const onlyOn: Record<string, ActObject> = { change: "account" };

type FieldSchema = { description?: string; anyOf?: { const: string }[] };

function formFor(on: ActObject, row: ActRow): ActForms["acts"][number] {
  const { act, label, summary, request } = row;
  const fields = Object.entries(request.properties as Record<string, FieldSchema>)
    .filter(([name]) => (onlyOn[name] ?? on) === on)
    .map(([name, { description = "", anyOf }]) => ({
      name,
      hint: description,
      isRequired: request.required?.includes(name) ?? false,
      value: examples[name] ?? "",
      options: anyOf?.map((one) => one.const) ?? null,
    }));
  return { act, label, summary, fields };
}
