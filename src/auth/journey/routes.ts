import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type Provider from "oidc-provider";
import { journeyOfState } from "#src/auth/login/bank-login.ts";
import type { Devices } from "#src/auth/login/browser.ts";
import { cookieNamed } from "#src/auth/login/cookies.ts";
import { ownReturnOf } from "#src/auth/login/own-return.ts";
import { answerWait, formOf, preparePages, referenceOf } from "#src/auth/login/page-scope.ts";
import { waitingPage } from "#src/auth/login/waiting-page.ts";
import { clockNote, lostJourneyNote } from "#src/auth/provider/clock-note.ts";
import { deriveSecret, signatureOfCookies } from "#src/auth/provider/provider-configuration.ts";
import type { Clock } from "#src/lib/clock.ts";
import { hmacSha256, isSameText } from "#src/lib/hash.ts";
import { cameBackPage } from "#src/pages/hand-over.ts";
import type { Journey, Posted } from "./journey.ts";
import { ended } from "./journey-row.ts";
import type { SandboxHints } from "./journey-step.ts";
import type { Place } from "./load-journey.ts";
import { renderEnding, renderLost } from "./render.ts";

type JourneyRouteDeps = {
  bankName: string;
  provider: Provider;
  journey: Journey;
  devices: Devices;
  clock: Clock;
  cookieSecret: string;
  /** Absent in production. */
  sandboxHints?: SandboxHints;
};

type Uid = { Params: { uid: string } };

const headers = { "referrer-policy": "no-referrer" };

/** Serves the journey: `GET /journey/:uid` shows the current step, `POST` takes its form. */
export function registerJourney(app: FastifyInstance, deps: JourneyRouteDeps): void {
  const { bankName, journey, devices, clock } = deps;
  const tokens = createCsrfTokens(deriveSecret(deps.cookieSecret, "journey forms"));
  const holdsCookie = cookieChecker(deps);
  app.register(async (scope) => {
    preparePages(scope, {
      bankName,
      headers,
      wayBack: ({ params }) => ({ url: `/journey/${(params as Uid["Params"]).uid}`, text: goOn }),
    });
    scope.get<Uid>("/journey/:uid", async (request, reply) => {
      if (!holdsCookie(request)) return sendLost(deps, 400, reply, null);
      const place = await journey.find(request.params.uid);
      if (!place) return sendLost(deps, 400, reply, lostJourneyNote(deps));
      const browser = devices.browserOf(request);
      const step = journey.stepOf(place);
      const waits = step?.waits?.(place);
      if (waits) return go(request, reply, await journey.check(place, browser));
      if (!step?.leadsTo) return answer(deps, tokens, place, null, request, reply);
      const query = queryOf(request);
      if (!query.has("state")) return reply.redirect(await journey.leadOn(place), 303);
      return go(request, reply, await journey.check(place, browser, query));
    });
    // the bank's own login knows one address, which has no cookie of any journey
    scope.get(returnPath, async (request, reply) => {
      const query = queryOf(request);
      const uid = journeyOfState(query.get("state"));
      if (uid === null) return sendLost(deps, 400, reply, null);
      const own = ownReturnOf(uid);
      if (own) return reply.send(cameBackPage({ bankName, url: `${own}?${query}` }));
      return reply.redirect(`/journey/${uid}?${query}`, 303);
    });
    scope.post<Uid>("/journey/:uid", async (request, reply) => {
      const { uid } = request.params;
      if (!holdsCookie(request)) return sendLost(deps, 400, reply, null);
      const form = formOf(request);
      if (!tokens.isToken(uid, form.get("csrf"))) return sendLost(deps, 403, reply, null);
      return go(request, reply, await journey.post(uid, devices.browserOf(request), form));
    });
  });

  /** Shows what a form, or an answer that arrived elsewhere, has led to. */
  async function go(
    request: FastifyRequest<Uid>,
    reply: FastifyReply,
    posted: Posted | undefined,
  ): Promise<FastifyReply> {
    const { uid } = request.params;
    if (posted?.authenticated) devices.remember(request, reply, posted.authenticated);
    // a form may not redirect to another origin, but the page of an ended journey leads there
    if (posted?.ended) return answer(deps, tokens, posted.ended, null, request, reply);
    const again = posted?.again;
    // a reload would send the form again
    if (!again) return reply.redirect(`/journey/${uid}`, 303);
    const place = await journey.find(uid);
    if (place?.row.step !== again.step) return reply.redirect(`/journey/${uid}`, 303);
    const isNews = again.problem !== null || again.note !== null;
    const waits = journey.stepOf(place)?.waits?.(place) ?? false;
    // the browser's Back would send the question once more; its address may have a query
    if (request.method === "POST" && waits && !isNews) return reply.redirect(request.url, 303);
    const waitUntil = again.problem?.waitUntil;
    if (waitUntil) answerWait(reply, waitUntil, clock.now());
    return answer(deps, tokens, place, again, request, reply);
  }
}

