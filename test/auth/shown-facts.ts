// What a customer could read on a page or in the app, fact by fact, but for balances: they help to
// choose an account, and are not kept.

const entities: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
};

const clean = (text: string): string =>
  text
    .replaceAll(/&(?:quot|#39|lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();

// the rows of a summary, its figure, the accounts, warnings and notes, and the data to be shared
const parts = [
  /<dd>(.*?)<\/dd>/gs,
  /<strong[^>]*>(.*?)<\/strong>/gs,
  /<label class="account"[^>]*>(.*?)<\/label>/gs,
  /<div class="notice(?: problem)?"(?: role="note"| data-payee)?>(.*?)<\/div>/gs,
  /<details class="cluster">(.*?)<\/details>/gs,
];

/** The facts on a page of the bank. */
export function factsOn(page: string): string[] {
  const body = page
    .replaceAll(/<(aside|noscript)\b.*?<\/\1>/gs, "")
    .replaceAll(/<span class="balance">.*?<\/span>/gs, "")
    .replaceAll(/<span class="whole">([^<]*)<\/span>/g, "$1");
  const found = parts.flatMap((part) => [...body.matchAll(part)].map(([, inner = ""]) => inner));
  const texts = found.flatMap((inner) => inner.split(/<[^>]*>|,\n/)).map(clean);
  return [...new Set(texts.filter((text) => text !== ""))];
}

/** The texts in a value of JSON. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [clean(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

type AppShown = {
  facts?: readonly { value: string }[];
  accounts?: readonly { balance?: string | null }[];
} & Partial<Record<"summary" | "warning" | "stepUp", unknown>>;

/** The facts that the app has been given to show. */
export function factsInApp({ facts = [], summary, warning, stepUp, accounts }: AppShown): string[] {
  // the values of a list are on lines of their own
  const values = facts.flatMap(({ value }) => value.split(",\n"));
  const named = accounts?.map(({ balance: _, ...account }) => account);
  return textsIn({ values, summary, warning, stepUp, named });
}
