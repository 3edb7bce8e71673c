// What the authorization server uses of oidc-provider beyond its public interface. Nothing of the
// process is changed: classes and prototypes below belong to one provider, and so to one bank.
// test/auth/library.test.ts has a test for each row of `insideUses`, which fails if a release
// changes it, and finds uses that have no row.
import type { IncomingMessage, ServerResponse } from "node:http";
import type * as Library from "oidc-provider";

/** Each use, by the name in the library: why, and what its authors were asked. */
export const insideUses: Readonly<Record<string, { why: string; upstream: string }>> = {
  parts: {
    why: "its index prints a warning about a runtime whose build has no LTS name",
    upstream: "a handler of warnings: issue 305 of panva/node-oidc-provider, declined",
  },
  invalidate: {
    why: "a sandbox allows redirect URIs on the caller's machine",
    upstream: "documented: its recipe implicit_http_localhost",
  },
  params: {
    why: "a member of a Request Object with a wrong type would become a text of another meaning",
    upstream: "docs/upstream-requests.md: refuse such members",
  },
  entity: {
    why: "the log of requests notes that the client was found",
    upstream: "docs/upstream-requests.md: an event for it",
  },
  trusted: {
    why: "a verified Request Object may not be issued in the future, and the log notes it",
    upstream: "docs/upstream-requests.md: an event for it",
  },
  urlFor: {
    why: "URLs come from the configuration, not from the Host header",
    upstream: "documented for overriding",
  },
  clientJwtAuthExpectedAudience: {
    why: "audiences come from the configuration, by the client's security profile",
    upstream: "documented for overriding",
  },
  createContext: {
    why: "the sandbox judges a pasted JWT, which no connection has brought (dry-run.ts)",
    upstream: "docs/upstream-requests.md: check without answering",
  },
  OIDCContext: {
    why: "the members above are overridden on it, and dry-run.ts makes one for a route",
    upstream: "docs/upstream-requests.md: check without answering",
  },
  steps: {
    why: "dry-run.ts runs the steps of a request except the last one, which stores",
    upstream: "docs/upstream-requests.md: check without answering",
  },
  readAgain: {
    why: "the edge judges a form before the library reads it, and the library warns of that",
    upstream: "issue 305 too",
  },
};

const load = (part: string): Promise<Record<string, unknown>> =>
  import(`oidc-provider/lib/${part}.js`);
const [main, errorPart, policyPart, keyPart, stepPart, clientPart] = await Promise.all(
  [
    "provider",
    "helpers/errors",
    "helpers/interaction_policy/index",
    "helpers/keystore",
    "actions/authorization/index",
    "shared/client_auth",
  ].map(load),
);

/** The class of an authorization server. */
export const Provider = main?.Provider as typeof Library.Provider;
/** An authorization server. */
export type Provider = Library.Provider;

/** The library's errors. */
export const errors = errorPart as unknown as typeof Library.errors;
/** Any of these errors. */
export type OIDCProviderError = Library.errors.OIDCProviderError;

/** The library's steps of a login. */
export const interactionPolicy = policyPart as unknown as typeof Library.interactionPolicy;

/** A key that signs outside the library. */
export const ExternalSigningKey = keyPart?.ExternalSigningKey as typeof Library.ExternalSigningKey;
/** The type of such a key, which the library's keys are extended from. */
export type ExternalSigningKey = Library.ExternalSigningKey;

/** A step of a request in the library. */
export type Middleware = (
  ctx: Library.KoaContextWithOIDC,
  next: () => Promise<void>,
) => Promise<void> | void;

/** The steps of an authorization request at an endpoint, by the library's name of it. */
export const authorizationSteps = stepPart?.default as (route: string) => readonly Middleware[];

/** The step that authenticates a client: the last of its part. */
export const authenticateClient = (clientPart as { default: Middleware[] }).default.at(
  -1,
) as Middleware;

/** Members of a provider that the library's types hide. */
type Inside = {
  Client: {
    Schema: {
      prototype: {
        redirect_uris?: string[];
        invalidate(message: string, code?: string): void;
      };
    };
  };
  OIDCContext: { prototype: object; new (ctx: object): Library.KoaContextWithOIDC["oidc"] };
  createContext(request: IncomingMessage, response: ServerResponse): object;
  urlFor(name: string, options?: object): string;
};

/** The classes of one provider, with what the types hide. */
export const insideOf = (provider: Provider): Inside => provider as unknown as Inside;

/**
 * Lets the library read a form that was read before. The text is treated as UTF-8, as when it was
 * checked, whatever the request says.
 */
export function readAgain(request: IncomingMessage, form: Buffer): void {
  request.headers["content-type"] = "application/x-www-form-urlencoded";
  Object.defineProperties(request, {
    readable: { value: true },
    iterator: {
      value: async function* () {
        yield form;
      },
    },
  });
}
