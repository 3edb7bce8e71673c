import type { Claims } from "./claim-row.ts";
import type { PresentedSubject } from "./presented-subject.ts";
import type { RegistrationSettings } from "./registration-settings.ts";
import type { SoftwareStatement } from "./statement.ts";

/** A request whose signature has been verified, and the facts that it is checked against. */
export type RequestContext = {
  claims: Claims;
  statement: SoftwareStatement;
  settings: RegistrationSettings;
  /** The machine's time in seconds. */
  now: number;
  /** The subject of the client certificate; null to leave out the checks that need it. */
  subject: PresentedSubject | null;
  /** The client that the request changes; null for a new one. */
  clientId: string | null;
};
