import type { Browser } from "#src/auth/login/browser.ts";
import type { NewChallenge } from "#src/auth/login/challenges.ts";
import type { Login } from "#src/auth/login/methods/login.ts";
import type { LoginRefusal } from "#src/auth/login/refusal.ts";
import type { TestCustomers } from "#src/auth/provider/backchannel-hints.ts";
import type { ClockJump } from "#src/auth/provider/clock-note.ts";
import type { Bank } from "#src/bank/port.ts";
import type { AttachedData } from "#src/consents/attached-data.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Frame, Go } from "#src/pages/journey.ts";
import type { Database } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";
import type { EndingCause } from "./end-journey.ts";
import type { JourneyFacts } from "./journey-row.ts";
import type { Place, Reader } from "./load-journey.ts";
import type { JourneyOutcome } from "./outcomes.ts";

/** The facts that only a sandbox shows on its pages. */
export type SandboxHints = TestCustomers & {
  logins(): Promise<{ login: string; password: string; name: string }[]>;
  /** The code of a challenge that accepts codes; null if only the core knows it. */
  codeOf(challengeId: string): Promise<string | null>;
  /** The latest times that the sandbox's clock was set forward, the last one last. */
  moves(): readonly ClockJump[];
};

/** The tools of the steps. */
export type JourneyTools = {
  database: Database;
  clock: Clock;
  bank: Bank;
  login: Login;
  bankName: string;
  log: { warn(details: object, text: string): void };
  /** Null if the core attaches nothing to consents. */
  attachedData: AttachedData | null;
  /** Absent in production. */
  sandboxHints?: SandboxHints;
};

/** The fields of a step's form: `one` value, or a `list` of any length. */
export type FormFields = Readonly<Record<string, "one" | "list">>;

type ValueOf = { one: string; list: readonly string[] };

/** The values of a form: an absent field is an empty text or an empty list. */
export type FormValues<Fields extends FormFields> = {
  readonly [Name in keyof Fields]: ValueOf[Fields[Name]];
};

/** Why a form was refused: the customer stays at the step. */
export type Problem = Partial<LoginRefusal> & Pick<LoginRefusal, "error">;

/** The result of a form. */
export type Taken = (
  | {
      done: JourneyFacts;
      /** When the customer has done it, if that was not now: the next step's time begins then. */
      at?: Temporal.Instant;
    }
  /** The answer is not there yet; the page is shown again, with a note if there is one. */
  | { waits: string | null }
  | {
      refused: Problem;
      /** How the journey ends if there are too many such refusals; absent if they do not count. */
      failsAs?: "locked" | "too_many_codes";
    }
  | { ends: Exclude<JourneyOutcome, "approved">; why?: Partial<EndingCause> }
) & {
  /** The login of the customer who has just proved both factors in this browser. */
  authenticated?: string;
};

/** The result of beginning a step: the journey ends, skips the step, or shows it. */
type Beginning =
  | {
      ends: Exclude<JourneyOutcome, "approved">;
      why?: Partial<EndingCause>;
    }
  | {
      facts: JourneyFacts;
      challenge?: NewChallenge;
      /** The value that the step's `reads` would load now; it saves loading it for the page. */
      read?: unknown;
      isSkipped?: boolean;
    };

/** A page's frame with the result of the previous form. */
export type Shown<Fields extends FormFields> = Frame & {
  /** The decision that the page's main button sends. */
  go: Go;
  error: string | null;
  /** What a form that did not go on has done; null if there is nothing to say. */
  note: string | null;
  /** The form that was refused, or that asked for the page again; null on the first visit. */
  given: FormValues<Fields> | null;
};

/**
 * A step of the journey. Its form posts `step` (its name), `csrf`, `decision` (the page's `go`, or
 * `cancel`) and its fields. The last step must have `showsConsent`.
 */
export type JourneyStep<Fields extends FormFields = FormFields> = Reader & {
  /** How long the customer may take. */
  minutes: number;
  fields: Fields;
  /** Whether the page can show the whole consent, so that the customer can approve it there. */
  showsConsent?(place: Place): boolean;
  /** True if a customer who has seen the whole consent can skip the step. */
  addsNothing?(place: Place): boolean;
  /** Whether a journey begins at the step, so that nothing is stored when it comes there. */
  isFirst?: true;
  /**
   * What the step shows of the consent, for the evidence of an approval. It is made when the
   * journey comes to the step, and the page shows it as it was made (`contentAt`). Absent if it
   * shows nothing of the consent.
   */
  shows?(place: Place, go: Go): object | Promise<object>;
  /** Whether its page is made anew at each load, and the evidence has what it showed last. */
  isShownAnew?: true;
  /**
   * Does what a decision asks for that neither goes on nor leaves: the page is shown again with
   * these values, and a note of what was done. Null for a decision that the page does not have.
   */
  again?(
    decision: string,
    tools: JourneyTools,
    place: Place,
    given: FormValues<Fields>,
  ): Promise<{ given: FormValues<Fields>; note?: string } | null>;
  /**
   * Whether the page waits for an answer that arrives elsewhere. Loading the page then takes the
   * answer, as if the customer had sent the form.
   */
  waits?(place: Place): boolean;
  /**
   * The URL outside of the bank's pages to which the step leads, in place of a page of its own. The
   * query with which the customer comes back is taken like the step's form; `show` shows a page
   * only after a form that did not go on.
   */
  leadsTo?(place: Place): Promise<string>;
  /** Whether this process takes one form of the step at a time. A cancellation does not wait. */
  isTakenInTurn?: boolean;
  /** Prepares the step when the journey reaches it. */
  begin?(tools: JourneyTools, place: Place): Promise<Beginning>;
  show(tools: JourneyTools, place: Place, shown: Shown<Fields>): Promise<string>;
  take(call: TakeCall, place: Place, form: FormValues<Fields>): Promise<Taken>;
};

type TakeCall = JourneyTools & {
  browser: Browser;
  /** Statements that the journey runs with its own next write; a step may add some. */
  later: Sql[];
};

/** Reads the fields of a step from a form; other fields are ignored. */
export const readForm = (fields: FormFields, form: URLSearchParams): FormValues<FormFields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, size]) => [
      name,
      size === "list" ? [...new Set(form.getAll(name))] : (form.get(name) ?? ""),
    ]),
  );
