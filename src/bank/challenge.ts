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
 * What a customer confirms with one answer. The texts are those shown to the customer, and a hash
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
  | { act: "trust payee"; id: string; payee: ChallengeParty }
  /** Adding a passkey with which the customer can confirm from then on. */
  | { act: "add passkey"; id: string; name: string }
  /** Removing a passkey, so that it no longer confirms anything. */
  | { act: "remove passkey"; id: string; name: string };

/**
 * How a customer confirms a subject: with a code or a passkey on our page, in the bank's app on
 * another device (`decoupled`), in the app that shows the whole journey (`app`), or on pages of the
 * bank's own login to which we hand over (`redirect`).
 */
export type ApprovalMethodName = "code" | "passkey" | "decoupled" | "redirect" | "app";

/** What our page shows while the customer answers in the bank's app. */
export type AppOffer = {
  /** Two digits that the page shows and the app asks for; absent if the app does not ask. */
  digits?: string;
  /** An https link that opens this challenge in the app. The page shows it as a QR code. */
  appLink?: string;
  /** Whether the core can send a code instead. */
  hasCode?: boolean;
};

/**
 * What a browser is given to ask for a passkey (PublicKeyCredentialRequestOptionsJSON); binary
 * values are in base64url. Source: WebAuthn Level 3 section 5.1.9.
 */
export type PasskeyRequest = {
  /**
   * At least 16 random bytes, and then the 32 bytes of the subject's hash. The passkey signs it, so
   * its signature covers what the customer confirms. Source: SCA-RTS article 5(1).
   */
  challenge: string;
  /** The host of PUBLIC_URL, or a domain above it. */
  rpId: string;
  /** The customer's passkeys. */
  allowCredentials: { type: "public-key"; id: string; transports?: string[] }[];
  /** The device must check who uses it, because a customer confirms with two factors. */
  userVerification: "required";
};

/** How our page asks for a passkey. */
export type PasskeyOffer = {
  request: PasskeyRequest;
  /** Whether the core can send a code instead. */
  hasCode?: boolean;
};

/** A challenge that awaits the customer's answer. */
export type Challenge = {
  challengeId: string;
  /** A core that has pages of its own uses the hand-over to its OpenID provider instead. */
  method: Exclude<ApprovalMethodName, "redirect" | "app">;
  expiresAt: Temporal.Instant;
  /** Where the code was sent, after "your": `mobile ending 417`; absent if that is not known. */
  sentTo?: string;
  /** For `decoupled` only. */
  app?: AppOffer;
  /** For `passkey` only. */
  passkey?: PasskeyOffer;
};

/** What the core is given with a subject. */
export type ChallengeRequest = {
  /** The hash of the subject, which the answer in the app repeats, and which a passkey signs. */
  subjectHash: string;
  /** Set if the customer has asked for a code instead, or if the last challenge was a code. */
  method?: "code";
  /** Set if a TPP has begun the journey without a browser: only the app can answer. */
  journey?: AwaitedJourney;
};

/** A journey that no page shows. */
export type AwaitedJourney = {
  /** With this id, the app goes on with the journey after the answer (`/channels/v1/journeys`). */
  journeyId: string;
  /** When the TPP's request ends. A later answer changes nothing, so ask no longer than this. */
  expiresAt: Temporal.Instant;
  /** The text that the TPP shows too, for the customer to compare; absent if the TPP sent none. */
  bindingMessage?: string;
  /** What the customer must read about the payee's name; absent if it is right or not checked. */
  warning?: { title: string; text: string };
};

/** The customer's answer in the bank's app. */
export type ChallengeResult =
  | { state: "pending" }
  | {
      state: "approved";
      at: Temporal.Instant;
      /** The methods that the app really used (RFC 8176), such as `hwk` and `fpt`. */
      amr: readonly string[];
      /** The hash of the subject that the app has shown. */
      subjectHash: string;
    }
  | { state: "declined" }
  | { state: "expired" };

/** What a right answer has proved: the methods that were really used (RFC 8176), such as `hwk`. */
export type ProvedBy = { amr: readonly string[] };

/** The calls of the port about the second factor. */
export type FactorCalls = {
  /**
   * Asks the customer for a second factor that confirms only this subject: with a code, with a
   * passkey, or in the bank's app.
   */
  challenge(
    customerId: string,
    subject: ChallengeSubject,
    request: ChallengeRequest,
  ): Promise<Challenge>;
  /**
   * Checks the answer to a challenge: a code, or the JSON text of what a passkey has signed
   * (AuthenticationResponseJSON), which the core verifies as in WebAuthn Level 3 section 7.2. A
   * challenge can be answered once: returns false for a wrong answer, and for any
   * answer once the challenge was answered, has expired or has had too many wrong ones. A core may
   * say how a right answer was proved; true stands for `otp`, or for `pop` if it was a passkey.
   */
  verify(challengeId: string, answer: string): Promise<boolean | ProvedBy>;
  /**
   * Returns the answer that the customer has given in the app, as often as it is asked. A core
   * whose challenges are never `decoupled` may omit it.
   */
  challengeResult?(challengeId: string): Promise<ChallengeResult>;
};

/** The hash that represents a subject: different subjects have different hashes. */
export const subjectHash = (subject: ChallengeSubject): string => sha256(canonicalJson(subject));
