import { assetUrl } from "./assets.ts";
import { type Html, html } from "./html.ts";

/** The parts of a page that differ. */
export type Page = {
  bankName: string;
  /** The title of the browser's tab, without the bank's name. */
  title: string;
  /** The error that the page shows. The tab's title then begins with `Error:`. */
  error?: string | null;
  body: Html;
  /** `narrow` for forms, `wide` for lists, `full` for the documentation. */
  width?: "narrow" | "wide" | "full";
  /** Shown at the right of the bank's name. */
  corner?: Html;
  /** What the page is about, for search engines. They leave out a page without it. */
  description?: string;
  /** Further elements of the head: a refresh, our own script. */
  head?: Html | null;
};

/** Renders a whole page around its body. */
export function layout(page: Page): string {
  const width = page.width ?? "narrow";
  const fault = page.error ? "Error: " : null;
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<title>${fault}${page.title} – ${page.bankName}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${found(page.description)}
<link rel="icon" href="${assetUrl("mark.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl("theme.css")}">
<link rel="stylesheet" href="${assetUrl("style.css")}">
${page.head}
</head>
<body class="${width}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="bar">${brand(page.bankName)}${page.corner}</div></header>
<main id="main" tabindex="-1">
${page.body}
</main>
<footer class="bottom"><div class="bar"><p>${page.bankName}</p></div></footer>
</body>
</html>
`.text;
}

// customers' pages and the sandbox's own show what only their readers should see
const found = (description: string | undefined): Html =>
  description === undefined
    ? html`<meta name="robots" content="noindex">`
    : html`<meta name="description" content="${description}">`;

// A bank with another name replaces the wordmark, or its name is shown as text.
function brand(bankName: string): Html {
  if (bankName !== "Aldgate Bank") return html`<p class="brand">${bankName}</p>`;
  const url = assetUrl("wordmark.svg");
  return html`<p class="brand"><img src="${url}" alt="${bankName}" width="148" height="36"></p>`;
}
