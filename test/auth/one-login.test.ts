import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import { sql } from "#src/storage/sql.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { type Journeys, openJourneys } from "./journeys.ts";
import { paperBank } from "./paper-bank.ts";
import { Visitor } from "./visitor.ts";

// What both channels guarantee, tested in both: the consent journey and the bank's own pages.

const innerAddress = "core.inner.example:9443";
let isCoreDown = false;
const ifUp = <Given extends unknown[], Answer>(call: (...given: Given) => Answer) => {
  return (...given: Given): Answer => {
    if (isCoreDown) throw new Error(`connect ECONNREFUSED ${innerAddress}`);
    return call(...given);
  };
};
const bank: Partial<Bank> = {
  authenticate: ifUp(paperBank.authenticate),
  verify: ifUp(paperBank.verify),
};

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed({ bank });
  journeys = await openJourneys(bed);
});
after(() => bed.close());

/** A way to log in: a browser at the login page. */
type Channel = {
  name: string;
  enter(visitor?: Visitor): Promise<Visitor>;
  leave(visitor: Visitor): Promise<unknown>;
};

const channels: Channel[] = [
  {
    name: "the journey",
    async enter(visitor = new Visitor(bed)) {
      const { url } = await journeys.visit("account-access");
      await visitor.open(url);
      return visitor;
    },
    leave: async () => undefined,
  },
  {
    name: "the bank's own pages",
    async enter(visitor = new Visitor(bed)) {
      await visitor.open(`${bed.publicUrl}/bank/login`);
      return visitor;
    },
    leave: (visitor) => visitor.open(`${bed.publicUrl}/bank/logout`, { csrf: visitor.csrf }),
  },
];

/** Logs in with both factors and leaves. From then on, the browser is known. */
async function logIn({ enter, leave }: Channel, login: string): Promise<Visitor> {
  const visitor = await enter();
  await visitor.login(login);
  assert.equal(visitor.step, "factor");
  await visitor.factor();
  assert.notEqual(visitor.step, "factor");
  await leave(visitor);
  return visitor;
}

const guess = (visitor: Visitor, login: string) =>
  visitor.submit({ login, password: "wrong", decision: "continue" });

test("wrong passwords are counted without storing the login that was typed", async () => {
  for (const { enter } of channels) await guess(await enter(), " Secret-Password-Typed-Here ");
  const rows = await bed.database.query<{ subject: string }>(
    sql`select subject from login_attempt`,
  );
  assert.ok(rows.length >= 2);
  assert.deepEqual(
    rows.filter(({ subject }) => /secret-password/i.test(subject)),
    [],
  );
});

/** A browser that sends a further cookie. */
class Forger extends Visitor {
  readonly #cookie: string;

  constructor(cookie: string) {
    super(bed);
    this.#cookie = cookie;
  }

  override cookiesFor(url: string): string {
    return `${super.cookiesFor(url)}; ${this.#cookie}`;
  }
}

for (const channel of channels) {
  test(`${channel.name}: the names by which attempts are counted make no known browser`, async () => {
    const login = "anna";
    const subjects = async () => {
      const rows = await bed.database.query<{ subject: string }>(
        sql`select subject from login_attempt`,
      );
      return rows.map(({ subject }) => subject);
    };
    const known = await logIn(channel, login);
    await guess(await channel.enter(), login);
    const kept = known.cookiesFor(`${bed.publicUrl}/bank/login`);
    const cookie = /[\w-]*aldgate-device[\w-]*/.exec(kept)?.[0];
    const names = (await subjects()).flatMap((one) => /^login:(\S+)$/.exec(one)?.[1] ?? []);
    assert.ok(names.length > 0);
    for (const name of names) {
      const forger = new Forger(`${cookie}=attempts.${name}~device-${name}.${name}`);
      await guess(await channel.enter(forger), login);
    }
    const forged = (await subjects()).filter((one) => one.startsWith("device:"));
    assert.deepEqual(forged, []);
  });
}

