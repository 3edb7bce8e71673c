import assert from "node:assert/strict";
import fastify from "fastify";
import { decodeJwt } from "jose";
import type { BankLogin } from "#src/auth/login/bank-login.ts";
import { appJourneyRows } from "#src/channels/app-journey-rows.ts";
import type { AppJourney, AppJourneys } from "#src/channels/app-journey-shapes.ts";
import { serveGuarded } from "#src/server/listeners/guarded-rows.ts";
import { atTill } from "./at-till.ts";
import { type AuthBed, fragmentOf, openAuthBed } from "./auth-bed.ts";
import { openBankProvider, type ProviderMood } from "./bank-provider.ts";
import { assess } from "./refused-ending.ts";
import {
  type Answer,
  InBrowser,
  type More,
  type Traveller,
  type Way,
  type WayName,
} from "./traveller.ts";
import { Visitor } from "./visitor.ts";
import { byPasskey } from "./with-passkey.ts";

type BankProvider = Awaited<ReturnType<typeof openBankProvider>>;

const moods: Readonly<Record<Answer, ProviderMood>> = {
  approved: {},
  declined: {},
  failed: { acr: "loa1" },
  altered: { details: (all) => all.map((one) => ({ ...one, subject_hash: "another" })) },
  weak: { amr: ["otp"] },
};

/** A customer whose browser is handed over to the bank's provider. */
class AtProvider extends InBrowser {
  readonly #provider: BankProvider;
  readonly #publicUrl: string;
  readonly #checkPage: (page: string) => void;

  constructor(bed: AuthBed, provider: BankProvider) {
    super(bed);
    this.#publicUrl = bed.publicUrl;
    this.#checkPage = bed.checkPage;
    this.#provider = provider;
  }

  override async open(url: string): Promise<void> {
    await super.open(url);
    // the state of the request names the journey
    const { searchParams } = new URL(this.visitor.shown.url);
    const request = searchParams.get("request");
    const { state = searchParams.get("state") } = request
      ? decodeJwt<{ state: string }>(request)
      : {};
    if (state) this.uid = state.split(".")[0] ?? "";
  }

  override async confirm(login: string, answer: Answer = "approved"): Promise<void> {
    const { visitor } = this;
    // the page after a failure leads there again
    if (this.isHere) await this.look();
    if (this.isHere) return;
    const { mood, issuer } = this.#provider;
    for (const name of Object.keys(mood)) delete mood[name as keyof ProviderMood];
    Object.assign(mood, { ...moods[answer], sub: `cust-${login}` });
    const there = new Visitor({ publicUrl: issuer, checkPage: this.#checkPage });
    await there.open(visitor.shown.url);
    const given = answer === "declined" ? "decline" : "confirm";
    await there.open(there.shown.url, { answer: given });
    await visitor.open(there.shown.url);
  }

  override async cancel(): Promise<void> {
    await this.confirm("anna", "declined");
  }

  override async look(): Promise<void> {
    await this.visitor.open(`${this.#publicUrl}/journey/${this.uid}`);
  }

  /** Whether the browser shows a page of the bank, and not of its provider. */
  protected get isHere(): boolean {
    return this.visitor.shown.url.startsWith(this.#publicUrl);
  }
}

/** A customer who logs in at the bank's provider, and then enters a code here. */
class LoggedInThere extends AtProvider {
  override async confirm(login: string, answer: Answer = "approved"): Promise<void> {
    const isWeak = answer === "weak";
    if (this.visitor.step !== "factor") await super.confirm(login, isWeak ? answer : "approved");
    await this.enterCode(isWeak ? "approved" : answer);
  }

  override login(login: string): Promise<void> {
    return super.confirm(login);
  }

  override async cancel(): Promise<void> {
    if (this.isHere) await this.visitor.submit({ decision: "cancel" });
    else await super.confirm("anna", "declined");
  }

  override look(): Promise<void> {
    return this.isHere ? InBrowser.prototype.look.call(this) : super.look();
  }
}

const token = "a-token-of-the-banks-own-channels";
type Decided = { journey: AppJourney | null; redirectTo: string | null; message?: string };

/** A customer whose phone has opened the URL in the bank's app; the app's server calls the bank. */
export class InApp implements Traveller {
  readonly #bed: AuthBed;
  readonly #url: string;
  #journey: AppJourney | null = null;
  #redirectTo: string | null = null;
  #login = "";
  /** What the app has shown. */
  readonly seen: object[] = [];
  /** The refusals of the app's calls. */
  readonly refusals: string[] = [];

  constructor(bed: AuthBed, url: string) {
    this.#bed = bed;
    this.#url = url;
  }

  get uid(): string {
    return this.#journey?.journeyId ?? "";
  }

  async #call(method: "GET" | "POST", path: string, body?: object): Promise<void> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Decided | AppJourney | { accounts: object[] };
    if ("accounts" in answer) {
      this.seen.push(answer);
      return;
    }
    if (!response.ok) {
      this.refusals.push((answer as Decided).message ?? "");
      return;
    }
    const { journey, redirectTo } =
      "shownHash" in answer ? { journey: answer, redirectTo: null } : answer;
    this.#journey = journey;
    if (journey?.outcome === null) this.seen.push(journey);
    this.#redirectTo ??= redirectTo;
  }

  open(authorizationUrl: string): Promise<void> {
    return this.#call("POST", "/journeys", { authorizationUrl });
  }

  // the app decides in one call, after the customer has chosen the account
  async confirm(login: string, answer: Answer = "approved"): Promise<void> {
    this.#login = login;
    if (answer === "declined") await this.cancel();
    if (answer === "failed") await this.#decide(["pin"]);
  }

  /** Shows the accounts of the customer. */
  listAccounts(): Promise<void> {
    return this.#call("GET", `/journeys/${this.uid}/accounts?customerId=cust-${this.#login}`);
  }

  async confirmAgain(): Promise<void> {
    this.#bed.advance({ seconds: 1 });
    await this.#decide(["swk", "pin"]);
  }

  async approve(account = "101"): Promise<void> {
    // once more for what the account adds
    for (let turn = 0; turn < 2 && this.ending() === null; turn += 1) {
      await this.#decide(["hwk", "face"], [account]);
    }
  }

  /** Approves, once, with what the app has shown last. */
  #decide(amr: string[], accountIds: string[] = []): Promise<void> {
    const at = this.#bed.clock.now().toString();
    return this.#call("POST", `/journeys/${this.uid}/decision`, {
      ...{ decision: "approve", customerId: `cust-${this.#login}`, accountIds },
      ...{ shownHash: this.#journey?.shownHash ?? "", authentication: { amr, at } },
    });
  }

