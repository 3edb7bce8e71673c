import { hurry, listAppChallenges } from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import type { AppControls } from "#src/sandbox/controls/approval-shapes.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import type { Parts, Sandbox } from "#src/server/parts.ts";

const refusals = {
  "wrong digits":
    "`digits` must be those that the bank's page shows. GET /approvals lists them. Nothing was done.",
  over: "Nothing waits under this id: it was answered, or its time is over. GET /approvals lists the requests that wait.",
} as const;

/** Plays the app of the sandbox bank's customers. */
export function appControls({
  database,
  clock,
  sandbox,
}: Parts & { sandbox: Sandbox }): AppControls {
  return {
    async list() {
      const customers = await sandbox.customers();
      const waiting = await listAppChallenges(database, clock.now());
      return waiting.map(({ challengeId, customerId, subject, digits, expiresAt }) => ({
        approvalId: challengeId,
        customer: customers.find((one) => one.customerId === customerId)?.login ?? customerId,
        facts: confirmingRows(subject).map(({ label, value }) => ({ label, value })),
        digits,
        expiresAt: expiresAt.toString(),
      }));
    },

    async answer(approvalId, { decision, digits }) {
      if (!sandbox.answerInApp) {
        throw new SandboxRefusal(409, "The core of BANK_MODULE has its own app: answer there.");
      }
      const waiting = await listAppChallenges(database, clock.now());
      const isWaiting = waiting.some(({ challengeId }) => challengeId === approvalId);
      const result = isWaiting ? await sandbox.answerInApp(approvalId, decision, digits) : "over";
      if (result === "over") throw new SandboxRefusal(404, refusals.over);
      if (result === "wrong digits") throw new SandboxRefusal(409, refusals[result]);
      await hurry(database, approvalId);
    },
  };
}

/** Approves a request in the app, with the digits that its page shows. */
export async function approveInApp(app: AppControls, approvalId: string): Promise<void> {
  const found = (await app.list()).find((one) => one.approvalId === approvalId);
  const digits = found?.digits ?? null;
  await app.answer(approvalId, { decision: "approve", ...(digits === null ? {} : { digits }) });
}
