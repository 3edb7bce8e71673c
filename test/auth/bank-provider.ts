import { KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { approvalDetails, type BankLogin, createBankLogin } from "#src/auth/login/bank-login.ts";
import { Provider } from "#src/auth/provider/library.ts";
import { systemClock } from "#src/lib/clock.ts";
import { freePort } from "#test/free-port.ts";

type Detail = { type: string; subject_hash: string; client_name: string; shown: Shown[] };
type Shown = { label: string; value: string };

/** What the bank's provider does with the next customer, where it differs from a good one. */
export type ProviderMood = {
  acr?: string;
  /** The methods that it names. */
  amr?: string[];
  /** The `azp` of the id_token. */
  azp?: string;
  /** The customer who logs in. */
  sub?: string;
  /** When the customer has logged in, in seconds of the Unix time. */
  authTime?: number;
  /** What is out of service: a path of the provider, or what it says at the end of its page. */
  outage?: "/jwks" | "/token" | "says so";
  /** Whether the provider does not show its key yet when it is next asked. */
  isKeyNew?: boolean;
  /** Changes the details that the customer confirms. */
  details?(details: Detail[]): Detail[];
};

/** The settings of the bank at its own provider. */
const sca = "urn:openbanking:psd2:sca";

/** How a bank's provider is set up. */
type Setup = {
  alg?: "PS256" | "ES256";
  host?: string;
  /** `login`: it knows no authorization details, takes no request objects, and signs with RS256. */
  confirms?: BankLogin["confirms"];
};

/**
 * Opens a bank's own OpenID provider: a page shows what is to be confirmed, with two buttons. It
 * takes only `private_key_jwt` and, if it confirms approvals, only signed requests.
 */
export async function openBankProvider(setup: Setup = {}) {
  const { alg = "PS256", host = "localhost", confirms = "approval" } = setup;
  const port = await freePort();
  const issuer = `http://${host}:${port}`;
  const ours = await generateKeyPair(alg, { extractable: true });
  const theirAlg = confirms === "login" ? "RS256" : "PS256";
  const theirs = await generateKeyPair(theirAlg, { extractable: true });
  const mood: ProviderMood = {};
  const seen: Detail[] = [];
  let provider: Provider;
  const server = createServer((request, response) => {
    if (mood.outage && request.url === mood.outage) return response.writeHead(503).end();
    if (mood.isKeyNew && request.url === "/jwks") {
      mood.isKeyNew = false;
      return response.writeHead(200, { "content-type": "application/json" }).end('{"keys":[]}');
    }
    const isPage = request.url?.startsWith("/interaction/");
    const work = isPage ? answerPage(request, response) : provider.callback()(request, response);
    return Promise.resolve(work).catch((error) => response.writeHead(400).end(String(error)));
  });

  async function answerPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const details = JSON.parse(String(params.authorization_details ?? "[]")) as Detail[];
    if (request.method !== "POST") {
      seen.push(...details);
      const rows = details.flatMap(({ shown }) => shown);
      const list = rows.map(({ label, value }) => `<dt>${label}</dt><dd>${value}</dd>`).join("");
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(`<!doctype html><title>The bank</title><h1>Log in and confirm</h1>
        <dl>${list}</dl>
        <form method="post"><button name="answer" value="confirm">Confirm</button>
        <button name="answer" value="decline">Decline</button></form>`);
      return;
    }
    const body = await Array.fromAsync(request, String);
    if (body.join("") !== "answer=confirm") {
      const declined = { error: "access_denied", error_description: "declined" };
      return provider.interactionFinished(request, response, declined);
    }
    if (mood.outage === "says so") {
      const error = "temporarily_unavailable";
      return provider.interactionFinished(request, response, { error });
    }
    const accountId = mood.sub ?? "cust-anna";
    const grant = new provider.Grant({ accountId, clientId: "aldgate" });
    grant.addOIDCScope("openid");
    if (confirms === "approval") grant.addResourceScope("https://api.bank.example", "openid");
    for (const detail of mood.details?.(details) ?? details) grant.addRar(detail as never);
    const ts = mood.authTime === undefined ? {} : { ts: mood.authTime };
    const { acr = sca, amr = confirms === "login" ? ["pwd", "kba"] : ["pwd", "hwk", "mfa"] } = mood;
    const login = { accountId, acr, amr, ...ts };
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { login, consent });
  }

  return {
    issuer,
    mood,
    /** What customers were asked to confirm. */
    seen,
    /** Aldgate's key at the provider, as PEM text. */
    clientKeyPem: KeyObject.from(ours.privateKey)
      .export({ type: "pkcs8", format: "pem" })
      .toString(),
    /** Makes the bank's login at this provider, or at another one. */
    loginFor,
    /** Makes the bank's login for a bank at this address, and starts the provider for it. */
    async serve(publicUrl: string): Promise<BankLogin> {
      const redirectUri = `${publicUrl}/journey/returned`;
      const jwk = { ...(await exportJWK(ours.publicKey)), alg, use: "sig" };
      const bankKey = { ...(await exportJWK(theirs.privateKey)), alg: theirAlg, use: "sig" };
      const given = { jwk, bankKey, redirectUri, alg, theirAlg, confirms, mood };
      provider = new Provider(issuer, settings(given));
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
      return loginFor(redirectUri);
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };

  function loginFor(redirectUri: string, at = issuer, how = confirms): BankLogin {
    return createBankLogin({
      issuer: at,
      clientId: "aldgate",
      key: KeyObject.from(ours.privateKey),
      acr: sca,
      confirms: how,
      redirectUri,
      secret: "a secret of thirty-two characters",
      now: systemClock.now,
    });
  }
}

