// What only a sandbox of Aldgate has. Nothing else of this library needs it.
import { generateKeyPairSync } from "node:crypto";
import type { Client, Login } from "./options.ts";
import type { ProfileName } from "./profiles.ts";
import type { RegistrationRequest } from "./registration.ts";
import type { Scope } from "./scope.ts";
import { ConnectionLost, type Fetch, type OwnFetch, openTransport } from "./transport.ts";

/** A role of a TPP in the directory. */
export type Role = "AISP" | "PISP" | "CBPII";

/** The TPP that you want. */
export type WantedTpp = {
  /** The name that customers see. */
  name?: string;
  /** The default is every role. */
  roles?: readonly Role[];
  redirectUri?: string;
  profile?: ProfileName;
  authentication?: "private_key_jwt" | "tls_client_auth";
  /** Where the bank tells you of decisions in its app. By default, you poll. */
  notificationEndpoint?: string;
};

/** A customer of the sandbox. */
export type Customer = {
  login: string;
  password: string;
  name: string;
  accounts: {
    accountId: string;
    accountSubType: string;
    schemeName: string;
    identification: string;
    currency: string;
    /** Null if the bank's own core does not say it. */
    balance: string | null;
    signatoriesRequired: number;
    status: "Enabled" | "Disabled" | "Deleted";
  }[];
};

/** What a customer does with a request for approval. */
export type Approval = {
  /** The customer's login, such as `amara`. */
  customer: string;
  /** The default is every account that can be chosen. */
  accounts?: readonly string[];
  /** The default is `approve`; `abandon` lets the request time out. */
  decision?: "approve" | "deny" | "abandon";
};

/** What the bank has told the customer about the payee's name. */
export type PayeeWarning = { title: string; text: string };

/** How a decision ended. */
export type Decided = {
  /** The URL to which the browser would come back: give it to `finish`. */
  redirectUrl: string;
  /** Null if the bank has said nothing about the payee's name, because it is right. */
  warning: PayeeWarning | null;
  /** Says that the sandbox's clock was set forward meanwhile, if that may be why it failed. */
  note?: string;
};

/** How a sandbox is reached, if not from its own machine. */
export type SandboxOptions = {
  /** The sandbox's `SANDBOX_CONTROLS_TOKEN`. */
  token?: string;
  /** The root of its certificate, if its pages use TLS. PEM. */
  ca?: string;
  fetch?: OwnFetch;
};

/** What `connect` needs to call a sandbox as a TPP of its own. */
export type SandboxConnection = {
  issuer: string;
  api: string;
  ca: string;
  profile: ProfileName;
  client: Client & { transport: { certificate: string; privateKey: string } };
};

const scopeOfRole: Readonly<Record<Role, Scope>> = {
  AISP: "accounts",
  PISP: "payments",
  CBPII: "fundsconfirmations",
};
const everyRole = Object.keys(scopeOfRole) as Role[];
const usualRedirect = "https://tpp.example/callback";

/** Opens the controls of a sandbox at its public address, such as `http://localhost:8080`. */
export const openSandbox = (address: string, options: SandboxOptions = {}): Sandbox =>
  new Sandbox(address.replace(/\/$/, ""), options);

/** The controls of a sandbox. */
export class Sandbox {
  readonly #address: string;
  readonly #options: SandboxOptions;
  readonly #fetch: Fetch;
  /** Closes the connections. */
  readonly close: () => void;

  /** Use `openSandbox`. */
  constructor(address: string, options: SandboxOptions) {
    const { fetch, close } = openTransport(options);
    this.#address = address;
    this.#options = options;
    this.#fetch = (url, call) => fetch(url, call).catch((error) => fail(error, address));
    this.close = close;
  }

