import { confirmingRows } from "#src/auth/login/confirming.ts";
import {
  accountsPage,
  errorPage,
  type Frame,
  returningPage,
  reviewPage,
} from "#src/pages/journey.ts";
import { factorPage, loginPage } from "#src/pages/login.ts";
import { accountLabel, accountNumber } from "./eligible-accounts.ts";
import type { JourneyView } from "./journey.ts";
import { endings } from "./outcomes.ts";

/** What only a sandbox shows on the login and code pages. */
export type SandboxHints = {
  logins(): Promise<{ login: string; password: string; name: string }[]>;
  /** The code of a challenge; null if the challenge does not accept codes any more. */
  codeOf(challengeId: string): Promise<string | null>;
};

/** What the pages are made with. */
export type RenderDeps = {
  bankName: string;
  /** Absent in production. */
  sandboxHints?: SandboxHints;
};

type Open = Exclude<JourneyView, { step: "ended" }>;
type Ended = Extract<JourneyView, { step: "ended" }>;

/** What was wrong with the form before, and what it held. */
export type Shown = { error: string | null; login: string };

/** The page of a step. */
export async function renderStep(
  deps: RenderDeps,
  view: Open,
  { error, login }: Shown,
  form: Pick<Frame, "action" | "csrf">,
): Promise<string> {
  const frame: Frame = { bankName: deps.bankName, clientName: view.clientName, ...form };
  const hints = deps.sandboxHints;
  if (view.step === "login") {
    return loginPage({ ...frame, error, login, sandboxLogins: (await hints?.logins()) ?? [] });
  }
  if (view.step === "factor") {
    const { customerName, subject, challengeId } = view;
    const sandboxCode = (await hints?.codeOf(challengeId)) ?? null;
    const confirming = confirmingRows(subject);
    return factorPage({ ...frame, error, customerName, sandboxCode, confirming });
  }
  if (view.step === "accounts") return renderAccounts(view, frame, error);
  const accounts = view.accounts.map((account) => ({
    label: accountLabel(account),
    number: accountNumber(account),
  }));
  return reviewPage({ ...frame, summary: view.summary, accounts });
}

function renderAccounts(
  { candidates, choice, summary }: Extract<JourneyView, { step: "accounts" }>,
  frame: Frame,
  error: string | null,
): string {
  const open = candidates.filter(({ unavailable }) => unavailable === null);
  const accounts = candidates.map(({ account, unavailable, balance }) => ({
    accountId: account.accountId,
    label: accountLabel(account),
    number: accountNumber(account),
    balance,
    unavailable,
    checked: open.length === 1 && unavailable === null,
  }));
  return accountsPage({ ...frame, error, choice, accounts, summary });
}

/** The page on the way back to the TPP. */
export function renderReturning(deps: RenderDeps, view: Ended, continueUrl: string): string {
  const { bankName } = deps;
  const outcome = endings[view.outcome].page;
  return returningPage({ bankName, clientName: view.clientName, outcome, continueUrl });
}

const doneTexts = {
  approved: "You have approved this request, and we have sent the answer.",
  cancelled: "You have cancelled this request. Nothing was shared and nothing was paid.",
  ended: "This session has ended. Nothing was shared and nothing was paid.",
};

/** The page for who comes back after the TPP was answered. */
export function renderAnswered(deps: RenderDeps, view: Ended, reference: string): string {
  const message = doneTexts[endings[view.outcome].page];
  const advice = `You can close this page and go back to ${view.clientName}.`;
  return errorPage({ bankName: deps.bankName, title: "This is done", message, reference, advice });
}

/** The page for who comes without a journey of their own. */
export const renderLost = (deps: RenderDeps, reference: string): string =>
  errorPage({
    bankName: deps.bankName,
    title: "We cannot continue",
    message: "This page is part of a request that has ended, or that began in another browser.",
    reference,
  });
