import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { History, readHistory } from "./history.ts";
import { judgeFile } from "./judge-file.ts";

const sent = (call: number, at: number) =>
  JSON.stringify({ call, at, client: "tpp", operation: "revoke", asked: { consentId: "c1" } });
const ended = (call: number, at: number, outcome: string) =>
  JSON.stringify({ call, at, outcome, told: {} });

test("a call without an answer, or with an open one, never ends", () => {
  const calls = readHistory([sent(1, 10), sent(2, 11), ended(2, 12, "unknown"), ""]);
  assert.deepEqual(
    calls.map(({ outcome, end, lines }) => ({ outcome, end, lines })),
    [
      { outcome: "unknown", end: Infinity, lines: [1] },
      { outcome: "unknown", end: Infinity, lines: [2, 3] },
    ],
  );
});

test("the lines of a history may be in any order", () => {
  const calls = readHistory([ended(2, 12, "ok"), sent(2, 11), sent(1, 10), ended(1, 13, "ok")]);
  assert.deepEqual(
    calls.map(({ start, end, lines }) => ({ start, end, lines })),
    [
      { start: 10, end: 13, lines: [3, 4] },
      { start: 11, end: 12, lines: [2, 1] },
    ],
  );
});

test("a history may end in the middle of a line, but may not be broken before", () => {
  const half = ended(1, 12, "ok").slice(0, 20);
  assert.equal(readHistory([sent(1, 10), half])[0]?.outcome, "unknown");
  assert.throws(() => readHistory([half, sent(1, 10), ""]), /line 1 of the history is not JSON/);
});

test("a history in a file is judged again, with the lines that show a finding", () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-history-"));
  const file = join(folder, "history.jsonl");
  const history = new History(file);
  history.note("tpp", "decide", { consentId: "c1", approves: false }, {});
  history.note("tpp", "decide", { consentId: "c1", approves: true }, {});
  history.close();
  const { findings, calls } = judgeFile(file);
  rmSync(folder, { recursive: true });
  assert.equal(calls, 2);
  assert.equal(findings.length, 1);
  assert.match(findings[0] ?? "", /^c1 was declined, and approved afterwards .*\n.*lines 1 and 2,/);
});

test("a history takes over what another process has recorded, up to a line that is broken off", () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-history-"));
  try {
    const path = join(folder, "other.jsonl");
    writeFileSync(path, `${sent(1, 10)}\n${ended(1, 12, "ok")}\n${sent(2, 13)}\n{"call":2,"at"`);
    const history = new History();
    history.take(path);
    assert.deepEqual(
      history.calls().map(({ outcome, end }) => ({ outcome, end })),
      [
        { outcome: "ok", end: 12 },
        { outcome: "unknown", end: Infinity },
      ],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
