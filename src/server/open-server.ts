import { parse as parseForm } from "node:querystring";
import Fastify from "fastify";
import { purgeFacts, purgeRefusals, retentionMistakes } from "#src/account-store/retention.ts";
import type { Auth } from "#src/auth/authorization-server.ts";
import { answerPageFailures } from "#src/auth/login/page-scope.ts";
import type { Bank } from "#src/bank/port.ts";
import { type Addresses, addressesOf, managementPortOf } from "#src/config/addresses.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { listOf } from "#src/config/networks.ts";
import { hasOwnCore } from "#src/config/own-core.ts";
import { requireSandboxPackages } from "#src/config/sandbox-packages.ts";
import type { EventWork } from "#src/events/event-work.ts";
import type { Admission } from "#src/http/access/admission.ts";
import type { ConnectionTimes } from "#src/http/connection/connections.ts";
import {
  appOptions,
  type Doors,
  type Listeners,
  openListeners,
} from "#src/http/connection/listeners.ts";
import { createMetrics, observeScope, registerHealth } from "#src/http/connection/observe.ts";
import type { Operation } from "#src/http/operation.ts";
import { bodyLimitBytes } from "#src/http/receive-body.ts";
import { present } from "#src/lib/assert.ts";
import { type Clock, createPace, gatePace, type Pace } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import { cutOffMistakes, holidaysOf, unknownHolidays } from "#src/payments/calendar/timing.ts";
import { createEngine, type Engine, leaseMistakes } from "#src/payments/execution/engine.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { recordScope } from "#src/request-log/record-scope.ts";
import type { SandboxControls } from "#src/sandbox/controls/controls.ts";
import type { WorldControls } from "#src/sandbox/controls/world-shapes.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import type { OfferedKind } from "./examples/example.ts";
import { countPayments, observeConnections } from "./health/observe-orders.ts";
import { openReadiness } from "./health/open-readiness.ts";
import { openSchemaWatch } from "./health/watch-schema.ts";
import { loadKeys } from "./keys/keys.ts";
import { type Signing, startSigning } from "./keys/open-signing.ts";
import { certificateProxies, logAnchors, openTrust } from "./keys/open-trust.ts";
import { checkProduction, checkProductionData } from "./keys/production-checks.ts";
import { type KeyWatch, watchKeys } from "./keys/watch-keys.ts";
import { channelsOf } from "./listeners/channel-interface.ts";
import { withPorts } from "./listeners/free-ports.ts";
import { type Management, openManagement } from "./listeners/open-management.ts";
import { watchMethods } from "./listeners/refuse-method.ts";
import { requireTransportSecurity } from "./listeners/strict-transport.ts";
import { connectionLimits, limitCallers, openAdmission } from "./listeners/surfaces.ts";
import { consentKindsOf } from "./opening/access-kinds.ts";
import { type Core, loadCore } from "./opening/load-bank.ts";
import { openAttachedData } from "./opening/open-attached-data.ts";
import { openConsents } from "./opening/open-consents.ts";
import { openCoreFunctions } from "./opening/open-core-functions.ts";
import { openDatabase } from "./opening/open-database.ts";
import { openEndedConsents } from "./opening/open-ended-consents.ts";
import { openEvents } from "./opening/open-events.ts";
import { openNotices } from "./opening/open-notices.ts";
import { openRegistration } from "./opening/open-registration.ts";
import { openLog, openLogReader } from "./opening/open-request-log.ts";
import { openSpool } from "./opening/open-spool.ts";
import type { Parts, Sandbox, SandboxOptions } from "./parts.ts";
import { compileOperations } from "./routes/list-operations.ts";
import { registerApis } from "./routes/register-apis.ts";
import { registerAuth } from "./routes/register-auth.ts";
import { registerPages } from "./routes/register-pages.ts";
import { openSandbox } from "./sandbox/open-sandbox.ts";
import { openTracing } from "./tracing/open-tracing.ts";

// How a bank is opened. The settings are checked first (here and in keys/), then the database is
// opened, and each part gets the parts that it needs (opening/, sandbox/, keys/; parts.ts lists
// them). Then the routes are registered (routes/), the regular work starts, and the listeners open
// (listeners/). health/ shows operators the state. Everything closes in the reverse order.

