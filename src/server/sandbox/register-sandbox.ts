import type { FastifyInstance } from "fastify";
import { listRefusedFacts } from "#src/account-store/refusals.ts";
import type { Auth } from "#src/auth/authorization-server.ts";
import { listOpenChallenges } from "#src/auth/login/challenges.ts";
import { sendPage } from "#src/auth/login/page-scope.ts";
import type { ProfileId } from "#src/clients/security-profile.ts";
import { listEventReceivers, listStoredEvents, resendEvents } from "#src/events/stored-events.ts";
import { arrivedOverMtls } from "#src/http/connection/peers.ts";
import { present } from "#src/lib/assert.ts";
import { listWaitingNotices, type NoticeSkip, skipNotice } from "#src/notices/waiting-notices.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { listOwnAccountIds } from "#src/payments/execution/own-accounts.ts";
import { listStuckPayments } from "#src/payments/execution/stuck-payments.ts";
import { contractOperations } from "#src/payments/limits/contract-operations.ts";
import { loadOrder } from "#src/payments/order/payment-order.ts";
import { clientAlgorithms } from "#src/registration/registration-settings.ts";
import { codeMinutes } from "#src/sandbox/bank/challenges.ts";
import type { AppControls } from "#src/sandbox/controls/approval-shapes.ts";
import type { SandboxControls } from "#src/sandbox/controls/controls.ts";
import { agreeContract } from "#src/sandbox/controls/exchange-contracts.ts";
import { createExplorer, type Explorer } from "#src/sandbox/controls/explorer.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";
import { registerSandboxInterface } from "#src/sandbox/controls/interface.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import { registerDirectory } from "#src/sandbox/directory/routes.ts";
import { createSoftwareRegister } from "#src/sandbox/directory/software-register.ts";
import { mishapOf } from "#src/sandbox/personas/outcome-users.ts";
import { listOutcomes } from "#src/sandbox/scenarios/scenarios-page.ts";
import {
  authoriseHeadless,
  type HeadlessAnswer,
  HeadlessRefused,
  type HeadlessRequest,
} from "#src/sandbox/test-tpp/headless-customer.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { joinTimeBound } from "#src/sandbox/time/surroundings.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { createJudge } from "#src/server/judge/judge.ts";
import { openLogReader } from "#src/server/opening/open-request-log.ts";
import type { Parts, Sandbox } from "#src/server/parts.ts";
import { describeBreach } from "#src/storage/invariants.ts";
import { registerActPages } from "./act-pages.ts";
import { createActs } from "./acts.ts";
import { appControls, approveInApp } from "./app-controls.ts";
import { registerAppPages } from "./app-pages.ts";
import { customerOf, findCustomer } from "./customer-acts.ts";
import { customerControls } from "./customer-controls.ts";
import { registerJudgePages } from "./judge-pages.ts";
import { registerPeoplePages } from "./people-pages.ts";
import { requestActs } from "./request-acts.ts";
import { registerRequestPages } from "./request-pages.ts";
import { robustControls } from "./robust-controls.ts";
import { registerRobustPages } from "./robust-pages.ts";
import { registerWorldPages } from "./world-pages.ts";

type SandboxParts = Parts & { sandbox: Sandbox; root: FastifyInstance };

/** Serves the directory and the sandbox's own interface. Returns the interface's functions. */
export function registerSandbox(parts: SandboxParts, auth: Auth): SandboxControls {
  const { app, database, sandbox, mtlsUrl } = parts;
  const controls = sandboxControls(parts, auth);
  const { gate } = sandbox;
  registerDirectory(app, { database, directory: sandbox.directory, mtlsUrl });
  registerSandboxInterface(app, controls, gate);
  registerWorldPages(parts);
  const { requests } = controls;
  const bankName = parts.config.BANK_NAME;
  registerRobustPages(app, { bankName, gate, robust: controls.robust });
  const { home } = sandbox;
  sandbox.home = async () => ({ ...(await home()), playedOn: controls.robust.listOpen() });
  if (requests) {
    const pages = { bankName, gate, requests, acts: controls.acts };
    registerRequestPages(app, pages);
    registerActPages(app, pages);
  }
  const isPersona = (login: string) => sandbox.personas.some((one) => one.login === login);
  registerPeoplePages(app, { bankName, gate, controls, isPersona });
  registerAppPages(app, { bankName, gate, clock: parts.clock, app: controls.app });
  registerJudgePages(app, { bankName, gate, judge: controls.judge });
  sandbox.clock.run(controls.engine, parts.pace);
  return controls;
}

