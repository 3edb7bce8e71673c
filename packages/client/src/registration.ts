import { randomUUID, X509Certificate } from "node:crypto";
import { type CryptoKey, importPKCS8, SignJWT } from "jose";
import { readDocument } from "./bank-keys.ts";
import { type Deviations, standard } from "./deviations.ts";
import { AuthorisationError, VerificationError } from "./errors.ts";
import { asOurs } from "./oauth-errors.ts";
import type { Client, ConnectOptions } from "./options.ts";
import { type Profile, profiles } from "./profiles.ts";
import { usualRetry } from "./retry.ts";
import type { Scope } from "./scope.ts";
import type { Session } from "./session.ts";
import { type Fetch, openTransport } from "./transport.ts";

/** What you register: your software as the directory states it, with its keys. */
export type RegistrationRequest = { issuer: string } & Pick<
  ConnectOptions,
  "profile" | "ca" | "deviations" | "fetch" | "now" | "retry"
> &
  Omit<Client, "id" | "redirectUri"> & {
    redirectUris: [string, ...string[]];
    /** The directory's statement about your software (SSA). */
    softwareStatement: string;
    scopes: readonly Scope[];
    /** The subject of the client certificate; by default it is read from the certificate. */
    certificateSubject?: string;
    /** Further claims, and claims to replace. */
    claims?: Record<string, unknown>;
  };

/** A client as the bank has registered it. */
type RegisteredClient = { client_id: string; [member: string]: unknown };

const lifeSeconds = 1800;

/** Registers your software at a bank by dynamic client registration, and returns the client. */
export async function register(request: RegistrationRequest): Promise<Client> {
  const { transport } = request;
  const { fetch, close } = openTransport(request);
  try {
    const discovery = await discover(request, fetch);
    const body = await signRequest(request, discovery.issuer, {});
    const { registrationContentType } = { ...standard, ...request.deviations };
    const answer = await fetch(discovery.endpoint, {
      method: "POST",
      headers: { "content-type": registrationContentType, accept: "application/json" },
      body,
    }).catch(asOurs);
    const { client_id: id } = await readClient(answer);
    const { organisationId, softwareId, authentication, signing, redirectUris } = request;
    return {
      id,
      organisationId,
      softwareId,
      redirectUri: redirectUris[0],
      ...(authentication ? { authentication } : {}),
      signing,
      ...(transport ? { transport } : {}),
    };
  } finally {
    close();
  }
}

/** Your registration at a bank that you are connected to. */
export class Registration {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Reads the registration. */
  async read(): Promise<RegisteredClient> {
    return readClient(await this.#send("GET"));
  }

  /** Replaces the registration. Give all of it. */
  async replace(request: Omit<RegistrationRequest, "issuer">): Promise<RegisteredClient> {
    const { issuer } = this.#session.server.metadata;
    const claims = { client_id: this.#session.options.client.id };
    const body = await signRequest({ ...request, issuer }, issuer, claims);
    return readClient(await this.#send("PUT", body));
  }

  /** Ends the registration. */
  async remove(): Promise<void> {
    const answer = await this.#send("DELETE");
    if (answer.status >= 300) await readClient(answer);
  }

  async #send(method: string, body?: string): Promise<Response> {
    const { server, fetch, deviations, options } = this.#session;
    const { registration_endpoint: endpoint } = server.metadata;
    if (endpoint === undefined) throw new TypeError(noEndpoint);
    const url = `${endpoint}/${encodeURIComponent(options.client.id)}`;
    const { headers } = await server.authorization(deviations.registrationScope, method, url);
    return fetch(url, {
      method,
      headers: {
        accept: "application/json",
        ...headers,
        ...(body ? { "content-type": deviations.registrationContentType } : {}),
      },
      body,
    }).catch(asOurs);
  }
}

const noEndpoint =
  "The bank's discovery document has no registration_endpoint: register at the bank's portal.";

async function discover(
  { issuer, retry }: Pick<RegistrationRequest, "issuer" | "retry">,
  fetch: Fetch,
) {
  const url = issuer.includes("/.well-known/")
    ? issuer
    : `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const headers = { accept: "application/json" };
  const deps = { fetch, retryOptions: { ...usualRetry, ...retry } };
  const answer = await readDocument(deps, url, { method: "GET", headers });
  if (answer.status !== 200) {
    throw new VerificationError(`${url} answered with the status ${answer.status}, not 200.`);
  }
  const found = (await answer.json()) as { issuer: string; registration_endpoint?: string };
  if (found.registration_endpoint === undefined) throw new TypeError(noEndpoint);
  return { issuer: found.issuer, endpoint: found.registration_endpoint };
}

async function signRequest(
  request: RegistrationRequest,
  issuer: string,
  more: Record<string, unknown>,
): Promise<string> {
  const { signing, softwareId, now = () => new Date() } = request;
  const rules: Deviations = { ...standard, ...request.deviations };
  const named = request.profile ?? "fapi1";
  const profile: Profile = typeof named === "string" ? profiles[named] : named;
  const at = Math.floor(now().getTime() / 1000);
  const jti = randomUUID();
  const claims = {
    iss: softwareId,
    aud: rules.registrationAudience ?? issuer,
    iat: at,
    exp: at + lifeSeconds,
    jti: rules.registrationIdCase === "upper" ? jti.toUpperCase() : jti,
    redirect_uris: request.redirectUris,
    grant_types: ["authorization_code", "client_credentials", "refresh_token"],
    response_types: [profile.answer === "code id_token" ? "code id_token" : "code"],
    ...authenticationClaims(request),
    ...(profile.pushes
      ? {
          require_pushed_authorization_requests: true,
          require_signed_request_object: profile.signs,
        }
      : {}),
    software_id: softwareId,
    scope: ["openid", ...request.scopes].join(" "),
    software_statement: request.softwareStatement,
    application_type: "web",
    id_token_signed_response_alg: "PS256",
    request_object_signing_alg: "PS256",
    ...more,
    ...request.claims,
  };
  const header = { alg: "PS256", kid: signing.keyId, typ: "JWT" };
  return new SignJWT(claims).setProtectedHeader(header).sign(await keyOf(signing.privateKey));
}

const keyOf = async (key: string | CryptoKey): Promise<CryptoKey> =>
  typeof key === "string" ? importPKCS8(key, "PS256") : key;

function authenticationClaims(request: RegistrationRequest): Record<string, string> {
  const { authentication = "private_key_jwt", transport, certificateSubject } = request;
  const method = { token_endpoint_auth_method: authentication };
  if (authentication === "private_key_jwt") {
    return { ...method, token_endpoint_auth_signing_alg: "PS256" };
  }
  if (authentication !== "tls_client_auth") return method;
  if (transport === undefined) {
    throw new TypeError("register: tls_client_auth needs a client certificate in `transport`.");
  }
  const subject = certificateSubject ?? subjectOf(transport.certificate);
  return { ...method, tls_client_auth_subject_dn: subject };
}

/** The subject of a certificate as RFC 4514 writes it: its last part first. */
const subjectOf = (certificate: string): string =>
  new X509Certificate(certificate).subject.split("\n").toReversed().join(",");

async function readClient(answer: Response): Promise<RegisteredClient> {
  const text = await answer.text();
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text);
  } catch {
    // an answer that is no JSON is described by its status
  }
  const { status } = answer;
  if (status < 300 && typeof body.client_id === "string") return body as RegisteredClient;
  const { error = "unexpected_answer", error_description: description } = body;
  const reason = description ?? `the bank answered the registration with the status ${status}`;
  throw new AuthorisationError({ error: String(error), description: String(reason), status });
}
