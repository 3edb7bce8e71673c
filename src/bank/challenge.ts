import { canonicalJson, sha256 } from "#src/lib/hash.ts";

/** A person or company that is paid or trusted: name and account, as shown to the customer. */
type ChallengeParty = { name: string; account: string };

/** A fact that the customer confirms: its label and its value, as shown to the customer. */
export type ConfirmedDetail = { label: string; value: string; isFingerprint?: true };

/** A payment as its customer confirms it. */
type PaymentTerms = {
  /** The consent or the order. */
  id: string;
  /** `£10.00`; the total of a file; the rule of a standing order (`£12.00 every Tuesday`). */
  amount: string;
  /** The payee; for a file, the number of its payments, without an account. */
  payee: ChallengeParty;
  /**
   * What else the customer confirms, as shown to the customer: the date of a payment, the schedule
   * of a standing order, the limits of a permission, the fingerprint of a file.
   */
  details?: ConfirmedDetail[];
  /** SHA-256 of everything that the TPP ordered and of the terms that the bank promised. */
  termsHash: string;
};

/**
 * What a customer confirms with one code. The texts are those shown to the customer, and a hash
 * binds everything else. Any change gives a different hash. Source: SCA-RTS article 5(1)(d).
 */
export type ChallengeSubject =
  /** Logging in to the bank's own pages. */
  | { act: "login" }
  /** `payment permission`: payments within limits, which are in the details. */
  | ({ act: "payment" | "file" | "standing order" | "payment permission" } & PaymentTerms)
  | {
      act: "access";
      id: string;
      clientName: string;
      permissions: string[];
      /** The permissions in groups, as shown to the customer, such as `Your balances`. */
      data: string[];
      until: string;
      termsHash: string;
    }
  /** Answers to a card issuer whether an account has the funds for an amount. */
  | {
      act: "funds confirmation";
      id: string;
      clientName: string;
      /** The account as the TPP named it. */
      account: string;
      until: string;
      termsHash: string;
    }
  /** One more signature on an order that another customer has signed. */
  | ({ act: "signature" } & PaymentTerms)
  /** Cancelling an order that has not been executed yet. */
  | {
      act: "cancel order";
      id: string;
      noun: "payment" | "standing order" | "file of payments";
      amount: string;
      payee: string;
      /** More facts as shown to the customer, such as how often it is paid, and when next. */
      details: { label: string; value: string }[];
    }
  | { act: "cancel direct debit"; id: string; originator: string; reference: string }
  | { act: "save payee"; id: string; payee: ChallengeParty }
  | { act: "trust payee"; id: string; payee: ChallengeParty };

/**
 * How the customer answers a challenge: with a code on our page, on a page of the bank's core, or
 * in the core's app. Aldgate supports only `code` so far.
 */
type ChallengeMethod = "code" | "redirect" | "decoupled";

/** A challenge that awaits the customer's answer. */
export type Challenge = {
  challengeId: string;
  method: ChallengeMethod;
  expiresAt: Temporal.Instant;
  /** Where the code was sent, after "your": `mobile ending 417`; absent if that is not known. */
  sentTo?: string;
};

/** The hash that represents a subject: different subjects have different hashes. */
export const subjectHash = (subject: ChallengeSubject): string => sha256(canonicalJson(subject));
