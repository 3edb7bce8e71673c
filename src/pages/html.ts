import { shownText } from "#src/lib/plain-text.ts";

/** Markup that is ready to be sent: made by `html` and `raw` only. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** What a template takes: lists are joined; null, undefined and false give nothing. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text made harmless for element content and for quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/**
 * Markup from a literal whose values are escaped unless they are markup themselves. A text between
 * tags is shown so that it cannot pass for something else, nor move the text beside it.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? "";
  let inTag = isInTag(text, false);
  values.forEach((value, index) => {
    const next = strings[index + 1] ?? "";
    text += render(value, inTag) + next;
    inTag = isInTag(next, inTag);
  });
  return new Html(text);
}

/** Whether what follows a literal is an attribute's. */
function isInTag(literal: string, before: boolean): boolean {
  const [opened, closed] = [literal.lastIndexOf("<"), literal.lastIndexOf(">")];
  return opened === closed ? before || literal.endsWith('="') : opened > closed;
}

/** Takes text as markup without escaping: for literals of our own only. */
export const raw = (text: string): Html => new Html(text);

// An attribute's value may come back with a form, so it stays as it is.
function render(value: HtmlValue, inTag: boolean): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map((one) => render(one, inTag)).join("");
  return escapeHtml(inTag ? String(value) : shownText(String(value)));
}

/** Text with its `quoted` parts as code. */
export const withCode = (text: string): Html[] =>
  text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
