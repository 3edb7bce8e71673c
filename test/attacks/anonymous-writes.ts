/** What requests without credentials can write into a table. */
export type AnonymousWrite = {
  table: string;
  /** The request that writes. */
  cause: string;
  /** Why the table does not grow without end. */
  bound: string;
  /** How many rows the attack of this folder may add: what `bound` says, for what it sends. */
  most(sent: Sent): number;
};

/** What the attack sends, besides a request to every route. */
export type Sent = {
  /** Consents whose signed authorization URL is opened again and again. */
  consents: number;
  /** Addresses from which wrong passwords are sent. */
  addresses: number;
  /** The value of LOGIN_FAILURES_PER_MINUTE, and how long the attack took. */
  failuresPerMinute: number;
  minutes: number;
};

/**
 * Every table that a request without credentials can add rows to or change. docs/security.md shows
 * this list.
 */
export const anonymousWrites: readonly AnonymousWrite[] = [
  {
    table: "journey",
    cause: "opening the signed authorization URL of a TPP, any number of times",
    bound:
      "20 journeys per consent in which no customer has logged in. If there are more, Aldgate keeps " +
      "the ten oldest that are still open and the ten newest, and deletes those in between. It " +
      "deletes all of them after a day.",
    most: ({ consents }) => 20 * consents,
  },
  {
    table: "login_attempt",
    cause: "a wrong password, for any user ID",
    bound:
      "2 rows for each user ID, for at most LOGIN_FAILURES_PER_MINUTE wrong passwords from each " +
      "address. Deleted after a day.",
    most: ({ addresses, failuresPerMinute, minutes }) =>
      2 * addresses * failuresPerMinute * Math.ceil(minutes),
  },
  {
    table: "change",
    cause: "cancelling a journey before the login, or leaving it until its time is up",
    bound:
      "1 row for each consent: the consent is then rejected, and its URL does not open another " +
      "journey.",
    most: ({ consents }) => consents,
  },
  {
    table: "consent",
    cause: "the same causes: the consent's row changes",
    bound: "No new row.",
    most: () => 0,
  },
  {
    table: "request_log_chunk",
    cause: "any request to an endpoint for TPPs that is rejected before its caller is known",
    bound:
      "4 rows per second and process, of at most 200 requests each. Unknown callers may use a " +
      "quarter of REQUEST_LOG_ENTRIES; the bank then deletes their oldest rows.",
    most: ({ minutes }) => 4 * 60 * Math.ceil(minutes),
  },
  {
    table: "client_key",
    cause: "naming a client, and a key that the client does not have, at the token endpoint",
    bound:
      "The keys that the client's directory publishes. The bank asks for them at most once per " +
      "minute for each client.",
    most: () => 0,
  },
];
