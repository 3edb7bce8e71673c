import Type from "typebox";

/** The settings of event notifications. */
export const eventSettings = {
  EVENT_LONG_POLL_SECONDS: Type.Integer({
    default: 25,
    minimum: 0,
    maximum: 25,
    description: "Seconds that a poll without events waits for one; 0 means not at all.",
  }),
  EVENT_RECEIVER_NETWORKS: Type.Optional(
    Type.String({
      pattern: "^[0-9A-Fa-f:.]+/\\d+(, ?[0-9A-Fa-f:.]+/\\d+)*$",
      description:
        "Private networks in which TPPs may receive events, such as `10.1.0.0/16`. Default: " +
        "events are sent to public addresses only, and by a sandbox to its own machine.",
    }),
  ),
};
