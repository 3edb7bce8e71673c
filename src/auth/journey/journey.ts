import type { Browser } from "#src/auth/login/browser.ts";
import { authenticated } from "#src/auth/provider/intent.ts";
import { moveConsent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { present } from "#src/lib/assert.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";
import type { InteractionResult, JourneyStart } from "./interaction-store.ts";
import {
  advanceJourney,
  countFailure,
  ended,
  endJourney,
  type Facts,
  hasOtherJourney,
  listOverdueJourneys,
  purgeJourneys,
  replaceResult,
} from "./journey-row.ts";
import {
  type FormFields,
  type FormValues,
  type JourneyStep,
  type JourneyTools,
  type Problem,
  readForm,
  type Shown,
  type Taken,
} from "./journey-step.ts";
import { createLoader, type Place } from "./load-journey.ts";
import { byWhom, endings, type Outcome, reasonOf } from "./outcomes.ts";

/** The dependencies of a journey. */
export type JourneyDeps = JourneyTools & {
  steps: readonly JourneyStep[];
  consentKinds: readonly ConsentKind[];
};

/** The values that the routes add to a page of the journey. */
export type PageForm = Omit<Shown<FormFields>, "bankName" | "clientName" | "step">;

/** The result of a posted form. */
export type Posted = {
  /** Why the form was refused, with its values; null if the journey shows where it is. */
  refused: { step: string; problem: Problem; given: FormValues<FormFields> } | null;
  /** The login of the customer who has just proved both factors; null if nobody has. */
  authenticated: string | null;
};

/**
 * The journeys of customers. A form names the step that it belongs to. If the journey is at another
 * step, the form changes nothing: a form that is sent twice, or from a page that the customer went
 * back to, leads to the current step. The decision to cancel is accepted from every step's page.
 */
export type Journey = {
  /** Finds a journey, and ends it if its time is up. Undefined if there is none. */
  find(uid: string): Promise<Place | undefined>;
  /** The page of the current step. */
  show(place: Place, form: PageForm): Promise<string>;
  /** Takes a form. Undefined if there is no such journey, or the TPP has its answer. */
  post(uid: string, browser: Browser, form: URLSearchParams): Promise<Posted | undefined>;
  /** Replaces the answer if the grant has ended since the approval: the TPP gets an error. */
  settle(place: Place): Promise<void>;
  /** Ends without authorising. */
  abandon(uid: string, outcome: "cancelled" | "timed_out"): Promise<void>;
  /** Ends every journey whose time is up, and deletes those that ended a day ago. */
  sweep(): Promise<void>;
};

const failuresAllowed = 5;

/** The step that every journey begins with. */
export function startOf([first]: readonly JourneyStep[]): JourneyStart {
  const { name, minutes } = present(first, "the first step");
  return { step: name, minutes };
}

/** Makes the journeys of a bank; pages and routes are in routes.ts. */
export function createJourney(deps: JourneyDeps): Journey {
  return new Journeys(deps);
}

class Journeys implements Journey {
  readonly #deps: JourneyDeps;
  readonly #load: ReturnType<typeof createLoader>;

  constructor(deps: JourneyDeps) {
    this.#deps = deps;
    this.#load = createLoader(deps.steps, deps.consentKinds);
  }

  async find(uid: string): Promise<Place | undefined> {
    const { database, clock } = this.#deps;
    const place = await this.#load(database, uid, clock.now());
    return place && this.#endIfOver(database, place);
  }

  show(place: Place, form: PageForm): Promise<string> {
    const { bankName } = this.#deps;
    const step = this.#stepNamed(place.row.step);
    const frame = { bankName, clientName: place.clientName, step: step.name };
    return step.show(this.#deps, place, { ...frame, ...form });
  }

  async post(uid: string, browser: Browser, form: URLSearchParams): Promise<Posted | undefined> {
    const { database, steps } = this.#deps;
    const step = steps.find(({ name }) => name === form.get("step"));
    const post = (on: Queryable) => this.#post(on, uid, step, browser, form);
    return step?.locks ? database.transaction(post) : post(database);
  }

  async #post(
    on: Queryable,
    uid: string,
    step: JourneyStep | undefined,
    browser: Browser,
    form: URLSearchParams,
  ): Promise<Posted | undefined> {
    const loaded = await this.#load(on, uid, this.#deps.clock.now(), step?.locks);
    if (!loaded?.row.interaction) return undefined;
    const place = await this.#endIfOver(on, loaded);
    const nothing = { refused: null, authenticated: null };
    if (place.row.step === ended) return nothing;
    const decision = form.get("decision") ?? "continue";
    if (decision === "cancel") {
      await this.#end(on, place, "cancelled");
      return nothing;
    }
    if (place.row.step !== step?.name || decision !== step.go) return nothing;
    const given = readForm(step.fields, form);
    const later: Sql[] = [];
    const taken = await step.take({ ...this.#deps, on, browser, later }, place, given);
    let problem: Problem | null;
    try {
      problem = await this.#goOn(on, place, step, taken, later);
    } finally {
      for (const statement of later) await on.query(statement); // nothing else was written
    }
    return {
      refused: problem && { step: step.name, problem, given },
      authenticated: taken.authenticated ?? null,
    };
  }

  /** Does what the result of a form asks for; returns the problem if the customer has to stay. */
  async #goOn(
    on: Queryable,
    place: Place,
    step: JourneyStep,
    taken: Taken,
    later: Sql[],
  ): Promise<Problem | null> {
    if ("refused" in taken) {
      const failures = taken.countsAsFailure ? await countFailure(on, place.row.uid) : 0;
      if (failures < failuresAllowed) return taken.refused;
      await this.#end(on, place, "locked");
    } else if ("done" in taken) {
      await this.#advance(on, place, step, taken.done, later);
    } else if (taken.ends === "approved") {
      await endJourney(on, place.row.uid, "approved", approval(place, taken.grantId));
    } else {
      await this.#end(on, place, taken.ends);
    }
    return null;
  }

  /** Moves a journey on to the next step that is not skipped. */
  async #advance(
    on: Queryable,
    place: Place,
    from: JourneyStep,
    done: Facts,
    later: Sql[],
  ): Promise<void> {
    const { steps } = this.#deps;
    let facts = done;
    for (const step of steps.slice(steps.indexOf(from) + 1)) {
      const reached = { ...place, row: { ...place.row, ...facts } };
      const beginning = (await step.begin?.(this.#deps, reached)) ?? { facts: {} };
      if ("ends" in beginning) return void (await this.#end(on, place, beginning.ends));
      facts = { ...facts, ...beginning.facts };
      if (beginning.isSkipped) continue;
      const { challenge } = beginning;
      const expiresAt = place.now.add({ minutes: step.minutes });
      const move = { to: step.name, facts, expiresAt, later: later.splice(0) };
      const advance = challenge ? { ...move, challenge } : move;
      return advanceJourney(on, place.row, advance);
    }
    throw new Error(`no step follows ${from.name}: the last step must end the journey`);
  }

  async settle(place: Place): Promise<void> {
    const { row, consent } = place;
    const result = row.interaction?.result;
    if (!result || "error" in result) return;
    if (consent.deletedAt === null && consent.grantId === result.consent.grantId) return;
    await replaceResult(this.#deps.database, row.uid, { ...endings.overtaken.error });
  }

  async abandon(uid: string, outcome: "cancelled" | "timed_out"): Promise<void> {
    const place = await this.find(uid);
    if (place) await this.#end(this.#deps.database, place, outcome);
  }

  async sweep(): Promise<void> {
    const { database, clock } = this.#deps;
    for (const uid of await listOverdueJourneys(database, clock.now())) await this.find(uid);
    await purgeJourneys(database, clock.now());
  }

  #stepNamed(name: string): JourneyStep {
    return present(
      this.#deps.steps.find((step) => step.name === name),
      `the step ${name}`,
    );
  }

  /** Ends a journey whose time is up, or whose consent can no longer be authorised. */
  async #endIfOver(on: Queryable, place: Place): Promise<Place> {
    const { row, consent, kind, now } = place;
    if (row.step === ended) return place;
    if (consent.deletedAt !== null) return this.#end(on, place, "overtaken");
    if (Temporal.Instant.compare(row.expiresAt, now) <= 0) {
      return this.#end(on, place, "timed_out");
    }
    const tooLate = kind.whyNotNow(consent, now);
    return tooLate ? this.#end(on, place, "too_late", tooLate) : place;
  }

  /**
   * Ends a journey, and rejects its consent unless the consent has been authorised before. Returns
   * the journey as it has ended, which may be in another way if it had ended before.
   */
  async #end(
    on: Queryable,
    place: Place,
    outcome: Exclude<Outcome, "approved">,
    cause = reasonOf(outcome, place.kind),
  ): Promise<Place> {
    const { row, consent, kind, now } = place;
    const { database } = this.#deps;
    const result = { ...endings[outcome].error };
    const end = async (transaction: Queryable): Promise<boolean> => {
      if (!(await endJourney(transaction, row.uid, outcome, result))) return false;
      if (cause === null) return true;
      // a customer who opened the link twice and finishes in the other window keeps the consent
      if (outcome === "timed_out" && (await hasOtherJourney(transaction, row, now))) return true;
      await moveConsent(transaction, consent, kind.course, "reject", [cause], byWhom(outcome, now));
      return true;
    };
    const isEnded = on === database ? await database.transaction(end) : await end(on);
    if (!isEnded) return present(await this.#load(on, row.uid, now), "the journey");
    const interaction = row.interaction && { ...row.interaction, result };
    return { ...place, row: { ...row, step: ended, outcome, accounts: null, interaction } };
  }
}

/** The answer to the authorization server after an approval. */
function approval({ row }: Place, grantId: string): InteractionResult {
  const accountId = present(row.customerId, "the customer");
  return { login: { accountId, ...authenticated, remember: false }, consent: { grantId } };
}
