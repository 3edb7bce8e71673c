import { assertOwn, type Consent, consentOf, idOf } from "./consents.ts";
import type { CallOptions, Grant } from "./options.ts";
import type { ApiCall, Session } from "./session.ts";
import type { AnswerOf, BodyOf, OperationsOf } from "./versions.ts";

type Operations<V> = OperationsOf<V, "funds">;
type Created = "POST /funds-confirmation-consents";
type Asked = "POST /funds-confirmations";

/** A question: the consent's id is added. */
type Question<V> =
  BodyOf<Operations<V>, Asked> extends { Data: infer Data } ? Omit<Data, "ConsentId"> : never;

/** Confirmation of funds for card issuers. */
export class Funds<V> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Creates a consent to ask about an account. */
  async createConsent(
    body: BodyOf<Operations<V>, Created>,
    options?: CallOptions,
  ): Promise<Consent<BodyOf<Operations<V>, Created>, AnswerOf<Operations<V>, Created>>> {
    const answer = await this.#call<AnswerOf<Operations<V>, Created>>({
      method: "POST",
      path: consents,
      token: "fundsconfirmations",
      body,
      options,
    });
    return consentOf("fundsconfirmations", this.#session.versions.funds, body, answer);
  }

  /** Reads a consent, by itself or by its id. */
  readConsent(
    consent: { id: string } | string,
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, Created>> {
    const path = `${consents}/${idOf(consent)}`;
    return this.#call({ method: "GET", path, token: "fundsconfirmations", options });
  }

  /** Ends the access. */
  async deleteConsent(consent: { id: string } | string, options?: CallOptions): Promise<void> {
    const path = `${consents}/${idOf(consent)}`;
    await this.#call({ method: "DELETE", path, token: "fundsconfirmations", options });
  }

  /** Asks whether the account has this amount. */
  confirm(
    consent: { id: string },
    grant: Grant,
    question: Question<V>,
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, Asked>> {
    assertOwn(consent, grant);
    const body = { Data: { ...question, ConsentId: consent.id } };
    const path = "/funds-confirmations";
    return this.#call({ method: "POST", path, token: grant, body, options });
  }

  async #call<Body>(call: Omit<ApiCall, "api" | "signed">): Promise<Body> {
    return (await this.#session.call({ ...call, api: "funds", signed: false })).body as Body;
  }
}

const consents = "/funds-confirmation-consents";
