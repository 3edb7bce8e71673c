import Type, { type Static } from "typebox";
import { appAnswer, approval } from "./approval-shapes.ts";
import type { ControlRow } from "./control-row.ts";

/** The operations that play the app of the sandbox bank's customers. */
export const approvalRows: readonly ControlRow[] = [
  {
    route: ["GET", "/approvals"],
    operationId: "listApprovals",
    summary: "Lists the requests that wait for a customer's answer in the bank's app.",
    response: { status: 200, schema: Type.Object({ approvals: Type.Array(approval) }) },
    handle: async ({ app }) => ({ approvals: await app.list() }),
  },
  {
    route: ["POST", "/approvals/:approvalId"],
    operationId: "answerApproval",
    summary:
      "Approves or declines a request in the bank's app as its customer would, or lets it expire.",
    request: appAnswer,
    response: {
      status: 200,
      schema: Type.Object({ decision: Type.String() }, { title: "AnswerApprovalResult" }),
    },
    async handle({ app }, body: Static<typeof appAnswer>, { approvalId = "" }) {
      await app.answer(approvalId, body);
      return { decision: body.decision };
    },
  },
];
