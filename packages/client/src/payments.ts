import { assertOwn, type Consent, consentOf, idOf } from "./consents.ts";
import type { CallOptions, Grant } from "./options.ts";
import { pause } from "./retry.ts";
import type { ApiCall, Session } from "./session.ts";
import type { AnswerOf, BodyOf, OperationsOf, Version } from "./versions.ts";

/** The kinds of payment, each with the member of an order that is its id. */
const paymentKinds = {
  "domestic-payment": "DomesticPaymentId",
  "domestic-scheduled-payment": "DomesticScheduledPaymentId",
  "domestic-standing-order": "DomesticStandingOrderId",
  "international-payment": "InternationalPaymentId",
  "international-scheduled-payment": "InternationalScheduledPaymentId",
  "international-standing-order": "InternationalStandingOrderId",
  "file-payment": "FilePaymentId",
  "domestic-vrp": "DomesticVRPId",
} as const;

/** A kind of payment, by the name that its paths have. */
export type PaymentKind = keyof typeof paymentKinds;

/**
 * The statuses after which an order does not change. After ACSC (`AcceptedSettlementCompleted`)
 * and ACWP (`AcceptedWithoutPosting`), the payee's bank may still refuse. v3.1 also says
 * `AcceptedWithoutPosting` for BLCK.
 */
export const finalStatuses: Readonly<Record<Version, readonly string[]>> = {
  "v3.1": [
    "AcceptedCreditSettlementCompleted",
    "InitiationCompleted",
    "InitiationFailed",
    "Rejected",
    "Cancelled",
  ],
  "v4.0": ["ACCC", "BLCK", "INCO", "INFA", "RJCT", "CANC"],
};

/** The statuses of a payment that has left the account: the last that some banks report. */
const debitedStatuses: readonly string[] = [
  "AcceptedSettlementCompleted",
  "AcceptedWithoutPosting",
  "ACSC",
  "ACWP",
];

const patienceMs = 60_000;

type Operations<V> = OperationsOf<V, "payments">;
type Created<V, Kind extends PaymentKind> = `POST /${Kind}-consents` & keyof Operations<V>;
type Submitted<V, Kind extends PaymentKind> = `POST /${Kind}s` & keyof Operations<V>;
type Details<V, Kind extends PaymentKind> = Extract<
  keyof Operations<V>,
  `GET /${Kind}s/${string}/payment-details`
>;
type FundsPath<Kind extends PaymentKind> = `/${Kind}-consents/{ConsentId}/funds-confirmation`;
type Funds<V, Kind extends PaymentKind> =
  | AnswerOf<Operations<V>, `GET ${FundsPath<Kind>}`>
  | AnswerOf<Operations<V>, `POST ${FundsPath<Kind>}`>;

/** A question about funds: the consent's id is added. */
type FundsQuestion<V, Kind extends PaymentKind> =
  BodyOf<Operations<V>, `POST ${FundsPath<Kind>}`> extends { Data: infer Data }
    ? Omit<Data, "ConsentId">
    : never;

type OrderData<Body> = Body extends { Data: infer Data }
  ? Omit<Data, "ConsentId" | "Initiation">
  : never;
/** What an order says besides its consent; it may be left out if nothing is required. */
type OrderArguments<Body> =
  object extends OrderData<Body>
    ? [data?: OrderData<Body>, options?: CallOptions]
    : [data: OrderData<Body>, options?: CallOptions];

type StatusOf<Answer> = Answer extends { Data: { Status: infer Status extends string } }
  ? Status
  : string;

/** How long to wait for an order. */
export type WaitOptions<Answer> = CallOptions & {
  /**
   * Further statuses that end the wait, such as `["ACSC"]` (in v3.1 `AcceptedSettlementCompleted`)
   * for a bank that does not tell whether the payee has the money.
   */
  enough?: readonly StatusOf<Answer>[];
};

/** One change of a JSON Patch (RFC 6902). */
export type JsonPatch =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; path: string; from: string };

