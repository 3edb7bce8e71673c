import { shownText } from "#src/lib/plain-text.ts";

/** Finished markup, which only `html` and `raw` create. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** The values that a template accepts. Lists are joined; null, undefined and false are empty. */
type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for element content and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/**
 * Makes markup from a template literal. Values are escaped unless they are markup. Text between
 * tags is shown so that it cannot deceive, and does not move the text next to it.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let inTag = placesOf.get(strings);
  if (!inTag) {
    inTag = findPlaces(strings);
    placesOf.set(strings, inTag);
  }
  let text = strings[0] ?? "";
  for (let index = 0; index < values.length; index++) {
    text += render(values[index], inTag[index] ?? false) + (strings[index + 1] ?? "");
  }
  return new Html(text);
}

const placesOf = new WeakMap<TemplateStringsArray, readonly boolean[]>();

/** For each value of a template, whether it belongs to an attribute. */
function findPlaces(strings: TemplateStringsArray): boolean[] {
  let inTag = false;
  return strings.map((literal) => {
    const [opened, closed] = [literal.lastIndexOf("<"), literal.lastIndexOf(">")];
    inTag = opened === closed ? inTag || literal.endsWith('="') : opened > closed;
    return inTag;
  });
}

/** Uses text as markup without escaping; only for our own constants. */
export const raw = (text: string): Html => new Html(text);

// An attribute's value may be submitted with a form, so it is not changed.
function render(value: HtmlValue, inTag: boolean): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map((one) => render(one, inTag)).join("");
  return escapeHtml(inTag ? String(value) : shownText(String(value)));
}

/** Text whose sort codes do not break at the end of a line. */
export const withSortCodes = (text: string): Html[] =>
  text
    .split(sortCode)
    .map((part, index) =>
      index % 2 === 1 ? html`<span class="whole">${part}</span>` : html`${part}`,
    );

const sortCode = /(\d\d-\d\d-\d\d)(?= \d{8})/;

/** Text with its `quoted` parts as code. */
export const withCode = (text: string): Html[] =>
  text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