  /** Creates a TPP with keys and certificates. Give the result to `connect`. */
  async createTpp(wanted: WantedTpp = {}): Promise<SandboxConnection> {
    const { name = "My TPP", roles = everyRole, redirectUri = usualRedirect } = wanted;
    const { profile = "fapi1", authentication = "private_key_jwt", notificationEndpoint } = wanted;
    const created = await this.#call<CreatedTpp>("POST", "/tpps", {
      name,
      roles,
      redirectUris: [redirectUri],
      tokenEndpointAuthMethod: authentication,
      profile: profile.replace(/-jarm$/, ""),
      ...(notificationEndpoint === undefined ? {} : { notificationEndpoint }),
    });
    const { clientId, organisationId, softwareId, signing, transport, caPem } = created;
    return {
      ...(await this.#addresses()),
      ca: caPem,
      profile,
      client: {
        id: clientId,
        organisationId,
        softwareId,
        redirectUri,
        authentication,
        signing: { keyId: signing.kid, privateKey: signing.privateKeyPem },
        transport: {
          certificate: transport.certificatePem,
          privateKey: transport.privateKeyPem,
        },
      },
    };
  }

  /**
   * Enters software in the sandbox's directory, with new keys. Give the result to `register`, to
   * register as TPPs do in production.
   */
  async enterDirectory(wanted: WantedTpp = {}): Promise<RegistrationRequest & { api: string }> {
    const { name = "My TPP", roles = everyRole, redirectUri = usualRedirect } = wanted;
    const { profile = "fapi1", authentication = "private_key_jwt" } = wanted;
    const entered = { name, roles, redirectUris: [redirectUri] };
    const { softwareId, organisationId } = await this.#call<{
      softwareId: string;
      organisationId: string;
    }>("POST", "/directory/software", entered);
    const path = `/directory/software/${softwareId}`;
    const certify = async (use: "signing" | "transport") => {
      const { privateKey, publicKey } = generateKeyPairSync("rsa", {
        modulusLength: 2048,
        privateKeyEncoding: { type: "pkcs8", format: "pem" },
        publicKeyEncoding: { type: "spki", format: "pem" },
      });
      const key = { use, publicKeyPem: publicKey };
      return { privateKey, ...(await this.#call<IssuedKey>("POST", `${path}/keys`, key)) };
    };
    const signing = await certify("signing");
    const transport = await certify("transport");
    const { statement } = await this.#call<{ statement: string }>("POST", `${path}/statements`, {});
    return {
      ...(await this.#addresses()),
      ca: transport.caPem,
      profile,
      organisationId,
      softwareId,
      authentication,
      signing: { keyId: signing.kid, privateKey: signing.privateKey },
      transport: { certificate: transport.certificatePem, privateKey: transport.privateKey },
      redirectUris: [redirectUri],
      softwareStatement: statement,
      scopes: roles.map((role) => scopeOfRole[role]),
    };
  }

  /** Decides as a customer, without a browser. */
  approve(login: Pick<Login, "url">, approval: Approval): Promise<Decided> {
    const { customer, accounts, decision = "approve" } = approval;
    return this.#call("POST", "/authorisations", {
      authorizationUrl: login.url,
      customer,
      decision,
      ...(accounts ? { accounts } : {}),
    });
  }

  /** Makes the identifier that a customer shows you from the bank's app. It works once. */
  async showIdentifier(customer: string): Promise<string> {
    const path = "/approvals/one-time-identifiers";
    return (await this.#call<{ identifier: string }>("POST", path, { customer })).identifier;
  }

  /** Scans a consent's id in the bank's app as a customer. */
  async scan(consent: { id: string }, customer: string): Promise<void> {
    await this.#call("POST", "/approvals/scans", { customer, consentId: consent.id });
  }

  /**
   * Decides in the bank's app as a customer, on the newest request that waits there. Returns what
   * the app said about the payee's name: null after a refusal, and if a page says it instead.
   */
  async decideInApp(approval: Approval): Promise<Pick<Decided, "warning">> {
    const { customer, accounts, decision = "approve" } = approval;
    const { approvals } = await this.#call<{ approvals: WaitingApproval[] }>("GET", "/approvals");
    const waiting = approvals.find((one) => one.customer === customer);
    if (!waiting) throw new TypeError(`No request waits for ${customer} in the bank's app.`);
    const path = `/approvals/${encodeURIComponent(waiting.approvalId)}`;
    return this.#call<Pick<Decided, "warning">>("POST", path, {
      decision: inApp[decision],
      ...(waiting.digits === null || decision !== "approve" ? {} : { digits: waiting.digits }),
      ...(accounts ? { accountIds: accounts } : {}),
    });
  }

  /** Lists the customers with their accounts. */
  async customers(): Promise<Customer[]> {
    return (await this.#call<{ customers: Customer[] }>("GET", "/customers")).customers;
  }

  /** Sets the clock forward, by a duration such as `P1M`. Returns the bank's time. */
  async advance(duration: string): Promise<string> {
    return (await this.#call<{ now: string }>("PUT", "/clock", { advance: duration })).now;
  }

  /** Withdraws a consent as its customer. */
  async revoke(consent: { id: string }): Promise<void> {
    await this.#call("POST", `/consents/${encodeURIComponent(consent.id)}/revoke`, {});
  }

  /**
   * Opens a world: a bank of your own beside this one, with its own customers, clock and keys.
   * Returns its controls.
   */
  async openWorld(name?: string): Promise<Sandbox> {
    const { publicUrl, caPem } = await this.#call<{ publicUrl: string; caPem: string }>(
      "POST",
      "/worlds",
      name === undefined ? {} : { name },
    );
    return new Sandbox(publicUrl, { ...this.#options, ca: caPem });
  }

  /** Deletes a world. */
  async deleteWorld(name: string): Promise<void> {
    await this.#call("DELETE", `/worlds/${encodeURIComponent(name)}`);
  }

  /** Calls any control. Throws with the sandbox's words if it refuses. */
  call<Body = unknown>(method: string, path: string, body?: object): Promise<Body> {
    return this.#call(method, path, body);
  }

  async #addresses(): Promise<{ issuer: string; api: string }> {
    const url = `${this.#address}/.well-known/openid-configuration`;
    const answer = await this.#fetch(url, { method: "GET", headers: {} });
    const { issuer, token_endpoint, mtls_endpoint_aliases } = (await answer.json()) as {
      issuer: string;
      token_endpoint: string;
      mtls_endpoint_aliases?: { token_endpoint?: string };
    };
    const endpoint = mtls_endpoint_aliases?.token_endpoint ?? token_endpoint;
    return { issuer, api: endpoint.replace(/\/token$/, "/api/open-banking") };
  }

  async #call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const { token } = this.#options;
    const answer = await this.#fetch(`${this.#address}/sandbox/v1${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...(body ? { "content-type": "application/json" } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await answer.text();
    if (answer.status < 300) return (text === "" ? undefined : JSON.parse(text)) as Body;
    throw new SandboxError(method, path, answer.status, text);
  }
}

