import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type Provider from "oidc-provider";
import type { Devices } from "#src/auth/login/browser.ts";
import { answerWait, formOf, preparePages, referenceOf } from "#src/auth/login/page-scope.ts";
import { authenticated, insistedSubjects, namedIntent } from "#src/auth/provider/intent.ts";
import { deriveSecret } from "#src/auth/provider/provider-configuration.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { csrfToken, isCsrfToken } from "./csrf.ts";
import type { GrantTerms, Journey, JourneyRequest, JourneyView, Problem } from "./journey.ts";
import { endings } from "./outcomes.ts";
import {
  type RenderDeps,
  renderAnswered,
  renderLost,
  renderReturning,
  renderStep,
  type Shown,
} from "./render.ts";

/** What the journey's pages are served with. */
export type JourneyRouteDeps = RenderDeps & {
  provider: Provider;
  journey: Journey;
  devices: Devices;
  clock: Clock;
  cookieSecret: string;
};

type Interaction = InstanceType<Provider["Interaction"]>;
type Visit = { uid: string; interaction: Interaction; reference: string };
type Uid = { Params: { uid: string } };

const headers = { "referrer-policy": "no-referrer" };

/** Serves the journey: `GET /journey/:uid` shows where it is, `POST` takes its forms. */
export function registerJourney(app: FastifyInstance, deps: JourneyRouteDeps): void {
  const secret = deriveSecret(deps.cookieSecret, "journey forms");
  app.register(async (scope) => {
    preparePages(scope, {
      bankName: deps.bankName,
      headers,
      wayBack: ({ params }) => ({ url: `/journey/${(params as Uid["Params"]).uid}`, text: goOn }),
    });
    scope.get<Uid>("/journey/:uid", async (request, reply) => {
      const visit = await findVisit(deps, request, reply);
      if (!visit) return answerLost(deps, request, reply);
      await deps.journey.start(requestOf(visit));
      return answer(deps, secret, visit, { error: null, login: "" }, reply);
    });
    scope.post<Uid>("/journey/:uid", async (request, reply) => {
      const visit = await findVisit(deps, request, reply);
      if (!visit) return answerLost(deps, request, reply);
      const form = formOf(request);
      if (!isCsrfToken(secret, visit.uid, form.get("csrf"))) {
        return reply.code(403).send(renderLost(deps, visit.reference));
      }
      await deps.journey.start(requestOf(visit));
      const problem = await take(deps, visit, form, request, reply);
      // a page that answers a form would be sent again by a reload, and may not redirect elsewhere
      if (problem === null) return reply.redirect(`/journey/${visit.uid}`, 303);
      if (problem.waitUntil) answerWait(reply, problem.waitUntil, deps.clock.now());
      const shown = { error: problem.error, login: form.get("login") ?? "" };
      return answer(deps, secret, visit, shown, reply);
    });
  });
}

const goOn = "Continue with this request";

/** The interaction that this browser holds the cookie of, if the TPP has not been answered yet. */
async function findVisit(
  deps: JourneyRouteDeps,
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
): Promise<Visit | null> {
  const { uid } = request.params;
  if (!holdsCookie(deps.provider, request, reply, uid)) return null;
  // the types of `find` lose what it finds
  const interaction = (await deps.provider.Interaction.find(uid)) as Interaction | undefined;
  return interaction ? { uid, interaction, reference: referenceOf(reply) } : null;
}

function holdsCookie(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  uid: string,
): boolean {
  const { cookies } = provider.createContext(request.raw, reply.raw);
  return cookies.get(provider.cookieName("interaction"), { signed: true }) === uid;
}

async function answerLost(
  deps: JourneyRouteDeps,
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { uid } = request.params;
  const own = holdsCookie(deps.provider, request, reply, uid);
  const view = own ? await deps.journey.look(uid) : undefined;
  const reference = referenceOf(reply);
  if (view?.step === "ended") return reply.send(renderAnswered(deps, view, reference));
  return reply.code(400).send(renderLost(deps, reference));
}

async function take(
  { journey, devices }: JourneyRouteDeps,
  visit: Visit,
  form: URLSearchParams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Problem> {
  const { uid } = visit;
  const decision = form.get("decision");
  const code = form.get("code");
  const login = form.get("login");
  if (decision === "cancel") return journey.abandon(uid, "cancelled");
  if (decision === "approve") return journey.approve(uid, termsOf(visit));
  if (login !== null) {
    const given = { login, password: form.get("password") ?? "" };
    return journey.login(uid, devices.browserOf(request), given);
  }
  if (code === null) return journey.choose(uid, form.getAll("account"));
  const { problem, authenticated } = await journey.factor(uid, code, requestOf(visit).subjects);
  if (authenticated !== null) devices.remember(request, reply, authenticated);
  return problem;
}

async function answer(
  deps: JourneyRouteDeps,
  secret: string,
  visit: Visit,
  shown: Shown,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const view = present(await deps.journey.look(visit.uid), "the journey");
  if (view.step === "ended") {
    await settle(visit.interaction, view);
    return reply.send(renderReturning(deps, view, visit.interaction.returnTo));
  }
  const form = { action: `/journey/${visit.uid}`, csrf: csrfToken(secret, visit.uid) };
  return reply.send(await renderStep(deps, view, shown, form));
}

/** Tells the authorization server what came of it; what it was told first stands. */
async function settle(
  interaction: Interaction,
  view: Extract<JourneyView, { step: "ended" }>,
): Promise<void> {
  if (interaction.result !== undefined) return;
  const { customerId, grantId } = view;
  const given = endings[view.outcome].error;
  if (given === null && customerId !== null && grantId !== null) {
    interaction.result = {
      login: { accountId: customerId, ...authenticated, remember: false },
      consent: { grantId },
    };
  } else {
    // approved, but deleted by its TPP before the answer
    interaction.result = { ...(given ?? endings.overtaken.error) };
  }
  await interaction.persist();
}

function claimsOf({ interaction }: Visit): unknown {
  const { claims } = interaction.params;
  return typeof claims === "string" ? JSON.parse(claims) : undefined;
}

function requestOf(visit: Visit): JourneyRequest {
  const claims = claimsOf(visit);
  return {
    uid: visit.uid,
    clientId: String(visit.interaction.params.client_id),
    consentId: namedIntent(claims) ?? "",
    subjects: insistedSubjects(claims, visit.interaction.params.id_token_hint),
  };
}

// Every claim that was asked for is granted: there are none but ours.
function termsOf(visit: Visit): GrantTerms {
  const claims = (claimsOf(visit) ?? {}) as Record<string, object | null>; // judged at the start
  const names = [claims.id_token, claims.userinfo].flatMap((member) => Object.keys(member ?? {}));
  return { scope: String(visit.interaction.params.scope), claims: [...new Set(names)] };
}
