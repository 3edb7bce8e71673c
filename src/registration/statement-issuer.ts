import { readFileSync } from "node:fs";
import Type from "typebox";
import Value from "typebox/value";
import { ConfigError } from "#src/config/config.ts";

/** An issuer of software statements that the bank trusts. Source: R-100. */
export type StatementIssuer = {
  /** The `iss` of its statements. */
  iss: string;
  /** Where its own keys are: a file, or a URL. */
  jwks: { file: string } | { url: string };
  /** The `software_environment` of its statements; null if they may have any. */
  environment: string | null;
  /** The hosts on which it publishes the keys of software, with the port if it is not 443. */
  hosts: readonly string[];
  /**
   * Where it gives the status of software: a URL with `{org_id}` and `{software_id}`; null if it
   * does not.
   */
  statusUrl: string | null;
  /** Replaces the beginning `from` of a URL by `to`: a sandbox calls itself over loopback. */
  mirror?: { from: string; to: string };
};

const issuerFile = Type.Object(
  {
    issuers: Type.Array(
      Type.Object(
        {
          iss: Type.String({ minLength: 1 }),
          jwksFile: Type.Optional(Type.String({ minLength: 1 })),
          jwksUri: Type.Optional(Type.String({ pattern: "^https://" })),
          environment: Type.Optional(Type.String({ minLength: 1 })),
          statusUrl: Type.Optional(Type.String({ pattern: "^https://.*[{]software_id[}]" })),
          jwksHosts: Type.Array(Type.String({ pattern: "^[A-Za-z0-9.-]+(:\\d+)?$" }), {
            minItems: 1,
          }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1 },
    ),
  },
  { additionalProperties: false },
);

/** Reads the file that REGISTRATION_ISSUERS names. Throws ConfigError. */
export function readIssuers(path: string): StatementIssuer[] {
  const refuse = (why: string): never => {
    throw new ConfigError([`REGISTRATION_ISSUERS: ${path} ${why}`]);
  };
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message}`);
  }
  if (!Value.Check(issuerFile, content)) {
    const [first] = Value.Errors(issuerFile, content);
    return refuse(
      `does not have the form in docs/registration.md: ${first?.instancePath} ${first?.message}`,
    );
  }
  const all = content.issuers.map((one): StatementIssuer => {
    const { iss, jwksFile, jwksUri, environment = null, statusUrl = null, jwksHosts } = one;
    if ((jwksFile === undefined) === (jwksUri === undefined)) {
      return refuse(`must give either jwksFile or jwksUri for ${iss}`);
    }
    const jwks = jwksUri === undefined ? { file: jwksFile ?? "" } : { url: jwksUri };
    return {
      iss,
      jwks,
      environment,
      statusUrl,
      hosts: jwksHosts.map((host) => host.toLowerCase()),
    };
  });
  const twice = all.find(({ iss }, index) => all.findIndex((one) => one.iss === iss) < index);
  if (twice) return refuse(`names the issuer ${twice.iss} twice`);
  return all;
}

/** Whether an issuer publishes keys at a URL: https, or its own mirror, on a listed host. */
export function publishesAt({ hosts, mirror }: StatementIssuer, text: unknown): text is string {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url?.username !== "" || url.password !== "" || url.hash !== "") return false;
  const isMirrored = mirror !== undefined && url.href.startsWith(mirror.from);
  return (url.protocol === "https:" || isMirrored) && hosts.includes(url.host.toLowerCase());
}

/** The URL to fetch for a URL of an issuer. */
export const mirrored = ({ mirror }: StatementIssuer, url: string): string =>
  mirror && url.startsWith(mirror.from) ? `${mirror.to}${url.slice(mirror.from.length)}` : url;
