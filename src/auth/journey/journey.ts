import { grantDeletions } from "#src/auth/grant-deletions.ts";
import type { Browser } from "#src/auth/login/browser.ts";
import { withTriesLeft } from "#src/auth/login/refusal.ts";
import type { BegunRequest, StartJourney } from "#src/auth/provider/interaction-store.ts";
import { authoriseConsent } from "#src/consents/consent.ts";
import { isAuthorisable } from "#src/consents/journey-consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { assert, present } from "#src/lib/assert.ts";
import { createHandover } from "#src/lib/recent.ts";
import type { Go } from "#src/pages/journey.ts";
import { moreTime } from "#src/pages/journey-parts.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { approvalResult, authorisationOf, otherSignatories } from "./approval.ts";
import { assessApproval } from "./assess.ts";
import { asEnded, type EndingCause, endAndReject, noCause, whyOver } from "./end-journey.ts";
import {
  advanceJourney,
  countFailure,
  ended,
  extendJourney,
  type JourneyFacts,
  type JourneyRow,
  journeyEnding,
  listOverdueJourneys,
  purgeJourneys,
  replaceResult,
  replaceShowings,
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
import { createLoader, type Loader, type Place, stillThere, unlessGone } from "./load-journey.ts";
import { endings, type JourneyOutcome, reasonOf } from "./outcomes.ts";
import { extendedTime, pageTimeOf } from "./page-time.ts";
import { answering, reaching, shownAnew, shownFirst } from "./showings.ts";
import { goOf, stepNamed, stepsAfter } from "./step-order.ts";
import { Turns } from "./turns.ts";

/** What journeys need. */
export type JourneyDeps = JourneyTools & {
  steps: readonly JourneyStep[];
  consentKinds: readonly ConsentKind[];
  /** How long a consent waits for its customer. */
  consentLifetimeSeconds: number;
};

/** The values that the routes add to a page of the journey. */
type PageForm = Omit<Shown<FormFields>, "bankName" | "clientName" | "step" | "go" | "time">;

type Again = NonNullable<Posted["again"]>;

/** The result of a posted form. */
export type Posted = {
  /** The page to show again, with the form's values; null if the journey shows where it is. */
  again: {
    step: string;
    /** Why the form was refused; null if it asked for the page again. */
    problem: Problem | null;
    note: string | null;
    given: FormValues<FormFields>;
  } | null;
  /** The login of the customer who has just proved both factors; null if nobody has. */
  authenticated: string | null;
  /** The journey as the form has ended it; null if it goes on. */
  ended: Place | null;
};

/** A form of the current step, and the statements that run with the journey's own next write. */
type PostedForm = { step: JourneyStep; go: Go; later: Sql[] };

/** What the result of a form led to: the journey goes on, has ended, or shows its page again. */
type Reached = { ended: Place | null; again?: Pick<Again, "problem" | "note"> };

/**
 * The journeys of customers. A form names the step that it belongs to. If the journey is at another
 * step, the form changes nothing: a form that is sent twice, or from a page that the customer went
 * back to, leads to the current step. The decision to cancel is accepted from every step's page.
 */
export type Journey = {
  /** Stores a journey at its first step, for an authorization request. */
  start: StartJourney;
  /**
   * Finds a journey for its page, and ends it if its time is up. Returns undefined for an unknown
   * id. If a request has just stored the journey's step in this process, it is not loaded again.
   */
  find(uid: string): Promise<Place | undefined>;
  /** The page of the current step. */
  show(place: Place, form: PageForm): Promise<string>;
  /** The URL outside of the bank's pages to which a step leads that has `leadsTo`. */
  leadOn(place: Place): Promise<string>;
  /** The current step; null if the journey has ended, or the TPP has its answer. */
  stepOf(place: Place): JourneyStep | null;
  /** Takes the answer that a page waits for, or that came back, as `post` takes a form. */
  check(place: Place, browser: Browser, answer?: URLSearchParams): Promise<Posted | undefined>;
  /** Takes a form. Undefined if there is no such journey, or the TPP has its answer. */
  post(uid: string, browser: Browser, form: URLSearchParams): Promise<Posted | undefined>;
  /** Replaces the answer if the grant has ended since the approval: the TPP gets an error. */
  settle(place: Place): Promise<void>;
  /** Names the others who may approve too, if the account needs several and the bank knows them. */
  otherSignatories(place: Place): Promise<string[]>;
  /** Ends without authorising. */
  abandon(uid: string, outcome: "cancelled" | "timed_out"): Promise<void>;
  /** Ends every journey whose time is up, and deletes those that ended a day ago. */
  sweep(): Promise<void>;
};

const failuresAllowed = 5;

/** Makes the journeys of a bank; pages and routes are in routes.ts. */
export function createJourney(deps: JourneyDeps): Journey {
  return new Journeys(deps);
}

class Journeys implements Journey {
  readonly #deps: JourneyDeps;
  readonly #loader: Loader;

  // journeys as a request has stored them, until its redirect asks for the page
  readonly #stored = createHandover<Place>({ milliseconds: 2000, values: 500 });
  // the forms that are taken in turn, by journey
  readonly #turns = new Turns();

  constructor(deps: JourneyDeps) {
    const last = present(deps.steps.at(-1), "a step");
    assert(last.showsConsent, `the last step, ${last.name}, shows the whole consent`);
    this.#deps = deps;
    this.#loader = createLoader(deps.steps, deps, deps.bank.assess !== undefined);
  }

  async start(on: Queryable, { interaction, ...begun }: BegunRequest): Promise<void> {
    const { name: step, minutes } = present(this.#deps.steps[0], "the first step");
    const now = this.#deps.clock.now();
    const times = { now, expiresAt: now.add({ minutes }) };
    const text = JSON.stringify(interaction);
    const place = await this.#loader.start(on, { ...begun, ...times, step, interaction: text });
    if (place) this.#stored.give(begun.uid, place);
  }

  find(uid: string): Promise<Place | undefined> {
    const stored = this.#stored.take(uid);
    if (!stored) return this.#load(uid);
    return unlessGone(this.#endIfOver({ ...stored, now: this.#deps.clock.now() }));
  }

  async #load(uid: string): Promise<Place | undefined> {
    const { database, clock } = this.#deps;
    const place = await this.#loader.load(database, uid, clock.now());
    return place && unlessGone(this.#endIfOver(place));
  }

  otherSignatories(place: Place): Promise<string[]> {
    return otherSignatories(this.#deps.bank, place);
  }

  async show(place: Place, form: PageForm): Promise<string> {
    const { bankName, database } = this.#deps;
    const step = this.#stepNamed(place.row.step);
    const go = this.#goOf(step, place);
    const showings = step.isShownAnew ? await shownAnew(step, place, go) : null;
    if (showings) await replaceShowings(database, place.row, showings);
    const time = pageTimeOf(place, step.name);
    const frame = { bankName, clientName: place.clientName, step: step.name, go, time };
    return step.show(this.#deps, place, { ...frame, ...form });
  }

  async leadOn(place: Place): Promise<string> {
    const step = this.#stepNamed(place.row.step);
    const first = await shownFirst(step, place, this.#goOf(step, place));
    if (first) await replaceShowings(this.#deps.database, place.row, first);
    const row = first ? { ...place.row, showings: first } : place.row;
    return present(step.leadsTo, "a way out of the bank's pages")({ ...place, row });
  }

  stepOf({ row }: Place): JourneyStep | null {
    return row.step === ended || !row.interaction ? null : this.#stepNamed(row.step);
  }

  check(place: Place, browser: Browser, answer?: URLSearchParams): Promise<Posted | undefined> {
    const { uid, step } = place.row;
    const decision = this.#goOf(this.#stepNamed(step), place);
    const form = new URLSearchParams(answer);
    for (const [name, value] of Object.entries({ step, decision })) form.set(name, value);
    return this.post(uid, browser, form);
  }

  async post(uid: string, browser: Browser, form: URLSearchParams): Promise<Posted | undefined> {
    const step = this.#deps.steps.find(({ name }) => name === form.get("step"));
    const take = () => unlessGone(this.#take(uid, step, browser, form));
    if (!step?.isTakenInTurn || form.get("decision") === "cancel") return take();
    return this.#turns.run(uid, take);
  }

  /** Takes a form; `step` is the one that it names. */
  async #take(
    uid: string,
    step: JourneyStep | undefined,
    browser: Browser,
    form: URLSearchParams,
  ): Promise<Posted | undefined> {
    const { database, clock } = this.#deps;
    this.#stored.take(uid);
    const loaded = await this.#loader.load(database, uid, clock.now());
    if (!loaded?.row.interaction) return undefined;
    const place = await this.#endIfOver(loaded);
    const unchanged = { again: null, authenticated: null, ended: null };
    if (place.row.step === ended) return unchanged;
    const decision = form.get("decision");
    if (decision === "cancel") {
      return { ...unchanged, ended: await this.#end(place, "cancelled") };
    }
    if (place.row.step !== step?.name) return unchanged;
    const given = readForm(step.fields, form);
    if (decision === "extend") {
      const expiresAt = extendedTime(place, step.minutes);
      const isExtended = await extendJourney(database, place.row, expiresAt);
      const { until } = pageTimeOf({ ...place, row: { ...place.row, expiresAt } }, step.name);
      const note = isExtended ? moreTime(until) : null;
      return { ...unchanged, again: { step: step.name, problem: null, note, given } };
    }
    const again = await step.again?.(decision ?? "", this.#deps, place, given);
    if (again) {
      const shown = { problem: null, note: again.note ?? null, given: again.given };
      return { ...unchanged, again: { step: step.name, ...shown } };
    }
    const go = this.#goOf(step, place);
    // the page may have shown the other decision when it was sent
    if ((decision ?? "continue") !== go) return unchanged;
    const later: Sql[] = [];
    const taken = await step.take({ ...this.#deps, browser, later }, place, given);
    let reached: Reached;
    try {
      reached = await this.#goOn(place, taken, { step, go, later });
    } finally {
      for (const statement of later) await database.query(statement); // nothing else was written
    }
    return {
      again: reached.again ? { step: step.name, given, ...reached.again } : null,
      authenticated: taken.authenticated ?? null,
      ended: reached.ended,
    };
  }

  /** Does what the result of a form asks for. */
  async #goOn(place: Place, taken: Taken, form: PostedForm): Promise<Reached> {
    if ("refused" in taken) {
      const { refused, failsAs } = taken;
      const again = (problem: Problem) => ({ ended: null, again: { problem, note: null } });
      if (!failsAs) return again(refused);
      const left = failuresAllowed - (await countFailure(this.#deps.database, place.row.uid));
      if (left > 0) return again(withTriesLeft(refused, left));
      const lockedUntil = refused.waitUntil ?? refused.wrong?.until ?? null;
      return { ended: await this.#end(place, failsAs, { lockedUntil }) };
    }
    if ("waits" in taken) return { ended: null, again: { problem: null, note: taken.waits } };
    if ("done" in taken) {
      return { ended: await this.#advance(place, taken.done, form, taken.at ?? place.now) };
    }
    return { ended: await this.#end(place, taken.ends, taken.why) };
  }

  /**
   * Authorises the consent and ends the journey, in one statement. Returns the journey as it has
   * ended, or null if another form has moved it on.
   */
  async #approve(place: Place): Promise<Place | null> {
    const { database } = this.#deps;
    const { row, consent } = place;
    const authorisation = authorisationOf(place);
    if (!authorisation) return this.#end(place, "closed");
    const judged = await assessApproval(this.#deps, place);
    if (judged === "steps up") return null;
    if ("ends" in judged) return this.#end(place, judged.ends, judged.why);
    const { grantId, customerId } = authorisation;
    const authorised = sql`select from authorised`;
    const replaced = grantDeletions(sql`select ${consent.grantId}::text from authorised`);
    const result = approvalResult(place, grantId);
    const isDone = await authoriseConsent(database, {
      ...authorisation,
      along: [
        ...judged.along,
        journeyEnding(row.uid, "approved", result, { provided: authorised }),
        ...(consent.grantId === null ? [] : replaced),
      ],
    });
    if (isDone) {
      const given = { grantId, customerId, debtor: consent.debtor ?? authorisation.debtor };
      const granted = { ...place, consent: { ...consent, ...given, accountIds: row.accountIds } };
      return asEnded(granted, "approved", result, noCause);
    }
    const found = await this.#loader.load(database, row.uid, place.now);
    // the same form, sent twice, or a decision in another window
    if (found?.row.step !== row.step) return null;
    // such as a contract that has ended since the journey was loaded, or another journey's approval
    const over = await this.#endIfOver(found);
    if (over !== found) return over;
    const isOpen = isAuthorisable(found.consent, found.kind.course, customerId);
    const isSame = found.consent.grantId === consent.grantId;
    return this.#end(found, isOpen && isSame ? "altered" : "closed");
  }

  /**
   * Moves a journey on to the next step that is not skipped, and returns null. If no step follows,
   * authorises the consent. Returns a journey that has ended.
   */
  async #advance(
    place: Place,
    done: JourneyFacts,
    form: PostedForm,
    at: Temporal.Instant,
  ): Promise<Place | null> {
    const { step: from, go, later } = form;
    const reachedWith = (more: Partial<JourneyRow>): Place => ({
      ...place,
      row: { ...place.row, ...more },
    });
    let facts: JourneyFacts = { ...done, showings: await answering(from, place, go, { done, at }) };
    for (const step of stepsAfter(this.#deps.steps, from)) {
      const reached = reachedWith(facts);
      const beginning = (await step.begin?.(this.#deps, reached)) ?? { facts: {} };
      if ("ends" in beginning) return this.#end(reached, beginning.ends, beginning.why);
      facts = { ...facts, ...beginning.facts };
      if (beginning.isSkipped) continue;
      if (go === "approve" && step.addsNothing?.(reachedWith(facts))) continue;
      const { challenge, read = null } = beginning;
      const next = { ...reachedWith(facts), read };
      facts = { ...facts, showings: await reaching(step, next, this.#goOf(step, next)) };
      const expiresAt = at.add({ minutes: step.minutes });
      const move = { to: step.name, facts, expiresAt, later: later.splice(0) };
      const advance = challenge ? { ...move, challenge } : move;
      const isMoved = await advanceJourney(this.#deps.database, place.row, advance);
      if (isMoved && !place.row.isBackchannel && (read !== null || !step.reads)) {
        const moved = reachedWith({ ...facts, step: step.name, expiresAt });
        this.#stored.give(place.row.uid, { ...moved, read });
      }
      return null;
    }
    assert(go === "approve", `the page of ${from.name} has asked for the approval`);
    for (const statement of later.splice(0)) await this.#deps.database.query(statement);
    return this.#approve(reachedWith(facts));
  }

  async settle(place: Place): Promise<void> {
    const { row, consent } = place;
    const result = row.interaction?.().result;
    if (!result || "error" in result) return;
    if (consent.deletedAt === null && consent.grantId === result.consent.grantId) return;
    await replaceResult(this.#deps.database, row.uid, { ...endings.overtaken.error });
  }

  async abandon(uid: string, outcome: "cancelled" | "timed_out"): Promise<void> {
    const place = await this.#load(uid);
    if (place) await unlessGone(this.#end(place, outcome));
  }

  async sweep(): Promise<void> {
    const { database, clock, steps } = this.#deps;
    const least = Math.min(...steps.map(({ minutes }) => minutes));
    const overdue = await listOverdueJourneys(database, clock.now(), least);
    for (const uid of overdue) await this.#load(uid);
    await purgeJourneys(database, clock.now());
  }

  #stepNamed = (name: string): JourneyStep => stepNamed(this.#deps.steps, name);

  #goOf = (step: JourneyStep, place: Place): Go => goOf(this.#deps.steps, step, place);

  /** Ends a journey whose time is up, or whose consent can no longer be authorised. */
  async #endIfOver(place: Place): Promise<Place> {
    const over = whyOver(place);
    return over ? this.#end(place, over.outcome, over.why) : place;
  }

  /**
   * Ends a journey, and rejects its consent unless the consent has been authorised before. Returns
   * the journey as it has ended, which may be in another way if it had ended before.
   */
  async #end(
    place: Place,
    outcome: Exclude<JourneyOutcome, "approved">,
    why: Partial<EndingCause> = {},
  ): Promise<Place> {
    const { database } = this.#deps;
    const given = { ...noCause, cause: reasonOf(outcome, place.kind), ...why };
    const done = await endAndReject(database, place, outcome, given);
    if (typeof done === "object") return done;
    const found = stillThere(await this.#loader.load(database, place.row.uid, place.now));
    const over = await this.#endIfOver(found);
    return over.row.step === ended ? over : this.#end(found, "closed");
  }
}
