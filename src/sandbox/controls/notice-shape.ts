import Type, { type Static } from "typebox";
import { orNull } from "./common-shapes.ts";

const text = (description: string) => Type.String({ description });

/** The notices that wait, and how the last calls went. */
export const waitingNotices = Type.Object({
  notices: Type.Array(
    Type.Object({
      noticeId: text("The id by which the core knows the notice again."),
      at: text("When the change happened."),
      occasion: text("What has happened, such as consent-given."),
      kind: text("The kind of the consent."),
      consentId: text("The consent, or the consent of the order."),
      orderId: orNull(text("The order, if the notice is about one.")),
    }),
    { description: "Up to 1,000 notices, the oldest first." },
  ),
  failures: Type.Integer({ description: "Failed calls since the last one that succeeded." }),
  lastFailure: orNull(
    Type.Object({
      at: text("When the last call failed."),
      error: text("What the core or its guard said."),
    }),
  ),
});

/** The notices that wait, as the interface lists them. */
export type ShownNotices = Static<typeof waitingNotices>;
