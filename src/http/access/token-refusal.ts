import { ApiError, type Fault } from "#src/http/api-error.ts";
import type { Credentials } from "#src/http/connection/credentials.ts";
import {
  challenge,
  describe,
  type FailureFacts,
  type Profile,
  type RefusalReason,
} from "#src/http/refusal/refusals.ts";

/** What a challenge says of the bank. */
type ChallengeKit = {
  profile: Profile;
  mtlsUrl: string;
  /** Says more about a token that has ended at this time. */
  passedNote?: ((end: Temporal.Instant) => string) | undefined;
};

/** A refusal of an access token; the answer gives the reason in `WWW-Authenticate`. */
export class TokenRefusal<const Status extends 401 | 403 = 401 | 403> extends ApiError<Status> {
  /** Why the token is refused. */
  readonly reason: RefusalReason;
  readonly #facts: FailureFacts;
  readonly #scope: string | undefined;

  constructor(
    reason: Extract<RefusalReason, `token${string}`>,
    { certificateThumbprint, certificateFault }: Omit<Credentials, "tokenHash" | "loopback">,
    options: {
      status: Status;
      faults?: readonly Fault<Status>[];
      facts?: FailureFacts;
      scope?: string;
    },
  ) {
    super(options.status, options.faults ?? []);
    const certificate = certificateThumbprint === null ? "absent" : "another one";
    const isUnusable =
      reason === "tokenCertificate" &&
      certificateFault !== null &&
      certificateFault.reason !== "certificateMissing";
    this.reason = isUnusable ? certificateFault.reason : reason;
    this.#facts = isUnusable ? certificateFault.facts : { ...options.facts, certificate };
    this.#scope = options.scope;
  }

  /**
   * The header `WWW-Authenticate`; `address` is the base URL of the mutual TLS listener. Source:
   * RFC 6750 section 3.
   */
  challenge({ profile, mtlsUrl: address, passedNote }: ChallengeKit): string {
    const error = this.status === 403 ? "insufficient_scope" : "invalid_token";
    const why = describe(this.reason, profile, { ...this.#facts, address });
    const { exp } = this.#facts;
    const isOver = this.reason === "tokenExpired" && typeof exp === "string";
    const note = (isOver && passedNote?.(Temporal.Instant.from(exp))) || "";
    return challenge(error, `${why}${note}`, this.#scope);
  }
}

/** A refusal with 401 of a token that may not be used at all. */
export const refusedToken = (
  reason: Extract<RefusalReason, `token${string}`>,
  credentials: Credentials,
  facts: FailureFacts = {},
): TokenRefusal => new TokenRefusal(reason, credentials, { status: 401, facts });
