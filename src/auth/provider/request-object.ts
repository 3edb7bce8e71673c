import "./quiet-runtime.ts";
import { decodeJwt } from "jose";
import { errors, type Provider } from "oidc-provider";

type Params = { request?: unknown };

/**
 * Refuses request objects with a claim that has no text form. The library turns every claim into a
 * text, which fails for an object such as `{"toString": 1}`.
 */
export function refuseOddRequestObjects(provider: Provider): void {
  // the types hide what the library documents for overriding
  const context = (provider as unknown as { OIDCContext: { prototype: object } }).OIDCContext;
  const kept = new WeakMap<object, Params>();
  // every endpoint assigns the parameters before it reads them
  Object.defineProperty(context.prototype, "params", {
    configurable: true,
    get(this: object) {
      return kept.get(this);
    },
    set(this: object, params: Params) {
      kept.set(this, params);
      const odd = oddClaim(params.request);
      if (odd === null) return;
      throw new errors.InvalidRequestObject(`the claim ${odd} must be a string`);
    },
  });
}

function oddClaim(request: unknown): string | null {
  if (typeof request !== "string") return null;
  let payload: object;
  try {
    payload = decodeJwt(request);
  } catch {
    return null; // the library reports the fault
  }
  return Object.entries(payload).find(([, value]) => !hasText(value))?.[0] ?? null;
}

function hasText(value: unknown): boolean {
  try {
    String(value);
    return true;
  } catch {
    return false;
  }
}
