import Type, { type TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { compileReading } from "#src/account-store/compile-reading.ts";
import {
  type AnswerReader,
  type AnswerReport,
  WrongAnswer,
  whyInvalid,
} from "#src/bank/checked-answer.ts";
import type { CallName } from "#src/bank/port-answers.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { callRows, paymentIdOf } from "./operations.ts";

/** A schema of the contract that is compiled when the first value is checked. */
export type BodyCheck = {
  validator: Validator;
  /** Returns a checked value with the values of the port. */
  decode(value: unknown): unknown;
};

/** Compiles a schema of the contract. */
export function compileBody(schema: TSchema): BodyCheck {
  const reading = compileReading(schema);
  return { validator: Compile(schema), decode: (value) => (reading ? reading(value) : value) };
}

/** The most items of an answer, and the most of them that are reported. */
const [mostItems, mostReports, longestId] = [10_000, 20, 100];

type Checks = { whole: BodyCheck; item: BodyCheck | null };

/** Makes the checks of an answer. Items are checked each alone, so the whole may have any. */
function compileAnswer(name: CallName): Checks {
  const { schema, items } = callRows[name].answer;
  const lenient =
    items && Type.Object({ [items.member]: Type.Array(Type.Unknown(), { maxItems: mostItems }) });
  return { whole: compileBody(lenient ?? schema), item: items ? compileBody(items.schema) : null };
}

/** Reports the payments of which there is not exactly one outcome, or an invalid one. */
function reportDoubts(
  name: CallName,
  [asked]: readonly unknown[],
  kept: readonly unknown[],
  report: AnswerReport,
): void {
  const found = new Set(kept.map(paymentIdOf));
  for (const id of (asked as unknown[]).map(paymentIdOf)) {
    if (!found.has(id)) report.onInvalidOutcome(name, id);
  }
}

const memberOf = (value: unknown, member: string): unknown =>
  (value as Readonly<Record<string, unknown>> | null)?.[member];

/** The values of a member that more than one item has, valid or not. */
function repeatedIds(items: readonly unknown[], member: string): Set<unknown> {
  const [seen, repeated] = [new Set<unknown>(), new Set<unknown>()];
  for (const id of items.map((value) => memberOf(value, member))) {
    if (seen.has(id)) repeated.add(id);
    seen.add(id);
  }
  return repeated;
}

/** Makes the reader of the answers of a core over HTTP, which are the bodies of its responses. */
export function createBodyReader(): AnswerReader {
  // an answer that cannot be read is found at the start, and not at the first call
  for (const { answer } of Object.values(callRows)) compileReading(answer.schema);
  const checks = new Map<CallName, Checks>();
  return (name, given, body, report) => {
    const check = checks.get(name) ?? compileAnswer(name);
    checks.set(name, check);
    return readBody(check, { name, given, body, report });
  };
}

type Answered = {
  name: CallName;
  given: readonly unknown[];
  body: unknown;
  report: AnswerReport;
};

function readBody({ whole, item }: Checks, { name, given, body, report }: Answered): unknown {
  const { answer } = callRows[name];
  if (!whole.validator.Check(body)) {
    const reason = whyInvalid(whole.validator, body);
    throw new WrongAnswer(`${name} returned an invalid answer: ${reason}`);
  }
  if (!item || !answer.items) return answer.read(whole.decode(body) as never, given);
  const { member, id, areOutcomes } = answer.items;
  // safe: the schema of the whole body has an array there
  const items = (body as Record<string, unknown[]>)[member] ?? [];
  let reports = 0;
  const repeated = areOutcomes ? repeatedIds(items, id) : null;
  const kept = items.filter((value, index) => {
    const found = memberOf(value, id);
    if (repeated?.has(found)) return false;
    if (item.validator.Check(value)) return true;
    if (areOutcomes) return false;
    reports += 1;
    if (reports > mostReports) return false;
    const left = textOf(typeof found === "string" ? found.slice(0, longestId) : index);
    report.onLeftOut({ call: name, item: left, reason: whyInvalid(item.validator, value) });
    return false;
  });
  const decoded = { [member]: kept.map(item.decode) };
  const read = answer.read(decoded as never, given);
  if (areOutcomes) reportDoubts(name, given, kept, report);
  return read;
}
