import {
  type ApprovalAttempt,
  type GivenAuthorisation,
  listAttempts,
  listAuthorisations,
} from "#src/consents/authorisations.ts";
import type { Evidence, StatusReason, StopChannel } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { statusesBefore } from "#src/consents/states.ts";
import { type Stop, stopConsent, whyNotStopped } from "#src/consents/stop-consent.ts";
import { type Change, listChanges } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { endOf, findGiven, type GivenConsent, loadGiven, statusText } from "./given-consents.ts";

/** A consent that a customer has given, as the bank's own channels see it. Times are RFC 3339. */
export type ChannelConsent = {
  consentId: string;
  kind: KindId;
  clientId: string;
  /** The TPP as customers know it. */
  clientName: string;
  customerId: string;
  status: string;
  /** The status as the customer's pages show it. */
  statusText: string;
  reasons: { code: string; text: string }[];
  accountIds: string[];
  permissions: string[];
  authorisedAt: string;
  expiresAt: string | null;
  endedAt: string | null;
  deletedAt: string | null;
  /** Whether it can be stopped now. */
  canStop: boolean;
};

/** One change of a consent. */
type ChannelChange = {
  at: string;
  status: string;
  by: Change["cause"];
  interactionId: string | null;
  /** Where the consent was stopped; null for any other change. */
  channel: StopChannel | null;
};

/** The evidence of one authorisation; `method` and `answeredAt` may be unknown. */
type ChannelAuthorisation = Omit<GivenAuthorisation, "authorisedAt" | "answeredAt" | "endedAt"> & {
  authorisedAt: string;
  answeredAt: string | null;
  endedAt: string | null;
};

/** A customer's way to an approval that did not come about. */
type ChannelAttempt = Omit<ApprovalAttempt, "endedAt"> & { endedAt: string };

/** The signature of an order by a further customer, with its evidence. */
type ChannelSignature = Pick<Evidence, "acr" | "amr" | "showings"> & {
  orderId: string;
  customerId: string;
  signedAt: string;
  method: string | null;
};

/** Who has given a consent, and when; null if nobody has, although somebody was asked. */
type Giver = { [Member in "customerId" | "authorisedAt"]: string | null };

/** A consent with what the TPP sent, the evidence of its authorisations, and its history. */
export type WholeConsent = Omit<ChannelConsent, keyof Giver> &
  Giver & {
    sent: object;
    authorisations: ChannelAuthorisation[];
    attempts: ChannelAttempt[];
    signatures: ChannelSignature[];
    history: ChannelChange[];
  };

/** A request to stop a consent: who has decided it, and who does it where, and why. */
export type StopRequest = Required<Stop>;

/** A refusal of a channel's request: the status of its answer, and what to do. */
export class ChannelRefusal extends Error {
  readonly statusCode: 400 | 404 | 409;
  constructor(status: ChannelRefusal["statusCode"], message: string) {
    super(message);
    this.statusCode = status;
  }
}

/** What the bank's app, its call centre and its operators do with consents. */
export type ConsentChannel = {
  /** A customer's consents, the newest first: those in use, and those of the last 400 days. */
  list(customerId: string): Promise<ChannelConsent[]>;
  /** Throws ChannelRefusal, as `stop` does. */
  show(consentId: string): Promise<WholeConsent>;
  /** Stops a consent. Returns it as it is then. */
  stop(consentId: string, request: StopRequest): Promise<WholeConsent>;
};

type ChannelOptions = {
  database: Database;
  clock: Clock;
  /** Every kind of consent that the bank offers. */
  kinds: readonly Pick<ConsentKind, "id" | "scope" | "course">[];
  /** Lists the signatures of a consent's orders. */
  listSignatures(on: Queryable, consentId: string): Promise<ChannelSignature[]>;
};

const mostListed = 1000;

/** Creates the functions. The customer's own pages list and stop consents with the same ones. */
export function createConsentChannel(options: ChannelOptions): ConsentChannel {
  const { database, clock, kinds } = options;
  const scope = (kind: KindId) => kindNamed(kind, kinds).scope;

  const unknown = (): ChannelRefusal => {
    const text = "No customer has given a consent with this id. List a customer's consents first.";
    return new ChannelRefusal(404, text);
  };

  async function find(consentId: string): Promise<GivenConsent> {
    const isId = /^[\w-]{1,128}$/.test(consentId);
    const found = isId ? await findGiven(database, consentId, scope) : undefined;
    if (found) return found;
    throw unknown();
  }

  function shown(given: GivenConsent): Omit<ChannelConsent, keyof Giver> & Giver {
    const now = clock.now();
    const { course } = kindNamed(given.kind, kinds);
    const canRevoke = statusesBefore(course, "revoke").includes(given.status);
    const endedAt = endOf(given, now);
    return {
      consentId: given.consentId,
      kind: given.kind,
      clientId: given.clientId,
      clientName: given.clientName,
      customerId: given.customerId,
      status: given.status,
      statusText: statusText(given, now),
      reasons: given.statusReason.map(({ code, text }) => ({ code, text })),
      accountIds: given.accountIds,
      permissions: given.permissions,
      authorisedAt: given.authorisedAt?.toString() ?? null,
      expiresAt: given.expiresAt?.toString() ?? null,
      endedAt: endedAt?.toString() ?? null,
      deletedAt: given.deletedAt?.toString() ?? null,
      canStop: given.authorisedAt !== null && canRevoke && endedAt === null,
    };
  }

  async function show(consentId: string): Promise<WholeConsent> {
    const given = await find(consentId);
    const attempts = (await listAttempts(database, given.consentId)).map(
      ({ endedAt, ...attempt }) => ({ ...attempt, endedAt: endedAt.toString() }),
    );
    const { consentId: id, body: sent } = given;
    const authorisations = (await listAuthorisations(database, id)).map(shownAuthorisation);
    const history = (await listChanges(database, id)).map(shownChange);
    const signatures = await options.listSignatures(database, id);
    return { ...shown(given), sent, authorisations, attempts, signatures, history };
  }

  return {
    async list(customerId) {
      if (customerId === "") {
        throw new ChannelRefusal(400, "Give the id of a customer as `customerId`.");
      }
      const choice = sql`order by c."authorisedAt" desc, c."consentId" limit ${mostListed}::integer`;
      const given = await loadGiven({ database, clock }, customerId, { kinds, scope, choice });
      return given.map(shown) as ChannelConsent[]; // only those that the customer has given
    },
    show,
    async stop(consentId, request) {
      const given = await find(consentId);
      if (given.authorisedAt === null) throw unknown();
      const { course } = kindNamed(given.kind, kinds);
      if (!(await stopConsent(database, given, course, request, clock.now()))) {
        const ended = "The TPP has deleted the consent, so it has ended already.";
        throw new ChannelRefusal(409, given.deletedAt ? ended : whyNotStopped(given, course));
      }
      return show(consentId);
    },
  };
}

const shownAuthorisation = (given: GivenAuthorisation): ChannelAuthorisation => ({
  ...given,
  authorisedAt: given.authorisedAt.toString(),
  answeredAt: given.answeredAt?.toString() ?? null,
  endedAt: given.endedAt?.toString() ?? null,
});

function shownChange({ occurredAt, before, after, cause, interactionId }: Change): ChannelChange {
  // written by the room of consents
  const reasons = (after.reasons ?? []) as StatusReason[];
  const isNew = before?.status !== after.status;
  const channel = isNew ? reasons.find((one) => one.channel)?.channel : undefined;
  return {
    at: occurredAt.toString(),
    status: after.status,
    by: cause,
    interactionId,
    channel: channel ?? null,
  };
}
