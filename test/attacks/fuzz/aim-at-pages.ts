import { scopes } from "#src/standard/api-version.ts";
import type { Draw } from "./draw.ts";
import { hostileTexts } from "./hostile-values.ts";
import { mutateRequest } from "./mutate-request.ts";
import type { Hit, Shot } from "./shot.ts";
import { consentsOf, journeyUrl, type World } from "./world.ts";

/** The browsers of hostile customers, each somewhere in the bank's pages. */
export type Browsers = {
  /** Returns the next request of an idle browser, which is then busy until `done` is called. */
  aim(number: number, draw: Draw): Promise<PageShot>;
};
/** A browser's request. `done` receives the response, from which the browser continues. */
export type PageShot = { shot: Shot; done(hit: Hit | null): void };

const starts = ["/", "/docs", "/docs/scenarios", "/bank", "/bank/login", "/bank/payees"];
const aheadAtMost = 25;

/** Makes browsers that log in, consent and click, in journeys and on the bank's own pages. */
export function createBrowsers(world: World): Browsers {
  const free: Browser[] = [];
  return {
    async aim(number, draw) {
      const browser = free.shift() ?? new Browser(world);
      const shot = await browser.next(number, draw);
      return {
        shot,
        done(hit) {
          if (hit) browser.take(shot, hit);
          free.push(browser);
        },
      };
    },
  };
}

class Browser {
  readonly #world: World;
  #cookies = new Map<string, { path: string; pair: string }>();
  #page = { url: "", html: "" };
  #goTo: string | null = null;
  #pages = 0;

  constructor(world: World) {
    this.#world = world;
  }

  async next(number: number, draw: Draw): Promise<Shot> {
    this.#pages += 1;
    if (this.#pages > aheadAtMost) this.#forget();
    const { publicUrl } = this.#world.address;
    const shot: Shot = {
      number,
      from: "",
      changes: [],
      method: "GET",
      url: this.#goTo ?? "",
      headers: { accept: "text/html" },
      body: undefined,
    };
    this.#goTo = null;
    if (shot.url === "" && this.#page.html.includes("<form") && draw.chance(0.85)) {
      this.#fillIn(shot, draw);
    } else if (shot.url === "") {
      const links = [...this.#page.html.matchAll(/href="(\/bank[^"]*)"/g)].map(([, to]) => to);
      shot.url =
        links.length > 0 && draw.chance(0.8)
          ? publicUrl + draw.pick(links)
          : await this.#start(draw);
    }
    const { pathname } = new URL(shot.url);
    shot.from = `${shot.method} ${pathname.replaceAll(/\/[\w-]{16,}/g, "/…")}`;
    const cookies = [...this.#cookies.values()].filter(({ path }) => pathname.startsWith(path));
    if (cookies.length > 0) shot.headers.cookie = cookies.map(({ pair }) => pair).join("; ");
    if (draw.chance(0.15)) {
      const actor = draw.pick(this.#world.actors);
      await mutateRequest(shot, draw, { world: this.#world, actor });
    }
    return shot;
  }

  async #start(draw: Draw): Promise<string> {
    this.#forget();
    const { publicUrl } = this.#world.address;
    if (draw.chance(0.5)) return publicUrl + draw.pick(starts);
    const actor = draw.pick(this.#world.actors);
    const scope = draw.chance(0.4) ? draw.pick(scopes) : "payments";
    const { consentId } = draw.pick(consentsOf(actor, scope));
    return journeyUrl(actor, { scope, consentId });
  }

  #forget(): void {
    this.#cookies = new Map();
    this.#page = { url: "", html: "" };
    this.#pages = 0;
  }

  /** Sends the form on the page, filled in like a customer would, or with changes. */
  #fillIn(shot: Shot, draw: Draw): void {
    const { html, url } = this.#page;
    const inputs = (html.match(/<input\s[^>]*>/g) ?? []).map((input) => ({
      name: attribute(input, "name"),
      value: attribute(input, "value"),
    }));
    const person = draw.pick(this.#world.strangers);
    const known: Record<string, string> = {
      login: person.login,
      password: person.password,
      code: /class="big">(\d+)</.exec(html)?.[1] ?? "000000",
    };
    const fields = inputs
      .filter(({ name }) => name !== "account" || draw.chance(0.7))
      .map(({ name, value }): [string, string] => [name, known[name] ?? value]);
    const buttons = [...html.matchAll(/name="decision" value="([^"]*)"/g)].map(
      ([, value]) => value,
    );
    if (buttons.length > 0) fields.push(["decision", draw.pick(buttons) ?? ""]);
    if (draw.chance(0.3)) {
      // a wrong password would only lock the customer out
      const at = fields.findIndex(([name]) => name === "login");
      const index = at >= 0 ? at : draw.below(fields.length);
      const [name = "x"] = fields[index] ?? [];
      fields[index] = [name, draw.pick(hostileTexts).toWellFormed()];
      shot.changes.push(`field ${name}`);
    }
    const action = /<form[^>]*\saction="([^"]*)"/.exec(html)?.[1];
    shot.method = "POST";
    shot.url = action ? new URL(action, url).href : url;
    shot.headers["content-type"] = "application/x-www-form-urlencoded";
    shot.headers.origin = new URL(url).origin;
    shot.body = Buffer.from(new URLSearchParams(fields).toString());
  }

  /** Continues from a response: stores cookies and follows redirects within the bank. */
  take({ url }: Shot, { headers, raw }: Hit): void {
    for (const cookie of headers["set-cookie"] ?? []) {
      const [pair = ""] = cookie.split(";");
      const path = /;\s*path=([^;]+)/i.exec(cookie)?.[1] ?? "/";
      this.#cookies.set(`${path} ${pair.split("=")[0]}`, { path, pair });
    }
    const html = headers["content-type"]?.includes("html") ? raw.toString() : "";
    this.#page = { url, html };
    const back = /<a class="button" href="([^"]+)"/.exec(html)?.[1];
    const target = headers.location ?? back?.replaceAll("&amp;", "&");
    const next = target === undefined ? null : URL.parse(target, url);
    const inside = next?.origin === new URL(this.#world.address.publicUrl).origin;
    this.#goTo = next && inside ? next.href : null;
    if (next && !inside) this.#forget();
  }
}

const attribute = (input: string, name: string): string =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(input)?.[1]?.replaceAll("&amp;", "&") ?? "";
