import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";

// What a core can hear about a payment besides what it needs to make it (docs/own-core.md).

/** The TPP that ordered a payment, as the directory or the bank has registered it. */
export type OrderingTpp = {
  clientId: string;
  organisationId: string;
  organisationName: string;
  softwareId: string;
  softwareName: string;
  /** The company for which the TPP acts; null if it acts for itself. */
  onBehalfOf: string | null;
};

/** A customer's approval of a consent or an order. */
export type PaymentApproval = {
  customerId: string;
  /**
   * How the customer was authenticated, as in an id_token, and when. Null if a sandbox's control
   * signed in the customer's name.
   */
  authentication: { at: Temporal.Instant; acr: string; amr: readonly string[] } | null;
};

/**
 * The customer's device, as a request of the TPP names it in its headers. Each member is null if
 * the request does not have it, and the address also if it is invalid.
 */
export type CustomerDevice = {
  /** An IPv4 or IPv6 address: `x-fapi-customer-ip-address`. */
  ipAddress: string | null;
  /** The browser or app, up to 512 characters: `x-customer-user-agent`. */
  userAgent: string | null;
};

/** Who ordered a payment, who approved it, and everything that the TPP said about it. */
export type PaymentContext = {
  orderId: string;
  consentId: string;
  kind: KindId;
  /** The number of the payment in its order, from 1: in a file, the position of its entry. */
  sequence: number;
  tpp: OrderingTpp;
  /** The customer who approved the consent, then those who signed the order. */
  approvedBy: readonly PaymentApproval[];
  /**
   * What the TPP sent, in the words of the API version that it used, such as `pisp-v4.0`: the whole
   * consent with its `Risk`, and what the order said beyond the consent. An order within limits
   * says its own instruction there. `devices`: the customer's device when the TPP sent the consent,
   * and when it sent the order; null if the request did not name it.
   */
  sent: {
    apiVersion: ApiVersionId;
    consent: SentBody;
    order: SentBody | null;
    devices?: { consent: CustomerDevice | null; order: CustomerDevice | null };
  };
  /**
   * What the file says about the payment, in the words of the consent's `FileType`: the members of
   * a JSON file, or the texts of an XML file by their places. Null for a payment outside a file,
   * and for one whose file was uploaded before the core had `readsContext`.
   */
  entry: Readonly<Record<string, unknown>> | null;
  /**
   * How an order within limits came about, in the standard's words: its type (Sweeping), whether
   * the TPP authenticated the customer for it, and whether the customer was present at the TPP.
   * Null for other orders.
   */
  use: Readonly<Record<"type" | "authentication" | "interaction", string | null>> | null;
  /** What the core has attached to the consent when it assessed it. */
  attachedData?: string;
};

/** A part of a body as the TPP sent it, in the published form. */
export type SentBody = { Data: Record<string, unknown>; Risk?: Record<string, unknown> };