  async choose(account: string): Promise<void> {
    await this.#decide(["hwk", "face"], [account]);
  }

  cancel(): Promise<void> {
    const customerId = `cust-${this.#login}`;
    return this.#call("POST", `/journeys/${this.uid}/decision`, { decision: "cancel", customerId });
  }

  look(): Promise<void> {
    return this.#call("GET", `/journeys/${this.uid}`);
  }

  ending(): { title: string; text: string } | null {
    return this.#journey?.ending ?? null;
  }

  async goBack(): Promise<Record<string, string>> {
    // the app has only read how it ended: a decision gets the way back
    if (this.#redirectTo === null) await this.cancel();
    assert.ok(this.#redirectTo, JSON.stringify(this.refusals));
    return fragmentOf(this.#redirectTo);
  }
}

/** Opens a bank for each way, with more calls of its core. */
export const ways: Readonly<Record<WayName, (more?: More) => Promise<Way>>> = {
  code: (more) => inBrowser({}, more),
  passkey: byPasskey,
  decoupled: (more) => inBrowser({ inApp: true }, more),

  redirect: (more) => thereBy("approval", more),
  "login there": (more) => thereBy("login", more),

  async app(more) {
    const bed = await openAuthBed({ ...more, bank: { assess, ...more?.bank } });
    const server = fastify();
    serveGuarded<{ journeys: AppJourneys }>(server, {
      ...{ prefix: "", rows: appJourneyRows, functions: { journeys: bed.appJourneys } },
      ...{ keys: [{ token, setting: "APP_TOKEN" }], closed: "" },
    });
    const url = await server.listen({ host: "127.0.0.1", port: 0 });
    const close = async () => {
      await server.close();
      await bed.close();
    };
    return { bed, travel: () => new InApp(bed, url), close };
  },

  backchannel: atTill,
};

async function thereBy(confirms: BankLogin["confirms"], more?: More): Promise<Way> {
  const provider = await openBankProvider({ confirms });
  const bankLogin = (publicUrl: string) => provider.serve(publicUrl);
  const bed = await openAuthBed({ ...more, bankLogin, bank: { assess, ...more?.bank } });
  const Customer = confirms === "login" ? LoggedInThere : AtProvider;
  const close = async () => {
    await bed.close();
    provider.close();
  };
  return { bed, travel: () => new Customer(bed, provider), close };
}

async function inBrowser(options: { inApp?: true }, more?: More): Promise<Way> {
  const bed = await openAuthBed({ ...options, ...more, bank: { assess, ...more?.bank } });
  return { bed, travel: () => new InBrowser(bed), close: () => bed.close() };
}
