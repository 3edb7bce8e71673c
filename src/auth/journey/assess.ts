import { type StatusReason, statusReason } from "#src/consents/consent.ts";
import { assessedFile } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import type { ReasonCode } from "#src/standard/error-codes.ts";
import type { Sql } from "#src/storage/sql.ts";
import { actOf } from "./consent-subject.ts";
import { advanceJourney, inAppStepUpName, stepUpName } from "./journey-row.ts";
import type { JourneyStep, JourneyTools } from "./journey-step.ts";
import type { Place } from "./load-journey.ts";
import { reaching } from "./showings.ts";
import { stepNamed } from "./step-order.ts";

type Deps = Pick<JourneyTools, "attachedData" | "bank" | "database" | "login"> & {
  steps: readonly JourneyStep[];
};

/** Why the core refuses a consent: the reason for the TPP, and the text for the customer. */
type Refusal = { ends: "refused"; why: { cause: StatusReason; refusal: string } };

/** A further code is needed, and the customer may not be asked for one now. */
type Locked = { ends: "too_many_codes"; why: { lockedUntil: Temporal.Instant | null } };

/** The customer may authorise the consent. The statements run with the authorisation. */
type Allowed = { along: readonly Sql[] };

/**
 * Asks the core whether the customer may authorise the consent, unless the core is not to be asked.
 * If the core wants a further code, the journey moves to the step that asks for it. Throws
 * Unavailable.
 */
export async function assessApproval(
  deps: Deps,
  place: Place,
): Promise<Refusal | Locked | "steps up" | Allowed> {
  const { bank } = deps;
  if (!bank.assess) return { along: [] };
  const { row, consent, now } = place;
  const { consentId, kind, apiVersion, body } = consent;
  const answer = await bank.assess({
    consentId,
    kind,
    customerId: present(row.customerId, "the customer"),
    accountIds: row.accountIds,
    isRenewal: consent.authenticatedAt !== null,
    hasSteppedUp: row.stepUp !== null,
    tpp: present(place.tpp, "the TPP of a journey whose consent is assessed"),
    sent: { apiVersion, consent: body, devices: { consent: consent.terms.device ?? null } },
    payeeCheck: row.payeeCheck,
    file: assessedFile(consent.terms),
  });
  switch (answer.result) {
    case "allow": {
      const { attachedData: data } = answer;
      const { attachedData: kept } = deps;
      return { along: kept && data !== undefined ? [kept.storing(consentId, data, now)] : [] };
    }
    case "step up":
      return askOnceMore(deps, place, answer.customerText);
    case "refuse": {
      const { code, text } = answer.reason;
      // safe: the schema of the answer admits only published codes
      const cause = statusReason(code as ReasonCode, text);
      return { ends: "refused", why: { cause, refusal: answer.customerText } };
    }
  }
}

/**
 * Moves a journey to the step that asks for a further code, with what the customer has chosen. In a
 * journey of the bank's app, the app authenticates the customer once more.
 */
async function askOnceMore(
  { database, login, steps }: Deps,
  place: Place,
  text: string,
): Promise<Locked | "steps up"> {
  const { row, now } = place;
  if (row.stepUp !== null) {
    throw new Unavailable("core", "the bank's core has asked for a further code twice", {});
  }
  const wanted = row.isInApp ? inAppStepUpName : stepUpName;
  const step = stepNamed(steps, wanted);
  const customerId = present(row.customerId, "the customer");
  const refusal = row.isInApp ? null : await login.whyNotAsk(customerId);
  if (refusal) return { ends: "too_many_codes", why: { lockedUntil: refusal.waitUntil } };
  const challenge = row.isInApp ? null : await login.ask({ customerId, ...actOf(place) });
  // an approval on the first page has stored none of them yet
  const { accounts, accountIds, customerLogin, customerName, authentication, payeeCheck } = row;
  const known = { customerId: row.customerId, customerLogin, customerName, authentication };
  const asking = { ...place, row: { ...row, stepUp: text } };
  const showings = await reaching(step, asking, "approve");
  const facts = { ...known, accounts, accountIds, payeeCheck, stepUp: text, showings };
  await advanceJourney(database, row, {
    to: step.name,
    facts: challenge ? { ...facts, challengeId: challenge.challengeId } : facts,
    ...(challenge ? { challenge } : {}),
    expiresAt: now.add({ minutes: step.minutes }),
    later: [],
  });
  return "steps up";
}
