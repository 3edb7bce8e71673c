/** A DATABASE_URL that cannot be used; the message says why. */
export class DatabaseUrlError extends Error {}

/** One PostgreSQL server of a DATABASE_URL. */
export type Host = {
  /** `db1.example:5432`, for messages. */
  name: string;
  /** A URL with this server alone. */
  url: string;
};

/** The servers that a DATABASE_URL names, in its order. */
export type Hosts = {
  hosts: readonly [Host, ...Host[]];
  /** Whether a server that only reads (a standby) is passed over. */
  mustWrite: boolean;
};

const form = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^@/?]*@)?(?<hosts>[^/?]*)(?<rest>.*)$/;

/** What `target_session_attrs` may be: the bank writes, so that a standby never serves it. */
const writable: Readonly<Record<string, boolean>> = {
  any: false,
  primary: true,
  "read-write": true,
};

/**
 * Reads a URL with one server or several (`postgres://user:password@a:5432,b:5433/name`). The
 * driver knows one server a URL. Throws DatabaseUrlError.
 */
export function parseDatabaseUrl(url: string): Hosts {
  const { scheme = "", user = "", hosts = "", rest = "" } = form.exec(url)?.groups ?? {};
  if (scheme === "") {
    throw new DatabaseUrlError("must have the form postgres://user:password@host:5432/name");
  }
  const [path = "", query = ""] = rest.split("?", 2);
  const parameters = new URLSearchParams(query);
  const target = parameters.get("target_session_attrs") ?? "read-write";
  const mustWrite = writable[target];
  if (mustWrite === undefined) {
    throw new DatabaseUrlError(
      `target_session_attrs must be ${Object.keys(writable).join(", ")}, not ${target}: ` +
        "the bank writes, so a standby cannot serve it",
    );
  }
  if (/,/.test(parameters.get("host") ?? "")) {
    throw new DatabaseUrlError("name several hosts before the path: postgres://user@a,b/name");
  }
  // the driver would take it for a setting of the server
  parameters.delete("target_session_attrs");
  const rebuilt = parameters.size > 0 ? `${path}?${parameters}` : path;
  const [first = "", ...others] = hosts.split(",");
  if (others.length > 0 && [first, ...others].includes("")) {
    throw new DatabaseUrlError("a host between two commas is empty");
  }
  const one = (host: string): Host => ({
    name: host || parameters.get("host") || "localhost",
    url: `${scheme}${user}${host}${rebuilt}`,
  });
  return { hosts: [one(first), ...others.map(one)], mustWrite };
}
