import type { GrantRequest } from "#src/auth/provider.ts";
import { dropGrant } from "#src/auth/sql-adapter.ts";
import {
  factorSubject,
  forgetAttempts,
  loginSubject,
  purgeAttempts,
  takeAttempt,
} from "#src/auth/throttle.ts";
import type { Bank, BankAccount, BankCustomer } from "#src/bank/port.ts";
import { authoriseConsent, type Consent, loadConsent, moveConsent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { ConsentSummary } from "#src/pages/consent-summary.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { linkedHash, linkedText } from "./dynamic-link.ts";
import { type Candidate, isUnmet, judgeAccount, listCandidates } from "./eligible-accounts.ts";
import {
  advanceJourney,
  countFailure,
  endJourney,
  hasOtherJourney,
  type JourneyRow,
  loadClientName,
  loadJourney,
  loadOverdueJourneys,
  purgeJourneys,
  storeJourney,
} from "./journey-row.ts";
import { endings, type Outcome } from "./outcomes.ts";

/** What a journey is made of. */
export type JourneyDeps = {
  database: Database;
  clock: Clock;
  bank: Bank;
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
  | { step: "login"; error: string | null; login: string }
  | { step: "factor"; error: string | null; customer: BankCustomer; linkedText: string | null }
  | {
      step: "accounts";
      error: string | null;
      choice: "one" | "many";
      candidates: Candidate[];
      summary: ConsentSummary;
    }
  | { step: "review"; summary: ConsentSummary; accounts: BankAccount[] }
  | { step: "ended"; outcome: Outcome; customerId: string | null; grantId: string | null }
);

/**
 * The steps of a journey. Each judges that the journey is at its step, and otherwise changes
 * nothing: what is sent twice, or from a page gone back to, shows where the journey is.
 */
export type Journey = {
  /** Begins, or finds where a journey is; ends it when its time is up. */
  start(request: JourneyRequest): Promise<JourneyView>;
  /** Where a journey is; undefined when there is none. */
  look(uid: string): Promise<JourneyView | undefined>;
  /** First factor. */
  login(uid: string, login: string, password: string): Promise<JourneyView>;
  /** Second factor, bound to amount and payee. */
  factor(uid: string, code: string, subjects: readonly string[]): Promise<JourneyView>;
  choose(uid: string, accountIds: string[]): Promise<JourneyView>;
  /** Authorises the consent, with its grant in the same transaction. */
  approve(uid: string, terms: GrantTerms): Promise<JourneyView>;
  /** Ends without authorising. */
  abandon(uid: string, outcome: "cancelled" | "timed_out"): Promise<JourneyView>;
  /** Ends every journey whose time is up, and deletes those that ended a day ago. */
  sweep(): Promise<void>;
};

const texts = {
  login: "We do not recognise that user ID and password. Check them and try again.",
  code: "That code is not right. Wait for the next one and try again.",
  wait: "There were too many attempts. Wait a while, then try again.",
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
    login: (uid, login, password) => steps.login(uid, login, password),
    factor: (uid, code, subjects) => steps.factor(uid, code, subjects),
    choose: (uid, accountIds) => steps.choose(uid, accountIds),
    approve: (uid, terms) => steps.approve(uid, terms),
    abandon: async (uid, outcome) => steps.end(await steps.load(uid), outcome),
    sweep: () => steps.sweep(),
  };
}

type Place = { row: JourneyRow; consent: Consent; kind: ConsentKind; now: Temporal.Instant };

class ConsentOvertaken extends Error {}

class Steps {
  readonly #deps: JourneyDeps;

  constructor(deps: JourneyDeps) {
    this.#deps = deps;
  }

  async start(request: JourneyRequest): Promise<JourneyView> {
    const now = this.#deps.clock.now();
    const expiresAt = now.add({ minutes: minutes.login });
    await storeJourney(this.#deps.database, { ...request, createdAt: now, expiresAt });
    return present(await this.look(request.uid), "the journey");
  }

  async look(uid: string): Promise<JourneyView | undefined> {
    const row = await loadJourney(this.#deps.database, uid);
    return row && this.#view(await this.#place(row));
  }

  async login(uid: string, login: string, password: string): Promise<JourneyView> {
    const place = await this.load(uid);
    if (place.row.step !== "login") return this.#view(place);
    const { bank, database } = this.#deps;
    const subject = loginSubject(login);
    if (!(await takeAttempt(database, subject, place.now))) {
      return this.#failed(place, texts.wait, login);
    }
    const customer = await bank.authenticate(login.trim(), password);
    if (!customer) return this.#failed(place, texts.login, login);
    await forgetAttempts(database, subject);
    return this.#advance(place, {
      to: "factor",
      customerId: customer.customerId,
      accountIds: [],
      linkedHash: linkedHash(place.kind.summarise(place.consent, place.now)),
    });
  }

