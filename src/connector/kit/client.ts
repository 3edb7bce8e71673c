// The kit's requests to a core, each kept as it was, so that a report can show what went wrong.
import { readFileSync } from "node:fs";
import { contractVersion } from "#src/connector/operations.ts";
import type { RequestSigner } from "#src/connector/sign-request.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { openConnections } from "#src/signing/remote-connection.ts";
import { type Cut, type KitTls, sendAndCut } from "./cut-request.ts";

/** Where the core is, and how the kit proves who it is. Files are PEM files. */
export type KitConnection = {
  url: string;
  rootsFile?: string | undefined;
  certificateFile?: string | undefined;
  keyFile?: string | undefined;
  /** Signs each request; null if the connection alone proves who calls. */
  sign: RequestSigner | null;
};

/** A request as it was sent, and what came back. */
export type KitExchange = {
  method: "GET" | "POST";
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** Null if there was no answer; `answer` then says why. */
  status: number | null;
  answer: string;
  contentType: string;
  /** Throws what `wrong` makes if Aldgate would not read the answer. Absent without an answer. */
  expectReadable?(wrong: (why: string) => Error): void;
  milliseconds: number;
};

/** A request that differs from those of Aldgate. */
type KitRequest = {
  method?: "GET" | "POST";
  path: string;
  /** Text, or a value that becomes JSON; null for none. */
  body: unknown;
  /** Headers in place of those that Aldgate sends; undefined leaves one out. */
  headers?: Readonly<Record<string, string | undefined>>;
  /** What the core is told about the time it has. */
  deadlineMs: number;
  /** How long the kit listens; as long as the deadline by default. */
  waitMs?: number;
  /** Whether the connection is made without the client certificate. */
  isAnonymous?: boolean;
};

const mostBytes = 64 * 1024 * 1024;
const mostConnections = 64;

/** Sends requests and remembers those of the case that runs. */
export class KitClient {
  readonly url: string;
  /** The requests of the case. */
  exchanges: KitExchange[] = [];
  /** Operations whose answers contained a secret of bank.json. */
  readonly leaks = new Set<string>();
  /** Signs a request; null if the kit signs none. */
  readonly sign: RequestSigner | null;
  /** Whether the core can ask for a certificate of the kit. */
  readonly hasCertificate: boolean;
  readonly #connections: ReturnType<typeof openConnections>;
  readonly #anonymous: ReturnType<typeof openConnections>;
  readonly #tls: KitTls;
  readonly #secrets: readonly string[];

  constructor(connection: KitConnection, secrets: readonly string[]) {
    this.url = connection.url.replace(/\/$/, "");
    this.sign = connection.sign;
    this.#secrets = secrets;
    const { url, rootsFile: roots, certificateFile: certificate } = connection;
    this.hasCertificate = certificate !== undefined && url.startsWith("https:");
    this.#connections = openConnections({ ...connection, connections: mostConnections });
    this.#anonymous = openConnections({ url, rootsFile: roots, connections: 1 });
    const read = (path: string | undefined) =>
      path === undefined ? null : readFileSync(path, "utf8");
    const { rootsFile, certificateFile, keyFile } = connection;
    this.#tls = { ca: read(rootsFile), cert: read(certificateFile), key: read(keyFile) };
  }

  /** Sends a request and returns what came, whatever it is. */
  async send(request: KitRequest): Promise<KitExchange> {
    const { method = "POST", path, deadlineMs, waitMs = deadlineMs } = request;
    const body = writeBody(request.body);
    const headers = await this.#headers(request, body);
    const began = performance.now();
    const limits = { connectMs: waitMs, totalMs: waitMs, mostBytes, anyStatus: true } as const;
    const tooLarge = `the answer is larger than ${mostBytes} bytes`;
    const connections = request.isAnonymous ? this.#anonymous : this.#connections;
    const answer = await connections
      .exchange({ method, path: path.slice(1), headers, body, limits: { ...limits, tooLarge } })
      .catch((error: Error) => `no answer: ${textOf(error)}`);
    const milliseconds = performance.now() - began;
    const sent = { method, path, headers, body: body && this.#hide(body.toString()) };
    const exchange: KitExchange =
      typeof answer === "string"
        ? { ...sent, status: null, answer, contentType: "", milliseconds }
        : {
            ...sent,
            status: answer.status,
            answer: this.#hide(answer.body.toString(), path),
            contentType: answer.headers["content-type"] ?? "",
            expectReadable: (wrong) => void parseJsonObject(answer.body, wrong),
            milliseconds,
          };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Sends a request, and cuts its connection. */
  async sendAndCut(request: KitRequest, cut: Cut): Promise<void> {
    const { path, deadlineMs } = request;
    const body = writeBody(request.body) ?? Buffer.alloc(0);
    const headers = await this.#headers(request, body);
    const url = new URL(this.url + path);
    const began = performance.now();
    await sendAndCut({ url, headers, body, tls: this.#tls, waitMs: deadlineMs }, cut);
    this.exchanges.push({
      method: "POST",
      path,
      headers,
      body: this.#hide(body.toString()),
      status: null,
      answer: `the kit has cut the connection (${cut})`,
      contentType: "",
      milliseconds: performance.now() - began,
    });
  }

  close(): void {
    this.#connections.close();
    this.#anonymous.close();
  }

  async #headers(request: KitRequest, body: Buffer | null): Promise<Record<string, string>> {
    const { method = "POST", path, deadlineMs } = request;
    const signature = await this.sign?.({ method, path, body });
    const all = {
      "aldgate-contract": String(contractVersion),
      "aldgate-deadline-ms": String(deadlineMs),
      "aldgate-signature": signature,
      ...request.headers,
    };
    const given = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return Object.fromEntries(given);
  }

  /** A text without the secrets of bank.json. Notes the operation whose answer has one. */
  #hide(text: string, answerTo?: string): string {
    let hidden = text;
    for (const secret of this.#secrets) {
      const written = JSON.stringify(secret).slice(1, -1);
      if (!hidden.includes(written)) continue;
      hidden = hidden.replaceAll(written, "<password>");
      if (answerTo !== undefined) this.leaks.add(answerTo);
    }
    return hidden;
  }
}

function writeBody(body: unknown): Buffer | null {
  if (body === null) return null;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a line that a shell can run. */
export function curlOf(url: string, { method, path, headers, body }: KitExchange): string {
  const given = Object.entries(headers).filter(([name]) => name !== "aldgate-signature");
  return [
    "curl -X",
    method,
    quote(url + path),
    ...given.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-H ${quote("content-type: application/json")} -d ${quote(body)}`]),
  ].join(" ");
}
