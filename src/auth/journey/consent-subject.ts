import { confirmedDetails } from "#src/auth/login/confirming.ts";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import type { AccountReference } from "#src/bank/port.ts";
import {
  type ActToConfirm,
  actToConfirm,
  approvedMembers,
  factsOfRows,
} from "#src/consents/approved-facts.ts";
import { toTermsRecord } from "#src/consents/terms.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import type { ConsentNoun, ConsentSummary } from "#src/pages/consent-summary.ts";
import { pausedText } from "#src/pages/journey.ts";
import { isPausedBy, type Place } from "./load-journey.ts";

const acts = {
  payment: "payment",
  "standing order": "standing order",
  "file of payments": "file",
  "payment permission": "payment permission",
} as const satisfies Record<"payment" | ConsentNoun, ChallengeSubject["act"]>;

/**
 * The end of the debtor account's number. Before the second factor, the bank shows no more of it,
 * and not the name that the TPP chose: the customer could take that for the bank's. Whether it is
 * the customer's account is judged afterwards.
 */
export const endOf = ({ identification }: AccountReference): string =>
  `ending ${identification.slice(-4)}`;

/**
 * What the second factor confirms of a consent: the subject, and the facts behind its words. They
 * are all that the TPP asked for, all that the bank has promised for it, such as charges and rates,
 * and what only the bank's calendar says, such as the day on which a payment is made.
 */
export function actOf(place: Place): ActToConfirm {
  const { consent, kind, clientName, now } = place;
  const summary = kind.summarise(consent, now);
  const rows = summary.type === "payment" ? summary.rows.filter(({ confirmed }) => confirmed) : [];
  return actToConfirm(subjectWith(place, summary), {
    ...approvedMembers(consent),
    clientName,
    isPaused: isPausedBy(place),
    rows: factsOfRows(rows),
  });
}

/**
 * The part of a consent that the second factor confirms: amount and payee, or the permissions. The
 * hash of the terms binds all that the TPP asked for and all that the bank has promised for it,
 * such as charges and rates. Source: SCA-RTS article 5(1).
 */
export const subjectOf = (place: Place): ChallengeSubject =>
  subjectWith(place, place.kind.summarise(place.consent, place.now));

function subjectWith(place: Place, summary: ConsentSummary): ChallengeSubject {
  const { consent, kind, clientName } = place;
  const { consentId: id, body, terms, permissions } = consent;
  const termsHash = sha256(canonicalJson({ body, terms: toTermsRecord(terms), permissions }));
  if (summary.type === "payment") {
    const payee = { name: summary.payeeName, account: summary.payeeAccount };
    const { amount, noun = "payment" } = summary;
    const debtor = kind.namedDebtor(consent);
    const details = [
      ...(isPausedBy(place) ? [{ label: "Now", value: pausedText(clientName) }] : []),
      ...(debtor ? [{ label: "From", value: `Account ${endOf(debtor)}` }] : []),
      ...confirmedDetails(summary),
    ];
    return { act: acts[noun], id, amount, payee, details, termsHash };
  }
  if (summary.type === "funds") {
    const { accountNumber: account, until } = summary;
    return { act: "funds confirmation", id, clientName, account, until, termsHash };
  }
  const data = summary.clusters.map(({ title }) => title);
  return { act: "access", id, clientName, permissions, data, until: summary.until, termsHash };
}