/** Throws an error that says how to start a sandbox if nothing answers at its address. */
function fail(error: unknown, address: string): never {
  const code = error instanceof ConnectionLost && (error.cause as NodeJS.ErrnoException).code;
  if (code !== "ECONNREFUSED" && code !== "ENOTFOUND") throw error;
  throw new Error(
    `No sandbox answers at ${address}. Start one with \`npm start\` in a clone of Aldgate, or with ` +
      "`npx aldgate` where the package is installed. If it runs elsewhere, give openSandbox the " +
      "address that it prints when it starts.",
    { cause: error },
  );
}

/** The sandbox refused a control. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly status: number;

  constructor(method: string, path: string, status: number, text: string) {
    super(`${method} ${path} was refused with ${status}: ${text}`);
    this.status = status;
  }
}

/** What the app's buttons are called. */
const inApp = { approve: "approve", deny: "decline", abandon: "expire" } as const;

type WaitingApproval = { approvalId: string; customer: string; digits: string | null };
type IssuedKey = { kid: string; certificatePem: string; caPem: string };
type CreatedTpp = {
  clientId: string;
  organisationId: string;
  softwareId: string;
  signing: { kid: string; privateKeyPem: string };
  transport: { certificatePem: string; privateKeyPem: string };
  caPem: string;
};
