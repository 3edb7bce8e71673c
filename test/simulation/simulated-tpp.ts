import type { Answer, Call } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppBank, TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { History } from "#test/model/history.ts";
import { RecordingTpp } from "#test/model/recording-tpp.ts";
import type { LateCalls } from "./simulated-core.ts";

/**
 * What goes wrong with a request: it is lost, its answer is lost, it arrives twice, or it arrives
 * when nobody waits for it any more.
 */
export const networkTroubles = ["lost", "unanswered", "doubled", "late"] as const;
export type NetworkTrouble = (typeof networkTroubles)[number];

/** The addresses at which one process listens. */
export type Door = { publicUrl: string; mtlsUrl: string };

type Sending = Parameters<RecordingTpp["send"]>;

/** A TPP whose requests go through a simulated network. */
export class SimulatedTpp extends RecordingTpp {
  /** The process that answers, unless a request names one. */
  door: Door;
  /** What happens to the next request. */
  trouble: NetworkTrouble | null = null;
  /** Answers that the bank should never give. */
  readonly faults: string[] = [];
  readonly #late: LateCalls;

  constructor(
    bank: TppBank,
    tpp: TppCredentials,
    { history, late }: { history: History; late: LateCalls },
  ) {
    super(bank, tpp, history);
    this.door = bank;
    this.#late = late;
  }

  override async send(...[url, method, body, headers]: Sending): Promise<Answer> {
    const { trouble } = this;
    this.trouble = null;
    const target = this.#through(url);
    const arrive = async (): Promise<Answer> => {
      const answer = await super.send(target, method, body, headers);
      // 503 says that something else is out of service
      if (answer.status >= 500 && answer.status !== 503) {
        this.faults.push(`${method} ${url}: ${answer.status} ${answer.raw}`);
      }
      return answer;
    };
    if (trouble === null) return arrive();
    if (trouble === "late") this.#late.add(arrive);
    if (trouble === "unanswered") await arrive();
    throw new Error(`the simulated network: ${trouble}`);
  }

  override call<Body = unknown>(sent: Call): Promise<Answer<Body>> {
    return this.#perhapsTwice(() => super.call<Body>(sent));
  }

  override tokenAnswer(parameters: Record<string, string>): Promise<Answer> {
    return this.#perhapsTwice(() => super.tokenAnswer(parameters));
  }

  /** The copy whose answer nobody gets is a request of its own. */
  async #perhapsTwice<T>(request: () => Promise<T>): Promise<T> {
    if (this.trouble !== "doubled") return request();
    this.trouble = "unanswered";
    await request().catch(() => undefined);
    return request();
  }

  /** Returns the URL at the process that is to answer. */
  #through(url: string): string {
    for (const name of ["publicUrl", "mtlsUrl"] as const) {
      const address = this.bank[name];
      if (url.startsWith(`${address}/`)) return this.door[name] + url.slice(address.length);
    }
    return url;
  }
}
