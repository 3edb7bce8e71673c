import type { CryptoKey } from "jose";
import type { ServerMetadata } from "openid-client";
import type { Deviations } from "./deviations.ts";
import type { Profile, ProfileName } from "./profiles.ts";
import type { RetryOptions } from "./retry.ts";
import type { Scope } from "./scope.ts";
import type { OwnFetch, TransportKey } from "./transport.ts";
import type { Versions } from "./versions.ts";

/** Your registration at a bank, with your keys. Keys and certificates are PEM texts. */
export type Client = {
  /** The `client_id`. */
  id: string;
  /** Your organisation and your software in the directory; signatures name both. */
  organisationId: string;
  softwareId: string;
  /** The registered URI to which customers come back. */
  redirectUri: string;
  /** The default is `private_key_jwt`. Secrets are for banks that do not follow the profile. */
  authentication?: Authentication;
  /** For `client_secret_basic` and `client_secret_post`. */
  secret?: string;
  signing: SigningKey;
  /** The client certificate of mutual TLS. */
  transport?: TransportKey;
};

/** How you authenticate at the authorization server. */
type Authentication =
  | "private_key_jwt"
  | "tls_client_auth"
  | "client_secret_basic"
  | "client_secret_post";

/** The key with which you sign (PS256), and its id in your JWKS. */
type SigningKey = { keyId: string; privateKey: string | CryptoKey };

/** The APIs, each with its own versions. */
export type ApiName = keyof Versions;

/** Which bank you call, and as whom. */
export type ConnectOptions<V extends Partial<Versions> = Partial<Versions>> = {
  /**
   * The issuer of the authorization server, or the URL of its discovery document. If there is no
   * such document, give what it would contain.
   */
  issuer: string | ServerMetadata;
  /**
   * The base of all APIs, such as `https://rs.bank.example/open-banking`; the version and the API
   * follow. If the bank has other paths, give the whole base of each API that you use.
   */
  api: string | Partial<Record<ApiName, string>>;
  client: Client;
  /** The security profile; the default is `fapi1`. Give a row of your own for another one. */
  profile?: ProfileName | Profile;
  /** The versions of the APIs; the default is v4.0 of each. */
  versions?: V;
  /** The root of the bank's certificate, if it is not a public one. PEM. */
  ca?: string;
  /** The bank's organisation id in the directory, which its signatures must then name. */
  bankOrganisationId?: string;
  /** What the bank does differently. */
  deviations?: Partial<Deviations>;
  retry?: Partial<RetryOptions>;
  /** How long an attempt may take. The default is 30 seconds. */
  timeoutMs?: number;
  /** Called when the tokens of a grant were renewed: store the grant. */
  onRefresh?: (grant: Grant) => void | Promise<void>;
  /**
   * Returns the next client certificate. Called when the bank refuses a call with 401 although its
   * token is new; the library then presents that certificate and gets other tokens.
   */
  renewTransport?: () => Promise<TransportKey>;
  /** Sends each request, for example to log it: `(url, options, send) => send(url, options)`. */
  fetch?: OwnFetch;
  /** The time; the default is the machine's. */
  now?: () => Date;
  /** Waits between two polls for an approval; the default is a timer. */
  pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** A customer's authorisation: plain data, which you store as JSON. */
export type Grant = {
  scope: Scope;
  consentId: string;
  accessToken: string;
  /** When the access token expires; null if the bank did not say. */
  expiresAt: string | null;
  refreshToken: string | null;
  /** `sub` of the id_token. */
  subject: string | null;
};

/** An authorization request that is on its way: plain data, which you keep in the session. */
export type Login = {
  /** Send the customer's browser here. */
  url: string;
  scope: Scope;
  consentId: string;
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
};

/** A request for approval in the bank's app that is on its way: plain data, which you store. */
export type BackchannelRequest = {
  /** The bank's `auth_req_id`. */
  id: string;
  scope: Scope;
  consentId: string;
  /** When the bank stops waiting for the customer. */
  expiresAt: string;
  /** How long to wait between two polls. */
  intervalSeconds: number;
  /** The token that the bank's ping must have; null without pings. */
  notificationToken: string | null;
};

/** Choices for one call. */
export type CallOptions = {
  /** The key that makes a repeated request harmless; the default is a new one. */
  idempotencyKey?: string;
  /** The id by which both sides find the call in their logs; the default is a new one. */
  interactionId?: string;
  /** The customer who is present. Leave it out if nobody is. */
  customer?: { ipAddress: string; userAgent?: string; loggedInAt?: Date };
  signal?: AbortSignal;
};
