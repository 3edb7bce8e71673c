import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { profileIds } from "#src/clients/security-profile.ts";
import { type Customers, openCustomers } from "#test/journeys/customer.ts";
import { makePlace, type Place, type Running, skipReason, startCommand } from "./running-bank.ts";

suite("the demo in a browser", { skip: skipReason }, () => {
  let place: Place;
  let bank: Running;
  let customers: Customers;
  const demos: Running[] = [];
  before(async () => {
    place = await makePlace();
    bank = startCommand(["start"], place.environment);
    customers = await openCustomers();
    await bank.untilSaid(/Ctrl-C closes the bank/);
  });
  after(async () => {
    for (const { child, ended } of [...demos, bank]) {
      child?.kill("SIGKILL");
      await ended;
    }
    await customers?.close();
    place?.remove();
  });

  const start = (...options: string[]): Running => {
    const demo = startCommand(["demo", "--browser", ...options], place.environment);
    demos.push(demo);
    return demo;
  };

  for (const profile of profileIds) {
    test(`demo --browser --profile ${profile} finishes when a person approves both consents`, async () => {
      const demo = start("--profile", profile);
      const person = await customers.arrive();
      for (const turn of [1, 2]) {
        const { url, login, password, number } = await nextLink(demo, turn);
        await person.open(url);
        if ((await person.shown()) === "login") await person.login(login, password);
        if ((await person.shown()) === "factor") await person.factor();
        assert.equal(await person.shown(), "accounts");
        await person.page.locator("label.account", { hasText: number }).click();
        await person.press("approve");
        await person.page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/callback/);
        await person.page.getByText("You can close this page").waitFor();
      }
      assert.equal(await demo.ended, 0, demo.said());
      const said = demo.said();
      assert.match(said, /Status ACSC|Status ACCC/);
      assert.match(said, /before +after/);
      // the demo prints this only after it has verified the ledger's invariants
      assert.match(said, /both sides of it are on the ledger/);
      await person.leave();
    });
  }

  test("demo --browser --cbpii finishes when a person approves the checks", async () => {
    const demo = start("--cbpii");
    const person = await customers.arrive();
    const { url, login, password } = await nextLink(demo, 1);
    await person.open(url);
    await person.login(login, password);
    // the account is known, so the code approves
    await person.factor();
    assert.equal(await demo.ended, 0, demo.said());
    assert.match(demo.said(), /Done: the bank answered only yes or no/);
    await person.leave();
  });

  test("demo --browser says so and fails when the person cancels", async () => {
    const demo = start();
    const person = await customers.arrive();
    await person.open((await nextLink(demo, 1)).url);
    await person.press("cancel");
    assert.equal(await demo.ended, 1, demo.said());
    assert.match(demo.said(), /did not go as expected: the authorization ended with access_denied/);
    await person.leave();
  });
});

type Link = { url: string; login: string; password: string; number: string };

/** Returns the n-th link that the demo prints for the person. */
async function nextLink(demo: Running, turn: number): Promise<Link> {
  const choice = String.raw`(?:, choose .*\s+.*\(([\d -]+)\))?`;
  const told = new RegExp(
    String.raw`log in as (\S+) with the password\s+([^\s,]+)${choice}, and approve:\s+(http\S+)`,
    "g",
  );
  await demo.untilSaid(new RegExp(`(?:http://\\S+/auth\\?\\S+\\n[^]*){${turn}}`));
  const [, login = "", password = "", number = "", url = ""] =
    [...demo.said().matchAll(told)][turn - 1] ?? [];
  assert.ok(url, demo.said());
  return { url, login, password, number };
}
