/**
 * The value that a setting such as `16:30,international-payment=15:00` gives to a name, or its
 * value for all other names; undefined if it has neither.
 */
export function valueFor(name: string, setting: string | undefined): string | undefined {
  const entries = (setting ?? "").split(",").map((entry) => entry.trim());
  const own = entries.find((entry) => entry.startsWith(`${name}=`));
  const found = own?.slice(name.length + 1) ?? entries.find((entry) => !entry.includes("="));
  return found || undefined;
}
