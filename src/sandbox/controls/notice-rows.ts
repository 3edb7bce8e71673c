import Type, { type Static } from "typebox";
import type { ControlRow } from "./control-row.ts";
import { waitingNotices } from "./notice-shape.ts";

const skip = Type.Object(
  {
    actor: Type.String({ minLength: 1, maxLength: 70, description: "The person who skips it." }),
    reason: Type.String({ minLength: 1, maxLength: 200, description: "Why it is skipped." }),
  },
  { additionalProperties: false },
);

const skipped = Type.Object({
  noticeId: Type.String({ description: "The id of the notice." }),
  isSkipped: Type.Boolean({ description: "False if no notice with that id waits." }),
});

/** The operations on the notices that the core has not been told. */
export const noticeRows: readonly ControlRow[] = [
  {
    route: ["GET", "/notices"],
    operationId: "listWaitingNotices",
    summary: "Lists the notices that the bank's core has not been told, oldest first.",
    response: { status: 200, schema: waitingNotices },
    handle: ({ notices }) => notices.list(),
  },
  {
    route: ["POST", "/notices/:noticeId/skip"],
    operationId: "skipNotice",
    summary: "Never tells the core a notice that waits.",
    request: skip,
    response: { status: 200, schema: skipped },
    handle: async ({ notices }, body: Static<typeof skip>, { noticeId = "" }) => ({
      noticeId,
      isSkipped: await notices.skip(noticeId, body),
    }),
  },
];
