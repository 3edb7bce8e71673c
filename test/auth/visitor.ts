import type { AuthBed } from "./auth-bed.ts";
import { paperCustomers } from "./paper-bank.ts";

export type Shown = { status: number; body: string; headers: Headers; url: string };

type Place = Pick<AuthBed, "publicUrl"> & Partial<Pick<AuthBed, "answerInApp" | "checkPage">>;

/** A browser without scripts. It follows redirects within the bank and stores cookies by path. */
export class Visitor {
  readonly #bed: Place;
  readonly #cookies = new Map<string, { path: string; pair: string }>();
  shown: Shown = { status: 0, body: "", headers: new Headers(), url: "" };

  constructor(bed: Place) {
    this.#bed = bed;
  }

  /** Opens another window with a copy of the cookies, which change separately from then on. */
  copy(): Visitor {
    const copy = new Visitor(this.#bed);
    for (const [name, cookie] of this.#cookies) copy.#cookies.set(name, cookie);
    copy.shown = this.shown;
    return copy;
  }

  /** Opens a page. Stops at a redirect that leaves the bank; its target becomes `url`. */
  async open(url: string, form?: Record<string, string>): Promise<Shown> {
    let next = url;
    let body: URLSearchParams | undefined = form && new URLSearchParams(form);
    for (;;) {
      const answer = await fetch(next, {
        method: body ? "POST" : "GET",
        redirect: "manual",
        headers: {
          accept: "text/html",
          cookie: this.cookiesFor(next),
        },
        ...(body ? { body } : {}),
      });
      for (const cookie of answer.headers.getSetCookie()) this.#keep(cookie);
      const text = await answer.text();
      this.shown = { status: answer.status, body: text, headers: answer.headers, url: next };
      const location = answer.headers.get("location");
      if (location === null) {
        this.#bed.checkPage?.(text);
        return this.shown;
      }
      next = new URL(location, next).href;
      this.shown.url = next;
      if (!next.startsWith(this.#bed.publicUrl)) return this.shown;
      body = undefined;
    }
  }

  /** The cookies that it sends to a URL. */
  cookiesFor(url: string): string {
    const { pathname } = new URL(url);
    const cookies = [...this.#cookies.values()].filter(({ path }) => pathname.startsWith(path));
    return cookies.map(({ pair }) => pair).join("; ");
  }

  /** Sends the form on the page. */
  submit(fields: Record<string, string>): Promise<Shown> {
    return this.open(this.shown.url, { ...this.hidden, ...fields });
  }

  /** The hidden fields of the form on the page. */
  get hidden(): Record<string, string> {
    const inputs = this.shown.body.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g);
    return Object.fromEntries([...inputs].map(([, name, value]) => [name, value]));
  }

  get csrf(): string {
    return this.hidden.csrf ?? "";
  }

  /** The name of the page, derived from its form. */
  get step(): string {
    const { body } = this.shown;
    if (body.includes('name="password"')) return "login";
    if (body.includes('name="code"') || this.isInApp) return "factor";
    if (body.includes('name="account"')) return "accounts";
    if (this.canApprove) return "review";
    return body.includes('<a class="button"') ? "returning" : "page";
  }

  /** Whether the page waits for an answer in the bank's app. */
  get isInApp(): boolean {
    return this.shown.body.includes('id="in-app"');
  }

  /** Whether the page asks for the approval. */
  get canApprove(): boolean {
    return this.shown.body.includes('name="decision" value="approve"');
  }

  /** The decision that the page's button sends. */
  get go(): "approve" | "continue" {
    return this.canApprove ? "approve" : "continue";
  }

  login(login: string): Promise<Shown> {
    return this.submit({ login, password: `${login}-password`, decision: "continue" });
  }

  factor(): Promise<Shown> {
    if (this.isInApp) {
      this.#bed.answerInApp?.("approved");
      return this.open(this.shown.url);
    }
    return this.submit({ code: paperCustomers[0]?.code ?? "", decision: this.go });
  }

  /** Approves on the page that asks for it, with the given account if one is to be chosen. */
  approve(account = "101"): Promise<Shown> {
    if (this.isInApp) return this.factor();
    const fields = { accounts: { account }, factor: { code: paperCustomers[0]?.code ?? "" } };
    return this.submit({ ...fields[this.step as keyof typeof fields], decision: "approve" });
  }

  /** Enters the code that the sandbox shows. */
  confirm(): Promise<Shown> {
    const code = /<code class="big">(\d+)</.exec(this.shown.body)?.[1] ?? "";
    return this.submit({ code, decision: this.go });
  }

  /** Follows the link back to the TPP. Returns the URL there. */
  async goBack(): Promise<string> {
    const link = /<a class="button" href="([^"]+)"/.exec(this.shown.body)?.[1] ?? "";
    return (await this.open(link)).url;
  }

  #keep(cookie: string): void {
    const [pair = ""] = cookie.split(";");
    const path = /;\s*path=([^;]+)/i.exec(cookie)?.[1] ?? "/";
    this.#cookies.set(`${path} ${pair.split("=")[0]}`, { path, pair });
  }
}
