import * as http from "node:http";
import * as https from "node:https";
import { isBefore } from "#src/lib/date-time.ts";
import type { SandboxClock } from "#src/sandbox/time/clock.ts";

/** A customer's decision that is made without a browser. */
export type HeadlessRequest = {
  /** The URL to which the TPP would send the browser. */
  authorizationUrl: string;
  /** The customer's login. */
  customer: string;
  /**
   * `deny` cancels, and `abandon` lets the journey time out, at the first page after the login that
   * asks for more than a code.
   */
  decision: "approve" | "deny" | "abandon";
  /**
   * Accounts to choose. The default is every eligible account, or the first one if only one can be
   * chosen.
   */
  accounts?: string[];
};

type HeadlessDeps = {
  /** The base URL of the listener for browsers. */
  publicUrl: string;
  /** The root certificate of the listener, if it uses TLS. */
  caPem?: string;
  /** Returns a customer's password, or null for an unknown login. */
  passwordOf(login: string): string | null | Promise<string | null>;
  /** The sandbox's clock: a journey may end because it was set forward meanwhile. */
  clock?: Pick<SandboxClock, "now" | "moves">;
  /** Ends a journey as if it had timed out. */
  expireJourney(uid: string): Promise<unknown>;
  /** Why a page that asks for a code does not show it, and what to do. */
  whyNoCode?(login: string): string;
  /** Approves a request in the bank's app, if the sandbox plays it. */
  approveInApp?(approvalId: string): Promise<unknown>;
};

/** The error if the customer cannot continue; its message gives the reason. */
export class HeadlessRefused extends Error {}

type Page = { status: number; location: string | null; body: string };
type Field = [name: string, value: string];

const pagesAtMost = 20;

/** What the pages said to the customer about the payee's name. */
type PayeeWarning = { title: string; text: string };

/** What became of the customer's decision. */
export type HeadlessAnswer = {
  /** Where the browser would be sent back. */
  redirectUrl: string;
  /** Null if no page has shown one. */
  warning: PayeeWarning | null;
  /** Says that the clock was set forward meanwhile. */
  note?: string;
};

/**
 * Takes a customer through the bank's pages, form by form. Returns the URL to which the browser
 * would be sent back, even one with an error (`error=…`). Throws HeadlessRefused.
 */
export async function authoriseHeadless(
  request: HeadlessRequest,
  deps: HeadlessDeps,
): Promise<HeadlessAnswer> {
  const begunAt = deps.clock?.now();
  try {
    const answer = await walk(request, deps);
    const note = noteOf(answer, begunAt, deps);
    return note === null ? answer : { ...answer, note };
  } catch (error) {
    if (!(error instanceof HeadlessRefused)) throw error;
    const note = namesClock(error.message) ? null : clockNote(begunAt, deps);
    throw note === null ? error : new HeadlessRefused(`${error.message} ${note}`);
  }
}

/** What the clock has to do with the error in an answer; null if nothing. */
function noteOf(
  { redirectUrl }: HeadlessAnswer,
  begunAt: Temporal.Instant | undefined,
  deps: HeadlessDeps,
): string | null {
  const { search, hash } = new URL(redirectUrl);
  const answer = new URLSearchParams(hash === "" ? search : hash.slice(1));
  if (!answer.has("error")) return null;
  const description = answer.get("error_description") ?? "";
  // the consent had ended before the journey began
  if (namesClock(description)) return description;
  return clockNote(begunAt, deps);
}

const namesClock = (text: string): boolean => text.includes("clock was set forward from");

/** Says that the clock was set forward since the journey began; null if it was not. */
function clockNote(begunAt: Temporal.Instant | undefined, { clock }: HeadlessDeps): string | null {
  const move = clock?.moves().at(-1);
  // a journey may also begin while the clock is being set
  if (!move || !begunAt || !isBefore(begunAt, move.to)) return null;
  return (
    `The sandbox's clock was set forward from ${move.from} to ${move.to} during the journey, so ` +
    "its login, code or consent may have expired. Start again."
  );
}

