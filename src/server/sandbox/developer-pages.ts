import type { FastifyInstance, FastifyRequest } from "fastify";
import { sendPage } from "#src/auth/login/page-scope.ts";
import { compressPage } from "#src/pages/compressed.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";

/** How pages for the sandbox's developer are kept from others. */
type Admission = {
  bankName: string;
  gate: Gate;
  /** The title of the page that others see. */
  title: string;
  back?: { url: string; text: string };
  /** Whether another site may link to the pages: only their forms change anything. */
  isOpenToLinks?: boolean;
};

const isVisit = ({ method }: FastifyRequest): boolean => method === "GET" || method === "HEAD";

/** Serves the pages of a scope, compressed, to callers who may use the sandbox's controls. */
export function admitDevelopers(
  scope: FastifyInstance,
  { gate, isOpenToLinks = false, ...page }: Admission,
): void {
  scope.addHook("onSend", compressPage);
  scope.addHook("onRequest", async (request, reply) => {
    const refusal =
      isOpenToLinks && isVisit(request) ? gate.judgeVisit(request) : gate.judge(request);
    if (!refusal) return undefined;
    const { status, message } = refusal;
    return sendPage(request, reply.code(status), { ...page, message });
  });
}
