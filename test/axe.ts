// What axe finds on pages, and the windows and colours in which it looks at them.
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";

/** A window's width, and the colours that its user prefers. */
export type Look = { width: number; colours: "light" | "dark" | "forced" };

/** A phone and a desk, in every choice of colours. */
export const looks: readonly Look[] = [390, 1280].flatMap((width) =>
  (["light", "dark", "forced"] as const).map((colours) => ({ width, colours })),
);

/** A look in words, for the titles of tests. */
export const lookText = ({ width, colours }: Look): string =>
  `at ${width} pixels with ${colours} colours`;

/** Opens a page that the test's own scripts may look at, although the bank's pages allow none. */
export const openPage = (browser: Browser, { width, colours }: Look): Promise<Page> =>
  browser.newPage({
    viewport: { width, height: 844 },
    colorScheme: colours === "dark" ? "dark" : "light",
    forcedColors: colours === "forced" ? "active" : "none",
    bypassCSP: true,
  });

/** Lists each fault of any of axe's rules on a page, with the first element that has it. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(`axe.run(document, { resultTypes: ["violations"] }).then(
    ({ violations }) => violations.map(({ id, help, nodes }) =>
      id + ": " + help + ": " + nodes[0].html.slice(0, 200)))`);
}

/**
 * Asserts that axe finds no fault on a page, and that it does not scroll sideways. Keeps a picture
 * if ALDGATE_TEST_PICTURES names a folder.
 */
export async function expectAccessible(page: Page, what: string, look: Look): Promise<void> {
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
  assert.ok(wide <= look.width, `${what} is ${wide} wide`);
  assert.deepEqual(await axeFaults(page), [], what);
  const folder = process.env.ALDGATE_TEST_PICTURES;
  const name = `${what.replaceAll(/[^\w-]+/g, "-")}-${look.width}-${look.colours}`;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
