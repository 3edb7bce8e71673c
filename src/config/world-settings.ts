import Type from "typebox";

/** The settings of the worlds of a sandbox. */
export const worldSettings = {
  WORLDS_OPEN: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 1000,
    description:
      "How many worlds of a sandbox may be open at the same time. If more are needed, the one that " +
      "nobody has used for the longest time is closed; it opens again at the next connection.",
    usedBy: "a team with many worlds",
  }),
  WORLDS_IDLE_SECONDS: Type.Integer({
    default: 600,
    minimum: 1,
    description: "How long a world stays open without a connection.",
    usedBy: "a machine with little memory",
  }),
  WORLD_PORTS: Type.String({
    default: "21000-30999",
    pattern: "^\\d{4,5}-\\d{4,5}$",
    form: "two port numbers of four or five digits with a hyphen, such as `21000-30999`",
    description: "The ports that worlds listen on, two for each.",
    usedBy: "a container, which publishes few ports",
  }),
};