for (const channel of channels) {
  test(`${channel.name}: during an outage of the core the page shows a log reference, and the attempt does not count`, async () => {
    const visitor = await channel.enter();
    const { url } = visitor.shown;
    const { hidden } = visitor;
    isCoreDown = true;
    for (let turn = 0; turn < 7; turn += 1) {
      await visitor.open(url, { ...hidden, login: "anna", password: "anna-password" });
      assert.equal(visitor.shown.status, 500);
    }
    const { body, headers } = visitor.shown;
    assert.match(String(headers.get("content-type")), /^text\/html/);
    assert.match(body, /Something went wrong/);
    assert.doesNotMatch(body, new RegExp(`ECONNREFUSED|${innerAddress}`));
    const reference = /Reference <code>([^<]+)</.exec(body)?.[1] ?? "none";
    const line = bed.logged.find((text) => text.includes(reference)) ?? "";
    assert.match(line, new RegExp(innerAddress), "the log names the failure");
    isCoreDown = false;
    await visitor.open(url);
    await visitor.login("anna");
    assert.equal(visitor.step, "factor", "the right password is accepted at the first attempt");
    isCoreDown = true;
    for (let turn = 0; turn < 7; turn += 1) {
      await visitor.open(url, { ...visitor.hidden, code: "246802" });
      assert.equal(visitor.shown.status, 500);
      isCoreDown = false;
      await visitor.open(url);
      isCoreDown = true;
    }
    isCoreDown = false;
    await visitor.factor();
    assert.notEqual(visitor.step, "factor", "the code is accepted too");
  });

  test(`${channel.name}: concurrent correct logins all succeed`, async () => {
    const visitors = await Promise.all(Array.from({ length: 12 }, () => channel.enter()));
    await Promise.all(visitors.map((visitor) => visitor.login("ben")));
    assert.deepEqual(
      visitors.map(({ step }) => step),
      visitors.map(() => "factor"),
    );
  });

  test(`${channel.name}: strangers cannot lock a customer out of a known browser, and their own wait grows`, async () => {
    const own = await logIn(channel, "joint");
    const stranger = async (): Promise<Visitor> => {
      const visitor = await channel.enter();
      await guess(visitor, "joint");
      return visitor;
    };
    for (let turn = 0; turn < 5; turn += 1) assert.equal((await stranger()).shown.status, 200);
    const refused = await stranger();
    assert.equal(refused.shown.status, 429);
    const first = Number(refused.shown.headers.get("retry-after"));
    assert.ok(first > 0 && first <= 900, String(first));
    const unknown = await channel.enter();
    await unknown.login("joint");
    assert.equal(
      unknown.step,
      "login",
      "an unknown browser has to wait, even with the right password",
    );
    const known = await channel.enter(own.copy());
    assert.equal(known.step, "login");
    await known.login("joint");
    assert.equal(known.step, "factor", "the known browser does not have to wait");
    bed.advance({ minutes: 15, seconds: 1 });
    await stranger();
    const again = await stranger();
    const second = Number(again.shown.headers.get("retry-after"));
    assert.ok(second > 900 && second <= 1800, String(second));
    bed.advance({ hours: 1 });
    const later = await channel.enter();
    await later.login("joint");
    assert.equal(later.step, "factor", "the right password resets the count");
  });
}

test("a known browser has five attempts, and is known only for its own customer", async () => {
  const [, pages] = channels;
  assert.ok(pages);
  const visitor = await logIn(pages, "anna");
  assert.equal(visitor.step, "login");
  for (let turn = 0; turn < 5; turn += 1) await guess(visitor, "anna");
  await guess(visitor, "anna");
  assert.equal(visitor.shown.status, 429);
  const stranger = await pages.enter();
  for (let turn = 0; turn < 5; turn += 1) await guess(stranger, "ben");
  await visitor.login("ben");
  assert.equal(visitor.shown.status, 429, "other customers do not know the browser");
});