  async factor(uid: string, code: string, subjects: readonly string[]): Promise<JourneyView> {
    const place = await this.load(uid);
    const { row, consent } = place;
    if (row.step !== "factor") return this.#view(place);
    const { bank, database } = this.#deps;
    const customerId = present(row.customerId, "the customer");
    const key = factorSubject(customerId);
    if (!(await takeAttempt(database, key, place.now))) return this.#failed(place, texts.wait);
    const right = await bank.checkSecondFactor(customerId, code.replaceAll(" ", ""));
    if (!right) return this.#failed(place, texts.code);
    await forgetAttempts(database, key);
    if (this.#isAltered(place)) return this.end(place, "altered");
    if (consent.customerId !== null && consent.customerId !== customerId) {
      return this.end(place, "other_customer");
    }
    if (subjects.some((wanted) => wanted !== customerId)) return this.end(place, "not_expected");
    return this.#afterFactor(place, customerId);
  }

  /** To the choice of accounts, or past it: accounts are chosen once, or named by the TPP. */
  async #afterFactor(place: Place, customerId: string): Promise<JourneyView> {
    const { consent, kind, row } = place;
    const kept = { customerId, linkedHash: present(row.linkedHash, "the linked hash") };
    if (consent.customerId !== null) {
      return this.#advance(place, { to: "review", accountIds: consent.accountIds, ...kept });
    }
    const named = kind.namedDebtor(consent);
    if (named) {
      const { bank } = this.#deps;
      const found = await bank.findAccount(named.schemeName, named.identification);
      const own = (await bank.listAccounts(customerId)).find(
        ({ accountId }) => accountId === found?.accountId,
      );
      const candidate = own && judgeAccount(kind, consent, own);
      if (candidate?.unmet) return this.end(place, "unmet");
      if (!candidate || candidate.unavailable !== null) return this.end(place, "not_owned");
      const accountIds = [candidate.account.accountId];
      return this.#advance(place, { to: "review", accountIds, ...kept });
    }
    const candidates = await listCandidates(this.#deps.bank, kind, consent, customerId);
    if (isUnmet(candidates)) return this.end(place, "unmet");
    return this.#advance(place, { to: "accounts", accountIds: [], ...kept });
  }

  async choose(uid: string, accountIds: string[]): Promise<JourneyView> {
    const place = await this.load(uid);
    const { row, consent, kind } = place;
    if (row.step !== "accounts") return this.#view(place);
    const customerId = present(row.customerId, "the customer");
    const candidates = await listCandidates(this.#deps.bank, kind, consent, customerId);
    const open = candidates.filter(({ unavailable }) => unavailable === null);
    const ids = open.map(({ account }) => account.accountId);
    const chosen = [...new Set(accountIds)].filter((accountId) => ids.includes(accountId));
    const right = kind.accountChoice === "one" ? chosen.length === 1 : chosen.length > 0;
    if (!right || chosen.length !== new Set(accountIds).size) {
      return this.#view(place, kind.accountChoice === "one" ? texts.account : texts.accounts);
    }
    const linked = present(row.linkedHash, "the linked hash");
    return this.#advance(place, {
      to: "review",
      customerId,
      accountIds: ids.filter((accountId) => chosen.includes(accountId)),
      linkedHash: linked,
    });
  }

  async approve(uid: string, terms: GrantTerms): Promise<JourneyView> {
    const place = await this.load(uid);
    const { row, consent } = place;
    if (row.step !== "review") return this.#view(place);
    if (this.#isAltered(place)) return this.end(place, "altered");
    const debtor = await this.#debtor(place);
    try {
      await this.#deps.database.transaction((on) => this.#authorise(on, place, debtor, terms));
    } catch (error) {
      if (!(error instanceof ConsentOvertaken)) throw error;
      return this.end({ ...place, consent }, "overtaken");
    }
    return present(await this.look(uid), "the journey");
  }

  /** The account that a payment is made from; null for access to accounts. */
  async #debtor({ row, kind }: Place): Promise<BankAccount | null> {
    if (kind.accountChoice !== "one") return null;
    const customerId = present(row.customerId, "the customer");
    const accounts = await this.#deps.bank.listAccounts(customerId);
    const chosen = accounts.find(({ accountId }) => row.accountIds.includes(accountId));
    return present(chosen, "the account that the customer chose");
  }

