import { printable, type RegistrationFault } from "./fault.ts";

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
