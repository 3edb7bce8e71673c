import { type Interaction, openInteraction } from "#src/auth/provider/interaction-store.ts";
import type { OrderingTpp } from "#src/bank/payment-context.ts";
import type { BankAccount } from "#src/bank/port.ts";
import { withheldScopes } from "#src/clients/access-client.ts";
import { type ClientName, clientText, registeredTpp } from "#src/clients/client-name.ts";
import { lastShowings } from "#src/consents/authorisations.ts";
import {
  type JourneyConsent,
  type JourneyConsentRow,
  journeyConsent,
  journeyConsentOf,
} from "#src/consents/journey-consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { type Beginning, type JourneyRow, journeyCreation, journeySurplus } from "./journey-row.ts";

/** A journey with all that its current step needs: loaded once in each request. */
export type Place = {
  row: JourneyRow;
  consent: JourneyConsent;
  kind: ConsentKind;
  /** The TPP as customers know it. */
  clientName: string;
  /** The TPP as the core is asked about it; null if it is not asked. */
  tpp: OrderingTpp | null;
  /** When the consent itself expires, or has waited too long; null if never. */
  expiresAt: Temporal.Instant | null;
  /** When the consent can no longer be authorised, whatever the customer does; null if never. */
  closesAt: Temporal.Instant | null;
  /** Whether the bank serves the TPP: neither the bank nor the directory has stopped it. */
  isServed: boolean;
  /** The value that the current step reads; null if it reads none. */
  read: unknown;
  now: Temporal.Instant;
};

class JourneyGone extends Error {}

/** Passes on a journey; throws if it was deleted while a request had it in hand. */
export function stillThere(place: Place | undefined): Place {
  if (!place) throw new JourneyGone("the journey was deleted meanwhile");
  return place;
}

/** Returns the result of some work on a journey; undefined if the journey was deleted meanwhile. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof JourneyGone) return undefined;
    throw error;
  }
}

/** The accounts that the customer has chosen, or that were known before. */
export const chosenAccounts = ({ row }: Pick<Place, "row">): BankAccount[] =>
  (row.accounts ?? [])
    .map(({ account }) => account)
    .filter(({ accountId }) => row.accountIds.includes(accountId));

/** Whether the consent has been authorised since the journey began, by another journey. */
export const isAuthorisedSince = ({ row, consent }: Place): boolean =>
  consent.authenticatedAt !== null &&
  Temporal.Instant.compare(consent.authenticatedAt, row.createdAt) > 0;

/** Whether the consent is in use, and its customer is asked once more: not another customer. */
export const isRenewal = ({ row, consent }: Pick<Place, "row" | "consent">): boolean =>
  consent.isInUse && consent.customerId === row.customerId;

/** Whether this customer has paused the consent, which an authorisation lifts. Source: CV-88. */
export const isPausedBy = ({ row, consent }: Pick<Place, "row" | "consent">): boolean =>
  consent.pausedAt !== null && consent.customerId === row.customerId;

/** A step that reads a further value, as a query of one JSON value about the journey `j`. */
export type Reader = { name: string; reads?: (now: Temporal.Instant) => Sql };

type LoadedRow = JourneyConsentRow &
  ClientName &
  Omit<
    JourneyRow,
    | "consentId"
    | "clientId"
    | "customerId"
    | "accountIds"
    | "createdAt"
    | "expiresAt"
    | "interaction"
  > & {
    journeyCustomerId: string | null;
    chosenIds: string[];
    begunAt: Temporal.Instant;
    endsAt: Temporal.Instant;
    interaction: string | null;
    tpp: OrderingTpp | null;
    withheldScopes: string[] | null;
    read: unknown;
  };

/** Loads journeys, each with its consent and what the current step reads, in one statement. */
export type Loader = {
  load(on: Queryable, uid: string, now: Temporal.Instant): Promise<Place | undefined>;
  /** Stores a journey at its first step, and loads it. */
  start(on: Queryable, begun: Beginning): Promise<Place | undefined>;
};

/** What places are made with. */
type PlaceDeps = {
  consentKinds: readonly ConsentKind[];
  /** How long a consent waits for its customer. */
  consentLifetimeSeconds: number;
};

/** Makes the loader of journeys. `withTpp`: whether the core is asked about their TPPs. */
export function createLoader(steps: readonly Reader[], deps: PlaceDeps, withTpp: boolean): Loader {
  const tpp = withTpp ? tppOfJourney : sql`null::json`;
  const stored = prepare(
    ({ uid, now }: { uid: string; now: Temporal.Instant }) =>
      sql`${journeyRow(steps, now, sql`journey j`, tpp)} where j.uid = ${uid}`,
  );
  const started = prepare(
    (begun: Beginning) =>
      sql`with surplus as (${journeySurplus(begun)}), j as (${journeyCreation(begun)})
        ${journeyRow(steps, begun.now, sql`j`, tpp)}`,
  );
  const place = async (on: Queryable, statement: Sql, now: Temporal.Instant) => {
    const loaded = await first<LoadedRow>(on, statement);
    return loaded && placeOf(loaded, deps, now);
  };
  return {
    load: (on, uid, now) => place(on, stored({ uid, now }), now),
    start: (on, begun) => place(on, started(begun), begun.now),
  };
}

