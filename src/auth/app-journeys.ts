import type { FastifyInstance } from "fastify";
import type Provider from "oidc-provider";
import { appBrowser } from "#src/auth/login/browser.ts";
import { hurry } from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import { signatureOfCookies } from "#src/auth/provider/provider-configuration.ts";
import type { AppDecision, AppJourney, AppJourneys } from "#src/channels/app-journey-shapes.ts";
import { ChannelRefusal } from "#src/channels/consent-channel.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { textsOf } from "#src/pages/journey-endings.ts";
import { readAppChallenge } from "./app-challenge.ts";
import { accountLabel, accountNumber } from "./journey/eligible-accounts.ts";
import type { Journey } from "./journey/journey.ts";
import { ended, inAppStepUpName, takeIntoApp } from "./journey/journey-row.ts";
import type { JourneyTools } from "./journey/journey-step.ts";
import type { Place } from "./journey/load-journey.ts";
import { pageEnd } from "./journey/page-time.ts";
import { payeeWarningOf } from "./journey/payee-warning.ts";
import { factsOf } from "./journey/render.ts";
import { contentAt, shownFirst, subjectShown } from "./journey/showings.ts";
import { accountsStep } from "./journey/steps/accounts-step.ts";
import { inAppStep, inAppStepName, stepUpOf } from "./journey/steps/in-app-step.ts";
import { reviewOf, reviewStep } from "./journey/steps/review-step.ts";

type AppDeps = {
  /** The listener on which browsers reach the authorization server. */
  app: FastifyInstance;
  provider: Provider;
  journey: Journey;
  tools: JourneyTools;
  publicUrl: string;
  cookieSecret: string;
};

/**
 * Makes the other face of the journey, for the bank's app: the same steps, limits and endings, as
 * data instead of pages. A journey that began in a browser cannot be continued here, nor one that
 * began here in a browser, which has no cookie for it.
 */
export function createAppJourneys(deps: AppDeps): Omit<AppJourneys, "scan" | "identify"> {
  const { journey, publicUrl } = deps;
  const calls = browserCalls(deps);

  async function find(journeyId: string): Promise<Place> {
    const place = await journey.find(journeyId);
    if (place?.row.isInApp) return place;
    throw new ChannelRefusal(404, "The app has begun no journey with this id.");
  }

  async function redirectOf(place: Place): Promise<string | null> {
    const { uid, interaction, step, isBackchannel } = place.row;
    // no browser waits: the TPP gets its answer at the token endpoint
    if (step !== ended || !interaction || isBackchannel) return null;
    await journey.settle(place);
    return calls.resume(uid, interaction().returnTo);
  }

  const answerOf = async (place: Place) => ({
    journey: await shownOf(place),
    redirectTo: await redirectOf(place),
  });

  return {
    async begin({ authorizationUrl }) {
      const url = URL.parse(authorizationUrl);
      if (url?.origin !== new URL(publicUrl).origin || url.pathname !== "/auth") {
        throw new ChannelRefusal(400, `authorizationUrl must begin with ${publicUrl}/auth?`);
      }
      const answer = await calls.begin(`${url.pathname}${url.search}`);
      const { location } = answer.headers;
      const [, journeyId] = /^\/journey\/([\w-]+)$/.exec(location ?? "") ?? [];
      if (journeyId === undefined) {
        if (location) return { journey: null, redirectTo: location };
        throw new ChannelRefusal(400, `The request cannot be used: ${answer.body.slice(0, 1000)}`);
      }
      const begun = await journey.find(journeyId); // the page of its first step is never shown
      if (begun) await takeIntoApp(deps.tools.database, begun.row, await inAppOf(begun));
      return answerOf(await find(journeyId)); // it may be too late for the request
    },

    async show(journeyId) {
      return shownOf(await find(journeyId));
    },

    async listAccounts(journeyId, customerId) {
      return accountsOf(deps.tools, openOnly(await find(journeyId)), customerId);
    },

    async decide(journeyId, decision) {
      let place = await find(journeyId);
      const isCancelled = decision.decision === "cancel";
      // too late, or once more: the answer says how the journey has ended
      if (place.row.step === ended) return answerOf(place);
      if (!isCancelled && decision.shownHash !== (await shownOf(place)).shownHash) {
        throw new ChannelRefusal(409, texts.changed);
      }
      refuseOthers(place, decision);
      const answers = answersOf(decision);
      const first = place.row.step;
      for (let step = journey.stepOf(place); step; step = journey.stepOf(place)) {
        // the customer has not seen what the account adds, or why the core asks once more
        if (!isCancelled && addsToShown(step) && first !== step.name) break;
        const { challengeId } = place.row;
        // the app has answered just now, so the core is asked at once
        if (challengeId && step.waits?.(place)) await hurry(deps.tools.database, challengeId);
        const posted = isCancelled
          ? await journey.post(journeyId, appBrowser, cancelling(step.name))
          : await journey.check(place, appBrowser, answers[step.name]);
        const problem = posted?.again?.problem?.error;
        if (problem !== undefined) throw new ChannelRefusal(409, problem);
        place = posted?.ended ?? (await find(journeyId));
        const isWaiting = posted?.again && place.row.step === step.name;
        if (isWaiting) throw new ChannelRefusal(409, texts.unanswered);
      }
      return answerOf(place);
    },

    readChallenge: (challengeId) => readAppChallenge({ ...deps.tools, journey }, challengeId),
  };
}

