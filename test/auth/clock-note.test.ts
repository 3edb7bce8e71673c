import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClockJump, clockNote, lateNote } from "#src/auth/provider/clock-note.ts";

const at = (time: string) => Temporal.Instant.from(`2027-03-01T${time}:00Z`);
const jump = (from: string, to: string): ClockJump => ({ from: at(from), to: at(to) });

const cases: [name: string, moves: ClockJump[], createdAt: string, end: string, named: boolean][] =
  [
    ["began before the move", [jump("09:00", "10:00")], "08:55", "09:10", true],
    ["began while the clock was being set", [jump("09:00", "10:00")], "09:01", "09:16", true],
    [
      "was ended by the move before the last one",
      [jump("09:00", "10:00"), jump("10:01", "10:02")],
      "08:55",
      "09:10",
      true,
    ],
    [
      "was ended by the last of two moves",
      [jump("09:00", "09:06"), jump("09:07", "09:13")],
      "08:55",
      "09:10",
      true,
    ],
    ["began after the move", [jump("09:00", "10:00")], "10:00", "10:15", false],
    ["was over before the move", [jump("09:00", "10:00")], "08:30", "08:45", false],
    ["had time left after the move", [jump("09:00", "09:05")], "08:55", "09:10", false],
    ["met no move", [], "08:55", "09:10", false],
  ];

for (const [name, moves, createdAt, end, named] of cases) {
  test(`the end of a journey that ${name} ${named ? "names" : "does not name"} the clock`, () => {
    const journey = { createdAt: at(createdAt), expiresAt: at(end), outcome: "timed_out" };
    const note = clockNote(journey, { sandboxHints: { moves: () => moves } });
    assert.equal(note !== null, named, String(note));
    assert.equal(clockNote(journey, {}), null);
  });
}

test("a late request names the last move of the clock for an hour", () => {
  const moves = [jump("07:00", "08:00"), jump("08:30", "09:00")];
  const noteAt = (time: string) =>
    lateNote({ clock: { now: () => at(time) }, sandboxHints: { moves: () => moves } });
  assert.match(noteAt("09:59"), /from 2027-03-01T08:30:00Z to 2027-03-01T09:00:00Z/);
  assert.equal(noteAt("10:00"), "");
  assert.equal(lateNote({ clock: { now: () => at("09:01") } }), "");
});
