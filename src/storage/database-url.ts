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
  /** Whether TLS verifies each server, its host name included. */
  isVerified: boolean;
  /** The files that the driver reads for TLS, by parameter. */
  files: Readonly<Record<string, string>>;
};

const form = /^(?<scheme>postgres(?:ql)?:\/\/)(?<servers>[^/?]*)/;

/** What the servers of a URL are for. */
export type UrlPurpose = "writes" | "reads";

/** The allowed values of `target_session_attrs`, and whether the server must accept writes. */
const sessions: Readonly<
  Record<UrlPurpose, { values: ReadonlyMap<string, boolean>; why: string }>
> = {
  writes: {
    values: new Map([
      ["any", false],
      ["primary", true],
      ["read-write", true],
    ]),
    why: "the bank writes, so a standby cannot serve it",
  },
  reads: {
    values: new Map([
      ["any", false],
      ["standby", false],
      ["prefer-standby", false],
      ["read-only", false],
    ]),
    why: "the bank reads from standbys, and DATABASE_URL names the primary",
  },
};

/**
 * What `sslmode` may be, and whether it verifies the server. The driver treats `prefer`, `require`
 * and `verify-ca` as verify-full, with a warning that its next major version will not.
 */
const verified: ReadonlyMap<string, boolean> = new Map([
  ["disable", false],
  ["no-verify", false],
  ["verify-full", true],
]);

const fileParameters = ["sslrootcert", "sslcert", "sslkey"];

/**
 * Reads a URL with one server or several (`postgres://user:password@a:5432,b:5433/name`). The
 * driver accepts one server per URL. Throws DatabaseUrlError.
 */
export function parseDatabaseUrl(url: string, purpose: UrlPurpose = "writes"): Hosts {
  const { scheme = "", servers = "" } = form.exec(url)?.groups ?? {};
  if (scheme === "") {
    throw new DatabaseUrlError("must have the form postgres://user:password@host:5432/name");
  }
  const user = servers.slice(0, servers.lastIndexOf("@") + 1);
  const hosts = servers.slice(user.length);
  const [path = "", query = ""] = url.slice(scheme.length + servers.length).split("?", 2);
  const parameters = new URLSearchParams(query);
  for (const key of parameters.keys()) {
    if (parameters.getAll(key).length > 1) throw new DatabaseUrlError(`names ${key} twice`);
  }
  const { values, why } = sessions[purpose];
  const mustWrite =
    meaningOf(parameters, "target_session_attrs", values, { why }) ?? purpose === "writes";
  const isVerified =
    meaningOf(parameters, "sslmode", verified, {
      why: "other modes verify different things in different versions of the driver",
    }) ?? false;
  if (/,/.test(parameters.get("host") ?? "")) {
    throw new DatabaseUrlError("name several hosts before the path: postgres://user@a,b/name");
  }
  // the driver would pass it to the server as a setting
  parameters.delete("target_session_attrs");
  const rebuilt = parameters.size > 0 ? `${path}?${parameters}` : path;
  const [first = "", ...others] = hosts.split(",");
  if (others.length > 0 && [first, ...others].includes("")) {
    throw new DatabaseUrlError("a host between two commas is empty");
  }
  const files = fileParameters.flatMap((key) => {
    const path = parameters.get(key);
    return path ? [[key, path] as const] : [];
  });
  const one = (host: string): Host => ({
    name: host || parameters.get("host") || "localhost",
    url: checked(`${scheme}${user}${host}${rebuilt}`),
  });
  return {
    hosts: [one(first), ...others.map(one)],
    mustWrite,
    isVerified,
    files: Object.fromEntries(files),
  };
}

/** The name of the database in a URL with one server or several; empty if it names none. */
export const databaseNameOf = (url: string): string =>
  decodeURIComponent(/^[a-z]+:\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? "");

/** The URL of another database on the same servers. */
export const otherDatabase = (url: string, name: string): string =>
  url.replace(/^([a-z]+:\/\/[^/?]*)(\/[^?]*)?/, `$1/${encodeURIComponent(name)}`);

/**
 * The meaning of a parameter's value; undefined if the parameter is absent. Throws
 * DatabaseUrlError.
 */
function meaningOf(
  parameters: URLSearchParams,
  key: string,
  meanings: ReadonlyMap<string, boolean>,
  { why }: { why: string },
): boolean | undefined {
  const value = parameters.get(key);
  if (value === null) return undefined;
  const meaning = meanings.get(value);
  if (meaning !== undefined) return meaning;
  const allowed = [...meanings.keys()].join(", ");
  throw new DatabaseUrlError(`${key} must be ${allowed}, not ${value || "empty"}: ${why}`);
}

/** The URL, if the driver reads the same parameters from it. The message does not show it. */
function checked(url: string): string {
  // the driver also replaces a missing user name by the host
  if (!url.includes("#") && URL.canParse(url.replace("@/", "@localhost/"))) return url;
  throw new DatabaseUrlError(
    "is not a valid URL: percent-encode user name and password (# is %23), and check the ports",
  );
}
