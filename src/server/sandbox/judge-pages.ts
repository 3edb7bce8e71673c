import type { FastifyInstance } from "fastify";
import { formOf } from "#src/auth/login/page-scope.ts";
import { judgePage } from "#src/pages/judge.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";
import { judgePath } from "#src/pages/requests.ts";
import type { SandboxControls } from "#src/sandbox/controls/controls.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";
import { mostPasted } from "#src/sandbox/controls/judgement-rows.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import { admitDevelopers } from "./developer-pages.ts";

// an encoded character has up to three bytes, and there are other fields
const formBytes = 4 * mostPasted;

/** Serves the page on which a message, a JWT or a certificate is pasted. */
export function registerJudgePages(
  app: FastifyInstance,
  { bankName, gate, judge }: { bankName: string; gate: Gate } & Pick<SandboxControls, "judge">,
): void {
  void app.register(async (scope) => {
    scope.removeContentTypeParser("application/x-www-form-urlencoded");
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: formBytes },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    scope.addHook("onRequest", async (_request, reply) => void reply.headers(pageHeaders));
    admitDevelopers(scope, { bankName, gate, title: "This page is for the sandbox’s developer" });
    scope.get(judgePath, (_request, reply) =>
      reply.send(judgePage({ bankName, ...nothing, judgement: null, error: null })),
    );
    scope.post(judgePath, async (request, reply) => {
      const form = formOf(request);
      const given = Object.fromEntries(
        Object.keys(nothing).map((name) => [name, form.get(name)?.trim() ?? ""]),
      ) as typeof nothing;
      // a browser sends line breaks as CRLF, and the bank has no way to know what was pasted
      const text = given.text.replaceAll("\r\n", "\n");
      const page = { bankName, ...given, text };
      try {
        if (text === "" || text.length > mostPasted) throw new SandboxRefusal(400, sizes);
        const judgement = await judge({
          text,
          ...(given.signature === "" ? {} : { signature: given.signature }),
          ...(given.clientId === "" ? {} : { clientId: given.clientId }),
        });
        return reply.send(judgePage({ ...page, judgement, error: null }));
      } catch (error) {
        if (!(error instanceof SandboxRefusal)) throw error;
        const empty = { bankName, ...nothing, judgement: null, error: error.message };
        return reply.code(error.statusCode).send(judgePage(empty));
      }
    });
  });
}

const nothing = { text: "", signature: "", clientId: "" };
const sizes = `Paste a text of 1 to ${mostPasted} characters.`;
