import type { Clock } from "#src/lib/clock.ts";
import type { HeadlessAnswer, HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
import {
  AuthorizationError,
  PushError,
  TokenError,
  type Tokens,
  type TppClient,
} from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

/** What the tokens of consents are made with. */
export type TokenDeps = {
  authorise(request: HeadlessRequest): Promise<HeadlessAnswer>;
  clock: Clock;
  /** The login of the persona who approves consents. */
  customer: string;
};

const manyTokens = 500;

/** A consent's tokens, and when the access token ends by the bank's clock. */
type KeptTokens = { tokens: Tokens; until: Temporal.Instant };

/** Returns a function that gives a consent's token, and approves a consent at its first use. */
export function consentTokens(
  deps: TokenDeps,
): (client: TppClient, scope: Scope, consentId: string) => Promise<string> {
  const kept = new Map<string, Promise<KeptTokens>>();

  async function tokenOfConsent(
    client: TppClient,
    scope: Scope,
    consentId: string,
  ): Promise<string> {
    const key = `${client.tpp.clientId} ${consentId}`;
    const earlier = kept.get(key);
    const authorise = () => withEnd(approve(deps, client, scope, consentId));
    // each call waits for the one before it, so that no consent is approved twice
    const next = earlier
      ? earlier.then((tokens) => (isOver(tokens) ? renew(client, tokens, authorise) : tokens))
      : authorise();
    next.catch(() => kept.delete(key));
    if (kept.size >= manyTokens) kept.clear();
    kept.set(key, next);
    return (await next).tokens.access_token;
  }

  const isOver = ({ until }: KeptTokens): boolean =>
    Temporal.Instant.compare(deps.clock.now(), until) >= 0;

  /** Refreshes tokens, or asks the customer again if the consent has no refresh token. */
  async function renew(
    client: TppClient,
    { tokens: { refresh_token } }: KeptTokens,
    authorise: () => Promise<KeptTokens>,
  ): Promise<KeptTokens> {
    if (refresh_token === undefined) return authorise();
    const { tokens, until } = await withEnd(client.refresh(refresh_token)).catch(refuseTokens);
    return { tokens: { ...tokens, refresh_token }, until };
  }

  async function withEnd(pending: Promise<Tokens>): Promise<KeptTokens> {
    const asked = deps.clock.now();
    const tokens = await pending;
    return { tokens, until: asked.add({ seconds: tokens.expires_in }) };
  }
  return tokenOfConsent;
}

function refuseTokens(error: unknown): never {
  if (!(error instanceof TokenError)) throw error;
  throw new SandboxRefusal(400, `The consent gives no new token: ${error.message}`);
}

async function approve(
  { authorise, customer }: TokenDeps,
  client: TppClient,
  scope: Scope,
  consentId: string,
): Promise<Tokens> {
  try {
    const authorizationUrl = await client.authorizationUrl({ scope, consentId });
    const { redirectUrl } = await authorise({ authorizationUrl, customer, decision: "approve" });
    return await client.exchangeCode(redirectUrl);
  } catch (error) {
    if (!(error instanceof AuthorizationError || error instanceof PushError)) throw error;
    throw new SandboxRefusal(400, `Approving as ${customer} failed: ${error.message}`);
  }
}