/** The options of `openServer`. */
export type ServerOptions = {
  config: Config;
  /** The machine's clock. The sandbox's clock may be ahead of it. */
  clock: Clock;
  /** The pace of the bank's regular work; by default, one that never slows down. */
  pace?: Pace;
  /** Called with the progress of long work. */
  onProgress(text: string, done?: number, total?: number): void;
  /** An open database in place of the one that the configuration names; closed with the server. */
  database?: Database;
  /** The payment kinds that the bank offers; all of them by default. */
  kinds?: readonly OfferedKind[];
  /** Listening sockets of the two ports, in place of the bank's own. */
  doors?: Doors;
  /** Replaces some of the listeners' time-outs; tests do not wait as long. */
  times?: Partial<ConnectionTimes>;
  /** The worlds that are opened beside this bank, for its controls. */
  worlds?: WorldControls;
  /** The world that this bank is, for its home page. */
  world?: SandboxOptions["world"];
  /** Makes a sandbox's RSA keys; tests share some. */
  generateKey?: SandboxOptions["generateKey"];
  /** Puts a sandbox's own bank behind something. */
  reachBank?: SandboxOptions["reachBank"];
};

/** An open bank. */
export type Aldgate = Addresses & {
  /** Base URL of the management listener. */
  managementUrl: string;
  database: Database;
  clock: Clock;
  bank: Bank;
  engine: Engine;
  events: EventWork;
  operations: readonly Operation[];
  signing: Signing;
  /** Null in production. */
  sandbox: Sandbox | null;
  /** The functions of the sandbox's interface; null in production. */
  controls: SandboxControls | null;
  /** Reloads the certificate files; null in a sandbox. Throws ConfigError. */
  reloadKeys: (() => void) | null;
  /** Lets requests in flight finish, settles the batch in hand, and closes everything. */
  close(): Promise<void>;
};

