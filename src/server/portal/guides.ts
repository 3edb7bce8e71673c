import { existsSync, readFileSync } from "node:fs";
import type { PortalPage } from "#src/pages/portal/blocks.ts";
import { withLinks } from "#src/pages/portal/inline.ts";
import { readMarkdown } from "#src/pages/portal/read-markdown.ts";

// The guides are the pages of docs/, which are also read on their own: one text, served as it is.

const folder = new URL("../../../docs/", import.meta.url);

/** The guides by part, in the order of the navigation: the names of their files. */
const guideParts: readonly (readonly [part: string, ...names: string[]])[] = [
  [
    "Guides",
    "installing",
    "first-calls",
    "collections",
    "build-a-tpp",
    "build-a-tpp-fapi1",
    "build-a-tpp-fapi2",
    "backchannel",
    "ten-mistakes",
    "sandbox",
    "worlds",
    "testing",
    "ask-it-why",
    "robust-client",
    "registration",
    "certificates",
    "known-issues",
    "upgrading",
    "changelog",
    "glossary",
  ],
  [
    "Payments and accounts",
    "payments",
    "payment-versions",
    "standing-orders",
    "international-payments",
    "files",
    "variable-recurring-payments",
    "account-data",
    "funds-confirmations",
    "events",
  ],
];

const changelog = "changelog";

// the changelog is above docs/
const fileOf = (name: string): URL =>
  new URL(name === changelog ? "../CHANGELOG.md" : `${name}.md`, folder);

const names = guideParts.flatMap(([, ...listed]) => listed);

/**
 * The guides that this installation has; their text is read when it is asked for. Their addresses
 * are those of the bank that serves them.
 */
export const guidePages = (publicUrl: string): PortalPage[] =>
  guideParts.flatMap(([part, ...listed]) =>
    listed
      .filter((name) => existsSync(fileOf(name)))
      .map((name) => guidePage(part, name, publicUrl)),
  );

function guidePage(part: string, name: string, publicUrl: string): PortalPage {
  const read = () => {
    const text = readFileSync(fileOf(name), "utf8");
    return readMarkdown(withOwnLinks(text.replaceAll(defaultAddress, publicUrl)));
  };
  const { title, about } = read();
  return {
    path: `/docs/guides/${name}`,
    title,
    about,
    part,
    isListed: true,
    hasForms: false,
    blocks: () => read().blocks,
  };
}

// with or without its scheme, which curl does not need
const defaultAddress = /(?:http:\/\/)?\blocalhost:8080\b/g;

/**
 * The links of a page as the portal has them. Pages that it does not serve, such as those for
 * contributors, are named without a link.
 */
const withOwnLinks = (text: string): string =>
  withLinks(text, (target) => {
    if (/^(?:https?:|#|\/)/.test(target)) return target;
    const [, file = "", anchor = ""] = /^(?:docs\/|\.\.\/)?([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
    const name = file === "CHANGELOG" ? changelog : file;
    return names.includes(name) ? `/docs/guides/${name}${anchor}` : null;
  });