/** Where the bank's own login sends customers back. */
export const returnPath = "/journey/returned";

const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(request.url.split("?", 2)[1]);

const goOn = "Continue with this request";

/**
 * Makes the check whether a browser holds the cookie of a journey, which the library has signed.
 * The library's own check would make all its objects of a request.
 */
function cookieChecker({ provider, cookieSecret }: JourneyRouteDeps) {
  const name = provider.cookieName("interaction");
  const signature = signatureOfCookies(cookieSecret);
  return (request: FastifyRequest<Uid>): boolean => {
    const { uid } = request.params;
    if (cookieNamed(request, name) !== uid) return false;
    return signature.verify(`${name}=${uid}`, cookieNamed(request, `${name}.sig`));
  };
}

const sendLost = (
  { bankName }: JourneyRouteDeps,
  status: 400 | 403,
  reply: FastifyReply,
  note: string | null,
): FastifyReply => reply.code(status).send(renderLost(bankName, referenceOf(reply), note));

async function answer(
  deps: JourneyRouteDeps,
  tokens: CsrfTokens,
  place: Place,
  again: Posted["again"],
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { bankName, journey } = deps;
  const { uid, step, interaction } = place.row;
  const { closesAt, isServed } = place;
  const note = clockNote({ ...place.row, closesAt }, deps);
  if (step !== ended) {
    // expired at the authorization server, which cannot go on with it
    if (!interaction) return sendLost(deps, 400, reply, note);
    const shown = {
      error: again?.problem?.error ?? null,
      note: again?.note ?? null,
      given: again?.given ?? null,
    };
    const waits = journey.stepOf(place)?.waits?.(place) ?? false;
    const waiting = waitingPage(request, reply, `/journey/${uid}`, waits);
    const form = { ...waiting, csrf: tokens.tokenOf(uid) };
    return reply.send(await journey.show(place, { ...form, ...shown }));
  }
  const ending = { place, note, others: await journey.otherSignatories(place) };
  // the authorization server does not go on with the request of a client that is not served
  if (!interaction || !isServed) {
    return reply.send(renderEnding(bankName, { ...ending, continueUrl: null }));
  }
  await journey.settle(place);
  return reply.send(renderEnding(bankName, { ...ending, continueUrl: interaction().returnTo }));
}

/** The tokens that a journey's forms carry: only the bank can make them, each for one journey. */
type CsrfTokens = {
  tokenOf(uid: string): string;
  /** Whether a form carried the token of its journey; compared in constant time. */
  isToken(uid: string, given: string | null): boolean;
};

/** Makes the tokens of a bank. */
function createCsrfTokens(secret: string): CsrfTokens {
  const tokenOf = hmacSha256(secret);
  return { tokenOf, isToken: (uid, given) => isSameText(given ?? "", tokenOf(uid)) };
}