/** Refuses requests with an unknown host name, on every page of a scope. */
export function guardSandbox({ app, config, publicUrl }: Parts, gate: Gate): void {
  app.addHook("onRequest", async (request, reply) => {
    const refusal = arrivedOverMtls(request.raw) ? null : gate.judgeHost(request);
    if (!refusal) return undefined;
    const { status, message } = refusal;
    const title = "Unknown host name";
    const back = { url: `${publicUrl}/`, text: "Go to the home page" };
    return sendPage(request, reply.code(status), {
      bankName: config.BANK_NAME,
      title,
      message,
      back,
    });
  });
}

function sandboxControls(parts: SandboxParts, auth: Auth): SandboxControls {
  const { database, clock, engine, sandbox, bank, worlds } = parts;
  const app = appControls({ ...parts, app: parts.root }, auth);
  const authorise: SandboxControls["authorise"] = (request) =>
    approveHeadless({ ...parts, app }, auth, request);
  return {
    clock: sandbox.clock,
    engine: {
      ...joinTimeBound([sandbox.surroundings, engine]),
      async sweep() {
        await engine.sweep();
        await auth.sweep();
        await sandbox.sweep();
      },
    },
    ...contractControls(parts),
    loadTpp: (clientId) => sandbox.directory.loadTpp(clientId),
    revokeCertificate: (clientId, use) => sandbox.directory.revokeCertificate(clientId, use),
    authorise,
    ...registrationControls(parts),
    signingKeys: keyControls(parts),
    explorer: explorerOf(parts, authorise),
    async agreeContract(request) {
      refuseForCore(sandbox, "exchange contracts");
      return agreeContract({ database, bank, clock }, request);
    },
    events: {
      listReceivers: () => listEventReceivers(database),
      list: (clientId) => listStoredEvents(database, clientId),
      resend: (clientId, request) => resendEvents(database, clientId, request, clock.now()),
    },
    consents: {
      ...parts.consents,
      // developers know customers by their logins
      async list(customer) {
        const found = await findCustomer(sandbox, customer);
        return parts.consents.list(found?.customerId ?? customer);
      },
    },
    acts: createActs(parts, requestActs(auth, { ...parts, app })),
    app,
    ...customerControls(parts),
    async listChallenges(login) {
      const customer = await customerOf(sandbox, login);
      const open = await listOpenChallenges(database, customer.customerId, clock.now());
      return Promise.all(
        open.map(async ({ challengeId, subject, expiresAt }) => ({
          challengeId,
          subject,
          code: await sandbox.hints.codeOf(challengeId),
          expiresAt: expiresAt.toString(),
        })),
      );
    },
    async sign(orderId, decision, login) {
      const customerId = await signatoryOf(parts, orderId, login);
      if (customerId === null) return null;
      const result = await decideMultiAuthorisation(
        { database, bank, clock },
        { orderId, customerId, decision },
      );
      engine.wake();
      return result;
    },
    requests: openLogReader(parts),
    judge: createJudge({ ...parts, auth }),
    ...paymentControls(parts),
    robust: robustControls(parts),
    worlds,
    async verify() {
      const hasOwnCore = sandbox.core !== null;
      const { kinds } = parts;
      return (await verifyInvariants(database, { hasOwnCore, kinds })).map(describeBreach);
    },
  };
}

const explorerOf = (parts: SandboxParts, authorise: SandboxControls["authorise"]): Explorer =>
  createExplorer({
    clientOf: explorerClients(parts),
    operations: parts.operations,
    authorise,
    clock: parts.clock,
    customer: parts.sandbox.personas[0]?.login ?? "",
  });

/**
 * Returns the explorer's TPP of a security profile. The TPP of FAPI 1.0 Advanced always exists. The
 * others are made when they are first used. Their tokens are bound.
 */
function explorerClients(parts: SandboxParts): (profile: ProfileId) => Promise<TppClient> {
  const { directory, readyTpps } = parts.sandbox;
  const explorer = readyTpps.find(({ tpp }) => !tpp.certificateBound);
  const { tpp } = present(explorer, "explorer");
  const { name, roles, redirectUris } = tpp;
  const clients = new Map<ProfileId, Promise<TppClient>>([
    [tpp.profile, Promise.resolve(new TppClient(parts, tpp))],
  ]);
  const make = async (profile: ProfileId): Promise<TppClient> => {
    const request = { name, roles, redirectUris, profile };
    return new TppClient(parts, await directory.ensureReadyTpp(`explorer-${profile}`, request));
  };
  return (profile) => {
    const client = clients.get(profile) ?? make(profile);
    clients.set(profile, client);
    client.catch(() => clients.delete(profile));
    return client;
  };
}

