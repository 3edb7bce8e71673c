/**
 * Words about properties, by the property's name, or by `Owner.Name` where they depend on its
 * place. The owner is the property that holds it, or the schema. The members of `Data` belong to
 * the schema. Several owners of one sort share a row under the sort's name.
 */
export type PropertyWords<Word = string> = Readonly<Record<string, Word>>;

/** What the values of one enumeration mean. */
export type ValueWords = Readonly<Record<string, string>>;

/** The words of these values, which are separated by spaces. */
export const only = (words: ValueWords, values: string): ValueWords =>
  Object.fromEntries(values.split(" ").map((value) => [value, words[value] ?? ""]));

// what a row may be for besides a single owner
const sorts: readonly (readonly [string, RegExp])[] = [
  ["Vrp", /^OBDomesticVRP/],
  ["File", /^OBWriteFile/],
  ["Funds", /^OB(VRP)?FundsConfirmation/],
  ["Consent", /^OB\w+Consent(Request|Response)?\d?$/],
  ["Order", /^OB(Write\w+\d|DomesticVRP(Request|Response))$/],
  ["Callback", /^(OBCallbackUrl\w+|CallbackUrl)$/],
  ["Subscription", /^(OBEventSubscription\w+|EventSubscription)$/],
  ["Agent", /Agent\d?$/],
  ["Other", /^Other[A-Z]/],
];

/** The row's key in `words` for a property, or undefined. `path` leads from the schema to it. */
export function keyOf(words: PropertyWords<unknown>, path: readonly string[]): string | undefined {
  const [name = "", above = "", ...further] = path.toReversed();
  const owner = above === "Data" ? (further[0] ?? above) : above;
  const fitting = sorts.filter(([, owners]) => owners.test(owner));
  const places = [owner, ...fitting.map(([sort]) => sort)].map((place) => `${place}.${name}`);
  return [...places, name].find((key) => Object.hasOwn(words, key));
}

/** The word of a property, or undefined if no row is for it. */
export function wordOf<Word>(
  words: PropertyWords<Word>,
  path: readonly string[],
): Word | undefined {
  const key = keyOf(words, path);
  return key === undefined ? undefined : words[key];
}
