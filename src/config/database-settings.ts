import Type from "typebox";

const seconds = (least: number, value: number, description: string) =>
  Type.Integer({ default: value, minimum: least, maximum: 86_400, description });

/** The settings of the database. If a time limit is exceeded, a request gets 503. */
export const databaseSettings = {
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: "^postgres(ql)?://",
      description:
        "PostgreSQL to use in place of the embedded database. Production needs it. If the " +
        "URL names several hosts (`postgres://user:password@a:5432,b:5432/name`), the bank " +
        "uses the primary among them, and switches when another server is promoted. " +
        "`sslmode=verify-full` and `sslrootcert=/path/ca.pem` verify each server by its host " +
        "name.",
    }),
  ),
  DATABASE_WITHOUT_TLS: Type.Boolean({
    default: false,
    description:
      "Allows a DATABASE_URL without `sslmode=verify-full` in production, for a database on the " +
      "same machine or in a private network.",
  }),
  DATABASE_CONNECTIONS: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 64,
    description:
      "Size of each connection pool of a process. A process has one pool for single statements, " +
      "one for transactions, and one for reads that several requests share. The last of these " +
      "has at most 4 connections.",
  }),
  DATABASE_CONNECT_SECONDS: seconds(
    1,
    5,
    "How long a PostgreSQL server may take to accept a connection or to answer a probe.",
  ),
  DATABASE_PROBE_SECONDS: seconds(
    1,
    5,
    "Interval between probes of idle PostgreSQL connections. TCP keep-alive uses the same value.",
  ),
  DATABASE_WAIT_SECONDS: seconds(1, 10, "How long a transaction waits for a free connection."),
  DATABASE_STATEMENT_SECONDS: seconds(0, 30, "How long one statement may take; 0 for no limit."),
  DATABASE_TRANSACTION_SECONDS: seconds(
    0,
    300,
    "How long one transaction may take; 0 for no limit.",
  ),
  DATABASE_LOCK_SECONDS: seconds(
    0,
    10,
    "How long a statement waits for a lock that another session holds; 0 for no limit.",
  ),
};
