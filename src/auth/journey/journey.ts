import type { Browser } from "#src/auth/login/browser.ts";
import { isChallengeFor, spendChallenge } from "#src/auth/login/challenges.ts";
import { isRefusal, type Login, loginTexts, type Refusal } from "#src/auth/login/login.ts";
import type { GrantRequest } from "#src/auth/provider/provider.ts";
import { dropGrant } from "#src/auth/provider/sql-adapter.ts";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import type { Bank, BankAccount } from "#src/bank/port.ts";
import { authoriseConsent, type Consent, loadConsent, moveConsent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { kindNamed } from "#src/consents/stored-kind.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { ConsentSummary } from "#src/pages/consent-summary.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { consentSubject, evidenceOf } from "./consent-subject.ts";
import {
  type Candidate,
  findNamed,
  isUnmet,
  judgeAccounts,
  withBalances,
} from "./eligible-accounts.ts";
import {
  type Advance,
  advanceJourney,
  countFailure,
  endJourney,
  hasOtherJourney,
  type JourneyRow,
  loadClientName,
  loadJourney,
  loadOverdueJourneys,
  purgeJourneys,
  replaceChallenge,
  storeJourney,
} from "./journey-row.ts";
import { byWhom, endings, type Outcome } from "./outcomes.ts";
import { withMore } from "./review-summary.ts";

/** What a journey is made of. */
export type JourneyDeps = {
  database: Database;
  clock: Clock;
  bank: Bank;
  login: Login;
  consentKinds: readonly ConsentKind[];
  saveGrant(on: Queryable, given: GrantRequest): Promise<string>;
};

/** What the authorization request said of the journey. */
export type JourneyRequest = {
  uid: string;
  clientId: string;
  consentId: string;
  /** The customers whom the TPP insists on; none when it does not. */
  subjects: readonly string[];
};

/** What the grant will stand for: as the TPP asked. */
export type GrantTerms = { scope: string; claims: string[] };

/** Where the customer is, and what is to be shown. */
export type JourneyView = { clientName: string } & (
  | { step: "login" }
  | { step: "factor"; customerName: string; subject: ChallengeSubject; challengeId: string }
  | {
      step: "accounts";
      choice: "one" | "many";
      candidates: Candidate[];
      summary: ConsentSummary;
    }
  | { step: "review"; summary: ConsentSummary; accounts: BankAccount[] }
  | { step: "ended"; outcome: Outcome; customerId: string | null; grantId: string | null }
);

/** Why a form was not taken; null when it was, or when the journey was not at its step. */
export type Problem = (Partial<Refusal> & { error: string }) | null;

/**
 * The steps of a journey. Each judges that the journey is at its step, and otherwise changes
 * nothing: what is sent twice, or from a page gone back to, shows where the journey is.
 */
export type Journey = {
  /** Begins, or finds where a journey is; ends it when its time is up. */
  start(request: JourneyRequest): Promise<void>;
  /** Where a journey is; undefined when there is none. */
  look(uid: string): Promise<JourneyView | undefined>;
  /** First factor. */
  login(
    uid: string,
    browser: Browser,
    given: { login: string; password: string },
  ): Promise<Problem>;
  /** Second factor, for this consent alone; `authenticated` has the login when it was right. */
  factor(
    uid: string,
    code: string,
    subjects: readonly string[],
  ): Promise<{ problem: Problem; authenticated: string | null }>;
  choose(uid: string, accountIds: string[]): Promise<Problem>;
  /** Authorises the consent, with its grant in the same transaction. */
  approve(uid: string, terms: GrantTerms): Promise<Problem>;
  /** Ends without authorising. */
  abandon(uid: string, outcome: "cancelled" | "timed_out"): Promise<Problem>;
  /** Ends every journey whose time is up, and deletes those that ended a day ago. */
  sweep(): Promise<void>;
};

const texts = {
  accounts: "Choose at least one account.",
  account: "Choose one account.",
};
const failuresAllowed = 5;
// Source: SCA-RTS article 4(3)(d) for the time after authentication.
const minutes = { login: 15, factor: 15, accounts: 5, review: 5 } as const;

/** Makes the steps over the table `journey`; pages and routes are somebody else's. */
export function createJourney(deps: JourneyDeps): Journey {
  const steps = new Steps(deps);
  return {
    start: (request) => steps.start(request),
    look: (uid) => steps.look(uid),
    login: (uid, browser, given) => steps.login(uid, browser, given),
    factor: (uid, code, subjects) => steps.factor(uid, code, subjects),
    choose: (uid, accountIds) => steps.choose(uid, accountIds),
    approve: (uid, terms) => steps.approve(uid, terms),
    abandon: async (uid, outcome) => steps.end(await steps.load(uid), outcome),
    sweep: () => steps.sweep(),
  };
}

type Place = { row: JourneyRow; consent: Consent; kind: ConsentKind; now: Temporal.Instant };

class ConsentOvertaken extends Error {}
class NotConfirmed extends Error {}

class Steps {
  readonly #deps: JourneyDeps;

  constructor(deps: JourneyDeps) {
    this.#deps = deps;
  }

  async start(request: JourneyRequest): Promise<void> {
    const now = this.#deps.clock.now();
    const expiresAt = now.add({ minutes: minutes.login });
    await storeJourney(this.#deps.database, { ...request, createdAt: now, expiresAt });
  }

  async look(uid: string): Promise<JourneyView | undefined> {
    const row = await loadJourney(this.#deps.database, uid);
    return row && this.#view(await this.#place(row));
  }

  async login(
    uid: string,
    browser: Browser,
    given: { login: string; password: string },
  ): Promise<Problem> {
    const place = await this.load(uid);
    if (place.row.step !== "login") return null;
    const { login } = this.#deps;
    const customer = await login.checkPassword(browser, given);
    if (isRefusal(customer)) return this.#failed(place, customer);
    const subject = await this.#subject(place);
    const challengeId = await login.challenge(customer.customerId, subject);
    return this.#advance(place, { to: "factor", customer, challengeId });
  }

  async factor(
    uid: string,
    code: string,
    subjects: readonly string[],
  ): Promise<{ problem: Problem; authenticated: string | null }> {
    const place = await this.load(uid);
    const { row, consent } = place;
    if (row.step !== "factor") return { problem: null, authenticated: null };
    const customerId = present(row.customerId, "the customer");
    const verified = await this.#deps.login.verify(present(row.challengeId, "challenge"), code);
    if (verified === "over") return { problem: await this.#renew(place), authenticated: null };
    if (isRefusal(verified)) {
      return { problem: await this.#failed(place, verified), authenticated: null };
    }
    const authenticated = present(row.customerLogin, "the login");
    const subject = await this.#subject(place);
    if (!(await isChallengeFor(this.#deps.database, row.challengeId, subject))) {
      return { problem: await this.end(place, "altered"), authenticated };
    }
    if (consent.customerId !== null && consent.customerId !== customerId) {
      return { problem: await this.end(place, "other_customer"), authenticated };
    }
    if (subjects.some((wanted) => wanted !== customerId)) {
      return { problem: await this.end(place, "not_expected"), authenticated };
    }
    return { problem: await this.#afterFactor(place, customerId), authenticated };
  }

  /** Asks with a new challenge, unless the old one was answered by the same form sent twice. */
  async #renew({ row }: Place): Promise<Problem> {
    const current = present(await loadJourney(this.#deps.database, row.uid), "the journey");
    if (current.step !== "factor") return null;
    await this.#openChallenge(current);
    return { error: loginTexts.newCode };
  }

  /** To the choice of accounts, or past it: accounts are chosen once, or named by the TPP. */
  async #afterFactor(place: Place, customerId: string): Promise<Problem> {
    const { consent, kind } = place;
    const { bank } = this.#deps;
    const all = await bank.listAccounts(customerId);
    const candidates = judgeAccounts(kind, consent, all);
    if (consent.customerId !== null) {
      const { accountIds } = consent;
      return this.#advance(place, { to: "review", accountIds, accounts: candidates });
    }
    const named = kind.namedDebtor(consent);
    if (named) {
      const candidate = await findNamed(bank, candidates, named);
      if (candidate?.unmet) return this.end(place, "unmet");
      if (!candidate || candidate.unavailable !== null) return this.end(place, "not_owned");
      const accountIds = [candidate.account.accountId];
      return this.#advance(place, { to: "review", accountIds, accounts: [candidate] });
    }
    if (isUnmet(candidates)) return this.end(place, "unmet");
    const accounts = await withBalances(bank, candidates);
    return this.#advance(place, { to: "accounts", accounts });
  }

  async choose(uid: string, accountIds: string[]): Promise<Problem> {
    const place = await this.load(uid);
    const { row, kind } = place;
    if (row.step !== "accounts") return null;
    const open = (row.accounts ?? []).filter(({ unavailable }) => unavailable === null);
    const ids = open.map(({ account }) => account.accountId);
    const chosen = [...new Set(accountIds)].filter((accountId) => ids.includes(accountId));
    const right = kind.accountChoice === "one" ? chosen.length === 1 : chosen.length > 0;
    if (!right || chosen.length !== new Set(accountIds).size) {
      return { error: kind.accountChoice === "one" ? texts.account : texts.accounts };
    }
    return this.#advance(place, {
      to: "review",
      accountIds: ids.filter((accountId) => chosen.includes(accountId)),
    });
  }

  async approve(uid: string, terms: GrantTerms): Promise<Problem> {
    const place = await this.load(uid);
    if (place.row.step !== "review") return null;
    const subject = await this.#subject(place);
    try {
      await this.#deps.database.transaction((on) => this.#authorise(on, place, subject, terms));
    } catch (error) {
      if (error instanceof NotConfirmed) return this.end(place, "altered");
      if (!(error instanceof ConsentOvertaken)) throw error;
      return this.end(place, "overtaken");
    }
    return null;
  }

  async #authorise(
    on: Queryable,
    place: Place,
    subject: ChallengeSubject,
    terms: GrantTerms,
  ): Promise<void> {
    const { row, consent, kind, now } = place;
    // of two that approve at the same time one goes on; the other one looks at what came of it
    if (!(await endJourney(on, row.uid, "approved", "review"))) return;
    const customerId = present(row.customerId, "the customer");
    const { challengeId } = row;
    // what is authorised must be what the code confirmed, and is so once
    const isConfirmed = await spendChallenge(on, { challengeId, customerId, subject, now });
    if (!isConfirmed) throw new NotConfirmed();
    const grantId = await this.#deps.saveGrant(on, { consent, kind, customerId, now, ...terms });
    const choice = { accountIds: row.accountIds, debtor: debtorOf(place) };
    const [{ consentId }, { course }] = [consent, kind];
    const evidence = evidenceOf(present(challengeId, "the challenge"), subject);
    const given = { consentId, course, customerId, ...choice, grantId, evidence, now };
    if (!(await authoriseConsent(on, given))) throw new ConsentOvertaken();
    if (consent.grantId !== null) await dropGrant(on, consent.grantId);
  }

  /** Ends a journey, and rejects its consent unless that has been authorised before. */
  async end(place: Place, outcome: Outcome, cause = endings[outcome].reason): Promise<null> {
    const { row, consent, kind, now } = place;
    await this.#deps.database.transaction(async (on) => {
      if (!(await endJourney(on, row.uid, outcome)) || cause === null) return;
      // who opened the link twice and finished in the other window must not lose the consent
      if (outcome === "timed_out" && (await hasOtherJourney(on, row, now))) return;
      await moveConsent(on, consent, kind.course, "reject", [cause], byWhom(outcome, now));
    });
    return null;
  }

  async sweep(): Promise<void> {
    const { database, clock } = this.#deps;
    for (const row of await loadOverdueJourneys(database, clock.now())) await this.#place(row);
    await purgeJourneys(database, clock.now());
  }

  /** The journey at its place; ended when its time is up or the consent cannot wait longer. */
  async load(uid: string): Promise<Place> {
    return this.#place(present(await loadJourney(this.#deps.database, uid), "the journey"));
  }

  async #place(row: JourneyRow): Promise<Place> {
    const { database, clock, consentKinds } = this.#deps;
    const now = clock.now();
    const consent = await loadConsent(database, row.consentId);
    if (!consent) return this.#gone(row, now);
    const place = { row, consent, kind: kindNamed(consent.kind, consentKinds), now };
    if (row.step === "ended") return place;
    if (Temporal.Instant.compare(row.expiresAt, now) <= 0) {
      await this.end(place, "timed_out");
      return this.load(row.uid);
    }
    const tooLate = place.kind.whyNotNow(consent, now);
    if (!tooLate) return place;
    await this.end(place, "too_late", tooLate);
    return this.load(row.uid);
  }

  // The TPP deleted the consent while its customer was on the way.
  async #gone(row: JourneyRow, now: Temporal.Instant): Promise<Place> {
    await endJourney(this.#deps.database, row.uid, "overtaken");
    const ended = present(await loadJourney(this.#deps.database, row.uid), "the journey");
    const scope = this.#deps.consentKinds[0];
    return {
      row: ended,
      consent: { consentId: row.consentId, grantId: null } as Consent, // all that an end looks at
      kind: present(scope, "a consent kind"),
      now,
    };
  }

  async #subject({ row, consent, kind, now }: Place): Promise<ChallengeSubject> {
    const clientName = await loadClientName(this.#deps.database, row.clientId, kind.scope);
    return consentSubject(consent, kind.summarise(consent, now), clientName);
  }

  async #failed(place: Place, refusal: Refusal): Promise<Problem> {
    const failures = await countFailure(this.#deps.database, place.row.uid);
    return failures >= failuresAllowed ? this.end(place, "locked") : refusal;
  }

  async #advance({ row, now }: Place, advance: Omit<Advance, "expiresAt">): Promise<null> {
    const expiresAt = now.add({ minutes: minutes[advance.to] });
    await advanceJourney(this.#deps.database, row, { ...advance, expiresAt });
    return null;
  }

  async #view({ row, consent, kind, now }: Place): Promise<JourneyView> {
    const { database } = this.#deps;
    const clientName = await loadClientName(database, row.clientId, kind.scope);
    if (row.step === "login") return { clientName, step: "login" };
    if (row.step === "ended") {
      const outcome = present(row.outcome, "the outcome");
      const { customerId } = row;
      return { clientName, step: "ended", outcome, customerId, grantId: consent.grantId };
    }
    const summary = kind.summarise(consent, now);
    if (row.step === "factor") {
      const customerName = present(row.customerName, "the customer's name");
      const { challengeId, subject } = await this.#openChallenge(row);
      return { clientName, step: "factor", customerName, subject, challengeId };
    }
    const candidates = row.accounts ?? [];
    if (row.step === "accounts") {
      const choice = kind.accountChoice;
      return { clientName, step: "accounts", choice, candidates, summary };
    }
    const accounts = candidates
      .map(({ account }) => account)
      .filter(({ accountId }) => row.accountIds.includes(accountId));
    return {
      clientName,
      step: "review",
      summary: await withMore(summary, kind, consent, accounts[0], now),
      accounts,
    };
  }

  // A page that is loaded again later asks for a code that can still be given.
  async #openChallenge(row: JourneyRow) {
    const open = await this.#deps.login.keepOpen(present(row.challengeId, "the challenge"));
    if (open.challengeId !== row.challengeId) {
      await replaceChallenge(this.#deps.database, row, open.challengeId);
    }
    return open;
  }
}

/** The account that a payment is made from, as the bank gave it; null for access to accounts. */
function debtorOf({ row, kind }: Place): BankAccount | null {
  if (kind.accountChoice !== "one") return null;
  const all = (row.accounts ?? []).map(({ account }) => account);
  const chosen = all.find(({ accountId }) => row.accountIds.includes(accountId));
  return present(chosen, "the account that the customer chose");
}
