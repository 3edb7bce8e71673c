// The pages of the portal and the bank agree: the lines with curl of each page run as printed.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { type ListedDocument, resourcesOf } from "#src/pages/portal/api-document.ts";
import { allBlocks, type Block } from "#src/pages/portal/blocks.ts";
import {
  type CollectionRequest,
  collectionOf,
  consentHeader,
} from "#src/pages/portal/collection/collection.ts";
import { referencePages } from "#src/pages/portal/reference.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listDocuments, withSamples } from "#src/server/portal/documents.ts";
import { type BankWithTpp, skipReason, startBankWithTpp } from "#test/cli/running-bank.ts";
import { operations } from "./portal-bed.ts";
import { openShell, type Shell } from "./shell.ts";

/** The lines of an operation on its page, and the body that the page shows. */
type Shown = { lines: string; title: string; body: string | null };

/** The blocks beside each operation of an API, by the operation's id. */
function shownIn(document: ListedDocument, publicUrl: string, mtlsUrl: string): Map<string, Shown> {
  const caller = { publicUrl, mtlsUrl, profiles: [] };
  const pages = referencePages({ documents: [document], about: {}, caller });
  const shown = new Map<string, Shown>();
  for (const block of allBlocks(pages.flatMap((page) => page.blocks()))) {
    if (block.is !== "beside") continue;
    const find = (start: string): Extract<Block, { is: "code" }> | undefined =>
      block.code.filter((one) => one.is === "code").find(({ title }) => title?.startsWith(start));
    const { text, title = "" } = present(find("curl"), block.id);
    shown.set(block.id, { lines: text, title, body: find("Request body")?.text ?? null });
  }
  return shown;
}

/** The variables that the title asks the reader to set. */
const asked = ({ title }: Shown): string[] =>
  [...title.matchAll(/`\$(\w+)`/g)].map(([, name = ""]) => name);

/** The variables of a collection that a request needs: its consent's first, then the path's. */
function needed({ headers, path, body }: CollectionRequest): string[] {
  const consent = headers.find(({ name }) => name === consentHeader)?.value ?? "";
  const found = `${consent} ${path} ${body}`.matchAll(/\{\{(\w+)\}\}/g);
  return [...new Set([...found].map(([, name = ""]) => name))];
}

suite("the lines with curl on the pages of the portal", { skip: skipReason }, () => {
  let started: BankWithTpp;
  let shell: Shell;
  before(async () => {
    started = await startBankWithTpp();
    shell = await openShell(started.place);
  });
  after(async () => {
    await shell?.close();
    await started?.close();
  });

  const mtlsUrl = (): string => `https://localhost:${started.place.environment.MTLS_PORT}`;

  function documents(): ListedDocument[] {
    const { publicUrl } = started.place;
    const parts = { publicUrl, mtlsUrl: mtlsUrl(), operations, kinds: paymentKinds };
    const today = Temporal.Now.plainDateISO("UTC");
    return withSamples(listDocuments({ ...parts, isSandbox: true }), paymentKinds, today);
  }

  test("each call of the standard's APIs gets its documented status, one page after another", async () => {
    const { publicUrl } = started.place;
    const ids = new Map<string, string>();
    const failed: string[] = [];
    let count = 0;
    for (const document of documents().filter(({ id }) => id !== "sandbox-v1")) {
      const shown = shownIn(document, publicUrl, mtlsUrl());
      const [api] = collectionOf("", publicUrl, [document]).apis;
      for (const request of api?.parts.flatMap(({ requests }) => requests) ?? []) {
        count += 1;
        const page = present(shown.get(request.id), request.id);
        const variables = needed(request);
        const names = asked(page);
        assert.equal(names.length, variables.length, `${request.id}: ${page.title}`);
        if (page.body !== null) shell.write("body.json", page.body);
        const set = names.map((name, at) => `${name}='${ids.get(variables[at] ?? "")}'\n`);
        const { body, status } = await shell.run(set.join("") + page.lines);
        if (status !== request.status) failed.push(`${request.id} ${status} ${body}`);
        else for (const { variable, path } of request.keeps) ids.set(variable, valueAt(body, path));
      }
    }
    assert.deepEqual(failed, []);
    assert.equal(count, operations.length);
  });

  test("each call of the sandbox's interface gets a documented status", async () => {
    const { publicUrl } = started.place;
    const document = present(
      documents().find(({ id }) => id === "sandbox-v1"),
      "sandbox-v1",
    );
    const shown = shownIn(document, publicUrl, mtlsUrl());
    const failed: string[] = [];
    for (const operation of resourcesOf(document).flatMap((resource) => resource.operations)) {
      const page = present(shown.get(operation.id), operation.id);
      if (page.body !== null) shell.write("body.json", page.body);
      const set = asked(page).map((name) => `${name}=none\n`);
      const { body, status } = await shell.run(set.join("") + page.lines);
      const refusals = page.title === "curl" ? [] : operation.refusals.map((one) => one.status);
      const isDocumented = [operation.answer.status, ...refusals].includes(String(status));
      if (!isDocumented) failed.push(`${operation.id} ${status} ${body}`);
    }
    assert.deepEqual(failed, []);
    assert.ok(shown.size >= 80);
  });
});

/** A value of a JSON text. */
function valueAt(text: string, path: readonly (string | number)[]): string {
  let value: unknown = JSON.parse(text);
  for (const part of path) value = (value as Record<string | number, unknown>)[part];
  return String(value);
}
