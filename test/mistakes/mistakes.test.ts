// The table of mistakes: what a TPP does wrong, and what the answer must name, so that somebody who
// sees only the request and the answer can mend it. docs/error-messages.md says how it is judged.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { LogReader } from "#src/request-log/reader.ts";
import { pushMistakes, requestObjectMistakes } from "./authorize.ts";
import { accessMistakes, eventMistakes, fundsMistakes } from "./data.ts";
import { headerMistakes, jsonMistakes, pathMistakes, signatureMistakes } from "./messages.ts";
import { orderMistakes, vrpMistakes } from "./orders.ts";
import { otherKinds } from "./other-kinds.ts";
import { type Mistake, openPlace, type Place, shown } from "./place.ts";
import { certificateMistakes, registrationMistakes } from "./registration.ts";
import { singleMistakes } from "./single-payments.ts";
import { assertionMistakes, tokenMistakes } from "./tokens.ts";

type Shown = NonNullable<Awaited<ReturnType<LogReader["show"]>>>;
type Page = Awaited<ReturnType<LogReader["list"]>>;

const table: readonly Mistake[] = [
  ...signatureMistakes,
  ...headerMistakes,
  ...pathMistakes,
  ...jsonMistakes,
  ...singleMistakes,
  ...otherKinds,
  ...orderMistakes,
  ...vrpMistakes,
  ...accessMistakes,
  ...fundsMistakes,
  ...eventMistakes,
  ...assertionMistakes,
  ...tokenMistakes,
  ...requestObjectMistakes,
  ...pushMistakes,
  ...registrationMistakes,
  ...certificateMistakes,
];

let place: Place;
const dump: string[] = [];
before(async () => {
  place = await openPlace();
});
after(async () => {
  await place?.bank.close();
  const file = process.env.ALDGATE_MISTAKES;
  if (file) writeFileSync(file, dump.join("\n\n"));
});

test("the table has at least 200 mistakes, each with its own name", () => {
  assert.ok(table.length >= 200, `${table.length}`);
  assert.equal(new Set(table.map(({ name }) => name)).size, table.length);
});

for (const { name, send, says } of table) {
  test(name, async () => {
    const answer = shown(await send(place));
    const missing = says.filter((one) =>
      typeof one === "string" ? !answer.includes(one) : !one.test(answer),
    );
    dump.push(`# ${dump.length + 1}
${place.sent.text}

${answer}`);
    assert.deepEqual(missing, [], answer);
  });
}

test("the log names the check that has refused each of them", async () => {
  const unnamed: string[] = [];
  let next: string | null = "";
  while (next !== null) {
    const page: Page = await place.bank.control("GET", `/requests?status=4xx&before=${next}`);
    for (const { logId, path, codes } of page.requests) {
      const { checks } = await place.bank.control<Shown>("GET", `/requests/${logId}`);
      const refused = checks.filter(({ result }) => result === "refused");
      if (checks.length > 0 && refused.length !== 1) unnamed.push(`${path} ${codes.join()}`);
      // neither the code nor the reason says which check it was
      if (refused.some(({ name }) => ["bank", "other"].includes(name))) {
        unnamed.push(`${path} ${codes.join()}: ${refused[0]?.name}`);
      }
    }
    next = page.next;
  }
  assert.deepEqual(unnamed, []);
});