const registrationControls = ({ registration, sandbox, config }: SandboxParts) => ({
  register: createSoftwareRegister(sandbox.directory.authority, clientAlgorithms(config)),
  clients: registration.operator,
  lint: registration.lint,
});

/** The controls of signing keys. A sandbox generates the next key when it is needed. */
function keyControls({ signing }: SandboxParts): SandboxControls["signingKeys"] {
  const { store, generate } = signing;
  const add = async (location: string | undefined) => {
    const key = location === undefined ? await present(generate, "a generator of keys")() : null;
    return store.add(key ?? { location: String(location), certificateFile: null });
  };
  const ensureNext = async (): Promise<void> => {
    const keys = await store.list();
    if (!keys.some(({ state }) => state === "next" || state === "standby")) await add(undefined);
  };
  return {
    ...store,
    add,
    async rotate(request) {
      if (request.kid === undefined) await ensureNext();
      return store.rotate(request);
    },
    async withdraw(kid) {
      const current = (await store.list()).find(({ state }) => state === "current");
      if (current?.kid === kid) await ensureNext();
      return store.withdraw(kid);
    },
  };
}

/** The controls of payments. */
const paymentControls = ({ database, clock }: SandboxParts) => ({
  listOutcomes,
  listStuckPayments: () => listStuckPayments(database, clock.now()),
  listRefusedFacts: () => listRefusedFacts(database),
  notices: {
    list: () => listWaitingNotices(database),
    skip: (noticeId: string, why: NoticeSkip) => skipNotice(database, noticeId, why, clock.now()),
  },
});

/** The controls of contracts. A TPP is created with the contracts that it asks for. */
function contractControls({ database, clock, sandbox }: SandboxParts) {
  const contracts = contractOperations(database, clock);
  const createTpp: SandboxControls["createTpp"] = async ({ vrpContracts = [], ...request }) => {
    const tpp = await sandbox.directory.createTpp(request);
    for (const contract of vrpContracts) await contracts.grant(tpp.clientId, contract);
    return tpp;
  };
  return { contracts, createTpp };
}

function refuseForCore({ core }: Sandbox, what: string): void {
  if (!core) return;
  const text = `Only the bank's own core can change ${what}.`;
  throw new SandboxRefusal(409, text);
}

async function approveHeadless(
  {
    app,
    publicUrl,
    config,
    sandbox,
  }: Pick<SandboxParts, "publicUrl" | "config" | "sandbox"> & {
    app: AppControls;
  },
  auth: Auth,
  request: HeadlessRequest,
): Promise<HeadlessAnswer> {
  try {
    return await authoriseHeadless(request, {
      publicUrl,
      approveInApp: (id) => approveInApp(app, id),
      ...(config.PUBLIC_TLS ? { caPem: sandbox.directory.caPem } : {}),
      async passwordOf(login) {
        const all = await sandbox.customers();
        return all.find((one) => one.login === login)?.password ?? null;
      },
      clock: sandbox.clock,
      expireJourney: (uid) => auth.journey.abandon(uid, "timed_out"),
      whyNoCode: (login) => (sandbox.core === null ? whyExpired(login) : onlyCoreKnows),
    });
  } catch (error) {
    if (error instanceof HeadlessRefused) throw new SandboxRefusal(400, error.message);
    throw error;
  }
}

const onlyCoreKnows = "Only the bank's core knows the code: approve in a browser.";

/** Why the sandbox bank shows no code to a customer. */
function whyExpired(login: string): string {
  const rule =
    `The code has expired: it can be entered for ${codeMinutes} minutes. On the page, “Send a new ` +
    "code” sends another one, and each new authorisation begins with a new code.";
  if (mishapOf(login) !== "expired") return rule;
  return `${rule} Every code of ${login} expires at once, to test this: use another customer to approve.`;
}

/** Finds the signatory: the named customer, or the account's next one who has not signed. */
async function signatoryOf(
  { database, bank, sandbox }: SandboxParts,
  orderId: string,
  login: string | undefined,
): Promise<string | null> {
  if (login !== undefined) return (await customerOf(sandbox, login)).customerId;
  const order = await loadOrder(database, orderId);
  if (!order) throw new SandboxRefusal(404, "There is no order with that id.");
  const others = (await sandbox.customers())
    .map(({ customerId }) => customerId)
    .filter((customerId) => !order.signedBy.includes(customerId));
  for (const customerId of others.sort()) {
    const own = await listOwnAccountIds(bank, customerId);
    if (own.includes(order.debtorAccountId)) return customerId;
  }
  return null;
}
