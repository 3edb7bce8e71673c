import Type, { type Static } from "typebox";
import {
  appAnswer,
  approval,
  identifierRequest,
  payeeWarning,
  scanRequest,
  shownIdentifier,
} from "./approval-shapes.ts";
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
    route: ["POST", "/approvals/one-time-identifiers"],
    operationId: "showIdentifier",
    summary:
      "Makes the identifier that a customer shows to a TPP from the bank's app. The TPP sends it as " +
      "`ephemeral_sub`, once, within 5 minutes.",
    request: identifierRequest,
    response: { status: 201, schema: shownIdentifier },
    handle: ({ app }, body: Static<typeof identifierRequest>) => app.identify(body),
  },
  {
    route: ["POST", "/approvals/scans"],
    operationId: "scanConsent",
    summary:
      "Scans the id of a consent, which a TPP shows as a QR code, in the bank's app. The request then " +
      "waits for the customer's answer.",
    request: scanRequest,
    response: { status: 200, schema: Type.Object({ consentId: Type.String() }, { title: "Scan" }) },
    async handle({ app }, body: Static<typeof scanRequest>) {
      await app.scan(body);
      return { consentId: body.consentId };
    },
  },
  {
    route: ["POST", "/approvals/:approvalId"],
    operationId: "answerApproval",
    summary:
      "Approves or declines a request in the bank's app as its customer would, or lets it expire.",
    request: appAnswer,
    response: {
      status: 200,
      schema: Type.Object(
        { decision: Type.String(), warning: payeeWarning },
        { title: "AnswerApprovalResult" },
      ),
    },
    async handle({ app }, body: Static<typeof appAnswer>, { approvalId = "" }) {
      return { decision: body.decision, warning: await app.answer(approvalId, body) };
    },
  },
];
