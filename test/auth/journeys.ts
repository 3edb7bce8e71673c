import assert from "node:assert/strict";
import { type AuthBed, fragmentOf } from "./auth-bed.ts";
import { Visitor } from "./visitor.ts";

export type Kind = "account-access" | "domestic-payment";

/** Registers a TPP and returns functions for its customers' journeys. */
export async function openJourneys(bed: AuthBed) {
  const tpp = await bed.createTpp();
  return {
    tpp,
    /** Creates a consent and opens its authorization URL. */
    async visit(kind: Kind, data: Record<string, unknown> = {}) {
      const consentId = await bed.lodge(tpp, kind, { data });
      const scope = kind === "account-access" ? "accounts" : "payments";
      const url = await tpp.authorizationUrl({ scope, consentId, state: "s" });
      const visitor = new Visitor(bed);
      await visitor.open(url);
      return { consentId, visitor, url };
    },
  };
}

export type Journeys = Awaited<ReturnType<typeof openJourneys>>;

/** Continues to the page that asks for approval. Chooses account 101 if a review follows. */
export async function toApproval(visitor: Visitor, login = "anna"): Promise<void> {
  await visitor.login(login);
  if (!visitor.canApprove) await visitor.factor();
  if (!visitor.canApprove) await visitor.submit({ account: "101", decision: "continue" });
  assert.ok(visitor.canApprove, visitor.shown.body);
}

/** Returns to the TPP. Returns the response that the TPP gets. */
export async function answerOf(visitor: Visitor): Promise<Record<string, string>> {
  assert.equal(visitor.step, "returning", visitor.shown.body);
  return fragmentOf(await visitor.goBack());
}
