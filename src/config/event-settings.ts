import Type from "typebox";
import { networks } from "./forms.ts";

/** The settings of event notifications. */
export const eventSettings = {
  EVENT_LONG_POLL_SECONDS: Type.Integer({
    default: 25,
    minimum: 0,
    maximum: 25,
    description: "How many seconds a poll waits if no event is ready. With 0, it does not wait.",
    usedBy: "a bank whose proxy closes idle requests earlier",
  }),
  EVENT_RECEIVER_NETWORKS: Type.Optional(
    Type.String({
      ...networks,
      description:
        "Private networks in which TPPs may receive events, such as `10.1.0.0/16`. By default, " +
        "events are sent only to public addresses. A sandbox also sends them to its own machine.",
      usedBy: "a bank that reaches TPPs through its own network",
    }),
  ),
};