async function walk(request: HeadlessRequest, deps: HeadlessDeps): Promise<HeadlessAnswer> {
  const start = URL.parse(request.authorizationUrl);
  const origin = new URL(deps.publicUrl).origin;
  if (start?.origin !== origin || start.pathname !== "/auth") {
    throw new HeadlessRefused(`authorizationUrl: must begin with ${origin}/auth`);
  }
  const password = await deps.passwordOf(request.customer);
  if (password === null)
    throw new HeadlessRefused(`customer: the customer ${request.customer} does not exist`);
  const browser = new Browser(deps.caPem);
  try {
    let url = start.href;
    let page = await browser.get(url);
    let warning: PayeeWarning | null = null;
    for (let turn = 0; turn < pagesAtMost; turn++) {
      warning = warningOf(page) ?? warning;
      const target = nextUrl(page, url);
      if (target !== null) {
        // only the authorization endpoint redirects to the TPP
        if (new URL(url).pathname.startsWith("/auth") && !isJourney(target, origin)) {
          return { redirectUrl: target, warning };
        }
        url = target;
        page = await browser.get(url);
      } else {
        page = await browser.post(url, await fillIn(page, url, request, password, deps));
      }
    }
  } finally {
    browser.close();
  }
  throw new HeadlessRefused("the journey did not end");
}

const isJourney = (url: string, origin: string): boolean =>
  new URL(url).origin === origin && /^\/(journey|auth)\//.test(new URL(url).pathname);

/**
 * Returns the URL to which a page leads without a decision: a redirect, or the page's link back to
 * the TPP. Null if there is none.
 */
function nextUrl(page: Page, base: string): string | null {
  if (page.location !== null) return new URL(page.location, base).href;
  if (page.status >= 400) throw new HeadlessRefused(failureText(page));
  const back = /<a class="button" href="([^"]+)"/.exec(page.body)?.[1];
  return back === undefined ? null : new URL(unescapeHtml(back), base).href;
}

async function fillIn(
  page: Page,
  url: string,
  request: HeadlessRequest,
  password: string,
  deps: HeadlessDeps,
): Promise<Field[]> {
  const hidden = hiddenFields(page.body);
  if (hidden.length === 0) throw new HeadlessRefused(`the bank's page says: ${wordsOf(page)}`);
  const problem = problemOf(page);
  if (problem !== null) throw new HeadlessRefused(problem);
  const form = (...fields: Field[]): Field[] => [...hidden, ...fields];
  const approves = page.body.includes('name="decision" value="approve"');
  const go: Field = ["decision", approves ? "approve" : "continue"];
  if (inputs(page.body, "password").length > 0) {
    return form(["login", request.customer], ["password", password], go);
  }
  const accounts = inputs(page.body, "account");
  const asksForCode = inputs(page.body, "code").length > 0;
  const approvalId = waitsFor(page);
  if (approves || !(asksForCode || approvalId)) {
    if (request.decision === "deny") return form(["decision", "cancel"]);
    if (request.decision === "abandon") {
      await deps.expireJourney(new URL(url).pathname.split("/").at(-1) ?? "");
      return form(go);
    }
  }
  // a program has no passkey
  if (page.body.includes('data-passkey="get"')) return form(["decision", "code"]);
  const open = accounts.filter((input) => !/\sdisabled[\s>]/.test(input));
  if (page.body.includes('class="accounts"') && open.length === 0) {
    throw new HeadlessRefused("customer: no account of this customer can be used for the consent");
  }
  if (approvalId) await deps.approveInApp?.(approvalId);
  const whyNone = deps.whyNoCode?.(request.customer) ?? "";
  const code: Field[] = asksForCode ? [["code", shownCode(page, whyNone)]] : [];
  return form(...code, ...choice(open, request.accounts), go);
}

/** Returns the id of the request in the app that a page waits for; null if it waits for none. */
function waitsFor({ body }: Page): string | null {
  const links = body.match(/<a\s[^<>]*>/g) ?? [];
  const app = links
    .map((link) => attribute(link, "href"))
    .find((href) => href?.includes("/sandbox/app?"));
  return app ? new URLSearchParams(app.slice(app.indexOf("?"))).get("approval") : null;
}

/** Returns the code of the challenge that the sandbox shows on the page. */
function shownCode(page: Page, whyNone: string): string {
  const code = /<code class="big">(\d+)</.exec(page.body)?.[1];
  if (code === undefined) {
    const said = `the bank's page shows no code, and says: ${wordsOf(page)}`;
    throw new HeadlessRefused(`${said} ${whyNone}`.trimEnd());
  }
  return code;
}

/** Returns the wanted accounts of those that can be chosen. */
function choice(accounts: string[], wanted: string[] | undefined): Field[] {
  if (accounts.length === 0) return [];
  const open = accounts.map((input) => attribute(input, "value") ?? "");
  const unknown = wanted?.find((accountId) => !open.includes(accountId));
  if (unknown !== undefined) {
    throw new HeadlessRefused(`accounts: this customer cannot choose ${unknown}`);
  }
  const one = accounts.some((input) => attribute(input, "type") === "radio");
  const chosen = wanted ?? (one ? open.slice(0, 1) : open);
  return chosen.map((accountId) => ["account", accountId]);
}

