import Type from "typebox";

/** How fast a clock runs. */
export const clockRate = Type.Integer({
  minimum: 0,
  maximum: 86_400,
  description: "0 stops the clock, 1 lets it run as the machine's, 60 a minute per second.",
});
