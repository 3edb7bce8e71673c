import type { AskedFactor } from "#src/pages/asked-factor.ts";
import { homePage } from "#src/pages/home.ts";
import {
  accountsPage,
  approvingFactorPage,
  endingPage,
  errorPage,
  reviewPage,
} from "#src/pages/journey.ts";
import { codeNext, factorPage, loginPage } from "#src/pages/login.ts";
import { approvalPage, declinePage, overviewPage, upcomingPage } from "#src/pages/own-bank.ts";
import { confirmPage } from "#src/pages/own-confirm.ts";
import { connectionPage, withdrawAccountPage } from "#src/pages/own-connections.ts";
import { lockedActPage, lockedLoginPage } from "#src/pages/own-locked.ts";
import { permissionPage, permissionsPage } from "#src/pages/own-permissions.ts";
import { pagesThere } from "./hand-over-samples.ts";
import { byPasskey, passkeyPages } from "./passkey-samples.ts";
import { regularPages } from "./regular-samples.ts";
import { requestPages } from "./request-samples.ts";

/** Every page, with `name` as each text that comes from others. Forms have the token `token`. */
export function samplePages(name: string): Record<string, string> {
  return { ...journeyPages(name), ...ownPages(name), ...openPages(name) };
}

const bankName = "Aldgate Bank";
const time = { until: "06:27", canExtend: true };

/** The common parts of the pages of a logged-in customer. */
const ownFrame = { bankName, csrf: "token", message: null, path: "/bank", lastMinutes: null };

/** The day of the samples. */
export const sampleDay = Temporal.PlainDate.from("2026-03-02");

const totalOf = (detail: string) => ({ detail, isEstimate: false, later: detail });
const payment = (name: string) => ({
  type: "payment" as const,
  amount: "£1,249.50",
  payeeName: name,
  payeeAccount: name,
  rows: [
    { label: name, value: name },
    { label: name, value: name, about: "cost" as const, total: totalOf(name) },
    { label: name, value: name, about: "when" as const },
    { label: name, value: name, isFingerprint: true as const },
  ],
  notes: [name],
});

const access = (name: string) => ({
  type: "access" as const,
  clusters: [{ title: name, lines: [{ text: name, detail: name }] }],
  until: "until 3 March 2027",
  ends: "On 3 March 2027",
  transactions: name,
});

const accounts = (label: string, group = label) => [
  {
    accountId: label,
    ...named(label),
    group,
    balance: label,
    unavailable: null,
    note: label,
    checked: true,
  },
  {
    accountId: "2",
    ...named(label),
    group,
    balance: null,
    unavailable: label,
    note: null,
    checked: false,
  },
];
const named = (label: string) => ({ label, number: label });

const byCode = (name: string): AskedFactor => ({
  ...{ by: "code", sentTo: name, sandboxCode: name, canRenew: true, isOver: false },
});

/** The factor of a customer who approves in the app, and who may have a code instead or not. */
export const inApp = (isOver: boolean, hasCode = true, canRenew = true): AskedFactor => ({
  by: "app",
  until: "06:27",
  canRenew,
  digits: "47",
  appLink: "https://app.bank.example/approvals/1",
  hasCode,
  isOver,
  isSandbox: true,
});

