import { hasExpired } from "#src/consents/as-of.ts";
import { present } from "#src/lib/assert.ts";
import type { ConsentSummary } from "#src/pages/consent-summary.ts";
import { type EndingPage, endingPage, errorPage } from "#src/pages/journey.ts";
import {
  type Approval,
  continueText,
  type EndingFacts,
  effectText,
  notServedText,
  textsOf,
} from "#src/pages/journey-endings.ts";
import { waitEndText } from "#src/pages/wording.ts";
import { othersRequired } from "./approval.ts";
import { closingOf } from "./closings.ts";
import { accountLabel, accountNumber } from "./eligible-accounts.ts";
import { isAuthorisedSince, isRenewal, type Place } from "./load-journey.ts";
import { isReturnedAtOnce } from "./outcomes.ts";

/**
 * What a page may say about the consent of a journey that ended without an approval: only what the
 * row that was just loaded shows.
 */
function knownOf(place: Place): EndingFacts["consent"] {
  const { consent, now } = place;
  if (consent.authenticatedAt === null) return "untouched";
  const isKept =
    consent.status === "AUTH" && consent.deletedAt === null && !hasExpired(consent, now);
  return isKept && !isAuthorisedSince(place) ? "kept" : "unknown";
}

/** The request as the page that approved it has shown it: its price may have moved since. */
const shownSummary = ({ row }: Place): ConsentSummary | null => {
  const last = row.showings.findLast(({ shown }) => shown !== null && "summary" in shown);
  // a showing with this member was made from the summary of the consent
  return (last?.shown as { summary: ConsentSummary } | undefined)?.summary ?? null;
};

function approvalOf(place: Place, names: readonly string[]): Approval {
  const { consent, kind, now } = place;
  const { debtor, accountIds } = consent;
  return {
    summary: shownSummary(place) ?? kind.summarise(consent, now),
    account: debtor && { label: accountLabel(debtor), number: accountNumber(debtor) },
    accounts: accountIds.length,
    others: { count: othersRequired(place), names },
    isRenewal: isRenewal(place),
  };
}

/** What the texts of an ending are made from. */
export function factsOf(place: Place, others: readonly string[]): EndingFacts {
  const { row, consent, kind, clientName, now } = place;
  return {
    clientName,
    noun: kind.noun,
    consent: knownOf(place),
    isOwn: row.customerId !== null && row.customerId === consent.customerId,
    method: row.method,
    lockedUntil: row.lockedUntil && waitEndText(row.lockedUntil, now),
    approval: row.outcome === "approved" ? approvalOf(place, others) : null,
    refusal: row.refusal,
    reason: closingOf(consent.statusReason).reason,
  };
}

/** A journey that has ended, as its page shows it. */
type Ending = {
  place: Place;
  /** Null once the TPP has its answer. */
  continueUrl: string | null;
  note: string | null;
  /** The names of the others who may approve too; empty if they are not known. */
  others: readonly string[];
};

/** The page at the end of a journey. */
export function renderEnding(bankName: string, { place, continueUrl, note, others }: Ending) {
  const { clientName } = place;
  const outcome = present(place.row.outcome, "the outcome");
  const facts = factsOf(place, others);
  const { title, text, next } = textsOf(outcome, facts);
  const isApproved = outcome === "approved";
  // what follows a refusal has to be read
  const atOnce = isReturnedAtOnce(outcome, facts) && facts.refusal === null;
  const page: EndingPage = {
    bankName,
    clientName,
    title,
    tone: isApproved ? "approved" : "plain",
    sandboxNote: note,
    // a note of the clock is the cause that the text would give to the customer
    sentences: [
      note === null ? text : null,
      isApproved ? null : effectText(facts),
      next,
      place.isServed || outcome === "not_served" ? null : notServedText(clientName),
      continueUrl === null ? null : continueText(facts),
    ],
    back: continueUrl === null ? null : { url: continueUrl, atOnce },
  };
  return endingPage(page);
}

/** The page for a browser that has no journey here. */
export const renderLost = (
  bankName: string,
  reference: string,
  sandboxNote: string | null,
): string =>
  errorPage({
    bankName,
    title: "We cannot continue",
    message:
      "This page is part of a request that has ended, or that began in another browser. It may " +
      "also be that your browser blocks cookies.",
    reference,
    sandboxNote,
  });
