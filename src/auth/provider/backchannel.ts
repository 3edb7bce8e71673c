import type { Adapter, AdapterPayload, KoaContextWithOIDC } from "oidc-provider";
import { listOpenTo } from "#src/consents/consent-standing.ts";
import { sha256 } from "#src/lib/hash.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { Queryable } from "#src/storage/database.ts";
import {
  customerOfHint,
  customerOfTool,
  identifierIn,
  isScanned,
  judgeKnown,
  type TestCustomers,
  toolLogin,
} from "./backchannel-hints.ts";
import { type EndedJourneys, findBackchannel } from "./backchannel-store.ts";
import { consentMember, type IntentRules, judgeConsent, namedIntent, refused } from "./intent.ts";
import type { Interaction } from "./interaction-store.ts";
import { claimsOf } from "./jwt-facts.ts";
import { errors, Provider } from "./library.ts";
import { metadataOf } from "./profile-of-request.ts";
import type { KnownToRequest } from "./read-ahead.ts";
import { because } from "./refused.ts";

// Client-initiated backchannel authentication (CIBA): the library checks the client and the signed
// request, and these are our own rules. auth/backchannel/ begins the journey.

/** The library's name of a request. */
export const backchannelRequest = "BackchannelAuthenticationRequest";

const route = "backchannel_authentication";

/** The seconds between two polls, at first. */
export const pollSeconds = 5;
const lifetimes = { shortest: 10, usual: 300, longest: 600 };

/** A request that has passed its checks. */
export type ApprovalRequest = {
  /** The hash of the auth_req_id, and of the signed request's client and jti. */
  idHash: string;
  requestHash: string;
  clientId: string;
  consentId: string;
  /** Null if the customer will scan the consent's id in the app. */
  customerId: string | null;
  /** The hash of the identifier from the app that names the customer; null if another hint does. */
  identifierHash: string | null;
  /** The parameters, for the journey. */
  interaction: Interaction;
  /** What the library has to find again. */
  payload: object;
  expiresAt: Temporal.Instant;
  /** The auth_req_id and the token with which the client wants to be told; null if it polls. */
  ping: { authReqId: string; token: string } | null;
};

/** What the authorization server does with the journeys of such requests. */
export type BackchannelJourneys = EndedJourneys & {
  /** Begins the journey of a request. Throws the error for the client. */
  begin(request: ApprovalRequest): Promise<void>;
  /** Whether a request of a consent goes on. */
  isBusy(consentId: string): Promise<boolean>;
};

/** Whether the current request is one of a client that begins a journey without a browser. */
export const isBackchannel = ({ oidc }: KoaContextWithOIDC): boolean => oidc.route === route;

/** How long a request lives, in seconds; the client may ask for another time. */
export function backchannelSeconds({ oidc }: KoaContextWithOIDC): number {
  const asked = Number(oidc.params?.requested_expiry ?? lifetimes.usual);
  return Math.min(lifetimes.longest, Math.max(lifetimes.shortest, asked));
}

type HintDeps = {
  database: Queryable;
  clock: IntentRules["clock"];
  /** The customers whom test tools can name; absent in production. */
  sandboxHints?: TestCustomers;
};

