import { type ProfileId, securityProfileNamed } from "#src/clients/security-profile.ts";
import type { Operation } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { sortCodeText } from "#src/pages/wording.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import { scopeOfRole, tppRoles } from "#src/sandbox/directory/roles.ts";
import {
  type Answer,
  type Call,
  type Tokens,
  TppClient,
} from "#src/sandbox/test-tpp/tpp-client.ts";
import { documentUrl } from "#src/server/portal/documents.ts";
import { type ApiVersion, type Scope, versionName } from "#src/standard/api-version.ts";
import type { Cli } from "./command.ts";
import type { RedirectListener } from "./redirect-listener.ts";
import type { SandboxClient } from "./sandbox-client.ts";

// the redirect URI of the headless customer: nothing listens there
const unheardUri = "http://localhost:7879/callback";

/** A body of one resource. */
export type CreatedResource = { Data: Record<string, unknown> };

/** An account of a customer of the sandbox. */
type Account = SandboxCustomer["accounts"][number];

/** How the demo's TPP and customer act. */
type SceneOptions = {
  /** The security profile of the TPP. */
  profile: ProfileId;
  /** Receives the person's browser; null for the headless customer. */
  returns: RedirectListener | null;
  /** The bank's operations. */
  operations: readonly Operation[];
};

/** The steps that every demo consists of. Each step prints its request and its response. */
export class DemoScene {
  readonly cli: Cli;
  readonly sandbox: SandboxClient;
  readonly #options: SceneOptions;
  #tpp: TppClient | undefined;
  /** The time to which the demo has set the clock; null if it has not. */
  #clock: string | null = null;
  #step = 0;

  constructor(cli: Cli, sandbox: SandboxClient, options: SceneOptions) {
    this.cli = cli;
    this.sandbox = sandbox;
    this.#options = options;
  }

  close(): void {
    this.#tpp?.close();
  }

  /** Whether the bank offers a path of an API: its core may lack what that needs. */
  async offers(api: ApiVersion, path: string): Promise<boolean> {
    const document = await this.sandbox.readPublished(documentUrl(api.id));
    return path in ((document as { paths?: object } | null)?.paths ?? {});
  }

  /** Whether the bank offers a path. If not, says that the demo leaves out what needs it. */
  async canDo(what: string, api: ApiVersion, path: string): Promise<boolean> {
    if (await this.offers(api, path)) return true;
    const why = `the bank does not offer ${path} of ${api.title} ${versionName(api)}`;
    this.cli.print(`\n   Left out: ${what}, because ${why}.`, { leftOut: what, why });
    return false;
  }

  /** Registers a TPP with every role that the bank has use for. */
  async register(): Promise<TppClient> {
    const { profile, returns, operations } = this.#options;
    const found = await this.sandbox.readPublished("/.well-known/openid-configuration");
    const { scopes_supported: scopes = [] } = found as { scopes_supported?: string[] };
    const request = {
      name: "Demo TPP",
      roles: tppRoles.filter((role) => scopes.includes(scopeOfRole[role])),
      redirectUris: [returns?.redirectUri ?? unheardUri],
      tokenEndpointAuthMethod: "private_key_jwt" as const,
      certificateBound: true,
      profile,
    };
    const created = await this.sandbox.createTpp(request);
    const { title } = securityProfileNamed(profile);
    this.tell(
      "A TPP registers",
      `POST /sandbox/v1/tpps {profile: ${profile}}`,
      `201, client ${created.clientId} of ${title}`,
    );
    const bank = { ...this.sandbox.bank, operations };
    this.#tpp = new TppClient(bank, { ...created, ...request });
    return this.#tpp;
  }

  /** Gets a token without a customer. */
  async ownToken(client: TppClient, scope: Scope): Promise<string> {
    const token = await client.clientToken(scope);
    this.tell("It gets a token", "POST /token client_credentials", "bound to its certificate");
    return token;
  }

  /** Customers with a current account that one person operates, in the sandbox's order. */
  async chooseCustomers(): Promise<SandboxCustomer[]> {
    const customers = await this.sandbox.listCustomers();
    return customers.filter(({ accounts }) => accounts.some(isSimpleCurrentAccount));
  }

