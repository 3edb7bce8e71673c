import Type from "typebox";

/** The settings that limit the work of one caller, and of the whole process. */
export const limitSettings = {
  RATE_LIMIT_PER_SECOND: Type.Integer({
    default: 100,
    minimum: 0,
    description:
      "Requests per second that a TPP may send to each group of endpoints; 0 means unlimited. The " +
      "endpoints for tokens and pushed requests are a group, and so are those for registration. " +
      "Each process counts separately, so a TPP can send that many to each process.",
    usedBy: "a bank that publishes another limit, and the official suites",
  }),
  RATE_LIMIT_PER_CALLER: Type.Integer({
    default: 300,
    minimum: 0,
    description:
      "Requests per second that one caller may send in total, counted before the bank looks up a " +
      "token or a client; 0 means unlimited. A caller is the subject of a valid client " +
      "certificate. Without one, it is an address (with IPv6, a /64 network). Behind a load " +
      "balancer, all customers may share one address. In that case, use 0, and limit callers on " +
      "the balancer.",
    usedBy: "a bank behind a load balancer, and the load tests",
  }),
  BYTES_PER_SECOND: Type.Integer({
    default: 1_048_576,
    minimum: 0,
    description:
      "Bytes per second that one caller may send in the bodies of requests to the endpoints for " +
      "TPPs; 0 means unlimited. Files have a limit of their own.",
    usedBy: "the load tests",
  }),
  REQUESTS_IN_PROGRESS: Type.Integer({
    default: 100,
    minimum: 0,
    description:
      "Number of requests that one caller may have in progress at the endpoints for TPPs; 0 means " +
      "unlimited.",
    usedBy: "the load tests",
  }),
  LATE_AFTER_MILLISECONDS: Type.Integer({
    default: 50,
    minimum: 0,
    maximum: 10_000,
    description:
      "If every request waits longer than this until its token is read, the process has more " +
      "requests than it can serve. It then refuses requests of TPPs with 503 and Retry-After, so " +
      "that those which it accepts stay fast. Customers' pages, health and metrics are still " +
      "served. 0 never refuses.",
    usedBy: "the load tests, and a bank with another way to shed load",
  }),
};