/** A body that a consent and its order share. */
type Initiated = { Data: { Initiation: unknown }; Risk: unknown };

/** One kind of payment. */
export class Payments<V, Kind extends PaymentKind> {
  readonly #session: Session;
  readonly #kind: Kind;

  constructor(session: Session, kind: Kind) {
    this.#session = session;
    this.#kind = kind;
  }

  /** Creates a consent. The customer must approve it before you can pay. */
  async createConsent(
    body: BodyOf<Operations<V>, Created<V, Kind>>,
    options?: CallOptions,
  ): Promise<
    Consent<BodyOf<Operations<V>, Created<V, Kind>>, AnswerOf<Operations<V>, Created<V, Kind>>>
  > {
    const answer = await this.#call<AnswerOf<Operations<V>, Created<V, Kind>>>({
      method: "POST",
      path: this.#consents(),
      token: "payments",
      idempotent: true,
      body,
      options,
    });
    return consentOf("payments", this.#session.versions.payments, body, answer);
  }

  /** Reads a consent, by itself or by its id. */
  readConsent(
    consent: { id: string } | string,
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, Created<V, Kind>>> {
    return this.#read(`${this.#consents()}/${idOf(consent)}`, options);
  }

  /** Deletes a consent to variable recurring payments. */
  async deleteConsent(consent: { id: string } | string, options?: CallOptions): Promise<void> {
    const path = `${this.#consents()}/${idOf(consent)}`;
    await this.#call({ method: "DELETE", path, token: "payments", options });
  }

  /** Replaces a consent to variable recurring payments: v4.0, at banks that offer it. */
  async replaceConsent(
    consent: { id: string } | string,
    body: BodyOf<Operations<V>, Created<V, Kind>>,
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, Created<V, Kind>>> {
    const path = `${this.#consents()}/${idOf(consent)}`;
    return this.#call({ method: "PUT", path, token: "payments", idempotent: true, body, options });
  }

  /** Changes a consent to variable recurring payments by a JSON Patch: as `replaceConsent`. */
  async patchConsent(
    consent: { id: string } | string,
    patch: readonly JsonPatch[],
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, Created<V, Kind>>> {
    return this.#call({
      method: "PATCH",
      path: `${this.#consents()}/${idOf(consent)}`,
      token: "payments",
      idempotent: true,
      file: {
        bytes: Buffer.from(JSON.stringify(patch)),
        contentType: "application/json-patch+json",
      },
      options,
    });
  }

  /**
   * Asks whether the account has enough money. For variable recurring payments, the question has
   * the amount; the other kinds have it in the consent.
   */
  confirmFunds(
    consent: { id: string },
    grant: Grant,
    question?: FundsQuestion<V, Kind>,
    options?: CallOptions,
  ): Promise<Funds<V, Kind>> {
    assertOwn(consent, grant);
    const path = `${this.#consents()}/${idOf(consent)}/funds-confirmation`;
    const method = question === undefined ? "GET" : "POST";
    const body = question && { Data: { ...question, ConsentId: consent.id } };
    return this.#call({ method, path, token: grant, body, options });
  }

  /** Uploads the file of a file payment. A string is sent as UTF-8. */
  async uploadFile(
    consent: { id: string } | string,
    file: string | Uint8Array,
    contentType: string,
    options?: CallOptions,
  ): Promise<void> {
    const bytes = typeof file === "string" ? Buffer.from(file) : file;
    await this.#call({
      method: "POST",
      path: `${this.#consents()}/${idOf(consent)}/file`,
      token: "payments",
      idempotent: true,
      file: { bytes, contentType },
      options,
    });
  }

  /** Downloads the file of a file payment's consent. */
  downloadFile(consent: { id: string } | string, options?: CallOptions): Promise<Uint8Array> {
    return this.#download(`${this.#consents()}/${idOf(consent)}/file`, options);
  }

  /** Downloads the bank's report on a file payment. */
  downloadReport(orderId: string, options?: CallOptions): Promise<Uint8Array> {
    return this.#download(`${this.#orders()}/${encodeURIComponent(orderId)}/report-file`, options);
  }

  /**
   * Submits the order of a consent that the customer has approved. It repeats what the consent
   * says; `data` has the rest, such as the `Instruction` of a variable recurring payment.
   */
  submit(
    consent: Pick<Consent, "id" | "sent">,
    grant: Grant,
    ...[data, options]: OrderArguments<BodyOf<Operations<V>, Submitted<V, Kind>>>
  ): Promise<AnswerOf<Operations<V>, Submitted<V, Kind>>> {
    assertOwn(consent, grant);
    const { Data, Risk } = consent.sent as Initiated;
    const body = {
      Data: { ...data, ConsentId: consent.id, Initiation: Data.Initiation },
      Risk,
    };
    const path = this.#orders();
    return this.#call({ method: "POST", path, token: grant, idempotent: true, body, options });
  }

  /** Reads an order. */
  read(
    orderId: string,
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, Submitted<V, Kind>>> {
    return this.#read(`${this.#orders()}/${encodeURIComponent(orderId)}`, options);
  }

  /** Reads the status of each payment of an order. */
  readDetails(
    orderId: string,
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, Details<V, Kind>>> {
    return this.#read(`${this.#orders()}/${encodeURIComponent(orderId)}/payment-details`, options);
  }

  /**
   * Reads an order until its status is final or one of `enough`, at growing intervals. Throws the
   * reason of `signal` if that is aborted. Without a signal, it gives up after a minute, and the
   * error names the order's status.
   */
  async waitUntilFinal(
    order: AnswerOf<Operations<V>, Submitted<V, Kind>> | string,
    options: WaitOptions<AnswerOf<Operations<V>, Submitted<V, Kind>>> = {},
  ): Promise<AnswerOf<Operations<V>, Submitted<V, Kind>>> {
    const orderId = typeof order === "string" ? order : this.orderId(order);
    const { enough = [], signal = AbortSignal.timeout(patienceMs), ...others } = options;
    const ends: readonly string[] = [...finalStatuses[this.#session.versions.payments], ...enough];
    let status = "unknown";
    try {
      for (let wait = 100; ; wait = Math.min(wait * 2, 5000)) {
        const read = await this.read(orderId, { ...others, signal });
        status = (read as { Data: { Status: string } }).Data.Status;
        if (ends.includes(status)) return read;
        await pause(wait, signal);
      }
    } catch (error) {
      if (options.signal !== undefined || !signal.aborted) throw error;
      const isDebited = debitedStatuses.includes(status);
      const message =
        `After a minute, the status of the order ${orderId} is ${status}, which may still change. ` +
        `Wait longer with a signal${isDebited ? `, or accept this status with enough: ["${status}"]` : ""}.`;
      throw new Error(message, { cause: error });
    }
  }

  /** Returns the id of an order. */
  orderId(order: AnswerOf<Operations<V>, Submitted<V, Kind>>): string {
    const { Data } = order as { Data: Record<string, unknown> };
    return String(Data[paymentKinds[this.#kind]]);
  }

  #consents(): string {
    return `/${this.#kind}-consents`;
  }

  #orders(): string {
    return `/${this.#kind}s`;
  }

  #read<Body>(path: string, options: CallOptions | undefined): Promise<Body> {
    return this.#call({ method: "GET", path, token: "payments", options });
  }

  async #download(path: string, options: CallOptions | undefined): Promise<Uint8Array> {
    const call = { method: "GET", path, token: "payments", accept: "*/*", options } as const;
    return (await this.#session.call({ ...call, api: "payments", signed: true })).bytes;
  }

  async #call<Body>(call: Omit<ApiCall, "api" | "signed">): Promise<Body> {
    return (await this.#session.call({ ...call, api: "payments", signed: true })).body as Body;
  }
}