  /**
   * Lets a customer approve a consent and returns the tokens. `choice` says which accounts
   * the customer chooses; a consent that names its account offers no choice.
   */
  async approve(
    client: TppClient,
    scope: Scope,
    consentId: string,
    customer: SandboxCustomer,
    choice: "one" | "none",
  ): Promise<Tokens> {
    const authorizationUrl = await client.authorizationUrl({ scope, consentId });
    const usable = customer.accounts.filter(isSimpleCurrentAccount);
    const { returns } = this.#options;
    let redirectUrl: string;
    if (returns) {
      this.#showLink(
        authorizationUrl,
        customer,
        choice === "none" ? null : simpleAccount(customer),
      );
      redirectUrl = await returns.next();
    } else {
      const accounts = usable.slice(0, { one: 1, none: 0 }[choice]);
      const request = { authorizationUrl, customer: customer.login, decision: "approve" };
      const chosen = accounts.map(({ accountId }) => accountId);
      ({ redirectUrl } = await this.sandbox.authorise({ ...request, accounts: chosen }));
    }
    const tokens = await client.exchangeCode(redirectUrl);
    const short = `${redirectUrl.slice(0, redirectUrl.search(/[?#]/) + 12)}…`;
    this.tell(`${customer.name} approves`, requestText(authorizationUrl), short);
    return tokens;
  }

  #showLink(url: string, { login, password }: SandboxCustomer, account: Account | null): void {
    const chosen = account ? { account: account.accountId } : {};
    // a pushed request is valid for a minute
    const soon = isPushed(url) ? " within a minute" : "";
    this.cli.print(`\n   Open this link${soon}, log in as ${login} with the password`);
    if (account) {
      this.cli.print(`   ${password}, choose the account`);
      this.cli.print(
        `   ${account.nickname} (${sortCodeText(account.identification)}), and approve:`,
      );
    } else {
      this.cli.print(`   ${password}, and approve:`);
    }
    this.cli.print(`\n${url}\n`, { authorizationUrl: url, login, password, ...chosen });
  }

  /** Calls the bank and checks the status of the response. */
  async call<Body>(
    client: TppClient,
    what: string,
    status: number,
    call: Call,
  ): Promise<Answer<Body>> {
    const answer = await client.call<Body>(call);
    const method = call.method ?? (call.body === undefined ? "GET" : "POST");
    const text = answer.raw.toString();
    this.tell(what, `${method} ${call.path}`, `${answer.status} ${shorten(text)}`);
    if (answer.status !== status) {
      const reason = text || "The response has no body; the bank's log gives the reason.";
      throw new Error(`${method} ${call.path} returned ${answer.status}, not ${status}. ${reason}`);
    }
    return answer;
  }

  /** Lets the customer of a consent withdraw it at the bank. */
  async revoke(consentId: string): Promise<void> {
    const status = await this.sandbox.revokeConsent(consentId);
    const sent = `POST /sandbox/v1/consents/${consentId}/revoke`;
    this.tell("The customer withdraws the consent at the bank", sent, `200, Status ${status}`);
  }

  /** Sets the clock of the bank forward by an ISO 8601 duration. */
  async advance(duration: string): Promise<void> {
    this.#clock = await this.sandbox.advance(duration);
    this.tell("Time passes", `PUT /sandbox/v1/clock {advance: ${duration}}`, "200");
  }

  /** Says that the demo is over, and where it has left the clock, if it has set it forward. */
  tellEnd(): void {
    const end = { done: true, clock: this.#clock };
    if (this.#clock === null) {
      this.cli.print("", end);
      return;
    }
    const time = Temporal.Instant.from(this.#clock).toString({ smallestUnit: "second" });
    this.cli.print(
      `\nThe demo has set the bank's clock forward: it is now ${time}, for every TPP of this bank, ` +
        "and cannot go back. For a bank with today's date, start one with another ALDGATE_DATA folder.",
      end,
    );
  }

  /** Prints one step. */
  tell(what: string, sent: string, answered: string): void {
    this.#step += 1;
    const bold = this.cli.isTerminal ? `\u001b[1m${what}\u001b[0m` : what;
    const item = { step: this.#step, title: what, sent, received: answered };
    this.cli.print(
      `\n${String(this.#step).padStart(2)} ${bold}\n   → ${sent}\n   ← ${answered}`,
      item,
    );
  }
}

/** The first current account that one person operates. */
export const simpleAccount = ({ accounts }: SandboxCustomer): Account =>
  present(accounts.find(isSimpleCurrentAccount), "an account");

/** How the TPP sent the authorization request, and what the customer did. */
const requestText = (authorizationUrl: string): string =>
  `${isPushed(authorizationUrl) ? "POST /request, " : ""}GET /auth, login, second factor, approval`;

const isPushed = (authorizationUrl: string): boolean =>
  new URL(authorizationUrl).searchParams.has("request_uri");

const shorten = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

const isSimpleCurrentAccount = (account: Account): boolean =>
  account.accountSubType === "CurrentAccount" &&
  account.schemeName === "UK.OBIE.SortCodeAccountNumber" &&
  account.signatoriesRequired === 1 &&
  account.status === "Enabled";
