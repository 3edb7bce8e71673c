import type { Auth } from "#src/auth/authorization-server.ts";
import { hurry, listAppChallenges } from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import type { AppChallenge, AppJourney, AppJourneys } from "#src/channels/app-journey-shapes.ts";
import { ChannelRefusal } from "#src/channels/consent-channel.ts";
import type { AppControls } from "#src/sandbox/controls/approval-shapes.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import type { Parts, Sandbox } from "#src/server/parts.ts";
import { customerOf } from "./customer-acts.ts";

const refusals = {
  "wrong digits":
    "`digits` must be those that the bank's page shows. GET /sandbox/v1/approvals lists them. " +
    "Nothing was done.",
  over:
    "Nothing waits under this id: it was answered, or its time is over. " +
    "GET /sandbox/v1/approvals lists the requests that wait.",
} as const;

/** Why an answer in the app has no effect; null if it counts. */
function whyNoEffect({ state, ending }: AppChallenge): string | null {
  if (state === "open") return null;
  if (state === "answered") return "This request was approved before. Nothing was done now.";
  if (ending === null) return refusals.over;
  return `This request has ended, and nothing was approved here. ${ending.title}: ${ending.text}`;
}

/** Plays the app of the sandbox bank's customers. */
export function appControls(
  { app, database, clock, sandbox }: Parts & { sandbox: Sandbox },
  auth: Auth,
): AppControls {
  const journeys = auth.inApp(app);
  return {
    async identify({ customer }) {
      const { customerId } = await customerOf(sandbox, customer);
      return asSandbox(() => journeys.identify({ customerId }));
    },

    async scan({ customer, consentId }) {
      const { customerId } = await customerOf(sandbox, customer);
      await asSandbox(() => journeys.scan({ customerId, consentId }));
    },

    async list() {
      const customers = await sandbox.customers();
      const waiting = await listAppChallenges(database, clock.now());
      return waiting.map(({ challengeId, customerId, subject, expiresAt, ...shown }) => ({
        approvalId: challengeId,
        customer: customers.find((one) => one.customerId === customerId)?.login ?? customerId,
        facts: confirmingRows(subject).map(({ label, value }) => ({ label, value })),
        ...shown,
        expiresAt: expiresAt.toString(),
      }));
    },

    async answer(approvalId, { decision, digits, accountIds }) {
      if (!sandbox.answerInApp) {
        throw new SandboxRefusal(409, "The core of BANK_MODULE has its own app: answer there.");
      }
      // ends it, if its journey is over
      const noEffect = whyNoEffect(await asSandbox(() => journeys.readChallenge(approvalId)));
      if (noEffect !== null) throw new SandboxRefusal(404, noEffect);
      const waiting = await listAppChallenges(database, clock.now());
      const asked = waiting.find(({ challengeId }) => challengeId === approvalId);
      const journeyId = (await auth.backchannel?.journeyOf(approvalId)) ?? null;
      const going = asked && journeyId && { journeyId, customerId: asked.customerId };
      const goesOn = decision === "approve" && going;
      // before the answer, which nothing can undo
      const accounts = goesOn ? await asSandbox(() => choose(journeys, going, accountIds)) : [];
      const result = asked ? await sandbox.answerInApp(approvalId, decision, digits) : "over";
      if (result === "over") throw new SandboxRefusal(404, refusals.over);
      if (result === "wrong digits") throw new SandboxRefusal(409, refusals[result]);
      await hurry(database, approvalId);
      if (!going) return null;
      await auth.backchannel?.take(going.journeyId);
      return goesOn ? goOn(journeys, going, accounts) : null;
    },
  };
}

type Going = { journeyId: string; customerId: string };

/**
 * The accounts that the customer chooses if no page shows the journey: those given, or the usual
 * ones. Throws SandboxRefusal if the customer cannot choose those given.
 */
async function choose(
  journeys: AppJourneys,
  { journeyId, customerId }: Going,
  given: string[] | undefined,
): Promise<string[]> {
  const { accountChoice } = await journeys.show(journeyId);
  const { accounts, ends } = await journeys.listAccounts(journeyId, customerId);
  const open = accounts
    .filter(({ unavailable }) => unavailable === null)
    .map(({ accountId }) => accountId);
  const isOne = accountChoice === "one";
  if (given === undefined || ends !== null) return isOne ? open.slice(0, 1) : open;
  const isFitting = isOne ? given.length === 1 : given.length > 0;
  if (isFitting && given.every((id) => open.includes(id))) return given;
  const what = isOne ? "one account" : "accounts";
  const known = open.length > 0 ? ` from ${open.join(", ")}` : "";
  throw new SandboxRefusal(409, `\`accountIds\` must name ${what}${known}. Nothing was done.`);
}

/**
 * What is left after the approval if no page shows the journey: accounts, and a review. Returns the
 * warning that the review has shown.
 */
async function goOn(
  journeys: AppJourneys,
  { journeyId, customerId }: Going,
  accountIds: string[],
): Promise<AppJourney["warning"]> {
  let { outcome, shownHash, warning } = await journeys.show(journeyId);
  for (let turn = 0; turn < 2 && outcome === null; turn += 1) {
    const decision = { decision: "approve" as const, customerId, accountIds, shownHash };
    const { journey } = await asSandbox(() => journeys.decide(journeyId, decision));
    ({ outcome = null, shownHash = shownHash } = journey ?? {});
    warning = journey?.warning ?? warning;
  }
  return warning;
}

async function asSandbox<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ChannelRefusal)) throw error;
    throw new SandboxRefusal(error.statusCode, error.message);
  }
}

/** Approves a request in the app, with the digits that its page shows. */
export async function approveInApp(app: AppControls, approvalId: string): Promise<void> {
  const found = (await app.list()).find((one) => one.approvalId === approvalId);
  const digits = found?.digits ?? null;
  await app.answer(approvalId, { decision: "approve", ...(digits === null ? {} : { digits }) });
}