const engineIntervalMs = 250;
const eventIntervalMs = 500;
const sweepIntervalMs = 15_000;
const refusalSweepIntervalMs = 3_600_000;
const batchSize = 64;
/** Opens the bank: database, keys, engine, its three listeners. Throws ConfigError. */
export async function openServer(options: ServerOptions): Promise<Aldgate> {
  const { onProgress } = options;
  checkProduction(options.config);
  if (options.config.ALDGATE_PROFILE === "sandbox") requireSandboxPackages();
  const mistakes = [
    ...cutOffMistakes(options.kinds ?? paymentKinds, options.config),
    ...leaseMistakes(options.config),
    ...retentionMistakes(options.config),
  ];
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const config = await withPorts(options.config);
  await openSpool(config);
  onProgress("Opening the database");
  const opened = options.database ?? (await openDatabase(config, { readsOnStandbys: true }));
  const closers: (() => Promise<void>)[] = [() => opened.close()];
  try {
    const tracing = await openTracing(config);
    closers.unshift(tracing.close);
    const database = tracing.database(opened);
    await migrate(database, {
      withSandbox: config.ALDGATE_PROFILE === "sandbox",
      onWaiting: (holder) => onProgress(`Waiting for ${holder}, which is changing the schema`),
    });
    await checkProductionData(config, database);
    const parts = await join({ pace: createPace(), ...options, tracing }, config, database);
    closers.push(parts.closeCore);
    const registered = await register(parts);
    closers.push(...startWork(parts, registered));
    const listeners = await listen(parts, registered.admission, options);
    const { sandbox } = parts;
    closers.push(() => listeners.close(config.SHUTDOWN_SECONDS));
    // before the listeners, which wait for the requests in flight: polls are answered immediately
    closers.push(() => parts.events.stop());
    sandbox?.directory.onServerRenewed((server) => listeners.renew(server));
    const watch = sandbox ? null : watchServerKeys(parts, listeners);
    closers.push(async () => watch?.stop());
    observeConnections(parts.metrics, listeners);
    const management = await openManagement({
      ...parts,
      requests: openLogReader(parts),
      channels: channelsOf(parts, registered.auth),
      core: { functions: parts.coreFunctions, token: config.BANK_TOKEN },
      host: config.MANAGEMENT_HOST,
      hosts: listOf(config.MANAGEMENT_HOSTS),
      port: managementPortOf(options.config),
    });
    closers.push(() => management.close());
    return { ...publicFace(parts, management, watch, closers), controls: registered.controls };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function join(
  options: ServerOptions & Pick<Parts, "pace" | "tracing">,
  config: Config,
  database: Database,
): Promise<Parts> {
  const { clock: machineClock, kinds = paymentKinds, worlds = null, world, tracing } = options;
  const addresses = addressesOf(config);
  const app = Fastify(appOptions({ logLevel: config.LOG_LEVEL, bodyLimit: bodyLimitBytes, world }));
  const schema = openSchemaWatch(database, app.log);
  const pace = gatePace(options.pace, schema.admits);
  const { admits } = pace;
  const load = (clock: Clock): Promise<Core> =>
    loadCore(config, { database, clock, coreNow: machineClock.now, admits }, app.log);
  const forSandbox = { ...addresses, ...options, config, database };
  const sandbox =
    config.ALDGATE_PROFILE === "sandbox"
      ? await openSandbox({ ...forSandbox, loadCore: hasOwnCore(config) ? load : null })
      : null;
  const clock = sandbox?.clock ?? machineClock;
  const core = sandbox ? sandbox.core : await load(clock);
  const keys = sandbox?.keys ?? loadKeys(config);
  const metrics = createMetrics();
  const given = { ...addresses, app, config, database, clock, machineClock, keys, kinds, metrics };
  const attaching = await openAttachedData(core ?? present(sandbox, "the sandbox"), given);
  const bank = tracing.bank(attaching.bank);
  const engine = createEngine({
    database,
    bank,
    clock,
    owner: newId("engine"),
    log: { error: (details, text) => app.log.error(details, text) },
    batchSize,
    leaseSeconds: config.PAYMENT_LEASE_SECONDS,
    consentLifetimeSeconds: config.CONSENT_LIFETIME_SECONDS,
    onMoved: countPayments(metrics),
    holidays: holidaysOf(config),
    admits: () => admits() && (core?.admits("execute") ?? true),
  });
  const readiness = openReadiness({ ...given, pace }, { engine, core, schema });
  const wake = (): void => engine.wake();
  const directory = sandbox?.directory ?? null;
  const signing = { config, database, clock: machineClock, pace, directory, log: app.log };
  const consents = consentKindsOf(kinds, { bank, config });
  const shared = { ...given, ...consents, worlds, pace, ...(await startSigning(signing, metrics)) };
  const events = openEvents(shared);
  const needed = { database, bank, kinds, config, wake, events: events.deps };
  const operations = compileOperations(needed);
  return {
    ...shared,
    clientTrust: await openTrust({ ...shared, sandbox, log: app.log }),
    registration: openRegistration({ ...shared, bank, clientCa: keys.clientCa, log: app.log }),
    ...attaching,
    bank,
    closeCore: async () => (core ? core.close(config.SHUTDOWN_SECONDS * 1000) : bank.close?.()),
    sandbox,
    engine,
    readiness,
    tracing,
    requestLog: openLog({ ...shared, tracing, operations, log: app.log }),
    ...events.parts,
    notices: openNotices(core && { ...core, bank }, { ...given, admits, log: app.log }),
    operations,
    consents: openConsents({ database, clock, kinds }),
    coreFunctions: openCoreFunctions(core, { database, clock, wake }),
  };
}

/** Registers everything, in the order in which a reader would look for it. */
async function register(parts: Parts): Promise<Registered> {
  parts.app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    async (_request: unknown, body: string) => parseForm(body),
  );
  parts.tracing.requests(parts.app);
  const { admission, watchLoad } = openAdmission(parts);
  limitCallers(parts.app, admission);
  requireTransportSecurity(parts.app, parts.publicUrl);
  const refuseMethod = watchMethods(parts.app);
  registerApis(parts, admission);
  registerHealth(parts.app, parts.readiness, { figures: false });
  const mounted: { auth?: Auth; controls?: SandboxControls } = {};
  await parts.app.register(async (app) => {
    // everything outside the APIs is counted and logged in the same way
    observeScope(app, parts.metrics);
    if (parts.requestLog) recordScope(app, parts.requestLog, parts.clock);
    answerPageFailures(app, parts.config.BANK_NAME);
    parts.sandbox?.guard({ ...parts, app });
    mounted.auth = registerAuth({ ...parts, app });
    parts.registration.register(app);
    await registerPages({ ...parts, app }, { refuseMethod });
    const controls = parts.sandbox?.register({ ...parts, app }, mounted.auth, parts.app);
    if (controls) mounted.controls = controls;
  });
  const { auth, controls = null } = mounted;
  return { auth: present(auth, "the authorization server"), controls, admission, watchLoad };
}

type Registered = {
  auth: Auth;
  controls: SandboxControls | null;
  admission: Admission;
  watchLoad(): () => void;
};

/** Starts the background work; returns the functions that end it. */
function startWork(parts: Parts, { auth, watchLoad }: Registered): (() => Promise<void>)[] {
  parts.engine.start(engineIntervalMs, parts.pace);
  parts.events.start(eventIntervalMs, parts.pace);
  parts.notices?.start(eventIntervalMs, parts.pace);
  const unwatchLoad = watchLoad();
  const endedConsents = openEndedConsents(parts);
  const gap = unknownHolidays(parts.kinds, parts.config, parts.clock.now());
  if (gap !== null) parts.app.log.warn({}, gap);
  const endSweeps = parts.pace.every(sweepIntervalMs, () =>
    Promise.all([
      auth.sweep(),
      purgeFacts(parts.database, parts.config, parts.clock.now()),
      endedConsents?.step(parts.clock.now()),
      parts.events.sweep(),
      parts.registration.sweep(),
      parts.requestLog?.sweep(),
      parts.sandbox?.sweep(),
    ]).catch((error) => parts.app.log.error({ err: error }, "the sweep failed")),
  );
  const endRefusalSweeps = parts.pace.every(refusalSweepIntervalMs, () =>
    purgeRefusals(parts.database).catch((error) =>
      parts.app.log.error({ err: error }, "the sweep of refused facts failed"),
    ),
  );
  return [
    async () => parts.requestLog?.close(),
    () => parts.events.stop(),
    async () => parts.notices?.stop(parts.config.SHUTDOWN_SECONDS * 1000),
    () => parts.engine.stop(parts.config.SHUTDOWN_SECONDS * 1000),
    async () => {
      void endSweeps();
      void endRefusalSweeps();
      unwatchLoad();
      parts.clientTrust.stop();
      parts.signing.close();
      parts.sandbox?.stop();
    },
    () => parts.app.close(),
  ];
}

function listen(
  { app, config, keys, clientTrust, pace }: Parts,
  admission: Admission,
  { doors, times = {} }: Pick<ServerOptions, "doors" | "times">,
): Promise<Listeners> {
  return openListeners({
    app,
    doors,
    times,
    shed(request, response) {
      pace.stir();
      // a balancer that passes TLS through cannot move a connection to another process
      if (!pace.admits()) response.setHeader("connection", "close");
      return admission.shed(request, response);
    },
    host: config.PUBLIC_HOST,
    publicPort: config.PUBLIC_PORT,
    mtlsPort: config.MTLS_PORT,
    publicTls: config.PUBLIC_TLS ? keys.server : null,
    mtls: { ...keys.server, ca: keys.clientCa },
    trust: clientTrust.trust,
    proxies: certificateProxies(config),
    limits: connectionLimits(config),
  });
}

function watchServerKeys({ app, config, signing }: Parts, listeners: Listeners): KeyWatch {
  return watchKeys(config, {
    onChanged({ server, clientCa }) {
      listeners.renew(server, clientCa);
      logAnchors(app.log, clientCa);
      signing.store.renewCertificates();
      app.log.info("certificate files have changed and are now in use");
    },
    onFailure: (error) => app.log.error({ err: error }, "changed certificate files cannot be used"),
  });
}

function publicFace(
  parts: Parts,
  { url: managementUrl }: Management,
  watch: KeyWatch | null,
  closers: (() => Promise<void>)[],
): Omit<Aldgate, "controls"> {
  const { publicUrl, mtlsUrl, database, clock, bank, engine, events, operations } = parts;
  const { sandbox, signing } = parts;
  let closing: Promise<void> | undefined;
  return {
    publicUrl,
    mtlsUrl,
    managementUrl,
    database,
    clock,
    bank,
    engine,
    events,
    operations,
    signing,
    sandbox,
    reloadKeys: watch?.reload ?? null,
    close() {
      closing ??= closeAll(closers);
      return closing;
    },
  };
}

/** Closes in the opposite order: the listeners first, the database last. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  for (const close of closers.reverse()) await close();
}
