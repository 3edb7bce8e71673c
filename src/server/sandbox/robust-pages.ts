import type { FastifyInstance, FastifyReply } from "fastify";
import { formOf, preparePages } from "#src/auth/login/page-scope.ts";
import { robustPage, robustPath, robustUrl } from "#src/pages/robust.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";
import type { RobustControls } from "#src/sandbox/controls/robust-shapes.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import { misbehaviours } from "#src/sandbox/robust/misbehaviours.ts";
import { admitDevelopers } from "./developer-pages.ts";

type PageParts = { bankName: string; gate: Gate; robust: RobustControls };

/** Serves the page that plays misbehaviours, to callers who may use the sandbox's controls. */
export function registerRobustPages(app: FastifyInstance, parts: PageParts): void {
  const { bankName, gate, robust } = parts;
  const back = { url: "/", text: "Go to the home page" };
  async function show(reply: FastifyReply, clientId: string, error: string | null = null) {
    const report = await robust.report(clientId);
    const page = { bankName, clientId, report, misbehaviours, open: robust.listOpen(), error };
    return reply.send(robustPage(page));
  }
  void app.register(async (scope) => {
    preparePages(scope, { bankName, wayBack: () => back });
    const title = "These pages are for the sandbox’s developer";
    admitDevelopers(scope, { bankName, gate, title, back, isOpenToLinks: true });
    scope.get<{ Querystring: { client?: unknown } }>(robustPath, ({ query }, reply) =>
      show(reply, typeof query.client === "string" ? query.client.trim() : ""),
    );
    scope.post(robustPath, async (request, reply) => {
      const form = formOf(request);
      const clientId = (form.get("client") ?? "").trim();
      try {
        await perform(robust, form.get("act") ?? "", { clientId, name: form.get("name") ?? "" });
      } catch (error) {
        if (!(error instanceof SandboxRefusal)) throw error;
        return show(reply.code(error.statusCode), clientId, error.message);
      }
      return reply.redirect(robustUrl(clientId), 303);
    });
  });
}

async function perform(
  robust: RobustControls,
  act: string,
  { clientId, name }: { clientId: string; name: string },
): Promise<void> {
  if (act === "start") return void (await robust.open(clientId, {}));
  if (act === "end") return void (await robust.end(clientId));
  if (act === "show") {
    if (await robust.report(clientId)) return;
    throw new SandboxRefusal(404, "Nothing has been played on this TPP since the bank began.");
  }
  const row = misbehaviours.find((one) => one.name === name);
  if (act !== "play" || !row) throw new SandboxRefusal(400, "Press one of the buttons.");
  await robust.open(clientId, { names: [row.name] });
}
