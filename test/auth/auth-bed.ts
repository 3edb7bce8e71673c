import fastify from "fastify";
import { createAuth } from "#src/auth/authorization-server.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import type { AdmissionLimits } from "#src/auth/login/admission.ts";
import type { BankLogin } from "#src/auth/login/bank-login.ts";
import { createDevices } from "#src/auth/login/browser.ts";
import { createLogin } from "#src/auth/login/methods/login.ts";
import { answerPageFailures } from "#src/auth/login/page-scope.ts";
import { registerOwnPages } from "#src/auth/own-pages/register-own-pages.ts";
import type { AuthorizationFailure } from "#src/auth/provider/provider-configuration.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Algorithm } from "#src/clients/client-keys.ts";
import { loadConfig } from "#src/config/config.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { accountAccess, usedOnce } from "#src/consents/states.ts";
import { statusReasons } from "#src/consents/status-reasons.ts";
import { credentialsOf, openListeners } from "#src/http/connection/listeners.ts";
import { judgedCertificateOf } from "#src/http/connection/peers.ts";
import type { Sender } from "#src/http/outgoing/guarded-request.ts";
import { type Clock, systemClock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import type { ConsentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { fitsAuthorisationType } from "#src/payments/request/checks.ts";
import { textAt } from "#src/payments/request/read-request.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import { ensureDirectory } from "#src/sandbox/directory/directory.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import { registerDirectory } from "#src/sandbox/directory/routes.ts";
import {
  authoriseHeadless,
  type HeadlessRequest,
} from "#src/sandbox/test-tpp/headless-customer.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { scopes } from "#src/standard/api-version.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { readConsent } from "#test/consents/stored-rows.ts";
import { freePort } from "#test/free-port.ts";
import { assertNoCodes } from "#test/pages/named-codes.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { fixedRing } from "#test/signing/fixed-ring.ts";
import { type PaperAnswer, paperApp } from "./paper-app.ts";
import { paperBank, paperCustomers } from "./paper-bank.ts";

type Data = Record<string, unknown>;

// `Data.review` says whether a review is needed.
const accessKind: ConsentKind = {
  id: "account-access",
  scope: "accounts",
  noun: "access",
  accountChoice: "many",
  course: accountAccess,
  namedDebtor: () => null,
  whyNotEligible: () => null,
  whyNotSignable: () => null,
  whyNotNow: () => null,
  closesAt: () => null,
  review: { isNeeded: ({ body }) => body.Data.review === true },
  summarise: (consent) => ({
    type: "access",
    clusters: [{ title: "Your Account Details", lines: [{ text: "Balance", detail: "" }] }],
    until: consent.expiresAt?.toString() ?? "until you cancel",
    ends: consent.expiresAt?.toString() ?? "When you cancel it",
    transactions: null,
  }),
};

// `Data` also controls this kind: `late` names the reason why the consent can no longer be
// authorised, `amount` may change during a journey, and `payee` is a name that is checked. With
// `fees`, the review shows a price, which is another one whenever the core is asked.
const paymentKind: ConsentKind = {
  id: "domestic-payment",
  scope: "payments",
  noun: "payment",
  accountChoice: "one",
  course: usedOnce,
  namedDebtor: ({ body }) =>
    typeof body.Data.debtor === "string"
      ? {
          schemeName: "UK.OBIE.SortCodeAccountNumber",
          identification: body.Data.debtor,
          name: null,
          secondaryIdentification: null,
        }
      : null,
  whyNotEligible: (_consent, account) =>
    account.accountSubType === "Savings" ? "Payments cannot be made from savings." : null,
  whyNotSignable: ({ body }, account) => {
    const type = textAt(body, "Data.Authorisation.AuthorisationType") ?? null;
    return fitsAuthorisationType(type, account) ? null : "The signatories do not fit.";
  },
  whyNotNow: ({ body }) =>
    body.Data.late === undefined
      ? null
      : statusReasons[body.Data.late as keyof typeof statusReasons],
  closesAt: () => null,
  payeeToCheck: ({ body }) =>
    typeof body.Data.payee === "string"
      ? {
          schemeName: "UK.OBIE.SortCodeAccountNumber",
          identification: "20201010981789",
          name: body.Data.payee,
          secondaryIdentification: null,
        }
      : null,
  review: {
    isNeeded: ({ body }) => body.Data.review === true,
    more: async ({ body }) => ({ rows: body.Data.fees === true ? pricedRows() : [], notes: [] }),
  },
  summarise: ({ body }) => ({
    type: "payment",
    amount: String(body.Data.amount ?? "£10.00"),
    payeeName: "Acme Ltd",
    payeeAccount: "20-20-10 10981789",
    rows: [],
    notes: [],
  }),
};

let timesPriced = 0;

function pricedRows(): SummaryRow[] {
  timesPriced += 1;
  return [
    { label: "Our fee", value: "£2.50", about: "cost" },
    { label: "Exchange rate", value: `1 GBP = 1.${timesPriced} EUR`, about: "cost" },
    {
      label: "Taken from your account",
      value: `£${100 + timesPriced}.50`,
      total: { detail: null, isEstimate: false, later: null },
    },
  ];
}

type BedOptions = {
  publicTls?: boolean;
  profile?: "sandbox" | "production";
  /** Whether pages show codes to testers; true by default, so that `authorise` finds them. */
  hints?: boolean;
  /** Calls of the core that replace those of the paper bank. */
  bank?: Partial<Bank>;
  limits?: Partial<AdmissionLimits>;
  /** Makes the bank's own login, given the bank's address. */
  bankLogin?: (publicUrl: string) => Promise<BankLogin>;
  /** Whether customers confirm in the bank's app; `only`: they cannot have a code instead. */
  inApp?: boolean | "only";
  /** Checks each page that a visitor is shown; customers in the app alone read of no codes. */
  checkPage?: (page: string) => void;
  /** Sends to TPPs that begin journeys without a browser, which are then offered. */
  backchannelSender?: Sender;
  /** The algorithms with which clients may sign; only PS256 by default. */
  algorithms?: readonly Algorithm[];
  /** Steps that replace the bank's journey steps. */
  steps?: readonly JourneyStep[];
  /** The words for what a consent says, at the time of a request. */
  says?: (summary: ConsentSummary, now: Temporal.Instant) => ConsentSummary;
};

const sandboxHints = {
  logins: async () => [],
  codeOf: async () => paperCustomers[0]?.code ?? null,
  moves: () => [],
  customerOf: async (login: string) =>
    paperCustomers.find((one) => one.login === login)?.customerId ?? null,
};

/** Opens an authorization server on both listeners, with a clock that can be set forward. */
export async function openAuthBed(options: BedOptions = {}) {
  const sandbox = options.profile !== "production";
  const { says = (summary: ConsentSummary) => summary } = options;
  const database = await openEmpty();
  let ahead = Temporal.Duration.from({ seconds: 0 });
  const clock: Clock = { now: () => systemClock.now().add(ahead) };
  const [publicPort, mtlsPort] = [await freePort(), await freePort()];
  const publicUrl = `${options.publicTls ? "https" : "http"}://localhost:${publicPort}`;
  const mtlsUrl = `https://localhost:${mtlsPort}`;
  const directory = await ensureDirectory({
    folder: null,
    database,
    clock: systemClock,
    publicUrl,
    hosts: ["localhost", "127.0.0.1"],
  });
  const failures: AuthorizationFailure[] = [];
  const warnings: object[] = [];
  const judged = { passwords: 0, codes: 0 };
  const inApp = paperApp(() => clock.now(), options.inApp !== "only");
  const bank: Bank = {
    ...paperBank,
    authenticate(login, password) {
      judged.passwords += 1;
      return paperBank.authenticate(login, password);
    },
    verify(challengeId, code) {
      judged.codes += 1;
      return paperBank.verify(challengeId, code);
    },
    ...(options.inApp ? inApp.calls : {}),
    ...options.bank,
  };
  const devices = createDevices("a secret of thirty-two characters", publicUrl);
  const limits = { concurrency: 8, queue: 64, failuresPerMinute: 0, ...options.limits };
  const login = createLogin({ database, clock, bank, coreClock: clock, limits });
  const bankLogin = (await options.bankLogin?.(publicUrl)) ?? null;
  const log = { warn: (details: object) => void warnings.push(details) };
  const auth = createAuth({
    database,
    clock,
    machineClock: systemClock,
    bank,
    login,
    bankLogin,
    log,
    backchannelSender: options.backchannelSender ?? null,
    devices,
    ...((options.hints ?? true) ? { sandboxHints } : {}),
    publicUrl,
    mtlsUrl,
    registrationUrl: null,
    bankName: "Aldgate Bank",
    sandbox,
    algorithms: options.algorithms ?? ["PS256"],
    keyRing: fixedRing(directory.signing),
    cookieSecret: directory.cookieSecret,
    consentKinds: [accessKind, paymentKind].map((kind) => ({
      ...kind,
      summarise: (...given: Parameters<ConsentKind["summarise"]>) =>
        says(kind.summarise(...given), given[1]),
    })),
    statusWord: (_consent, status) => status,
    scopes,
    ...(options.steps ? { steps: options.steps } : {}),
    consentLifetimeSeconds: 3600,
    unauthorisedConsentDays: 30,
    judgedCertificateOf,
    mayBeUnbound: (request) => sandbox && credentialsOf(request).loopback,
    onFailure: (failure) => void failures.push(failure),
  });
  const logged: string[] = [];
  const app = fastify({ logger: { stream: { write: (line: string) => void logged.push(line) } } });
  answerPageFailures(app, "Aldgate Bank");
  auth.register(app);
  registerOwnPages(app, {
    database,
    bank,
    kinds: paymentKinds,
    config: loadConfig({}),
    clock,
    login,
    bankLogin,
    log,
    devices,
    cookieSecret: directory.cookieSecret,
    publicUrl,
    bankName: "Aldgate Bank",
    homeUrl: null,
    accessKinds: [accessKind],
    wakeEngine: () => undefined,
    sandbox: null,
    passkeys: null,
  });
  registerDirectory(app, { database, directory, mtlsUrl: "https://localhost:8443" });
  const { server, caPem } = directory;
  const listeners = await openListeners({
    app,
    host: "127.0.0.1",
    publicPort,
    mtlsPort,
    publicTls: options.publicTls ? server : null,
    mtls: { ...server, ca: caPem },
  });
  const clients: TppClient[] = [];
  const bed = {
    database,
    clock,
    directory,
    auth,
    failures,
    /** The journeys of the bank's app. */
    appJourneys: auth.inApp(app),
    /** What the journeys have logged. */
    warnings,
    /** The lines of the log. */
    logged,
    /** The number of passwords and codes that the bank has checked. */
    judged,
    publicUrl,
    mtlsUrl,
    advance: (duration: Temporal.DurationLike) => {
      ahead = ahead.add(duration);
    },
    inApp,
    checkPage: options.checkPage ?? (options.inApp === "only" ? assertNoCodes : () => undefined),
    /** Answers in the app, and lets the time pass after which the core is asked again. */
    answerInApp: (answer: PaperAnswer) => {
      inApp.answer(answer);
      ahead = ahead.add({ seconds: 2 });
    },
    async createTpp(request: Partial<TppRequest> = {}): Promise<TppClient> {
      const tpp = await directory.createTpp({
        name: "Test TPP",
        roles: [...tppRoles],
        redirectUris: [sandbox ? "http://localhost:9/callback" : "https://tpp.example/callback"],
        ...request,
      });
      const client = new TppClient({ publicUrl, mtlsUrl, operations: [] }, tpp);
      clients.push(client);
      return client;
    },
    async lodge(
      client: TppClient,
      kind: "account-access" | "domestic-payment",
      given: { data?: Data; expiresAt?: Temporal.Instant } = {},
    ): Promise<string> {
      const consentId = newId("test");
      await addConsents(database, [
        {
          consentId,
          kind,
          clientId: client.tpp.clientId,
          status: "AWAU",
          at: clock.now(),
          waits: true,
          expiresAt: given.expiresAt,
          body: { Data: given.data ?? {} },
          permissions: ["ReadAccountsBasic"],
        },
      ]);
      return consentId;
    },
    async consent(consentId: string) {
      const { status, reasons, grantId, customerId, accountIds } = await readConsent(
        database,
        consentId,
      );
      return { status, reasons, grant: grantId, customer: customerId, accounts: accountIds };
    },
    async authorise(
      request: Omit<HeadlessRequest, "customer" | "decision"> & Partial<HeadlessRequest>,
    ): Promise<string> {
      const { redirectUrl } = await authoriseHeadless(
        { customer: "anna", decision: "approve", ...request },
        {
          publicUrl,
          caPem,
          passwordOf: (login) =>
            paperCustomers.find((candidate) => candidate.login === login)?.password ?? null,
          expireJourney: (uid) => auth.journey.abandon(uid, "timed_out"),
        },
      );
      return redirectUrl;
    },
    async close() {
      for (const client of clients) client.close();
      await listeners.close(0);
      await app.close();
      await database.close();
    },
  };
  return bed;
}

export type AuthBed = Awaited<ReturnType<typeof openAuthBed>>;

/** Returns the members of the fragment with which a customer came back. */
export const fragmentOf = (redirectUrl: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(new URL(redirectUrl).hash.slice(1)));
