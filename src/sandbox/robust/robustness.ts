import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { certificateSubjectOf } from "#src/http/connection/peers.ts";
import type { Sender } from "#src/http/outgoing/guarded-request.ts";
import { signatureHeader } from "#src/http/signature/jws.ts";
import type { MessageSigner } from "#src/http/signature/message-signer.ts";
import type { SigningKey } from "#src/http/signature/signer.ts";
import type { LogEntry, LoggedBodies, WaitingEntry } from "#src/request-log/entry.ts";
import type { RequestLog } from "#src/request-log/request-log.ts";
import { holdAnswer, sendAnswer } from "./hold-answer.ts";
import type { BankAnswer, RunSettings, SentAnswer, Tools } from "./misbehaviour.ts";
import { misbehaviours } from "./misbehaviours.ts";
import { type ObservedCall, objectOf, observe } from "./observed-call.ts";
import { watchPushes } from "./pushed-events.ts";
import { RobustRun } from "./robust-run.ts";

// While a run is open, the bank's routing is replaced by one that watches the run's client. It
// recognises the client by its certificate, and may refuse its calls or change the answers to them.
// When no run is open, nothing of this is installed.

/** The TPP of a run: its certificates have these names. */
type Tpp = { organisationId: string; softwareId: string };

type Options = {
  app: Pick<FastifyInstance, "routing" | "log">;
  /** Null if it is switched off. */
  requestLog: RequestLog | null;
  /** Sends events to the URLs of TPPs. */
  eventSender: Sender;
  /** The bank's time is not used: clients wait in real time. */
  now(): number;
  /** The time of the bank, for the log. */
  bankTime(): number;
  /** Signs with a key, or with the bank's current one. */
  signerOf(key: SigningKey | undefined): MessageSigner;
  newKey: Tools["newKey"];
};

const tickMs = 200;
// The log gets its entry when the answer has been sent.
const entryMs = 1000;

type Held = { call: ObservedCall; url: string; entry: LogEntry | null; sent: SentAnswer | null };
type Routing = Options["app"]["routing"];

/** The runs of a bank. */
export class Robustness {
  readonly #options: Options;
  readonly #runs = new Map<string, { run: RobustRun; tpp: Tpp }>();
  readonly #inFlight = new Set<Held>();
  #uninstall: (() => void) | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Opens a run, or adds rows to the open one; null adds all, in a new run. */
  open(
    clientId: string,
    tpp: Tpp,
    names: readonly string[] | null,
    settings: RunSettings,
  ): RobustRun {
    const { now, newKey } = this.#options;
    const known = this.find(clientId);
    const wanted = misbehaviours.filter(({ name }) => names === null || names.includes(name));
    if (known?.endedAt === null && names !== null) {
      for (const row of wanted) known.add(row);
      return known;
    }
    known?.end(now());
    const run = new RobustRun(clientId, wanted, { settings, now: now(), newKey });
    this.#runs.set(clientId, { run, tpp });
    this.#uninstall ??= this.#install();
    return run;
  }

  /** The newest run of a client. */
  find(clientId: string): RobustRun | null {
    return this.#runs.get(clientId)?.run ?? null;
  }

  /** The clients on which something is played now. */
  listOpen(): string[] {
    return this.#open().map(({ run }) => run.clientId);
  }

