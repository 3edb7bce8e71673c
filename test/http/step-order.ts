import assert from "node:assert/strict";
import type { Operation } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { describeRoutes } from "#src/server/routes/route-list.ts";
import type { Database } from "#src/storage/database.ts";
import { copyToken } from "#test/auth/stored-rows.ts";

/** Returns the steps that `./aldgate routes --steps` prints for an operation. */
export function printedSteps(operations: readonly Operation[], operationId: string): string[] {
  const operation = operations.find((one) => one.operationId === operationId);
  const [, steps] = describeRoutes([present(operation, operationId)], { steps: true });
  return present(steps, "its steps").trim().split(" > ");
}

/** The fault that a step finds: how a request gets it, and how the bank then answers. */
export type StepFault<Draft> = {
  /** Adds the fault, whatever other faults the request has. */
  add: (draft: Draft) => unknown;
  /** Matches status, code, path and message of the answer. */
  refusal: RegExp;
};

type Answered = { status: number; body: unknown };

/** A list of steps, with a fault for each. */
export type StepOrder<Draft> = {
  printed: readonly string[];
  faults: Record<string, StepFault<Draft>>;
  /** Steps that find no fault in these requests, each with the reason. */
  faultless: Record<string, string>;
  /** Makes a request without a fault. */
  draft: () => Draft;
  send: (draft: Draft) => Promise<Answered>;
};

/**
 * Checks that requests with two faults get the error of the step that is printed first, and that
 * each fault alone gets the error of its own step. Returns the number of pairs.
 */
export async function checkOrder<Draft>(order: StepOrder<Draft>): Promise<number> {
  const { printed, faults, faultless, draft, send } = order;
  const known = [...Object.keys(faults), ...Object.keys(faultless)];
  assert.deepEqual(known.toSorted(), printed.toSorted(), "each printed step has a fault");
  const answerTo = async (...names: string[]): Promise<string> => {
    const request = draft();
    // the earlier step's fault is added last, so that no other fault replaces it
    for (const name of names.toReversed()) faults[name]?.add(request);
    return describe(await send(request));
  };
  const names = printed.filter((name) => name in faults);
  let pairs = 0;
  for (const [place, name] of names.entries()) {
    const { refusal } = present(faults[name], name);
    const alone = await answerTo(name);
    assert.match(alone, refusal, name);
    const matching = names.filter((other) => faults[other]?.refusal.test(alone));
    assert.deepEqual(matching, [name], "no other step answers like this one");
    for (const later of names.slice(place + 1)) {
      assert.match(await answerTo(name, later), refusal, `${name} and ${later}`);
      pairs += 1;
    }
  }
  assert.match(await answerTo(), /^201/, "a request without a fault");
  return pairs;
}

type Fault = { ErrorCode: string; Path?: string; Message: string };

function describe({ status, body }: Answered): string {
  const [fault] = (body as { Errors?: Fault[] } | undefined)?.Errors ?? [];
  return [status, fault?.ErrorCode, fault?.Path, fault?.Message].join(" ");
}

/** What a test changes in a token: it has expired, or has another grant type, scope or grant. */
export type TokenChanges = { isExpired?: true; kind?: string; scope?: string; grantId?: string };

/** Adds a token that differs from an existing one in these points. Returns it. */
export async function changedToken(
  database: Database,
  token: string,
  changes: TokenChanges,
): Promise<string> {
  return present(await copyToken(database, token, changes), "the token");
}
