import type { FastifyInstance } from "fastify";
import { formOf, preparePages } from "#src/auth/login/page-scope.ts";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import type { Clock } from "#src/lib/clock.ts";
import { appPage, appPath } from "#src/pages/app.ts";
import { momentText } from "#src/pages/wording.ts";
import { type AppControls, appAnswer } from "#src/sandbox/controls/approval-shapes.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import { admitDevelopers } from "./developer-pages.ts";

type AppParts = { bankName: string; gate: Gate; clock: Clock; app: AppControls };

const done: Readonly<Record<string, string>> = {
  approve: "Approved.",
  decline: "Declined.",
  expire: "The request has ended without an answer.",
};

/** What has been done, and where the customer goes on: not every request has a page of the bank. */
function doneText(decision: unknown, hasPage: boolean): string | null {
  const said = typeof decision === "string" ? done[decision] : undefined;
  if (said === undefined) return null;
  if (decision === "expire") return said;
  return `${said} Go back to ${hasPage ? "the bank’s page" : "where you started"}.`;
}

/** Serves the page that plays the bank's app. */
export function registerAppPages(app: FastifyInstance, parts: AppParts): void {
  const { bankName, gate } = parts;
  const schema = compileSchema(appAnswer);
  const back = { url: "/", text: "Go to the home page" };
  void app.register(async (scope) => {
    preparePages(scope, { bankName, wayBack: () => back });
    admitDevelopers(scope, { bankName, gate, title: "You cannot use the app", back });
    scope.get(appPath, async (request, reply) => {
      const { approval, done: decision, page } = request.query as Record<string, unknown>;
      const said = doneText(decision, page !== "none");
      return reply.send(await show(parts, approval, { done: said, error: null }));
    });
    scope.post(appPath, async (request, reply) => {
      const form = formOf(request);
      const id = form.get("id") ?? "";
      const digits = form.get("digits")?.trim() ?? "";
      const answer = { decision: form.get("decision"), ...(digits === "" ? {} : { digits }) };
      try {
        const [fault] = judge(schema, answer);
        if (fault) throw new SandboxRefusal(400, `${fault.path}: ${fault.message}`);
        const waiting = (await parts.app.list()).find(({ approvalId }) => approvalId === id);
        await parts.app.answer(id, answer as never); // its schema has just accepted it
        const query = new URLSearchParams({
          done: String(answer.decision),
          ...(waiting?.digits === null ? { page: "none" } : {}),
        });
        return reply.redirect(`${appPath}?${query}`, 303);
      } catch (error) {
        if (!(error instanceof SandboxRefusal)) throw error;
        const page = await show(parts, id, { done: null, error: error.message });
        return reply.code(error.statusCode).send(page);
      }
    });
  });
}

/** The page of one request, or of all that wait. */
async function show(
  { bankName, app, clock }: AppParts,
  approval: unknown,
  said: { done: string | null; error: string | null },
): Promise<string> {
  const all = await app.list();
  const one = all.filter(({ approvalId }) => approvalId === approval);
  const approvals = (one.length > 0 ? one : all).map(
    ({ approvalId, customer, facts, digits, bindingMessage, warning, expiresAt }) => ({
      approvalId,
      customerName: customer,
      facts,
      bindingMessage,
      warning,
      hasPage: digits !== null,
      until: momentText(Temporal.Instant.from(expiresAt), clock.now()),
    }),
  );
  return appPage({ bankName, approvals, ...said });
}