  close(): void {
    for (const { run } of this.#open()) run.end(this.#options.now());
    this.#tick();
  }

  #open() {
    return [...this.#runs.values()].filter(({ run }) => run.endedAt === null);
  }

  #install(): () => void {
    const { app, eventSender, now, requestLog } = this.#options;
    const { routing } = app;
    const timer = setInterval(() => this.#tick(), tickMs).unref();
    app.routing = (request, response) => this.#route(routing, request, response);
    const unmark = requestLog ? markEntries(requestLog, this.#inFlight) : null;
    const unwatch = watchPushes(eventSender, now, (clientId) => {
      const run = this.find(clientId);
      return run?.endedAt === null ? run : null;
    });
    return () => {
      unwatch();
      clearInterval(timer);
      app.routing = routing;
      unmark?.();
    };
  }

  #tick(): void {
    for (const { run } of this.#open()) run.tick(this.#options.now());
    if (this.#open().length > 0) return;
    this.#uninstall?.();
    this.#uninstall = null;
  }

  #route(routing: Routing, request: IncomingMessage, response: ServerResponse): void {
    if (request.url === "/jwks") {
      for (const { run } of this.#open()) run.keySetFetched(this.#options.now());
    }
    this.#noteBrowser(request);
    const run = this.#runOf(request);
    if (run === null || !this.#watch(run, request, response)) routing(request, response);
  }

  /** Without a pushed request, the browser is all that the bank sees of a client that goes on. */
  #noteBrowser(request: IncomingMessage): void {
    const [path, query] = (request.url ?? "").split("?");
    if (path !== "/auth" || query === undefined) return;
    const run = this.find(new URLSearchParams(query).get("client_id") ?? "");
    if (run?.endedAt !== null) return;
    const { now } = this.#options;
    run.sentBrowser({ ...observe(request, now()).call, endedAt: now() });
  }

  #runOf(request: IncomingMessage): RobustRun | null {
    const names = new Set(certificateSubjectOf(request)?.map(({ value }) => value));
    return this.#open().find(({ tpp }) => names.has(tpp.softwareId))?.run ?? null;
  }

  /** Watches a call of a run's client. Returns whether the call was refused. */
  #watch(run: RobustRun, request: IncomingMessage, response: ServerResponse): boolean {
    const { now } = this.#options;
    const { call, whole } = observe(request, now());
    const held: Held = { call, url: request.url ?? "/", entry: null, sent: null };
    this.#inFlight.add(held);
    response.once("close", () => {
      call.endedAt ??= now();
      call.hungUp = !response.writableFinished && held.sent?.cut === undefined;
      run.finished();
      setTimeout(() => this.#inFlight.delete(held), entryMs).unref();
    });
    const refusal = run.arrived(call);
    if (refusal) {
      request.on("end", () => {
        whole();
        logRefusal(this.#options, run, held, refusal);
        void sendAnswer(request, response, refusal);
      });
      request.resume();
      return true;
    }
    holdAnswer(request, response, async (answer) => {
      whole();
      readAnswer(call, answer);
      const sent = await run.answered(call, answer);
      held.sent = sent;
      mark(held);
      call.next = nextOf(sent ?? answer);
      return sent && signAgain(this.#options, answer, sent);
    });
    return false;
  }
}

/** Notes what the bank has answered. */
function readAnswer(call: ObservedCall, { status, body }: BankAnswer): void {
  call.status = status;
  const data = (objectOf(body)?.Data ?? {}) as Record<string, unknown>;
  if (call.method !== "POST" || status !== 201) return;
  const id = call.path.endsWith("-consents")
    ? data.ConsentId
    : Object.entries(data).find(([name]) => name.endsWith("Id") && name !== "ConsentId")?.[1];
  call.madeId = typeof id === "string" ? id : null;
}

function nextOf({ body }: BankAnswer): string | null {
  const { Next } = (objectOf(body)?.Links ?? {}) as { Next?: unknown };
  return typeof Next === "string" ? Next : null;
}

/** Signs an answer again whose body or key has changed. */
async function signAgain(
  { signerOf }: Options,
  answer: BankAnswer,
  sent: SentAnswer,
): Promise<SentAnswer> {
  const isSigned = sent.headers[signatureHeader] !== undefined;
  if (!isSigned || (sent.body === answer.body && sent.key === undefined)) return sent;
  const signature = await signerOf(sent.key).sign(Buffer.from(sent.body));
  return { ...sent, headers: { ...sent.headers, [signatureHeader]: signature } };
}

/** Marks the entries that the log gets for the calls in flight. Returns what ends this. */
function markEntries(log: RequestLog, inFlight: ReadonlySet<Held>): () => void {
  const { add } = log;
  log.add = (waiting) => {
    const { entry, bodies } = waiting;
    const held = [...inFlight].find((one) => one.entry === null && isOf(one, entry));
    if (!held) return add(waiting);
    held.entry = entry;
    mark(held);
    return add({ ...waiting, bodies: bodies && (() => withSent(bodies(), held)) });
  };
  return () => {
    log.add = add;
  };
}

const isOf = ({ call, url }: Held, { method, path, interactionId }: LogEntry): boolean =>
  call.method === method &&
  url.split("?", 1)[0] === path &&
  (call.interactionId === null || call.interactionId === interactionId);

function mark({ call: { played }, entry }: Held): void {
  if (played === null || entry === null) return;
  const text = misbehaviours.find(({ name }) => name === played)?.plays ?? "";
  entry.played = { name: played, text };
}

/** The bodies of a call as the client got them. Tokens stay masked. */
function withSent(bodies: LoggedBodies, { sent, url }: Held): LoggedBodies {
  if (!sent || !url.startsWith("/api/")) return bodies;
  const { body: answer } = sent;
  return { ...bodies, answer, answerBytes: Buffer.byteLength(answer) };
}

/** Logs a call that the bank has not seen. */
function logRefusal(
  { requestLog, now, bankTime }: Options,
  { clientId }: RobustRun,
  held: Held,
  { status, headers, body }: BankAnswer,
): void {
  const { call, url } = held;
  const entry: LogEntry = {
    at: now(),
    bankTime: bankTime(),
    milliseconds: 0,
    interactionId: call.interactionId ?? "",
    method: call.method,
    path: url.split("?", 1)[0] ?? url,
    api: null,
    operation: null,
    status,
    clientId,
    consentId: null,
    resourceId: null,
    codes: [],
    idempotencyKey: call.idempotencyKey,
    isReplay: false,
    passed: null,
  };
  const waiting: WaitingEntry = {
    entry,
    isAnonymous: false,
    bodies: () => ({
      query: "",
      requestHeaders: {},
      request: null,
      requestBytes: 0,
      answerHeaders: headers,
      answer: body,
      answerBytes: Buffer.byteLength(body),
    }),
    bytes: 1000,
  };
  // `add` finds the call that is in flight, and marks the entry
  requestLog?.add(waiting);
}