const inputs = (body: string, name: string): string[] =>
  (body.match(/<input\s[^<>]*>/g) ?? []).filter((input) => attribute(input, "name") === name);

const hiddenFields = (body: string): Field[] =>
  (body.match(/<input\s[^<>]*>/g) ?? [])
    .filter((input) => attribute(input, "type") === "hidden")
    .map((input) => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""]);

function attribute(input: string | undefined, name: string): string | null {
  const attributes = (input ?? "").matchAll(/\s([\w-]+)="([^"]*)"/g);
  const value = [...attributes].find(([, its]) => its === name)?.[2];
  return value === undefined ? null : unescapeHtml(value);
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

function failureText({ status, body }: Page): string {
  try {
    const { error, error_description: description } = JSON.parse(body);
    return `the authorization endpoint answered ${status}: ${error}: ${description}`;
  } catch {
    return `the bank's page answered ${status} and says: ${problemOf({ body }) ?? wordsOf({ body })}`;
  }
}

/** What a page says about the form that was sent; null if nothing was wrong with it. */
function problemOf({ body }: Pick<Page, "body">): string | null {
  const problem = /id="problem"><p>([^<]*)</.exec(body)?.[1];
  return problem === undefined ? null : textOf(`>${problem}`);
}

/** What a page says about the payee's name; null if it says nothing. */
function warningOf({ body }: Pick<Page, "body">): PayeeWarning | null {
  const [, warning] = body.split('<div class="notice problem" data-payee><p><b>', 2);
  if (warning === undefined) return null;
  const [title = "", text = ""] = warning.split("</p>", 2);
  return { title: textOf(`>${title}`), text: textOf(text) };
}

/** The heading of a page and the paragraph after it, as a customer reads them. */
function wordsOf({ body }: Pick<Page, "body">): string {
  const [, main = ""] = body.split("<h1", 2);
  const heading = textOf(`<${main.split("</h1>", 1)[0]}`);
  const paragraph = main.split("<p", 2)[1]?.split("</p>", 1)[0];
  const texts = [heading, paragraph === undefined ? "" : textOf(`<${paragraph}`)];
  return texts.filter((text) => text !== "").join(". ") || "nothing";
}

/** The text of HTML, without its tags. */
const textOf = (html: string): string =>
  unescapeHtml(
    html
      .split("<")
      .map((part) => part.slice(part.indexOf(">") + 1))
      .join("")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );

/** Sends requests to the bank's own listener and stores cookies by their paths. */
class Browser {
  readonly #cookies = new Map<string, { path: string; pair: string }>();
  readonly #agents: { http: http.Agent; https: https.Agent };

  constructor(caPem: string | undefined) {
    const keepAlive = true;
    this.#agents = {
      http: new http.Agent({ keepAlive }),
      https: new https.Agent({ keepAlive, ...(caPem ? { ca: caPem } : {}) }),
    };
  }

  get(url: string): Promise<Page> {
    return this.#send(url, "GET", null);
  }

  post(url: string, fields: Field[]): Promise<Page> {
    return this.#send(url, "POST", new URLSearchParams(fields).toString());
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  #send(url: string, method: string, body: string | null): Promise<Page> {
    const { pathname, protocol } = new URL(url);
    const secure = protocol === "https:";
    const cookies = [...this.#cookies.values()].filter(({ path }) => pathname.startsWith(path));
    const headers = {
      // refusals in JSON give the reason
      accept: pathname === "/auth" ? "application/json" : "text/html",
      ...(cookies.length > 0 ? { cookie: cookies.map(({ pair }) => pair).join("; ") } : {}),
      ...(body === null
        ? {}
        : {
            "content-type": "application/x-www-form-urlencoded",
            "content-length": String(Buffer.byteLength(body)),
          }),
    };
    const agent = secure ? this.#agents.https : this.#agents.http;
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(
        url,
        { method, headers, agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            for (const cookie of response.headers["set-cookie"] ?? []) this.#keep(cookie);
            resolve({
              status: response.statusCode ?? 0,
              location: response.headers.location ?? null,
              body: Buffer.concat(chunks).toString(),
            });
          });
        },
      );
      request.on("error", reject);
      request.end(body);
    });
  }

  #keep(cookie: string): void {
    const [pair = ""] = cookie.split(";");
    const name = pair.slice(0, pair.indexOf("="));
    const path = /;\s*path=([^;]+)/i.exec(cookie)?.[1] ?? "/";
    if (pair.endsWith("=")) this.#cookies.delete(`${path} ${name}`);
    else this.#cookies.set(`${path} ${name}`, { path, pair });
  }
}
