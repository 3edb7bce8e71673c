import type { IncomingMessage } from "node:http";
import type { Configuration, KoaContextWithOIDC, TokenEndpointGrantContext } from "oidc-provider";
import { textOf } from "#src/lib/plain-text.ts";
import { type DescriptionRules, describeFailure } from "./describe-failure.ts";
import { noteCheck } from "./endpoint-checks.ts";
import { errors, Provider } from "./library.ts";
import { because } from "./refused.ts";

type WordedOptions = {
  issuer: string;
  configuration: Configuration;
  rules: DescriptionRules;
};

type GrantParameters = string | readonly string[] | ReadonlySet<string>;

const failureEvents = [
  "server_error",
  "authorization.error",
  "grant.error",
  "pushed_authorization_request.error",
  "userinfo.error",
  "revocation.error",
  "introspection.error",
  "backchannel_authentication.error",
] as const;

/**
 * Makes the library's provider with the texts of our table for refusals, in JSON, in redirects and
 * in `WWW-Authenticate`, and with `invalid_scope` for an unknown scope.
 */
export function createWordedProvider({ issuer, configuration, rules }: WordedOptions): Provider {
  const failed = new WeakMap<IncomingMessage, Error>();
  const wordsFor = (ctx: KoaContextWithOIDC): string | undefined => {
    const error = failed.get(ctx.req);
    return error && describeFailure(rules, ctx, error);
  };

  // both methods are called while the base class is constructed
  class WordedProvider extends Provider {
    override registerResponseMode(
      ...[name, handler]: Parameters<Provider["registerResponseMode"]>
    ) {
      super.registerResponseMode(name, function (this: Provider, ctx, redirectUri, payload) {
        const words = payload.error === undefined ? undefined : wordsFor(ctx);
        const worded = words === undefined ? payload : { ...payload, error_description: words };
        return handler.call(this, ctx, redirectUri, worded);
      });
    }

    override registerGrantType<Params extends object>(
      name: string,
      handler: (ctx: TokenEndpointGrantContext<Params>) => void | Promise<void>,
      ...more: [GrantParameters?, GrantParameters?]
    ) {
      const judged: typeof handler = async (ctx) => {
        noteCheck(ctx, "grant-type");
        if (name === "client_credentials") judgeScope(ctx, new Set(configuration.scopes));
        await handler(ctx);
        noteCheck(ctx, "grant");
      };
      super.registerGrantType(name, judged, ...more);
    }
  }

  const provider = new WordedProvider(issuer, configuration);
  for (const event of failureEvents) {
    // the types list one signature per event
    provider.on(event as "grant.error", (ctx, error) => void failed.set(ctx.req, error));
  }
  provider.use(async (ctx, next) => {
    await next();
    const words = failed.has(ctx.req) ? wordsFor(ctx as KoaContextWithOIDC) : undefined;
    if (words !== undefined) reword(ctx as KoaContextWithOIDC, words);
  });
  return provider;
}

function reword(ctx: KoaContextWithOIDC, words: string): void {
  const { body } = ctx as { body: unknown };
  if (typeof body === "object" && body !== null && "error" in body) {
    Object.assign(body, { error_description: words });
  }
  const challenge = ctx.response.get("www-authenticate");
  if (!challenge) return;
  ctx.set(
    "www-authenticate",
    challenge.replace(/error_description="[^"]*"/, () => `error_description="${words}"`),
  );
}

// The library ignores unknown values. Source: RFC 6749 section 3.3.
function judgeScope(ctx: KoaContextWithOIDC, known: ReadonlySet<string>): void {
  const asked = ctx.oidc.params?.scope;
  const facts = {
    scope: textOf(asked ?? ""),
    scopes: ctx.oidc.client?.scope ?? [...known].join(" "),
  };
  // a client manages its registration with such a token; no API accepts it. Source: R-014
  if (typeof asked !== "string" || asked === "") return;
  const unknown = asked.split(" ").find((scope) => !known.has(scope));
  if (unknown !== undefined) {
    throw new errors.InvalidScope("unknown scope", unknown, because("scopeUnknown", facts));
  }
}
