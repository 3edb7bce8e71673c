import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KnownRefusal } from "#src/account-store/refusals.ts";
import type {
  ChannelConsent,
  ConsentChannel,
  WholeConsent,
} from "#src/channels/consent-channel.ts";
import { addressesOf } from "#src/config/addresses.ts";
import type { Config } from "#src/config/config.ts";
import type { EventReceiver, ResendRequest, ShownEvent } from "#src/events/stored-events.ts";
import type { NoticeSkip, WaitingNotices } from "#src/notices/waiting-notices.ts";
import type { StuckPayment } from "#src/payments/execution/stuck-payments.ts";
import type {
  ContractOperations,
  ShownContract,
} from "#src/payments/limits/contract-operations.ts";
import type { MeteredPayment } from "#src/payments/limits/metering.ts";
import type { JudgedText, Pasted } from "#src/request-log/explain/judged-text.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import { type ActRow, actPath } from "#src/sandbox/controls/act-rows.ts";
import type { PayeeWarning } from "#src/sandbox/controls/approval-shapes.ts";
import type { SandboxControls, SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type {
  ShownWorld,
  WorldControls,
  WorldSummary,
} from "#src/sandbox/controls/world-shapes.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import type { IssuedTpp, TppCertificates } from "#src/sandbox/directory/issued-tpp.ts";
import type { CustomerDocument } from "#src/sandbox/own-data/document.ts";
import type { RobustReport } from "#src/sandbox/robust/report.ts";
import type { HeadlessAnswer } from "#src/sandbox/test-tpp/headless-customer.ts";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";
import { type KeyCommands, remoteKeys } from "./remote-keys.ts";
import { type RemoteRegistration, remoteRegistration } from "./remote-registration.ts";
import { type Sent, send } from "./send.ts";

/** The bank did not respond, or refused. The message is for the user of the command line. */
export class BankRefused extends Error {
  /** The single faults, if the bank names them. */
  readonly faults: readonly string[] | undefined;
  /** The command that helps, if one does. */
  readonly next: string | undefined;

  constructor(
    message: string,
    { faults, next }: { faults?: readonly string[]; next?: string } = {},
  ) {
    super(message);
    this.faults = faults;
    this.next = next;
  }
}

/** Nobody answers at the bank's address. */
export class NoBank extends BankRefused {
  constructor(url: string) {
    super(`No bank answers at ${url}. Start it with: npm start`, { next: "./aldgate start" });
  }
}

/** A new TPP, as the sandbox's interface gives it. */
type NewTpp = Pick<
  IssuedTpp,
  | "clientId"
  | "organisationId"
  | "softwareId"
  | "softwareStatement"
  | "signing"
  | "transport"
  | "caPem"
>;

/** The bank's time, as text, and how fast its clock runs. */
type ClockTime = { now: string; rate: number };

/** What is set at a clock. */
export type ClockChange = { now?: string; advance?: string; rate?: number };

type Acted = { id: string; status: string; warning?: PayeeWarning };

/** A running sandbox, through its own interface. */
export type SandboxClient = RemoteRegistration & {
  bank: BankAddress;
  /** Whether a bank responds at the address. */
  isOpen(): Promise<boolean>;
  /** A JSON document that the bank publishes; null if it has none at this path. */
  readPublished(path: string): Promise<object | null>;
  createTpp(request: TppRequest): Promise<NewTpp>;
  /** The TPP with its newest certificates. Throws BankRefused when there is none. */
  readTpp(clientId: string): Promise<TppCertificates>;
  /** Decides as a customer. `note` says what a developer should know about the answer. */
  authorise(request: object): Promise<HeadlessAnswer>;
  /** Removes a TPP for good. */
  deleteTpp(clientId: string): Promise<void>;
  listCustomers(): Promise<SandboxCustomer[]>;
  customers: SandboxControls["customers"];
  now(): Promise<Temporal.Instant>;
  clock: { read(): Promise<ClockTime>; change(change: ClockChange): Promise<ClockTime> };
  /** Calls a control. Throws BankRefused. */
  call: Call;
  /** Sets the clock forward. Returns the new time of the bank, as text. */
  advance(duration: string): Promise<string>;
  verify(): Promise<string[]>;
  listStuckPayments(): Promise<StuckPayment[]>;
  listRefusedFacts(): Promise<KnownRefusal[]>;
  /** The notices that the core has not been told. */
  notices: {
    list(): Promise<WaitingNotices>;
    /** Returns false if no such notice waits. */
    skip(noticeId: string, why: NoticeSkip): Promise<boolean>;
  };
  listEventReceivers(): Promise<EventReceiver[]>;
  listEvents(clientId: string): Promise<ShownEvent[]>;
  /** The log of requests. */
  requests: LogReader;
  /** The consents of customers. */
  consents: ConsentChannel;
  /** Judges a message, a JWT or a certificate that nobody has sent. */
  judge(pasted: Pasted): Promise<JudgedText>;
  /** Returns how many events are sent again. */
  resendEvents(clientId: string, request: ResendRequest): Promise<number>;
  /** The TPPs' contracts, and the payments under them. */
  contracts: ContractOperations;
  /** Withdraws a consent on behalf of its customer. Returns its status. */
  revokeConsent(consentId: string): Promise<string>;
  /** Does an act to the object with that id. */
  act(row: ActRow, id: string, body: object): Promise<Acted>;
  /** The bank's signing keys. */
  signingKeys: KeyCommands;
  /** What is played on TPPs. */
  robust: {
    open(clientId: string, request: object): Promise<RobustReport>;
    report(clientId: string): Promise<RobustReport>;
    end(clientId: string): Promise<RobustReport>;
  };
  /** The worlds that are opened beside the bank. */
  worlds: Omit<WorldControls, "list" | "deleteSnapshot"> & { list(): Promise<WorldSummary[]> };
};

/** Where a sandbox is, and the token for its controls if it has one. */
export type SandboxAddress = BankAddress & { controlsToken?: string };

/** The address of the sandbox that a configuration's bank runs. */
export function configuredAddress(config: Config): SandboxAddress {
  const { SANDBOX_CONTROLS_TOKEN: controlsToken } = config;
  return { ...addressesOf(config), ...(controlsToken ? { controlsToken } : {}) };
}

/** The sandbox at this address; `caPem` is its root, for one whose pages have TLS too. */
export function sandboxClient(address: SandboxAddress, caPem?: string): SandboxClient {
  const { controlsToken: bearer, ...bank } = address;
  const call: Call = async (method, path, body) => {
    let sent: Sent;
    try {
      sent = await send(`${bank.publicUrl}/sandbox/v1${path}`, { method, body, caPem, bearer });
    } catch {
      throw new NoBank(bank.publicUrl);
    }
    const answer = JSON.parse(sent.text) as { message?: string; faults?: string[] };
    if (sent.status < 300) return answer;
    const { message = String(sent.status), faults } = answer;
    throw new BankRefused(message, faults?.length ? { faults } : {});
  };
  return {
    bank,
    isOpen: () =>
      send(`${bank.publicUrl}/health/live`, { method: "GET", caPem }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    async readPublished(path) {
      const sent = await send(`${bank.publicUrl}${path}`, { method: "GET", caPem });
      return sent.status === 200 ? (JSON.parse(sent.text) as object) : null;
    },
    createTpp: async (request) => (await call("POST", "/tpps", request)) as NewTpp,
    readTpp: async (clientId) => (await call("GET", `/tpps/${clientId}`)) as TppCertificates,
    authorise: async (request) =>
      (await call("POST", "/authorisations", request)) as HeadlessAnswer,
    deleteTpp: async (clientId) =>
      void (await call("DELETE", `/tpps/${encodeURIComponent(clientId)}`)),
    customers: customersThrough(call),
    listCustomers: async () =>
      ((await call("GET", "/customers")) as { customers: SandboxCustomer[] }).customers,
    ...clockThrough(call),
    call,
    verify: async () => ((await call("GET", "/verify")) as { breaches: string[] }).breaches,
    listStuckPayments: async () =>
      ((await call("GET", "/payments/stuck")) as { payments: StuckPayment[] }).payments,
    listRefusedFacts: async () =>
      ((await call("GET", "/facts/refused")) as { facts: KnownRefusal[] }).facts,
    notices: noticesThrough(call),
    listEventReceivers: async () =>
      ((await call("GET", "/events")) as { receivers: EventReceiver[] }).receivers,
    async listEvents(clientId) {
      const path = `/tpps/${encodeURIComponent(clientId)}/events`;
      return ((await call("GET", path)) as { events: ShownEvent[] }).events;
    },
    async resendEvents(clientId, request) {
      const path = `/tpps/${encodeURIComponent(clientId)}/events/resend`;
      const body = request === "undelivered" ? {} : request;
      return ((await call("POST", path, body)) as { count: number }).count;
    },
    requests: remoteRequests(call),
    consents: remoteConsents(call),
    judge: async (pasted) => (await call("POST", "/judgements", pasted)) as JudgedText,
    contracts: contractsThrough(call),
    async revokeConsent(consentId) {
      const path = `/consents/${encodeURIComponent(consentId)}/revoke`;
      return ((await call("POST", path, {})) as { status: string }).status;
    },
    async act(row, id, body) {
      const path = actPath(row).replace(/:\w+/, encodeURIComponent(id));
      return (await call("POST", path, body)) as Acted;
    },
    ...remoteRegistration(call),
    signingKeys: remoteKeys(call),
    robust: robustThrough(call),
    worlds: worldsThrough(call),
  };
}

function clockThrough(call: Call): Pick<SandboxClient, "clock" | "now" | "advance"> {
  const clock: SandboxClient["clock"] = {
    read: async () => (await call("GET", "/clock")) as ClockTime,
    change: async (change) => (await call("PUT", "/clock", change)) as ClockTime,
  };
  return {
    clock,
    now: async () => Temporal.Instant.from((await clock.read()).now),
    advance: async (advance) => (await clock.change({ advance })).now,
  };
}

const noticesThrough = (call: Call): SandboxClient["notices"] => ({
  list: async () => (await call("GET", "/notices")) as WaitingNotices,
  async skip(noticeId, why) {
    const path = `/notices/${encodeURIComponent(noticeId)}/skip`;
    return ((await call("POST", path, why)) as { isSkipped: boolean }).isSkipped;
  },
});

function customersThrough(call: Call): SandboxClient["customers"] {
  const pathOf = (login: string): string => `/customers/${encodeURIComponent(login)}`;
  return {
    create: async (document, { shift = false } = {}) =>
      (await call("POST", `/customers${shift ? "?shift=true" : ""}`, document)) as SandboxCustomer,
    export: async (login) => (await call("GET", `${pathOf(login)}/export`)) as CustomerDocument,
    delete: async (login) => void (await call("DELETE", pathOf(login))),
  };
}

function robustThrough(call: Call): SandboxClient["robust"] {
  const pathOf = (clientId: string) => `/tpps/${encodeURIComponent(clientId)}/misbehaviours`;
  return {
    open: async (clientId, request) =>
      (await call("POST", pathOf(clientId), request)) as RobustReport,
    report: async (clientId) => (await call("GET", pathOf(clientId))) as RobustReport,
    end: async (clientId) => (await call("DELETE", pathOf(clientId))) as RobustReport,
  };
}

function worldsThrough(call: Call): SandboxClient["worlds"] {
  const pathOf = (name: string): string => `/worlds/${encodeURIComponent(name)}`;
  return {
    open: async (request) => (await call("POST", "/worlds", request)) as ShownWorld,
    list: async () => ((await call("GET", "/worlds")) as { worlds: WorldSummary[] }).worlds,
    show: async (name) => (await call("GET", pathOf(name))) as ShownWorld,
    delete: async (name) => void (await call("DELETE", pathOf(name))),
    reset: async (name) => (await call("POST", `${pathOf(name)}/reset`, {})) as ShownWorld,
    snapshot: async (name, request) =>
      (await call("POST", `${pathOf(name)}/snapshots`, request)) as WorldSummary,
    restore: async (name, request) =>
      (await call("POST", `${pathOf(name)}/restore`, request)) as ShownWorld,
    fork: async (name, request) =>
      (await call("POST", `${pathOf(name)}/fork`, request)) as ShownWorld,
  };
}

/** The sandbox that this configuration's bank runs. */
export function configuredSandbox(cli: Pick<Cli, "environment">): SandboxClient {
  const { address, caPem } = configuredPlace(cli);
  return sandboxClient(address, caPem);
}

/** The sandbox that this configuration's bank runs, or one of its worlds. */
export async function sandboxOf(
  cli: Pick<Cli, "environment">,
  world?: string,
): Promise<SandboxClient> {
  if (world === undefined) return configuredSandbox(cli);
  const { publicUrl, mtlsUrl, caPem } = await configuredSandbox(cli).worlds.show(world);
  const { controlsToken } = configuredPlace(cli).address;
  return sandboxClient({ publicUrl, mtlsUrl, ...(controlsToken ? { controlsToken } : {}) }, caPem);
}

/**
 * The same sandbox with the mutual TLS address that the bank itself names, for what outlives this
 * command. Throws NoBank.
 */
export async function servedSandbox(cli: Pick<Cli, "environment">): Promise<SandboxClient> {
  const { address, caPem } = configuredPlace(cli);
  const served = await servedAddress(address, caPem);
  if (served === null) throw new NoBank(address.publicUrl);
  return sandboxClient(served, caPem);
}

function configuredPlace(cli: Pick<Cli, "environment">) {
  const config = configOf(cli.environment);
  const root = join(config.ALDGATE_DATA, "keys", "ca.pem");
  const caPem = config.PUBLIC_TLS && existsSync(root) ? readFileSync(root, "utf8") : undefined;
  return { address: configuredAddress(config), caPem };
}

const tokenPath = "/token";

/**
 * An address with the mutual TLS address of the bank's discovery document: the bank may have been
 * started with other ports than this command's configuration. Null if no bank answers there.
 */
export async function servedAddress(
  address: SandboxAddress,
  caPem?: string,
): Promise<SandboxAddress | null> {
  const url = `${address.publicUrl}/.well-known/openid-configuration`;
  const sent = await send(url, { method: "GET", caPem }).catch(() => null);
  if (sent === null) return null;
  if (sent.status !== 200) return address; // the later call reports what is wrong
  const { mtls_endpoint_aliases: aliases } = JSON.parse(sent.text) as {
    mtls_endpoint_aliases?: { token_endpoint?: string };
  };
  const endpoint = aliases?.token_endpoint ?? "";
  if (!endpoint.endsWith(tokenPath)) return address;
  return { ...address, mtlsUrl: endpoint.slice(0, -tokenPath.length) };
}

/** Sends a request to the sandbox's interface. Throws if the bank refuses the request. */
type Call = (method: string, path: string, body?: object) => Promise<unknown>;

/** The operations on contracts through the sandbox's interface, which says what it refuses. */
const contractsThrough = (call: Call): ContractOperations => ({
  async list() {
    const answer = (await call("GET", "/vrp-contracts")) as { contracts: ShownContract[] };
    return answer.contracts;
  },
  async grant(clientId, { contractId, ...terms }) {
    await call("PUT", pathOf(clientId, contractId), terms);
    return true;
  },
  async withdraw(clientId, contractId, options) {
    const path = `${pathOf(clientId, contractId)}/withdrawal`;
    return ((await call("POST", path, options)) as { cancelled: number }).cancelled;
  },
  async setStatus(clientId, status) {
    await call("PUT", `/tpps/${encodeURIComponent(clientId)}/scheme-status`, { status });
    return true;
  },
  async *meter({ from, until, asOf }) {
    const period = { from: from.toString(), until: until.toString(), asOf: asOf.toString() };
    const answer = await call("POST", "/vrp-metering", period);
    yield* (answer as { payments: MeteredPayment[] }).payments;
  },
});

const pathOf = (clientId: string, contractId: string): string =>
  `/tpps/${encodeURIComponent(clientId)}/vrp-contracts/${encodeURIComponent(contractId)}`;

/** Consents through the sandbox's interface, which says what it refuses. */
function remoteConsents(call: Call): ConsentChannel {
  const pathOf = (consentId: string): string => `/consents/${encodeURIComponent(consentId)}`;
  return {
    async list(customerId) {
      const answer = await call("GET", `/consents?customerId=${encodeURIComponent(customerId)}`);
      return (answer as { consents: ChannelConsent[] }).consents;
    },
    show: async (consentId) => (await call("GET", pathOf(consentId))) as WholeConsent,
    stop: async (consentId, request) =>
      (await call("POST", `${pathOf(consentId)}/stop`, request)) as WholeConsent,
  };
}

/** The log of requests through the sandbox's interface, which says what it refuses. */
const remoteRequests = (call: Call): LogReader => ({
  async list(filter) {
    const query = new URLSearchParams(filter as Record<string, string>);
    return (await call("GET", `/requests?${query}`)) as Awaited<ReturnType<LogReader["list"]>>;
  },
  async show(id) {
    const path = `/requests/${encodeURIComponent(id)}`;
    return (await call("GET", path)) as Awaited<ReturnType<LogReader["show"]>>;
  },
  async explain(id) {
    const path = `/explanations/${encodeURIComponent(id)}`;
    return (await call("GET", path)) as Awaited<ReturnType<LogReader["explain"]>>;
  },
});
