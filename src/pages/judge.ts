import { explanation, type JudgedReport } from "./explanation.ts";
import { html } from "./html.ts";
import { layout } from "./layout.ts";
import { developerLinks, judgePath } from "./requests.ts";

/** The contents of the page on which something is pasted. */
type JudgePage = {
  bankName: string;
  text: string;
  signature: string;
  clientId: string;
  /** Null before something was pasted, and if it was refused. */
  judgement: JudgedReport | null;
  /** Why it was not judged; null if it was. */
  error: string | null;
};

const example = `POST /api/open-banking/v4.0/pisp/domestic-payment-consents
Content-Type: application/json
x-idempotency-key: 4711
x-jws-signature: eyJhbGciOiJQUzI1NiIs…

{"Data":{"Initiation":{…}},"Risk":{}}`;

/** The page that judges what is pasted. */
export const judgePage = (page: JudgePage): string =>
  layout({
    bankName: page.bankName,
    title: "Judge a message",
    error: page.error,
    width: "wide",
    corner: developerLinks,
    body: html`<h1>Judge a message</h1>
<p class="lead">Paste a request, a JWT or a certificate. The bank runs its own checks on it, and
says what it is, what is wrong and what to do. Nothing is sent or kept.</p>
${
  page.error === null
    ? null
    : html`<div class="notice problem" role="alert"><p id="text-error">${page.error}</p></div>`
}
${page.judgement && explanation(page.judgement)}
<form method="post" action="${judgePath}" class="card judged" autocomplete="off">
<div class="field"><label for="text">Message, JWT or certificate</label>
<p class="hint" id="text-hint">A request with its headers; a body; a client assertion, request
object, registration request, software statement, id_token or event token; certificates in PEM or
base64. Never a private key or an access token.</p>
<textarea id="text" name="text" rows="14" required spellcheck="false" autocapitalize="none"
 aria-describedby="text-hint${page.error === null ? "" : " text-error"}"
 placeholder="${example}">${"\n"}${page.text}</textarea></div>
<details${page.signature === "" && page.clientId === "" ? null : html` open`}><summary>A body
without its headers</summary>
<div class="field"><label for="signature">x-jws-signature</label>
<input id="signature" name="signature" value="${page.signature}" spellcheck="false"></div>
<div class="field"><label for="clientId">Client</label>
<p class="hint" id="clientId-hint">Only if the signature does not name its client.</p>
<input id="clientId" name="clientId" value="${page.clientId}" aria-describedby="clientId-hint"
 spellcheck="false"></div></details>
<p><button class="button">Judge</button></p></form>`,
  });
