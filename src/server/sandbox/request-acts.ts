import type { Auth } from "#src/auth/authorization-server.ts";
import { asTester } from "#src/sandbox/bank/tester-acts.ts";
import type { Acts } from "#src/sandbox/controls/act-rows.ts";
import type { AppControls, PayeeWarning } from "#src/sandbox/controls/approval-shapes.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import type { Parts } from "#src/server/parts.ts";

/** The acts on TPPs' requests without a browser, which a test tool knows by their auth_req_id. */
export type RequestActs = Pick<Acts, "decide"> & {
  isKnown(authReqId: string): Promise<boolean>;
};

/** Makes the acts on requests without a browser. Source: CB-152. */
export function requestActs(
  { backchannel }: Pick<Auth, "backchannel">,
  { app, clock, database }: Pick<Parts, "clock" | "database"> & { app: AppControls },
): RequestActs {
  const find = async (authReqId: string) => backchannel?.findRequest(authReqId);
  return {
    isKnown: async (authReqId) => (await find(authReqId)) !== undefined,

    async decide(authReqId, decision) {
      const request = await find(authReqId);
      if (!request || !backchannel) {
        throw new SandboxRefusal(404, "No TPP has got this auth_req_id from the bank.");
      }
      const { uid, consentId, challengeId, outcome } = request;
      if (outcome !== null) {
        throw new SandboxRefusal(
          409,
          `The request has ended before: ${outcome}. Nothing was done.`,
        );
      }
      let warning: PayeeWarning = null;
      const act = { id: consentId, act: decision, at: clock.now() };
      if (decision === "time-out") {
        await asTester(database, act, () => backchannel.timeOut(uid));
      } else if (challengeId === null) throw new SandboxRefusal(409, unscanned);
      else warning = await app.answer(challengeId, { decision: answers[decision] });
      return { status: (await find(authReqId))?.outcome ?? "open", warning };
    },
  };
}

const answers = { allow: "approve", deny: "decline" } as const;
const unscanned =
  "No customer is asked yet. A customer must scan the consent's id first: " +
  "POST /sandbox/v1/approvals/scans.";
