import { checkToken } from "./access/access.ts";
import { type AccessRow, readFacts } from "./access/access-row.ts";
import { refusedToken } from "./access/token-refusal.ts";
import type { ApiError } from "./api-error.ts";
import { bareRefusal } from "./api-error.ts";
import type { OperationRequest } from "./operation.ts";
import type { CompiledSteps, StepState } from "./request-steps.ts";

const nothing = (): undefined => undefined;

/**
 * Admits a request to an API, or throws an ApiError for the first check that fails. No handler runs
 * before this, because only this function makes its input. The checks are the steps of the API's
 * version (request-steps.ts): first those that need no token, then the token in one statement,
 * which may read the operation's data too, then the others, and the body last.
 */
export async function admit(steps: CompiledSteps, state: StepState): Promise<OperationRequest> {
  const { operation, kit, input, credentials } = state;
  for (const check of steps.before) check(state);
  if (credentials.tokenHash === null) throw withoutToken(state);
  const { statement, read } = operation.load?.(input) ?? {
    statement: kit.loadAccess(credentials),
    read: nothing,
  };
  const [row] = await kit.database.read<AccessRow>(statement);
  kit.admission?.tokenRead(state.request.raw);
  state.facts = row && readFacts(row.access);
  const access = checkToken(state);
  state.access = access;
  for (const check of steps.after) check(state);
  if (steps.body) await steps.body(state, access);
  return Object.assign(input, { access, loaded: row && read(row) });
}

// Source: RFC 6750 section 3.1: a request without credentials gets no error code.
function withoutToken({ credentials, input: { headers } }: StepState): ApiError {
  if (headers.authorization !== undefined) return refusedToken("tokenMalformed", credentials);
  return bareRefusal(401, { "www-authenticate": "Bearer" });
}
