import assert from "node:assert/strict";
import { test } from "node:test";
import { purgeSessions } from "#src/auth/own-pages/session.ts";
import { momentText } from "#src/pages/wording.ts";
import { countSessions } from "#test/auth/stored-rows.ts";
import { said, useOwnPages } from "./own-bed.ts";

const bed = useOwnPages();
const sessionCookie = "__Host-aldgate-bank";

test("a cookie that the bank did not set does not open a session", async () => {
  const browser = await bed.logIn("c2");
  const token = browser.cookies.get(sessionCookie) ?? "";
  const changed = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
  for (const value of [changed, "", "new.x.y", "null"]) {
    const headers = { cookie: `${sessionCookie}=${value}` };
    const response = await bed.inject({ url: "/bank", headers });
    assert.equal(response.headers.location, "/bank/login");
  }
});

test("after logging out, a copy of the cookie does not open the session", async () => {
  const browser = await bed.logIn("c2");
  await browser.get("/bank");
  const copy = { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)}` };
  assert.equal((await bed.inject({ url: "/bank", headers: copy })).statusCode, 200);
  await browser.post("/bank/logout", {});
  const after = await bed.inject({ url: "/bank", headers: copy });
  assert.equal(after.headers.location, "/bank/login");
});

test("the session has a new token after each factor", async () => {
  const browser = bed.browse();
  const tokens = [];
  await browser.get("/bank/login");
  tokens.push(browser.cookies.get(sessionCookie));
  await browser.post("/bank/login", { decision: "continue", login: "c2", password: "right" });
  tokens.push(browser.cookies.get(sessionCookie));
  await browser.get("/bank/login");
  await browser.post("/bank/login", { decision: "continue", code: "123456" });
  tokens.push(browser.cookies.get(sessionCookie));
  assert.equal(new Set(tokens).size, 3);
  const old = { cookie: `${sessionCookie}=${tokens[1]}` };
  assert.equal((await bed.inject({ url: "/bank", headers: old })).headers.location, "/bank/login");
});

test("with TLS the session's cookie is Secure, HttpOnly and limited to this host", async () => {
  const { headers } = await bed.inject({ url: "/bank/login" });
  assert.match(
    String(headers["set-cookie"]),
    /^__Host-aldgate-bank=[^;]+; Path=\/; Max-Age=7200; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test("expired sessions are deleted", async () => {
  await bed.logIn("c2");
  bed.advance({ minutes: 6 });
  await purgeSessions(bed.database(), bed.now());
  assert.equal(await countSessions(bed.database()), 0);
});

test("a session expires after five minutes of inactivity, by the bank's clock", async () => {
  const browser = await bed.logIn("c2");
  bed.advance({ seconds: 299 });
  assert.equal((await browser.get("/bank")).statusCode, 200);
  bed.advance({ seconds: 301 });
  assert.equal((await browser.get("/bank")).headers.location, "/bank/login");
});

test("WCAG: a page says after how many minutes its session ends, and a link keeps it open", async () => {
  const browser = await bed.logIn("c2");
  const limit = async (url: string) =>
    /<p class="limit">(.*?)<\/p>/s.exec((await browser.get(url)).body)?.[1]?.replace(/\s+/g, " ") ??
    "";
  assert.match(await limit("/bank/permissions"), /after 5 minutes without activity/);
  assert.match(await limit("/bank/permissions"), /<a href="\/bank\/permissions">Stay logged in/);
  // 13 times within the idle time: the session lasts until its hour has passed
  for (let count = 0; count < 13; count += 1) {
    bed.advance({ seconds: 270 });
    assert.equal((await browser.get("/bank/permissions")).statusCode, 200);
  }
  const last = await limit("/bank/permissions");
  assert.match(last, /We’ll log you out in 1 minute, because you have been logged in for almost/);
  assert.doesNotMatch(last, /<a /);
  bed.advance({ seconds: 91 });
  assert.equal((await browser.get("/bank/permissions")).statusCode, 303);
});

test("after a time-out the login says so once, and leads back to where the customer was", async () => {
  const browser = await bed.logIn("c2");
  bed.advance({ minutes: 6 });
  const sent = await browser.post("/bank/upcoming/sch-1", { decision: "stop" });
  const login = String(sent.headers.location);
  assert.equal(login, "/bank/login?to=%2Fbank%2Fupcoming%2Fsch-1");
  assert.match((await browser.get(login)).body, /We logged you out, as we do after 5 minutes/);
  assert.doesNotMatch((await browser.get(login)).body, /We logged you out/);
  await browser.post(login, { decision: "continue", login: "c2", password: "right" });
  await browser.get(login);
  const done = await browser.post(login, { decision: "continue", code: "123456" });
  assert.equal(done.headers.location, "/bank/upcoming/sch-1");
});

test("the login leads only to paths of the bank's own pages", async () => {
  for (const target of [
    "https://elsewhere.example/",
    "//elsewhere.example/bank",
    "/bank/../auth",
    "/bank//elsewhere.example",
    "/bank@elsewhere.example",
    "/bank/\\elsewhere.example",
    "/bank/logout",
    "/auth?client_id=x",
    "/bank/payees?done=removed",
    "/bank/connections/x/checks.csv",
    "/bank/payees#x",
    "/bank/payees\r\nset-cookie: a=b",
  ]) {
    const browser = await bed.logIn("c2");
    const { headers } = await browser.get(`/bank/login?to=${encodeURIComponent(target)}`);
    assert.equal(headers.location, "/bank", target);
  }
});

test("a message cannot be linked, and is shown once, to the customer who acted", async () => {
  const browser = await bed.logIn("c2");
  for (const done of ["complete", "cancelled", "stopped"]) {
    assert.doesNotMatch((await browser.get(`/bank?done=${done}`)).body, /role="status"/);
  }
  const gone = await browser.post("/bank/approvals/pdp-2/decline", { decision: "stop" });
  const other = await bed.logIn("c1");
  assert.doesNotMatch((await other.get("/bank")).body, /role="status"/);
  assert.match(await said(browser, gone), /^You have declined £1,249\.50/);
  assert.doesNotMatch((await browser.get("/bank")).body, /role="status"/);
});

test("a customer who cancels the login goes to the bank's website", async () => {
  const browser = bed.browse();
  assert.match((await browser.get("/bank/login")).body, /value="cancel"/);
  await browser.post("/bank/login", { decision: "continue", login: "c2", password: "right" });
  await browser.get("/bank/login");
  const { body } = await browser.post("/bank/login", { decision: "cancel" });
  assert.match(body, /You have not logged in/);
  assert.match(body, /http-equiv="refresh" content="0; url=https:\/\/www\.bank\.example\/start"/);
  assert.match(body, /<a class="button" href="https:\/\/www\.bank\.example\/start">/);
  assert.match((await browser.get("/bank/login")).body, /name="password"/);
});

test("WCAG 2.2.1: the code page says until when it can be used, and its time can be extended", async () => {
  const browser = bed.browse();
  const until = () => `until ${momentText(bed.now().add({ minutes: 5 }), bed.now())} for this page`;
  await browser.get("/bank/login");
  await browser.post("/bank/login", { decision: "continue", login: "c1", password: "right" });
  assert.ok((await browser.get("/bank/login")).body.includes(until()));
  bed.advance({ minutes: 4 });
  const { body } = await browser.post("/bank/login", { decision: "extend" });
  assert.ok(body.includes(until()));
  assert.match(body, /role="status"><p>You can now use this page until /);
  bed.advance({ minutes: 4 });
  const enter = () => browser.post("/bank/login", { decision: "continue", code: "123456" });
  // the page lasts longer than its first code
  assert.match((await enter()).body, /Enter the new one that we have just sent you/);
  assert.equal((await enter()).headers.location, "/bank");
});

test("the code page of the login says where the code was sent, and sends a new one, but not without end", async () => {
  const browser = bed.browse();
  await browser.get("/bank/login");
  await browser.post("/bank/login", { decision: "continue", login: "c2", password: "right" });
  const { body } = await browser.get("/bank/login");
  assert.match(body, /Enter the code that we have sent\s+to your mobile ending 417\./);
  assert.match(body, /value="renew" formnovalidate>Send a new code</);
  const earlier = bed.asked.length;
  for (let turn = 0; turn < 3; turn += 1) {
    const again = await browser.post("/bank/login", { decision: "renew" });
    assert.match(again.body, /We have sent you a new code/);
  }
  const last = await browser.post("/bank/login", { decision: "renew" });
  assert.match(last.body, /We cannot send more codes/);
  assert.equal(bed.asked.length, earlier + 3);
  const done = await browser.post("/bank/login", { decision: "continue", code: "123456" });
  assert.equal(done.headers.location, "/bank");
});

test("five wrong passwords cause a wait, which ends by the bank's clock", async () => {
  const browser = bed.browse();
  await browser.get("/bank/login");
  const attempt = (password: string) =>
    browser.post("/bank/login", { decision: "continue", login: "c1", password });
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await attempt("wrong")).statusCode, 200);
  }
  assert.equal((await attempt("right")).statusCode, 429);
  bed.advance({ seconds: 901 });
  await browser.get("/bank/login");
  assert.equal((await attempt("right")).headers.location, "/bank/login");
});
