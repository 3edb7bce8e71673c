import { type Html, html } from "#src/pages/html.ts";

/** A part of a line of Markdown. The label of a link may have parts itself. */
type Span =
  | { is: "text" | "code" | "strong" | "em"; text: string }
  | { is: "link"; text: string; url: string };

/** Reads a span at its first sign; null if the sign stands for itself. */
type Reader = (text: string, at: number) => { span: Span; end: number } | null;

/** The text between a sign and the next one like it. */
const between =
  (sign: string, is: "code" | "strong" | "em"): Reader =>
  (text, at) => {
    const begin = at + sign.length;
    const end = text.indexOf(sign, begin);
    if (!text.startsWith(sign, at) || end <= begin || text[begin] === " ") return null;
    return { span: { is, text: text.slice(begin, end) }, end: end + sign.length };
  };

const readLink: Reader = (text, at) => {
  const middle = text.indexOf("](", at);
  const end = text.indexOf(")", middle);
  const url = text.slice(middle + 2, end);
  if (middle < 0 || end < 0 || url === "" || url.includes(" ")) return null;
  return { span: { is: "link", text: text.slice(at + 1, middle), url }, end: end + 1 };
};

const readAddress: Reader = (text, at) => {
  const end = text.indexOf(">", at);
  const url = text.slice(at + 1, end);
  return /^https?:\/\/\S+$/.test(url)
    ? { span: { is: "link", text: url, url }, end: end + 1 }
    : null;
};

// two signs before one: they begin with the same character
const readers: Readonly<Record<string, readonly Reader[]>> = {
  "`": [between("``", "code"), between("`", "code")],
  "*": [between("**", "strong"), between("*", "em")],
  "[": [readLink],
  "<": [readAddress],
};

function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const [found] = (readers[text[at] ?? ""] ?? []).flatMap((read) => read(text, at) ?? []);
    if (!found) {
      at += 1;
      continue;
    }
    spans.push({ is: "text", text: text.slice(from, at) }, found.span);
    at = found.end;
    from = at;
  }
  return [...spans, { is: "text", text: text.slice(from) }];
}

/** The markup of a line of Markdown. */
export const inlineHtml = (text: string): Html[] => spansOf(text).map(spanHtml);

function spanHtml(span: Span): Html {
  switch (span.is) {
    case "text":
      return html`${span.text}`;
    case "code":
      return html`<code>${span.text.trim()}</code>`;
    case "strong":
      return html`<strong>${inlineHtml(span.text)}</strong>`;
    case "em":
      return html`<em>${inlineHtml(span.text)}</em>`;
    case "link":
      return html`<a href="${span.url}">${labelHtml(span)}</a>`;
  }
}

/** An address that is its own label is not read again. */
const labelHtml = ({ text, url }: { text: string; url: string }): Html[] =>
  text === url ? [html`${text}`] : inlineHtml(text);

/** A line of Markdown without its signs, for search and anchors. */
export const plainInline = (text: string): string =>
  spansOf(text)
    .map((span) => (span.is === "text" || span.is === "code" ? span.text : plainInline(span.text)))
    .join("");

/**
 * A text of Markdown with other targets of its links; a link whose new target is null becomes its
 * label.
 */
export function withLinks(text: string, change: (url: string) => string | null): string {
  let changed = "";
  let at = 0;
  for (
    let begin = text.indexOf("[");
    begin >= 0;
    begin = text.indexOf("[", Math.max(at, begin + 1))
  ) {
    const found = readLink(text, begin);
    if (found?.span.is !== "link" || found.span.text.includes("\n\n")) continue;
    const { text: label, url } = found.span;
    const target = change(url);
    changed += text.slice(at, begin) + (target === null ? label : `[${label}](${target})`);
    at = found.end;
  }
  return changed + text.slice(at);
}

/** Code in a line of Markdown. */
export const code = (text: string): string =>
  text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