  async #authorise(
    on: Queryable,
    place: Place,
    debtor: BankAccount | null,
    terms: GrantTerms,
  ): Promise<void> {
    const { row, consent, now } = place;
    // of two that approve at the same time one goes on; the other one looks at what came of it
    if (!(await endJourney(on, row.uid, "approved", "review"))) return;
    const customerId = present(row.customerId, "the customer");
    const grantId = await this.#deps.saveGrant(on, { consent, customerId, now, ...terms });
    const { accountIds } = row;
    const given = { consent, customerId, accountIds, debtor, grantId, now };
    if (!(await authoriseConsent(on, given))) throw new ConsentOvertaken();
    if (consent.grantId !== null) await dropGrant(on, consent.grantId);
  }

  /** Ends a journey, and rejects its consent unless that has been authorised before. */
  async end(place: Place, outcome: Outcome, cause = endings[outcome].reason): Promise<JourneyView> {
    const { row, consent, now } = place;
    await this.#deps.database.transaction(async (on) => {
      if (!(await endJourney(on, row.uid, outcome)) || cause === null) return;
      // who opened the link twice and finished in the other window must not lose the consent
      if (outcome === "timed_out" && (await hasOtherJourney(on, row, now))) return;
      await moveConsent(on, consent, "reject", [cause], now);
    });
    return present(await this.look(row.uid), "the journey");
  }

  async sweep(): Promise<void> {
    const { database, clock } = this.#deps;
    for (const row of await loadOverdueJourneys(database, clock.now())) await this.#place(row);
    await purgeJourneys(database, clock.now());
    await purgeAttempts(database, clock.now());
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
    const kind = consentKinds.find((candidate) => candidate.kind === consent.kind);
    const place = { row, consent, kind: present(kind, "the consent kind"), now };
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

  #isAltered({ row, consent, kind, now }: Place): boolean {
    return row.linkedHash !== linkedHash(kind.summarise(consent, now));
  }

  async #failed(place: Place, error: string, login = ""): Promise<JourneyView> {
    const failures = await countFailure(this.#deps.database, place.row.uid);
    if (failures >= failuresAllowed) return this.end(place, "locked");
    return this.#view(place, error, login);
  }

  async #advance(
    { row, now }: Place,
    advance: Omit<Parameters<typeof advanceJourney>[2], "expiresAt">,
  ): Promise<JourneyView> {
    const expiresAt = now.add({ minutes: minutes[advance.to] });
    await advanceJourney(this.#deps.database, row, { ...advance, expiresAt });
    return present(await this.look(row.uid), "the journey");
  }

  async #view(place: Place, error: string | null = null, login = ""): Promise<JourneyView> {
    const { row, consent, kind, now } = place;
    const { bank, database } = this.#deps;
    const clientName = await loadClientName(database, row.clientId, kind.scope);
    if (row.step === "login") return { clientName, step: "login", error, login };
    if (row.step === "ended") {
      const outcome = present(row.outcome, "the outcome");
      const { customerId } = row;
      return { clientName, step: "ended", outcome, customerId, grantId: consent.grantId };
    }
    const customerId = present(row.customerId, "the customer");
    const summary = kind.summarise(consent, now);
    if (row.step === "factor") {
      const customer = present(await bank.loadCustomer(customerId), "the customer");
      return { clientName, step: "factor", error, customer, linkedText: linkedText(summary) };
    }
    if (row.step === "accounts") {
      const candidates = await listCandidates(bank, kind, consent, customerId);
      const choice = kind.accountChoice;
      return { clientName, step: "accounts", error, choice, candidates, summary };
    }
    const accounts = await bank.listAccounts(customerId);
    const chosen = accounts.filter(({ accountId }) => row.accountIds.includes(accountId));
    return {
      clientName,
      step: "review",
      summary: await withMore(summary, kind, consent, chosen[0], now),
      accounts: chosen,
    };
  }
}

/** A payment's summary with what the account that was chosen adds to it. */
async function withMore(
  summary: ConsentSummary,
  kind: ConsentKind,
  consent: Consent,
  account: BankAccount | undefined,
  now: Temporal.Instant,
): Promise<ConsentSummary> {
  if (summary.type !== "payment" || !account || !kind.moreFor) return summary;
  const { rows, notes } = await kind.moreFor(consent, account, now);
  return { ...summary, rows: [...summary.rows, ...rows], notes: [...notes, ...summary.notes] };
}
