import { type Call, type Calls, type Done, isBefore, mayHaveHappened } from "./calls.ts";
import { Consents } from "./consents.ts";
import { groupBy, type Rule } from "./rule.ts";

// The model of access tokens: issued once for a code, good for their consent until their end.

/** The calls that carry a token. */
type Carrier = Call<"order" | "readOrder" | "readConsent" | "readData">;

const carriers = (calls: Calls): Carrier[] => [
  ...calls.of("order"),
  ...calls.of("readOrder"),
  ...calls.of("readConsent"),
  ...calls.of("readData"),
];

/** What a history says about the tokens. */
export class Tokens {
  readonly #issued: ReadonlyMap<string, Done<"token">>;
  readonly #revoked: ReadonlyMap<string, Call<"revokeToken">[]>;
  readonly #exchanges: readonly Call<"token">[];

  constructor(calls: Calls) {
    this.#issued = new Map(calls.done("token").map((call) => [call.told.token, call]));
    this.#exchanges = calls.of("token").filter(({ asked }) => asked.grant === "authorization_code");
    const revoked = calls.of("revokeToken").filter(mayHaveHappened);
    this.#revoked = groupBy(revoked, ({ asked }) => asked.token);
  }

  /** Returns the issue of a token. */
  issueOf(token: string | null): Done<"token"> | undefined {
    return token === null ? undefined : this.#issued.get(token);
  }

  /** Returns the consent that a token is for; null if it is for none, or not known. */
  consentOf(token: string | null): string | null {
    return this.issueOf(token)?.told.consentId ?? null;
  }

  /**
   * Returns the exchanges of a consent's codes after the first of each. The bank may take them for
   * theft, and end the tokens of the code, as OAuth 2.0 recommends.
   */
  repeatedExchanges(consentId: string): Call<"token">[] {
    const done = this.#exchanges.filter(
      (one) => one.outcome === "ok" && one.told.consentId === consentId,
    );
    return this.#exchanges.filter(
      (one) => !done.includes(one) && done.some(({ asked }) => asked.by === one.asked.by),
    );
  }

  /** Returns the revocations of a token that may have happened. */
  revocations(token: string | null): Call<"revokeToken">[] {
    return this.#revoked.get(token ?? "") ?? [];
  }
}

const endOf = ({ end, told }: Done<"token">): number => end + told.seconds * 1000;

/** The rules about tokens. */
export const tokenRules: readonly Rule[] = [
  {
    claim: "a token is issued before it opens anything",
    *breaches(calls) {
      // a lane that does not record its tokens has none
      if (calls.of("token").length === 0) return;
      const tokens = new Tokens(calls);
      for (const call of carriers(calls)) {
        const { token } = call.asked;
        if (call.outcome !== "ok" || token === null) continue;
        const issue = tokens.issueOf(token);
        if (issue && issue.start < call.end) continue;
        const text = `the token ${token} was used, and nobody had got it`;
        yield { subject: token, text, calls: issue ? [issue, call] : [call] };
      }
    },
  },
  {
    claim: "a code is exchanged once",
    *breaches(calls) {
      const codes = calls.done("token").filter(({ asked }) => asked.grant === "authorization_code");
      for (const [code, same] of groupBy(codes, ({ asked }) => asked.by)) {
        const [first, other] = same;
        if (!first || !other) continue;
        const text = `the code ${code} was exchanged for two tokens`;
        yield { subject: code, text, calls: [first, other] };
      }
    },
  },
  {
    claim: "a revoked token opens nothing",
    *breaches(calls) {
      const tokens = new Tokens(calls);
      for (const call of carriers(calls)) {
        if (call.outcome !== "ok") continue;
        const { token } = call.asked;
        const revocation = tokens
          .revocations(token)
          .find((one) => one.outcome === "ok" && isBefore(one, call));
        if (!revocation) continue;
        const text = `the token ${token} was used after its revocation`;
        yield { subject: token ?? "", text, calls: [revocation, call] };
      }
    },
  },
  {
    claim: "a token opens nothing after its time",
    *breaches(calls) {
      const tokens = new Tokens(calls);
      for (const call of carriers(calls)) {
        const issue = tokens.issueOf(call.asked.token);
        if (call.outcome !== "ok" || !issue || call.start <= endOf(issue)) continue;
        const text = `the token ${issue.told.token} was used after its ${issue.told.seconds} seconds`;
        yield { subject: issue.told.token, text, calls: [issue, call] };
      }
    },
  },
  {
    claim: "a token works until its end",
    *breaches(calls) {
      const tokens = new Tokens(calls);
      const consents = new Consents(calls);
      const moves = calls.of("moveClock");
      for (const call of carriers(calls)) {
        if (call.outcome !== "refused" || call.reasons.status !== 401) continue;
        const issue = tokens.issueOf(call.asked.token);
        if (!issue || !isBefore(issue, call)) continue;
        // the fraction of a millisecond is only the place in the history
        if (call.end >= Math.floor(issue.start) + issue.told.seconds * 1000) continue;
        const { token, consentId } = issue.told;
        const mayHaveEnded: Call[] = [...moves, ...tokens.revocations(token)];
        if (consentId !== null) {
          mayHaveEnded.push(...consents.revocations(consentId));
          mayHaveEnded.push(...tokens.repeatedExchanges(consentId));
          // a new approval ends the tokens of the earlier one
          const approvals = consents.decisions(consentId, true);
          mayHaveEnded.push(...approvals.filter(({ end }) => end > issue.start));
        }
        if (mayHaveEnded.some(({ start }) => start < call.end)) continue;
        const text = `the token ${token} was refused before its end`;
        yield { subject: token, text, calls: [issue, call] };
      }
    },
  },
];
