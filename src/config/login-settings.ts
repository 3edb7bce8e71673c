import Type from "typebox";

/** The settings that limit how many customers log in at the same time. */
export const loginSettings = {
  COOKIE_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description: "Secret for cookies and form tokens.",
      usedBy: "production",
    }),
  ),
  LOGIN_CONCURRENCY: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1000,
    description:
      "Maximum number of passwords that a process asks the bank's core to check at the same " +
      "time. Further logins wait, so that a flood of logins does not reach the core.",
    usedBy: "a core that checks fewer, or more, passwords at a time",
  }),
  LOGIN_FAILURES_PER_MINUTE: Type.Integer({
    default: 60,
    minimum: 0,
    description:
      "How many wrong passwords per minute a process allows from one address (with IPv6, from one " +
      "/64 network). Further logins from that address wait. 0 means unlimited; use 0 if all customers " +
      "come through one proxy.",
    usedBy: "a bank behind a proxy, and the load tests",
  }),
};
