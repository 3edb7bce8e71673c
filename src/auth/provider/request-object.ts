import type { KoaContextWithOIDC } from "oidc-provider";
import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import { isObject } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { noteCheck } from "./endpoint-checks.ts";
import { consentMember } from "./intent.ts";
import { issuedLater } from "./issue-time.ts";
import { claimsOf } from "./jwt-facts.ts";
import { errors, insideOf, type Provider } from "./library.ts";
import { metadataOf } from "./profile-of-request.ts";

type Params = { request?: unknown; state?: unknown; response_mode?: unknown };
type Context = KoaContextWithOIDC["oidc"] & { ctx: KoaContextWithOIDC; params: Params };

/**
 * Refuses request objects that the library would turn into texts of another meaning (`null` would
 * become the state "null") or cannot read at all: a member of the wrong type, and a missing
 * response_type, on which the library fails. Refuses verified ones that were issued in the future.
 */
export function refuseOddRequestObjects(provider: Provider, machineClock: Clock): void {
  const context = insideOf(provider).OIDCContext;
  const kept = new WeakMap<object, Params>();
  // every endpoint assigns the parameters before it reads them
  Object.defineProperty(context.prototype, "params", {
    configurable: true,
    get(this: object) {
      return kept.get(this);
    },
    set(this: Context, params: Params) {
      noteRead(this, kept.has(this), params);
      kept.set(this, params);
      const claims = unverifiedClaims(params.request);
      // the library reports what is not a JWT
      if (claims !== null) judgeObject(claims, params, this.route);
      noteCheck(this.ctx, "form");
    },
  });
  const { entity } = context.prototype as Context;
  Object.assign(context.prototype, {
    entity(this: Context, ...given: Parameters<Context["entity"]>) {
      entity.apply(this, given);
      // the library looks for the client again once it has set the status of a refusal
      const isFound = given[0] === "Client" && this.ctx.status === 404;
      if (isFound && this.route === "authorization") noteCheck(this.ctx, "client");
    },
  });
  // assigned once the signature was verified
  const trusted = new WeakMap<object, unknown>();
  Object.defineProperty(context.prototype, "trusted", {
    configurable: true,
    get(this: object) {
      return trusted.get(this);
    },
    set(this: Context, names: unknown) {
      trusted.set(this, names);
      const nowSeconds = Math.floor(machineClock.now().epochMilliseconds / 1000);
      const later = issuedLater("Request Object", claimsOf(this.params.request), nowSeconds);
      if (later) throw new errors.InvalidRequestObject("jwt issued in the future", later);
      noteCheck(this.ctx, "request-object");
    },
  });
}

const backchannel = "backchannel_authentication";
// the endpoints at which the client authenticates before the parameters are read
const readsTwice = ["pushed_authorization_request", backchannel];

/** Parameters are read again at some endpoints, once the client is known. */
function noteRead({ ctx, client, route }: Context, isAgain: boolean, params: Params): void {
  if (!isAgain || !readsTwice.includes(route)) return;
  noteCheck(ctx, "client");
  const isUnsigned = params.request === undefined;
  const mustSign = client !== undefined && metadataOf(client).require_signed_request_object;
  if (isUnsigned && !mustSign) noteCheck(ctx, "request-object", false);
}

type Rule = { words: string; allows(value: unknown): boolean };

const text: Rule = { words: "a string", allows: (value) => typeof value === "string" };
// Source: OpenID Connect Core section 5.5
const claimsRule: Rule = {
  words: "a JSON object",
  allows: (value) => typeof value === "string" || isObject(value),
};
const seconds: Rule = {
  words: "a number of seconds",
  allows: (value) => typeof value === "string" || typeof value === "number",
};

/** The members of a request object that are parameters of the request. */
const members: Readonly<Record<string, Rule>> = {
  response_type: text,
  client_id: text,
  redirect_uri: text,
  scope: text,
  state: text,
  nonce: text,
  response_mode: text,
  code_challenge: text,
  code_challenge_method: text,
  prompt: text,
  display: text,
  acr_values: text,
  login_hint: text,
  id_token_hint: text,
  ui_locales: text,
  claims_locales: text,
  request: text,
  request_uri: text,
  registration: text,
  dpop_jkt: text,
  max_age: seconds,
  claims: claimsRule,
  // of a request without a browser
  [consentMember]: text,
  login_hint_token: text,
  client_notification_token: text,
  binding_message: text,
  user_code: text,
  requested_expiry: seconds,
  // Source: CB-67
  request_context: { words: "a JSON object", allows: isObject },
};

/** Like the library, answers a refused request with the state and in the mode of its object. */
function judgeObject(claims: Record<string, unknown>, params: Params, route: string): void {
  try {
    judgeMembers(claims, route);
  } catch (refused) {
    for (const name of ["state", "response_mode"] as const) {
      const value = claims[name];
      if (typeof value === "string") params[name] = value;
    }
    throw refused;
  }
}

function judgeMembers(claims: Record<string, unknown>, route: string): void {
  for (const [name, { words, allows }] of Object.entries(members)) {
    const value = claims[name];
    if (value === undefined || allows(value)) continue;
    const fault = `${name} of the Request Object must be ${words}.`;
    // Source: CB-45
    throw route === backchannel
      ? new errors.InvalidRequest(fault)
      : new errors.InvalidRequestObject(fault);
  }
  const { response_type: responseType = "" } = claims;
  // a request without a browser has no response in a redirect
  if (responseType !== "" || route === backchannel) return;
  throw new errors.InvalidRequest(
    "The Request Object lacks response_type. Members outside the Request Object do not count: " +
      "add response_type to it, and sign it again.",
  );
}
