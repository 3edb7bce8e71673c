import { plain } from "#src/http/refusal/refusals.ts";
/** The errors of a registration. Source: R-138, RFC 7591 section 3.2.2. */
export type RegistrationError =
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "invalid_software_statement"
  | "unapproved_software_statement";

/** A rule that a registration request breaks. */
export type RegistrationFault = {
  /** The id of the rule, such as `R-045`. */
  rule: string;
  error: RegistrationError;
  /** Names the claim, says what is wrong, what is allowed and what to change. */
  description: string;
};

const longest = 500;

/**
 * Makes a fault. The description is shortened to the length that a response may have. Source:
 *
 */
export const fault = (
  rule: string,
  error: RegistrationError,
  description: string,
): RegistrationFault => ({ rule, error, description: printable(description) });

/** The text in the characters that `error_description` allows, at most 500. */
const printable = (text: string): string => plain(text, longest);

/** A claim's value as a fault quotes it: JSON without quotation marks, shortened. */
export function shown(value: unknown): string {
  if (value === undefined) return "absent";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "absent");
  if (text === "") return "empty";
  return text.length > shownLength ? `${text.slice(0, shownLength)}...` : text;
}

const shownLength = 100;

/** A directory did not answer, and no copy of its document is recent enough. Source: R-141. */
export class DirectoryUnreachable extends Error {
  readonly retryAfterSeconds = 30;
}

/** A refused request to the registration endpoint: its status, its body and its headers. */
export class RegistrationRefusal extends Error {
  readonly statusCode: number;
  readonly error: string;
  /** The rule that the request breaks. */
  readonly rule: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    { rule, error, description }: { rule: string; error: string; description: string },
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(printable(description));
    this.statusCode = status;
    this.error = error;
    this.rule = rule;
    this.headers = headers;
  }
}

/** Makes the refusal that reports a fault. Source: R-138. */
export const refuseFault = (fault: RegistrationFault): RegistrationRefusal =>
  new RegistrationRefusal(400, fault);

/** A refusal of an access token, with `WWW-Authenticate`. Source. */
export function refuseToken(
  status: 401 | 403,
  rule: string,
  description: string,
): RegistrationRefusal {
  const error = status === 403 ? "insufficient_scope" : "invalid_token";
  const challenge = `Bearer error="${error}", error_description="${printable(description)}"`;
  return new RegistrationRefusal(
    status,
    { rule, error, description },
    { "www-authenticate": challenge },
  );
}
