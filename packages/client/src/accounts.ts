import { type Consent, consentOf, idOf } from "./consents.ts";
import { VerificationError } from "./errors.ts";
import type { CallOptions, Grant } from "./options.ts";
import type { ApiCall, Session } from "./session.ts";
import type { AnswerOf, BodyOf, OperationsOf } from "./versions.ts";

type Operations<V> = OperationsOf<V, "accounts">;

/** The resources that can be read, without the slash: `accounts`, `transactions`, `party`. */
type BulkResource<V> = keyof Operations<V> extends infer Key
  ? Key extends `GET /${infer Name}`
    ? Name extends `${string}/${string}`
      ? never
      : Name
    : never
  : never;

/** The resources of one account: `balances`, `transactions`, `statements`. */
type AccountResource<V> = keyof Operations<V> extends infer Key
  ? Key extends `GET /accounts/{AccountId}/${infer Name}`
    ? Name extends `${string}/${string}`
      ? never
      : Name
    : never
  : never;

type PageOf<V, Resource extends string> = AnswerOf<Operations<V>, `GET /${Resource}`>;
type AccountPageOf<V, Resource extends string> = AnswerOf<
  Operations<V>,
  `GET /accounts/{AccountId}/${Resource}`
>;

/** An entry of a page: of the list in `Data`, or the one object there. */
type ItemOf<Page> = Page extends { Data: infer Data }
  ? NonNullable<Data[keyof Data]> extends infer Member
    ? Member extends readonly (infer Item)[]
      ? Item
      : Member
    : never
  : never;

/** Filters of a list, such as `{ fromBookingDateTime: "2026-01-01T00:00:00" }`. */
type Query = Readonly<Record<string, string>>;

/** Choices for reading a list. */
type ReadOptions = CallOptions & { query?: Query };

/** Account information. */
export class Accounts<V> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Creates a consent to read accounts. */
  async createConsent(
    body: BodyOf<Operations<V>, "POST /account-access-consents">,
    options?: CallOptions,
  ): Promise<Consent<typeof body, AnswerOf<Operations<V>, "POST /account-access-consents">>> {
    const answer = await this.#call<AnswerOf<Operations<V>, "POST /account-access-consents">>({
      method: "POST",
      path: consents,
      token: "accounts",
      body,
      options,
    });
    return consentOf("accounts", this.#session.versions.accounts, body, answer);
  }

  /** Reads a consent, by itself or by its id. */
  readConsent(
    consent: { id: string } | string,
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, "POST /account-access-consents">> {
    return this.#call({
      method: "GET",
      path: `${consents}/${idOf(consent)}`,
      token: "accounts",
      options,
    });
  }

  /** Ends the access. */
  async deleteConsent(consent: { id: string } | string, options?: CallOptions): Promise<void> {
    const path = `${consents}/${idOf(consent)}`;
    await this.#call({ method: "DELETE", path, token: "accounts", options });
  }

  /** Reads all entries of a resource, page after page, for all accounts of the grant. */
  readAll<Resource extends BulkResource<V>>(
    resource: Resource,
    grant: Grant,
    options?: ReadOptions,
  ): AsyncGenerator<ItemOf<PageOf<V, Resource>>> {
    return itemsOf(this.pages<PageOf<V, Resource>>(`/${resource}`, grant, options));
  }

  /** Reads all entries of a resource of one account, page after page. */
  read<Resource extends AccountResource<V>>(
    resource: Resource,
    accountId: string,
    grant: Grant,
    options?: ReadOptions,
  ): AsyncGenerator<ItemOf<AccountPageOf<V, Resource>>> {
    const path = `/accounts/${encodeURIComponent(accountId)}/${resource}`;
    return itemsOf(this.pages<AccountPageOf<V, Resource>>(path, grant, options));
  }

  /** Reads the pages of a list. The path is below that of the API. */
  async *pages<Page = { Data: Record<string, unknown> }>(
    path: string,
    grant: Grant,
    { query = {}, ...options }: ReadOptions = {},
  ): AsyncGenerator<Page> {
    const filter = new URLSearchParams(query).toString();
    const seen = new Set<string>();
    let next: string | undefined = filter === "" ? path : `${path}?${filter}`;
    while (next !== undefined) {
      const page: Page = await this.#call<Page>({
        method: "GET",
        path: next,
        token: grant,
        options,
      });
      yield page;
      next = this.#nextOf(page);
      if (next === undefined) return;
      if (seen.has(next)) throw new VerificationError(`Links.Next repeats ${next}.`);
      seen.add(next);
    }
  }

  /** Downloads a statement as a file, such as a PDF. */
  async downloadStatement(
    accountId: string,
    statementId: string,
    grant: Grant,
    options?: CallOptions,
  ): Promise<Uint8Array> {
    const [account, statement] = [accountId, statementId].map(encodeURIComponent);
    const answer = await this.#session.call({
      api: "accounts",
      method: "GET",
      path: `/accounts/${account}/statements/${statement}/file`,
      token: grant,
      accept: "*/*",
      signed: false,
      options,
    });
    return answer.bytes;
  }

  /** The next page of a list. A token goes to no other host than the configured one. */
  #nextOf(page: unknown): string | undefined {
    const link = (page as { Links?: { Next?: string } }).Links?.Next;
    if (link === undefined || link === null) return undefined;
    const base = new URL(`${this.#session.baseOf("accounts")}/`);
    const url = new URL(link, base);
    if (this.#session.deviations.pageLinks === "on the configured host") {
      url.protocol = base.protocol;
      url.host = base.host;
    }
    if (url.origin === base.origin) return url.href;
    throw new VerificationError(
      `Links.Next is ${link}, on another host than ${base.origin}. If the bank always does that, ` +
        'set the deviation pageLinks to "on the configured host".',
    );
  }

  async #call<Body>(call: Omit<ApiCall, "api" | "signed">): Promise<Body> {
    return (await this.#session.call({ ...call, api: "accounts", signed: false })).body as Body;
  }
}

const consents = "/account-access-consents";

async function* itemsOf<Page>(pages: AsyncGenerator<Page>): AsyncGenerator<ItemOf<Page>> {
  for await (const page of pages) {
    const { Data } = page as { Data?: Record<string, unknown> };
    for (const member of Object.values(Data ?? {})) {
      if (Array.isArray(member)) yield* member;
      else if (typeof member === "object" && member !== null) yield member as ItemOf<Page>;
    }
  }
}
