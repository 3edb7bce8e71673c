import Type from "typebox";

/** The settings that limit how many customers log in at the same time. */
export const loginSettings = {
  COOKIE_SECRET: Type.Optional(
    Type.String({ minLength: 32, description: "Secret for cookies and form tokens." }),
  ),
  LOGIN_CONCURRENCY: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1000,
    description:
      "Maximum number of passwords that a process asks the bank's core to check at the same " +
      "time. Further logins wait, so that a flood of logins does not reach the core.",
  }),
  LOGIN_QUEUE: Type.Integer({
    default: 64,
    minimum: 0,
    maximum: 100_000,
    description:
      "Maximum number of logins that may wait in a process. Further logins get 503 with " +
      "Retry-After. One address can take at most half of the places.",
  }),
  LOGIN_FAILURES_PER_MINUTE: Type.Integer({
    default: 60,
    minimum: 0,
    description:
      "How many wrong passwords per minute a process allows from one address (with IPv6, from one " +
      "/64 network). Further logins from that address wait. 0 means unlimited; use 0 if all customers " +
      "come through one proxy.",
  }),
};