type Settings = {
  jwk: object;
  bankKey: object;
  redirectUri: string;
  alg: string;
  theirAlg: string;
  confirms: BankLogin["confirms"];
  mood: ProviderMood;
};

const settings = ({ jwk, bankKey, redirectUri, alg, theirAlg, confirms, mood }: Settings) =>
  ({
    jwks: { keys: [bankKey] },
    scopes: ["openid"],
    acrValues: [sca],
    // a provider without the parameter `claims` names the methods without being asked
    claims:
      confirms === "login"
        ? { openid: ["sub", "azp", "amr"], acr: null, auth_time: null }
        : { openid: ["sub", "azp"], acr: null, amr: null, auth_time: null },
    clientAuthMethods: ["private_key_jwt"],
    responseTypes: ["code"],
    cookies: { keys: ["a cookie's key"] },
    enabledJWA: {
      idTokenSigningAlgValues: [theirAlg],
      clientAuthSigningAlgValues: [alg],
      requestObjectSigningAlgValues: [alg],
    },
    features: {
      devInteractions: { enabled: false },
      ...(confirms === "login" ? {} : extensions),
    },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: Object.fromEntries(
      "AccessToken Grant IdToken Interaction Session".split(" ").map((name) => [name, 600]),
    ),
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...(mood.azp ? { azp: mood.azp } : {}) }),
    }),
    clients: [
      {
        client_id: "aldgate",
        jwks: { keys: [jwk] },
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_signing_alg: alg,
        ...(confirms === "login" ? {} : { request_object_signing_alg: alg }),
        id_token_signed_response_alg: theirAlg,
        default_acr_values: [sca],
        ...(confirms === "login"
          ? {}
          : {
              require_signed_request_object: true,
              authorization_details_types: [approvalDetails],
            }),
      },
    ],
  }) as unknown as ConstructorParameters<typeof Provider>[1];

/** What a provider needs besides, to show authorization details and return them. */
const extensions = {
  claimsParameter: { enabled: true },
  requestObjects: { enabled: true, requireSignedRequestObject: true },
  // the library demands a resource with authorization details
  resourceIndicators: {
    enabled: true,
    defaultResource: () => "https://api.bank.example",
    useGrantedResource: () => true,
    getResourceServerInfo: () => ({ scope: "openid", accessTokenFormat: "opaque" }),
  },
  richAuthorizationRequests: {
    enabled: true,
    types: { [approvalDetails]: { validate: () => undefined } },
    authorizationDetailsForGrantSource: (ctx: RarContext) => ctx.oidc.grant?.rar,
    authorizationDetailsForAccessToken: (ctx: RarContext) => ctx.oidc.grant?.rar,
    authorizationDetailsForIntrospection: () => undefined,
  },
};

type RarContext = { oidc: { grant?: { rar?: object[] } } };
