import Type from "typebox";

/** The settings of the log of requests. */
export const requestLogSettings = {
  REQUEST_LOG_ENTRIES: Type.Integer({
    default: 100_000,
    minimum: 0,
    maximum: 10_000_000,
    description:
      "How many requests of TPPs the log of requests keeps, and how many kB it may have before it " +
      "is compressed; the oldest are deleted. Up to a quarter of it is for requests whose caller " +
      "is not known. 0 switches the log off.",
    usedBy: "a bank with many requests, and one that does without the log",
  }),
  REQUEST_LOG_DAYS: Type.Integer({
    default: 7,
    minimum: 1,
    maximum: 400,
    description: "How many days the log of requests keeps a request.",
    usedBy: "a bank that keeps its logs for another time",
  }),
  REQUEST_LOG_BODIES: Type.Boolean({
    default: true,
    description:
      "Whether the log of requests keeps headers and bodies too, with tokens and other secrets " +
      "masked. Only a sandbox keeps them, whatever the value.",
    usedBy: "a sandbox for measuring, or with confidential data",
  }),
};
