import type { FastifyReply, FastifyRequest } from "fastify";
import { formOf, preparePages } from "#src/auth/login/page-scope.ts";
import { confirmedActs, worldsPage } from "#src/pages/worlds.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import {
  type WorldControls,
  type WorldSummary,
  worldName,
} from "#src/sandbox/controls/world-shapes.ts";
import type { Parts, Sandbox } from "#src/server/parts.ts";
import { admitDevelopers } from "./developer-pages.ts";

type Given = { name: string; form: URLSearchParams };

/** What the buttons of the page do, and what the page says then. */
const acts: Record<
  string,
  { done: string; run(worlds: WorldControls, given: Given): Promise<{ name: string }> }
> = {
  open: {
    done: "is open.",
    run: (worlds, { name, form }) =>
      worlds.open({
        ...(name === "" ? {} : { name }),
        clock: {
          ...(form.get("start") ? { start: String(form.get("start")).trim() } : {}),
          ...(form.get("frozen") ? { rate: 0 } : {}),
        },
      }),
  },
  reset: { done: "is as it began.", run: (worlds, { name }) => worlds.reset(name) },
  snapshot: {
    done: "has another snapshot.",
    run: (worlds, { name }) => worlds.snapshot(name, {}),
  },
  restore: {
    done: "is restored.",
    run: (worlds, { name, form }) => worlds.restore(name, { snapshot: form.get("snapshot") ?? "" }),
  },
  fork: { done: "is a copy.", run: (worlds, { name }) => worlds.fork(name, {}) },
  delete: {
    done: "is deleted.",
    async run(worlds, { name }) {
      await worlds.delete(name);
      return { name };
    },
  },
};

/** Serves the page of worlds, to callers who may use the controls. */
export function registerWorldPages({
  app,
  config,
  worlds,
  sandbox,
}: Parts & { sandbox: Sandbox }): void {
  if (!worlds) return;
  const { BANK_NAME: bankName } = config;
  const back = { url: "/", text: "Go to the home page" };
  const show = (
    reply: FastifyReply,
    said: { done: string | null; error: string | null },
    query: Record<string, string | undefined> = {},
  ) => {
    const all = worlds.list().map(shown);
    const asked = confirmedActs.flatMap((act) =>
      all.flatMap(({ name }) => (name === query[act] ? [{ act, name }] : [])),
    );
    return reply.send(worldsPage({ bankName, ...said, worlds: all, asked: asked[0] ?? null }));
  };
  void app.register(async (scope) => {
    preparePages(scope, { bankName, wayBack: () => back });
    const title = "You cannot use the controls";
    admitDevelopers(scope, { bankName, gate: sandbox.gate, title, back, isOpenToLinks: true });
    scope.get("/worlds", (request, reply) => {
      const query = request.query as Record<string, string | undefined>;
      return show(reply, { done: doneIn(request), error: null }, query);
    });
    scope.post("/worlds", async (request, reply) => {
      const form = formOf(request);
      const act = form.get("act") ?? "";
      try {
        const { name } = await perform(worlds, act, form);
        return reply.redirect(`/worlds?${new URLSearchParams({ done: act, name })}`, 303);
      } catch (error) {
        if (!(error instanceof SandboxRefusal)) throw error;
        return show(reply.code(error.statusCode), { done: null, error: error.message });
      }
    });
  });
}

function perform(
  worlds: WorldControls,
  act: string,
  form: URLSearchParams,
): Promise<{ name: string }> {
  const name = (form.get("name") ?? "").trim();
  const known = Object.hasOwn(acts, act) ? acts[act] : undefined;
  if (!known) throw new SandboxRefusal(400, "Press one of the buttons.");
  if (!worldName.test(name) && (name !== "" || act !== "open")) {
    const message = "A name has 1 to 30 lower-case letters, digits and hyphens.";
    throw new SandboxRefusal(400, message);
  }
  return known.run(worlds, { name, form });
}

/** What the address says has been done. */
function doneIn(request: FastifyRequest): string | null {
  const { done = "", name = "" } = request.query as Record<string, string>;
  const act = Object.hasOwn(acts, done) ? acts[done] : undefined;
  return act && worldName.test(name) ? `The world ${name} ${act.done}` : null;
}

const shown = ({ name, state, publicUrl, clock, now, snapshots }: WorldSummary) => ({
  name,
  state,
  publicUrl,
  snapshots,
  now,
  clock: `${clock.start === null ? "Began when it was opened" : `Began at ${clock.start}`}${
    clock.rate === 0 ? ", standing still" : ""
  }`,
});