// letters that every app and every till can show
const messageForm = /^[\w .:,+/!?#-]{1,20}$/;

/** The library's feature. `deps` is that of the bank, whose app takes the customer through. */
export const backchannelFeature = (deps: HintDeps) => ({
  enabled: true as const,
  deliveryModes: ["poll", "ping"] as ["poll", "ping"],
  processLoginHint: (_ctx: KoaContextWithOIDC, hint?: string) => customerOfTool(deps, hint),
  processLoginHintToken: (ctx: KoaContextWithOIDC, token = "") =>
    customerOfHint(deps, ctx.oidc.client?.clientId ?? "", token),
  async validateBindingMessage(_ctx: KoaContextWithOIDC, message?: string) {
    if (message === undefined || messageForm.test(message)) return;
    throw new errors.InvalidBindingMessage(undefined, because("bindingMessage"));
  },
  validateRequestContext: async () => undefined,
  verifyUserCode: async (_ctx: KoaContextWithOIDC, _account: unknown, code?: string) => {
    if (code !== undefined) throw refused("userCodeNotOffered");
  },
  // the adapter has begun the journey before the request was stored
  triggerAuthenticationDevice: async () => undefined,
});

type BackchannelRules = IntentRules &
  HintDeps & { backchannelJourneys: BackchannelJourneys | null };

/**
 * Checks the consent and the hint of a request; the library checks the rest. A request without a
 * hint is one whose customer scans the consent's id in the app, for which the library needs a hint
 * of its own. A test tool that cannot name the consent gets the newest one. Throws.
 */
export async function judgeBackchannel(
  rules: BackchannelRules,
  ctx: KoaContextWithOIDC,
  given: unknown,
) {
  const { params = {}, client } = ctx.oidc;
  const isTool = toolLogin(rules, params.login_hint) !== null;
  if (params.login_hint !== undefined && !isTool) throw refused("hintNotOffered");
  if (isTool && given === undefined) {
    const of = { clientId: client?.clientId ?? "", scope: textOf(params.scope ?? "") };
    params[consentMember] = await newestFor(rules, of, params.login_hint);
  }
  const id = given ?? params[consentMember];
  if (typeof id !== "string" || id === "") throw refused("consentNotInRequest");
  const also = namedIntent(params.claims === undefined ? null : JSON.parse(textOf(params.claims)));
  if (also !== null && also !== id) throw refused("consentNotInRequest");
  const request = { clientId: client?.clientId ?? "", scope: textOf(params.scope ?? "") };
  await judgeConsent(rules, { ...request, consentId: id });
  const hints = [params.id_token_hint, params.login_hint_token, params.login_hint];
  if (hints.every((hint) => hint === undefined)) params.login_hint = isScanned;
}

/** The newest consent of a client that the customer of a test tool can authorise now. Throws. */
async function newestFor(
  rules: BackchannelRules,
  of: { clientId: string; scope: string },
  hint: unknown,
): Promise<string> {
  const customerId = (await customerOfTool(rules, hint)) ?? "";
  for (const { consentId } of await listOpenTo(rules.database, { ...of, customerId })) {
    const fault = await judgeConsent(rules, { ...of, consentId }).catch((error: unknown) => error);
    if (fault === undefined && !(await rules.backchannelJourneys?.isBusy(consentId))) {
      return consentId;
    }
  }
  throw refused("noConsentForTool");
}

type AdapterDeps = {
  on: Queryable;
  clock: IntentRules["clock"];
  known: KnownToRequest;
  journeys: BackchannelJourneys;
};

const nothing = async (): Promise<undefined> => undefined;

/** Stores the requests: each is the beginning of a journey, whose end is the answer. */
export function backchannelAdapter({ on, clock, known, journeys }: AdapterDeps): Adapter {
  return {
    async upsert(id, payload, expiresIn) {
      const { oidc } = Provider.ctx as KoaContextWithOIDC; // only a request stores one
      const signed = claimsOf(oidc.body?.request);
      const { params, clientId, accountId, jti: _, ...kept } = payload as Payload;
      const { client_notification_token: token, login_hint_token: hint, ...shown } = params;
      const mode = oidc.client && metadataOf(oidc.client).backchannel_token_delivery_mode;
      const isPinged = mode === "ping" && token !== undefined;
      // the library has checked that the bank issued the id_token to this client
      if (params.id_token_hint !== undefined) {
        await judgeKnown(on, { clientId, customerId: accountId });
      }
      await journeys.begin({
        idHash: sha256(id),
        requestHash: sha256(`${clientId} ${textOf(signed.jti)}`),
        clientId,
        consentId: textOf(params[consentMember]),
        customerId: accountId === isScanned ? null : accountId,
        identifierHash: identifierIn(hint),
        interaction: { params: shown, returnTo: "" },
        payload: { ...kept, clientId },
        expiresAt: clock.now().add({ seconds: expiresIn }),
        ping: isPinged ? { authReqId: id, token } : null,
      });
    },
    async find(id) {
      const clientId = Provider.ctx?.oidc.client?.clientId ?? "";
      return findBackchannel({ on, clock, journeys }, { idHash: sha256(id), clientId, id });
    },
    async consume(id) {
      const request = known();
      if (request) request.used = { model: backchannelRequest, idHash: sha256(id) };
    },
    destroy: nothing,
    findByUid: nothing,
    findByUserCode: nothing,
    revokeByGrantId: nothing,
  };
}

type Payload = AdapterPayload & {
  params: Record<string, string | undefined>;
  clientId: string;
  accountId: string;
};