// Loaded with the journey, so that asking the core costs no statement. In the app and at the bank's
// provider, one answer names the customer and approves, so the customer need not be known.
const tppOfJourney = sql`(
  select row_to_json(t) from (${registeredTpp(sql`j.client_id`)}) t)`;

const journeyRow = (
  steps: readonly Reader[],
  now: Temporal.Instant,
  from: Sql,
  tpp: Sql,
): Sql => sql`
  select c.*, j.software_name as "softwareName", j.on_behalf_of as "onBehalfOf", j.uid, j.step,
    j.outcome, j.customer_id as "journeyCustomerId", j.customer_login as "customerLogin",
    j.customer_name as "customerName", j.login_amr as "loginAmr",
    j.challenge_id as "challengeId",
    j.authentication, j.accounts,
    j.payee_check as "payeeCheck", j.account_ids as "chosenIds",
    case when j.outcome = 'approved' then (${lastShowings(sql`j.consent_id`)})
      else j.showings end as showings,
    j.created_at as "begunAt", least(j.expires_at, j.ends_by) as "endsAt",
    (select m.method from login_challenge m where m.challenge_id = j.challenge_id) as method,
    j.locked_until as "lockedUntil", j.refusal, j.extended_step as "extendedStep",
    j.step_up as "stepUp", j.is_in_app as "isInApp", j.ends_by is not null as "isBackchannel",
    ${tpp} as tpp, (${withheldScopes(sql`j.client_id`)}) as "withheldScopes",
    (${openInteraction(now)})::text as interaction, ${readOf(steps, now)} as read
  from ${from}
  cross join lateral (${journeyConsent(sql`j.consent_id`, sql`j.created_at`)}) c`;

/** The value that the current step reads. */
const readOf = (steps: readonly Reader[], now: Temporal.Instant): Sql => {
  const cases = steps.reduce(
    (all, { name, reads }) => (reads ? sql`${all} when ${name} then (${reads(now)})` : all),
    sql``,
  );
  return cases.text === "" ? sql`null::json` : sql`case j.step ${cases} end`;
};

/** When a consent's own end has come, or it has waited too long for its first authorisation. */
function consentEnd(consent: JourneyConsent, { consentLifetimeSeconds }: PlaceDeps) {
  const { authenticatedAt, createdAt, expiresAt } = consent;
  const waited = createdAt.add({ seconds: consentLifetimeSeconds });
  return earliest(expiresAt, authenticatedAt === null ? waited : null);
}

const earliest = (...times: (Temporal.Instant | null)[]): Temporal.Instant | null =>
  times.filter((each) => each !== null).sort(Temporal.Instant.compare)[0] ?? null;

function placeOf(loaded: LoadedRow, deps: PlaceDeps, now: Temporal.Instant): Place {
  const { softwareName, onBehalfOf, uid, step, outcome, customerLogin, customerName } = loaded;
  const { journeyCustomerId, challengeId, accounts, chosenIds, lockedUntil, extendedStep } = loaded;
  const { begunAt, endsAt, interaction, tpp, read, payeeCheck, refusal, stepUp } = loaded;
  const { authentication, method, showings, loginAmr, withheldScopes: withheld } = loaded;
  const consent = journeyConsentOf(loaded);
  const kind = kindNamed(consent.kind, deps.consentKinds);
  const expiresAt = consentEnd(consent, deps);
  const { consentId, clientId } = loaded;
  return {
    row: {
      uid,
      consentId,
      clientId,
      step,
      outcome,
      customerId: journeyCustomerId,
      customerLogin,
      customerName,
      loginAmr,
      challengeId,
      method,
      authentication,
      accounts,
      accountIds: chosenIds,
      payeeCheck,
      showings,
      createdAt: begunAt,
      expiresAt: endsAt,
      lockedUntil,
      extendedStep,
      refusal,
      stepUp,
      isInApp: loaded.isInApp,
      isBackchannel: loaded.isBackchannel,
      // parsed only if it is used, because few requests use it
      interaction: interaction === null ? null : () => JSON.parse(interaction) as Interaction,
    },
    consent,
    kind,
    clientName: clientText({ softwareName, onBehalfOf }, kind.scope),
    tpp,
    expiresAt,
    closesAt: earliest(expiresAt, kind.closesAt(consent)),
    isServed: withheld !== null && !withheld.includes(kind.scope),
    read,
    now,
  };
}
