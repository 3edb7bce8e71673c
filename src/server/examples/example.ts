import type { ConsentBody } from "#src/consents/consent.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";

/** The consent and order bodies of one payment, without ids. */
export type Example<File> = {
  consent: ConsentBody;
  /** The order's body; its `Data.ConsentId` is empty. */
  order: ConsentBody;
  /** A request for a funds confirmation, if the TPP sends the amount; without the consent's id. */
  funds?: ConsentBody;
  /** The file, if the consent waits for one. */
  file?: File;
};

/** The payee's account in the format of an initiation. */
export type DemoCreditor = { SchemeName: string; Identification: string; Name: string };

/** The example bodies of a kind in one API version. */
export type KindExamples = {
  /** The bodies of the API reference on a given day: valid apart from ids. */
  sample(today: Temporal.PlainDate): Example<object>;
  /** The bodies with which the demo pays this creditor. */
  demo(creditor: DemoCreditor, now: Temporal.Instant): Example<string>;
};

/** How the demo runs a kind. */
export type Demo = {
  /** The payee; absent if it is a customer of this bank. */
  creditor?: DemoCreditor;
  /** How far to set the clock forward so that the payment settles; null if it settles by itself. */
  advance: string | null;
  /**
   * For a consent within limits that two of the demo's payments use up: how far to set the clock
   * forward until it pays again.
   */
  nextPeriod?: string;
};

/** A kind that a bank offers. One that the bank adds brings its own examples. */
export type OfferedKind = PaymentKind & {
  demo?: Demo;
  examples?: Readonly<Partial<Record<ApiVersionId, KindExamples>>>;
};