/** The pages of the journey; `asked` says how the customer approves. */
export function journeyPages(name: string, asked = byCode(name)): Record<string, string> {
  const form = { action: "/interaction/1", csrf: "token", step: "step" };
  const frame = { bankName, clientName: name, ...form, note: name, time };
  const error = name;
  const choice = "one" as const;
  const go = "approve" as const;
  const one = { label: name, number: name };
  const confirming = [{ label: name, value: name }];
  const next = codeNext("payment", false);
  const toConfirm = { ...frame, error: null, customerName: name, confirming, next };
  return {
    login: loginPage({
      ...frame,
      error,
      login: name,
      sandboxLogins: [{ login: name, password: name, name }],
    }),
    factor: factorPage({
      ...frame,
      error,
      customerName: name,
      asked,
      confirming: [
        { label: name, value: name },
        { label: name, value: name, isFingerprint: true },
      ],
      next: codeNext("file of payments", false),
    }),
    accountsToPay: accountsPage({
      ...frame,
      error,
      choice,
      accounts: accounts(name),
      summary: payment(name),
      go,
    }),
    accountsToShare: accountsPage({
      ...frame,
      error: null,
      choice: "many",
      accounts: accounts(name),
      summary: access(name),
      go,
    }),
    noneChosen: accountsPage({
      ...frame,
      error,
      choice: "many",
      accounts: accounts(name),
      summary: access(name),
      go,
    }),
    manyToShare: accountsPage({
      ...frame,
      error: null,
      choice: "many",
      accounts: ["Savings", "Savings", "Savings", name].flatMap((group) => accounts(name, group)),
      summary: access(name),
      go,
    }),
    noAccount: accountsPage({
      ...frame,
      error: null,
      choice,
      accounts: [],
      summary: payment(name),
      go: "continue",
    }),
    approvingFactor: approvingFactorPage({
      ...frame,
      error,
      customerName: name,
      asked,
      summary: payment(name),
      accounts: [one],
      renews: null,
    }),
    renewal: approvingFactorPage({
      ...frame,
      error: null,
      customerName: name,
      asked: asked.by === "code" ? { ...asked, sentTo: null, sandboxCode: null } : asked,
      summary: access(name),
      accounts: [],
      renews: 2,
    }),
    inApp: factorPage({ ...toConfirm, checksUntil: "/", asked: inApp(false) }),
    approvingInApp: approvingFactorPage({
      ...{ ...frame, checksUntil: "/" },
      error: null,
      customerName: name,
      asked: inApp(false),
      summary: payment(name),
      accounts: [one],
      renews: null,
    }),
    overInApp: factorPage({ ...toConfirm, asked: inApp(true) }),
    lastInApp: factorPage({ ...toConfirm, asked: inApp(true, false, false) }),
    byPasskey: factorPage({
      ...frame,
      error: null,
      customerName: name,
      asked: byPasskey(),
      confirming: [{ label: name, value: name }],
      next: codeNext("payment", false),
    }),
    reviewPayment: reviewPage({ ...frame, go, summary: payment(name), accounts: [one] }),
    reviewWarned: reviewPage({
      ...frame,
      go,
      summary: payment(name),
      accounts: [one],
      warning: { title: name, text: name },
    }),
    reviewAccess: reviewPage({ ...frame, go, summary: access(name), accounts: [one, one] }),
    returning: endingPage({
      bankName,
      clientName: name,
      tone: "approved",
      title: name,
      sentences: [name, null, name],
      back: { url: `http://127.0.0.1:9/back?state=${name}`, atOnce: true },
    }),
    ending: endingPage({
      bankName,
      clientName: name,
      tone: "plain",
      title: name,
      sentences: [name, name, name],
      back: { url: `http://127.0.0.1:9/back?state=${name}`, atOnce: false },
    }),
    answered: endingPage({
      bankName,
      clientName: name,
      tone: "plain",
      title: name,
      sentences: [name],
      ...{ sandboxNote: name, back: null },
    }),
    error: errorPage({ bankName, title: name, message: name, reference: name }),
    sandboxError: errorPage({
      bankName,
      title: name,
      message: name,
      reference: name,
      forDevelopers: { error: name, description: name },
    }),
  };
}