/** Where the app begins a journey, and what it shows first. It may be too late for the request. */
async function inAppOf(place: Place) {
  if (place.row.step === ended) return { to: ended, showings: [] };
  const row = { ...place.row, step: inAppStepName, isInApp: true };
  const showings = await shownFirst(inAppStep, { ...place, row }, "continue");
  return { to: inAppStepName, showings: showings ?? [] };
}

/** Whether a step shows more than the request itself, so that the customer decides again. */
const addsToShown = ({ name }: { name: string }): boolean =>
  name === reviewStep.name || name === inAppStepUpName;

/** The accounts of a customer, for a journey. */
async function accountsOf(
  tools: JourneyTools,
  place: Place,
  customerId: string,
): ReturnType<AppJourneys["listAccounts"]> {
  const row = { ...place.row, customerId };
  const begun = await accountsStep.begin?.(tools, { ...place, row });
  if (!begun || "ends" in begun) return { accounts: [], ends: begun?.ends ?? null };
  const { accounts = [], accountIds = [] } = begun.facts;
  return {
    ends: null,
    accounts: (accounts ?? []).map(({ account, unavailable, balance }) => ({
      accountId: account.accountId,
      label: accountLabel(account),
      number: accountNumber(account),
      balance: balance ?? null,
      unavailable,
      isFixed: accountIds.includes(account.accountId),
    })),
  };
}

/** What a browser would ask the authorization server at the beginning and the end of a journey. */
function browserCalls({ app, provider, publicUrl, cookieSecret }: AppDeps) {
  const { host } = new URL(publicUrl);
  const name = provider.cookieName("resume");
  const signature = signatureOfCookies(cookieSecret);
  const get = (url: string, more: Record<string, string> = {}) =>
    app.inject({ method: "GET", url, headers: { host, accept: "application/json", ...more } });
  return {
    /** The answer to an authorization request. Throws Unavailable. */
    async begin(url: string) {
      const answer = await get(url);
      const { statusCode } = answer;
      if (statusCode < 500) return answer;
      throw new Unavailable("core", `the authorization server answered ${statusCode}`, {});
    },
    /** The TPP's redirect URI with the answer. */
    async resume(uid: string, returnTo: string): Promise<string | null> {
      const pair = `${name}=${uid}`;
      const cookie = `${pair}; ${name}.sig=${signature.sign(pair)}`;
      const { headers } = await get(new URL(returnTo).pathname, { cookie });
      return headers.location ?? null;
    },
  };
}

const texts = {
  unanswered: "The customer has not approved the challenge in the app yet. Then decide again.",
  otherCustomer:
    "customerId is not that of the journey's customer, whom a TPP has named or who has begun to approve.",
  otherAccounts: "accountIds are not those that were chosen before. Send the same, or cancel.",
  changed: "shownHash is not the hash of what the journey shows now. Read it again, and show it.",
};

/** Throws ChannelRefusal if the customer or the accounts differ from those of a journey. */
function refuseOthers({ row }: Place, given: AppDecision): void {
  const { decision, customerId, accountIds = [] } = given;
  if (row.customerId !== null && customerId !== row.customerId) {
    throw new ChannelRefusal(409, texts.otherCustomer);
  }
  if (decision === "cancel") return;
  if (!addsToShown({ name: row.step }) || accountIds.length === 0) return;
  const isSame = new Set(accountIds).symmetricDifference(new Set(row.accountIds)).size === 0;
  if (!isSame) throw new ChannelRefusal(409, texts.otherAccounts);
}

const cancelling = (step: string) => new URLSearchParams({ step, decision: "cancel" });

function openOnly(place: Place): Place {
  if (place.row.step !== ended) return place;
  throw new ChannelRefusal(409, "The journey has ended. Read it to see how.");
}

/** What the app answers at each step. */
function answersOf({ customerId, shownHash, authentication, accountIds = [] }: AppDecision) {
  const { amr = [], at = "" } = authentication ?? {};
  const confirmed = new URLSearchParams({
    customerId: customerId ?? "",
    shownHash: shownHash ?? "",
    at,
  });
  for (const method of amr) confirmed.append("amr", method);
  const accounts = new URLSearchParams(accountIds.map((id) => ["account", id]));
  const answers = { [inAppStepName]: confirmed, [inAppStepUpName]: confirmed, accounts };
  return answers as Record<string, URLSearchParams>;
}

/** What the app shows at a step that adds to the request, as the journey has stored it. */
const addedContent = (place: Place): ReturnType<typeof reviewOf> =>
  contentAt(place, place.row.step, () =>
    place.row.step === inAppStepUpName ? stepUpOf(place) : reviewOf(place),
  );

/** What the app shows now: later, what the account adds too, and why the core asks once more. */
async function shownOf(place: Place): Promise<AppJourney> {
  const { row, consent, kind, clientName, now } = place;
  const subject = subjectShown(place);
  const ending = row.outcome === null ? null : textsOf(row.outcome, factsOf(place, []));
  const { stepUp } = row;
  const isMore = addsToShown({ name: row.step });
  const added = isMore ? await addedContent(place) : null;
  const { summary, warning } = added ?? {
    summary: kind.summarise(consent, now),
    warning: payeeWarningOf(place),
  };
  const shown = added ?? subject;
  return {
    journeyId: row.uid,
    outcome: row.outcome,
    ending: ending && { title: ending.title, text: ending.text },
    clientName,
    consentId: consent.consentId,
    kind: consent.kind,
    expiresAt: pageEnd(place).toString(),
    summary,
    warning,
    stepUp: row.step === ended ? null : stepUp,
    facts: confirmingRows(subject).map(({ label, value }) => ({ label, value })),
    accountChoice: kind.accountChoice,
    shown,
    shownHash: sha256(canonicalJson(shown)),
  };
}
