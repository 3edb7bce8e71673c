import type { SummaryRow } from "./consent-summary.ts";
import { type Html, html } from "./html.ts";
import { accountLines, type NamedAccount, row } from "./journey-parts.ts";
import {
  type OwnPermission,
  type PermissionList,
  permissionLines,
  statusBadge,
} from "./own-bank.ts";
import { back, type OwnFrame, ownForm, ownPage } from "./own-frame.ts";
import { pausesText, stopsText } from "./own-stop.ts";

/** How much of a limit is used: `Each month`, `£30.00 of £200.00`, `until 31 March 2027`. */
export type UsedLimit = { label: string; used: string; until: string };

/** A payment that a TPP made: `3 March 2027`, `Acme Ltd`, `£30.00`, `Paid`. */
export type PermittedPayment = { date: string; payee: string; amount: string; status: string };

/** The contents of the page of one permission to make payments. */
export type PermissionPage = OwnFrame & {
  permission: OwnPermission;
  payee: NamedAccount;
  from: NamedAccount | null;
  /** `1 May 2026`. */
  granted: string;
  /** The limits in words. */
  rows: SummaryRow[];
  /** Empty if no more payments can be made. */
  used: UsedLimit[];
  payments: PermittedPayment[];
  /** Whether these are the newest payments. */
  isNewest: boolean;
  /** The number of the page with earlier payments; null if there are no more. */
  next: number | null;
  /** Whether the payments can be paused, or since when they are: `1 May 2026`. */
  pause: "possible" | "not possible" | { since: string };
  /** How many other permissions the company has. */
  others: number;
};

/**
 * One permission: its limits, how much of them is used, the payments, and how to pause or cancel
 * them. Posts `decision`: pause, resume, stop or keep. Source: customer experience guidelines,
 * Dashboards; V-194, CV-88.
 */
export function permissionPage(page: PermissionPage): string {
  const { permission, payee, from } = page;
  const { clientName } = permission;
  const body = html`
<h1>${clientName}</h1>
<p class="lead">${statusBadge(permission)}
Payments that ${clientName} makes for you within limits.</p>
<dl class="rows card">
${row("Amount", permission.amount)}
${row("Payee", accountLines(payee))}
${from && row("From", accountLines(from))}
${page.rows.map(({ label, value }) => row(label, value))}
${row("Granted", page.granted)}
</dl>
${usedSection(page.used)}
${paymentsSection(page)}
${permission.active ? pauseSection(page) : null}
${permission.active ? cancelPermission(page) : null}
${back}`;
  return ownPage(page, { title: clientName, body });
}

const nothingMore = html`<p>There are no more permissions to show.</p>`;

/** A page of the permissions of a customer who has many. */
export function permissionsPage(page: OwnFrame & PermissionList): string {
  const title = "Open Banking payments";
  const body = html`
<h1>${title}</h1>
${page.permissions.length === 0 ? nothingMore : permissionLines(page)}
${back}`;
  return ownPage(page, { title, body });
}

function usedSection(used: readonly UsedLimit[]): Html | null {
  if (used.length === 0) return null;
  return html`<h2>Used in this period</h2>
<dl class="rows card">
${used.map(({ label, used: amount, until }) => row(label, html`<b>${amount}</b><br>${until}`))}
</dl>`;
}

function paymentsSection({ permission, payments, isNewest, next }: PermissionPage): Html {
  const path = `/bank/permissions/${permission.consentId}`;
  const none = isNewest ? "No payments have been made." : "There are no earlier payments.";
  return html`<h2>Payments</h2>
${payments.length === 0 ? html`<p>${none}</p>` : paymentList(payments)}
${
  isNewest
    ? null
    : html`<p class="links"><a class="plain-button" href="${path}">Show the newest payments</a></p>`
}
${
  next === null
    ? null
    : html`<p class="links"><a class="plain-button"
 href="${path}?page=${String(next)}">Show earlier payments</a></p>`
}`;
}

const paymentList = (payments: readonly PermittedPayment[]): Html => html`<ul class="lines card">
${payments.map(
  ({ date, payee, amount, status }) => html`<li><span><b>${payee}</b><br>
<small>${date}, ${status}</small></span>
<span class="amount">${amount}</span></li>
`,
)}</ul>`;

function pauseSection(page: PermissionPage): Html | null {
  const { permission, pause, others } = page;
  const { clientName, consentId } = permission;
  if (pause === "not possible") return null;
  const isPaused = pause !== "possible";
  const decisions = isPaused
    ? [
        { value: "resume", text: "Resume payments" },
        { value: "keep", text: "Keep them paused" },
      ]
    : [
        { value: "pause", text: "Pause payments" },
        { value: "keep", text: "Don’t pause them" },
      ];
  const words = isPaused
    ? html`<h2>These payments are paused</h2>
<p>Since ${pause.since}, we refuse every payment that ${clientName} asks for under this
permission. If you resume them, ${clientName} can make payments within the limits again, without
asking you again. We do not make
the payments that we have refused, unless ${clientName} asks for them again.</p>`
    : html`<h2>Pause these payments?</h2>
<p>${pausesText({ type: "payments", clientName, others })}
The limits stay the same. Payments that it has already asked us to make are not changed.
Let ${clientName} know too, as you may still owe it money.</p>`;
  return html`${words}
${ownForm(page, `/bank/permissions/${consentId}`, html``, decisions)}`;
}

function cancelPermission(page: PermissionPage): Html {
  const { clientName, consentId } = page.permission;
  const decisions = [
    { value: "stop", text: "Yes, stop them" },
    { value: "keep", text: "Keep them" },
  ];
  return html`<h2>Stop these payments?</h2>
<p>${stopsText({ type: "payments", clientName, others: page.others })}
Payments that it has already asked us to
make are not changed. Ask ${clientName} what this means for the service it gives you.</p>
${ownForm(page, `/bank/permissions/${consentId}`, html``, decisions)}`;
}