/** The bank's own pages; `asked` says how the customer approves. */
export function ownPages(name: string, asked = byCode(name)): Record<string, string> {
  const frame = { ...ownFrame, message: name };
  const entering = { bankName, csrf: "token", clientName: null, action: "/bank/login" };
  const one = { label: name, number: name };
  const rows = [{ label: name, value: name }];
  const due = { id: "1", amount: name, payee: name, detail: [name, name], rows };
  const texts = { title: name, go: name, leave: name };
  const confirming = { ...frame, texts, confirming: rows, checksUntil: null };
  const locked = { method: asked.by, until: name, text: name };
  const connection = {
    ...{ consentId: "1", clientName: name, active: true },
    ...{ status: "Active", accounts: name, period: name },
  };
  const permission = { ...connection, amount: name, payee: name };
  const granted: Parameters<typeof permissionPage>[0] = {
    ...{ ...frame, permission, payee: one, from: one, granted: name, rows },
    ...{ used: [], payments: [], isNewest: true, next: null, pause: "not possible", others: 2 },
  };
  const waiting = {
    ...{ ...frame, orderId: "1", askedBy: name, clientName: name },
    ...{ summary: payment(name), from: one },
  };
  return {
    permission: permissionPage({
      ...granted,
      used: [{ label: name, used: name, until: name }],
      payments: [{ date: name, payee: name, amount: name, status: name }],
      isNewest: false,
      next: 2,
      pause: "possible",
    }),
    pausedPermission: permissionPage({
      ...granted,
      permission: { ...permission, status: "Paused" },
      pause: { since: name },
    }),
    permissions: permissionsPage({ ...frame, permissions: [permission], next: 2 }),
    noPermissions: permissionsPage({ ...frame, permissions: [], next: null }),
    endedPermission: permissionPage({
      ...{ ...granted, from: null, rows: [] },
      permission: { ...permission, active: false, status: name },
    }),
    ownLogin: loginPage({ ...entering, error: name, login: name, sandboxLogins: [] }),
    ownFactor: factorPage({
      ...entering,
      ...{ note: name, time },
      error: name,
      customerName: name,
      confirming: [],
      asked: asked.by === "code" ? { ...asked, sentTo: null } : asked,
    }),
    ownLoginAgain: loginPage({
      ...entering,
      notice: name,
      error: null,
      login: "",
      sandboxLogins: [],
    }),
    ...pagesThere(frame, name, rows),
    ownConfirm: confirmPage({ ...confirming, lastMinutes: 3, error: null, asked }),
    ownConfirmAgain: confirmPage({ ...confirming, error: name, asked }),
    ownLocked: lockedActPage({ ...frame, ...locked }),
    ownLoginLocked: lockedLoginPage({ ...{ ...locked, bankName }, loginUrl: "/bank/login" }),
    ownConfirmInApp: confirmPage({
      ...{ ...confirming, checksUntil: "/" },
      error: null,
      asked: inApp(false),
    }),
    ...regularPages(frame, name),
    ...passkeyPages(name),
    overview: overviewPage({
      ...frame,
      customerName: name,
      hasMandates: true,
      hasPayees: true,
      hasAccess: true,
      hasPasskeys: true,
      accounts: [
        { ...one, funds: { balance: name, available: name } },
        { ...one, funds: null },
      ],
      waiting: [due],
      upcoming: [due],
      permissions: { permissions: [permission, { ...permission, active: false }], next: 1 },
      connections: [
        { ...connection, type: "access" },
        { ...connection, type: "funds", active: false, status: name },
      ],
    }),
    approval: approvalPage({ ...waiting, field: "1" }),
    decline: declinePage(waiting),
    upcoming: upcomingPage({ ...frame, orderId: "1", payment: due }),
    connection: connectionPage({
      ...frame,
      connection,
      accounts: [{ ...one, accountId: "1", canWithdraw: true }],
      summary: access(name),
      ...{ granted: name, others: 1 },
    }),
    withdrawAccount: withdrawAccountPage({
      ...frame,
      ...{ connection, others: 1 },
      account: { ...one, accountId: "1", canWithdraw: true },
    }),
  };
}

/** Pages for developers. */
export function openPages(name: string): Record<string, string> {
  const apis = [{ title: name, path: name, openApi: "/openapi/pisp-v4.0.json" }];
  const base = { bankName, publicUrl: "/", mtlsUrl: name, apis };
  return {
    home: homePage({
      ...base,
      sandbox: {
        steps: [{ title: name, text: name, command: name }],
        tpps: [{ name, clientId: name, about: name }],
        personas: [{ name, about: name, login: name, password: name }],
        pages: [{ url: "/docs/scenarios", text: "Scenarios" }],
      },
    }),
    ...requestPages(name),
    productionHome: homePage({ ...base, sandbox: null }),
  };
}
