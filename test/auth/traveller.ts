import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf } from "./journeys.ts";
import { Visitor } from "./visitor.ts";

/** What a customer does instead of approving; `weak` approves with factors of one kind. */
export type Answer = "approved" | "declined" | "altered" | "failed" | "weak";

/** A customer on one way through a journey: the same acts on each way. */
export type Traveller = {
  /** Opens an authorization URL. */
  open(url: string): Promise<void>;
  /** The journey's id. */
  readonly uid: string;
  /** Proves both factors, and confirms the request unless `answer` says otherwise. */
  confirm(login: string, answer?: Answer): Promise<void>;
  /** Chooses the account, which may add something that the customer has not seen. */
  choose(account: string): Promise<void>;
  /** Does what is left until the approval: chooses the account, and approves. */
  approve(account?: string): Promise<void>;
  /** Leaves the journey, as far as it goes. */
  cancel(): Promise<void>;
  /** Looks at the journey again. */
  look(): Promise<void>;
  /** The heading and the text of the ending, as the customer reads them; null while it goes on. */
  ending(): { title: string; text: string } | null;
  /** Goes back to the TPP; returns what it gets. */
  goBack(): Promise<Record<string, string>>;
};

/** A TPP's request for the approval of a consent. */
export type Asked = Parameters<TppClient["authorizationUrl"]>[0] & { consentId: string };

/** A way in which customers confirm: a bank that offers it, and its customers. */
export type Way = {
  bed: AuthBed;
  travel(): Traveller;
  /** Makes the TPP's request; returns what a traveller opens. The default is a URL. */
  ask?(tpp: TppClient, asked: Asked): Promise<string>;
  close(): Promise<void>;
};

/** What a bank has besides: more calls of its core, a check of each page, and other words. */
export type More = Pick<
  NonNullable<Parameters<typeof openAuthBed>[0]>,
  "bank" | "checkPage" | "says"
>;

/** The name of a way: the method that the evidence names, or how it begins. */
export type WayName =
  | "code"
  | "passkey"
  | "decoupled"
  | "redirect"
  | "login there"
  | "app"
  | "backchannel";

/** The method that the evidence of a way names. */
export const methodBy = (name: WayName): string =>
  name === "backchannel" ? "decoupled" : name === "login there" ? "code" : name;

/** A customer in a browser: a page of ours asks for the code, or waits for the app. */
export class InBrowser implements Traveller {
  protected readonly visitor: Visitor;
  readonly #bed: AuthBed;
  uid = "";

  constructor(bed: AuthBed) {
    this.#bed = bed;
    this.visitor = new Visitor(bed);
  }

  async open(url: string): Promise<void> {
    await this.visitor.open(url);
    this.uid = this.visitor.shown.url.split("/").at(-1) ?? "";
  }

  async confirm(login: string, answer: Answer = "approved"): Promise<void> {
    const { visitor } = this;
    if (visitor.step === "login") await this.login(login);
    await this.enterCode(answer);
  }

  /** Confirms the request with the second factor, if the page asks for it. */
  protected async enterCode(answer: Answer): Promise<void> {
    const { visitor } = this;
    if (visitor.step !== "factor") return;
    if (answer === "approved") await visitor.factor();
    else if (visitor.isInApp && answer !== "failed") await this.#inApp(answer);
    else await visitor.submit({ code: "000000", decision: visitor.go });
  }

  /** Enters the password alone. */
  async login(login: string): Promise<void> {
    await this.visitor.login(login);
  }

  async #inApp(answer: Exclude<Answer, "approved" | "failed">): Promise<void> {
    this.#bed.answerInApp(answer);
    await this.look();
  }

  async choose(account: string): Promise<void> {
    const { visitor } = this;
    if (visitor.step === "accounts") await visitor.submit({ account, decision: visitor.go });
  }

  async approve(account = "101"): Promise<void> {
    const { visitor } = this;
    await this.choose(account);
    if (visitor.canApprove) await visitor.submit({ decision: "approve" });
  }

  /** Confirms once more, because the core has asked for it. */
  async confirmAgain(): Promise<void> {
    await this.visitor.factor();
  }

  async cancel(): Promise<void> {
    await this.visitor.submit({ decision: "cancel" });
  }

  async look(): Promise<void> {
    await this.visitor.open(this.visitor.shown.url);
  }

  ending(): { title: string; text: string } | null {
    if (this.visitor.step !== "returning") return null;
    const { body } = this.visitor.shown;
    const [, title = ""] = /<h1>([^<]+)<\/h1>/.exec(body) ?? [];
    const [, text = ""] = /<p class="lead">([^<]+)<\/p>/.exec(body) ?? [];
    return { title, text };
  }

  goBack(): Promise<Record<string, string>> {
    return answerOf(this.visitor);
  }
}
