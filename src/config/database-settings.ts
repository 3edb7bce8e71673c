import Type from "typebox";
import { postgresUrl } from "./forms.ts";

/** The settings of the database. */
export const databaseSettings = {
  DATABASE_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description:
        "PostgreSQL to use in place of the embedded database. Production needs it. If the " +
        "URL names several hosts (`postgres://user:password@a:5432,b:5432/name`), the bank " +
        "uses the primary among them, and switches when another server is promoted. " +
        "`sslmode=verify-full` and `sslrootcert=/path/ca.pem` verify each server by its host " +
        "name.",
      usedBy: "production",
    }),
  ),
  READ_DATABASE_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description:
        "The standbys of the server in DATABASE_URL, for requests for account data " +
        "(`postgres://user:password@b:5432,c:5432/name`). The bank divides these requests " +
        "between the standbys that keep up with the primary, and sends the others to the " +
        "primary ([reads from standbys](reads-from-standbys.md)).",
      usedBy: "a bank whose primary has too much to do",
    }),
  ),
  DATABASE_WITHOUT_TLS: Type.Boolean({
    default: false,
    description:
      "Allows a DATABASE_URL and a READ_DATABASE_URL without `sslmode=verify-full` in " +
      "production, for a database on the same machine or in a private network.",
    usedBy: "a database on the same machine",
  }),
  DATABASE_CONNECTIONS: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 64,
    description:
      "Size of each connection pool of a process. A process has one pool for single statements, " +
      "one for transactions, and one for reads that several requests share. The last of these " +
      "has at most 4 connections.",
    usedBy: "a bank with many processes, because PostgreSQL limits connections",
  }),
  DATABASE_CONNECT_SECONDS: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 86_400,
    description:
      "How long a PostgreSQL server may take to accept a connection or to answer a probe.",
    usedBy: "a database on a busy machine or in another region",
  }),
};
