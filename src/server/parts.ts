import type { FastifyInstance } from "fastify";
import type { Auth } from "#src/auth/authorization-server.ts";
import type { SandboxHints } from "#src/auth/journey/journey-step.ts";
import type { Bank } from "#src/bank/port.ts";
import type { ClientTrust } from "#src/certificates/client-trust.ts";
import type { ConsentChannel } from "#src/channels/consent-channel.ts";
import type { Addresses } from "#src/config/addresses.ts";
import type { Config } from "#src/config/config.ts";
import type { CoreFunctions } from "#src/connector/core-rows.ts";
import type { AttachedData } from "#src/consents/attached-data.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import type { EventWork } from "#src/events/event-work.ts";
import type { Metrics, Readiness } from "#src/http/connection/observe.ts";
import type { Operation } from "#src/http/operation.ts";
import type { Sender } from "#src/http/outgoing/guarded-request.ts";
import type { Clock, Pace } from "#src/lib/clock.ts";
import type { NoticeWork } from "#src/notices/notice-work.ts";
import type { HomeSandbox } from "#src/pages/home.ts";
import type { Engine } from "#src/payments/execution/engine.ts";
import type { RequestLog } from "#src/request-log/request-log.ts";
import type { SandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { SandboxControls } from "#src/sandbox/controls/controls.ts";
import type { Gate } from "#src/sandbox/controls/gate.ts";
import type { WorldControls } from "#src/sandbox/controls/world-shapes.ts";
import type { Directory, ensureDirectory } from "#src/sandbox/directory/directory.ts";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import type { SandboxClock } from "#src/sandbox/time/clock.ts";
import type { Surroundings } from "#src/sandbox/time/surroundings.ts";
import type { OfferedKind } from "#src/server/examples/example.ts";
import type { KeyRing } from "#src/signing/key-ring.ts";
import type { Scope } from "#src/standard/api-version.ts";
import type { Database } from "#src/storage/database.ts";
import type { Keys } from "./keys/keys.ts";
import type { Signing } from "./keys/open-signing.ts";
import type { TestCustomer } from "./opening/bank-context.ts";
import type { Core } from "./opening/load-bank.ts";
import type { OpenRegistration } from "./opening/registration.ts";
import type { Tracing } from "./tracing/open-tracing.ts";

/** The values that the parts of the server share during start-up. */
export type Parts = Addresses & {
  app: FastifyInstance;
  config: Config;
  database: Database;
  /** The machine's clock, with which TPPs compare the dates of signatures. */
  machineClock: Clock;
  clock: Clock;
  /** The pace of the regular work. Every request stirs it. */
  pace: Pace;
  bank: Bank;
  /** Keeps what the core attaches to consents; null if it attaches nothing. */
  attachedData: AttachedData | null;
  closeCore: () => Promise<void>;
  keys: Keys;
  /** The signing keys as operators change them, and the ring with which the bank signs. */
  signing: Signing;
  keyRing: KeyRing;
  sandbox: Sandbox | null;
  /** The worlds that are opened beside this bank; null if it opens none. */
  worlds: WorldControls | null;
  /** Decides which client certificates are accepted. */
  clientTrust: OpenTrust;
  engine: Engine;
  events: EventWork;
  /** Sends events to the URLs of TPPs. */
  eventSender: Sender;
  /** Null if the core has no call for notices. */
  notices: NoticeWork | null;
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
  tracing: Tracing;
  /** Null if it is switched off. */
  requestLog: RequestLog | null;
  operations: readonly Operation[];
  consentKinds: readonly ConsentKind[];
  /** The scopes of the APIs that the bank offers. */
  scopes: readonly Scope[];
  /** Consents, as the bank's own channels use them. */
  consents: ConsentChannel;
  /** What the bank's own core may call; null if the bank has none. */
  coreFunctions: CoreFunctions | null;
  /** The payment kinds that the bank offers. */
  kinds: readonly OfferedKind[];
  registration: OpenRegistration;
};

/** The trust in client certificates, with its regular work. */
export type OpenTrust = { trust: ClientTrust; stop(): void };

/** The parts that only a sandbox has. */
export type Sandbox = {
  clock: SandboxClock;
  bank: Bank;
  directory: Directory;
  keys: Keys;
  /** The customers with whom it begins: the personas, or those of the bank's own core. */
  personas: readonly TestCustomer[];
  /** Every customer that can be scripted: the personas, and those that developers have brought. */
  customers(): Promise<readonly TestCustomer[]>;
  /** Answers in the app of the sandbox's own bank; null if the bank has its own core. */
  answerInApp: SandboxBank["answerInApp"] | null;
  /** The passkeys of the sandbox's own bank; null if its customers cannot have any. */
  passkeys: SandboxBank["passkeys"];
  /** The bank's own core; null when the sandbox's own bank is the core. */
  core: Core | null;
  /** The two TPPs that are registered at the first start, with the folders of their keys. */
  readyTpps: readonly ReadyTpp[];
  hints: SandboxHints;
  home(): Promise<HomeSandbox>;
  /** Decides who reaches the sandbox and its controls. */
  gate: Gate;
  /** Makes the gate check the requests of a scope; call it before registering the routes. */
  guard(parts: Parts): void;
  /** Serves the sandbox's interface and pages in `parts.app`, a scope of `root`. */
  register(parts: Parts, auth: Auth, root: FastifyInstance): SandboxControls;
  /** Events outside the bank that change accounts as time passes. */
  surroundings: Surroundings;
  /** The bank's regular work: makes statements, renews certificates. */
  sweep(): Promise<void>;
  stop(): void;
};

/** A TPP that is registered at the first start. */
export type ReadyTpp = { name: string; about: string; folder: string; tpp: IssuedTpp };

/** The options of `openSandbox`. */
export type SandboxOptions = Addresses & {
  config: Config;
  database: Database;
  /** The machine's clock. */
  clock: Clock;
  onProgress(text: string, done?: number, total?: number): void;
  /** The world that this sandbox is, and the page with its controls; absent if it is none. */
  world?: { name: string; controlsUrl: string } | undefined;
  /** The worlds that are opened beside this bank. */
  worlds?: WorldControls | undefined;
  /** Makes RSA keys; tests share some. */
  generateKey?: Parameters<typeof ensureDirectory>[0]["generateKey"] | undefined;
  /** Puts the sandbox's own bank behind something, such as HTTP; tests do. */
  reachBank?: ((own: Bank) => Promise<Bank>) | undefined;
  /** Loads the core that replaces the sandbox's own bank; null if no core is configured. */
  loadCore: ((clock: Clock) => Promise<Core>) | null;
};
