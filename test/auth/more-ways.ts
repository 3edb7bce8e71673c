import assert from "node:assert/strict";
import type { Bank } from "#src/bank/port.ts";
import type { AuthBed } from "./auth-bed.ts";
import { anna, begin, openBackchannelBed } from "./backchannel-bed.ts";
import type { Kind } from "./journeys.ts";
import { factsInApp, factsOn } from "./shown-facts.ts";
import { InBrowser, type More, type Way, type WayName } from "./traveller.ts";
import { InApp, ways } from "./ways.ts";

// Every way to an approval, as one function: the customer approves, and what was shown is known.

/** An approval as its customer has seen it. */
type Approved = { consentId: string; facts: string[] };

/** A bank whose customers approve in one way. */
export type Approvals = {
  bed: Pick<AuthBed, "database" | "clock">;
  /** Approves a consent with this account, if one is to be chosen. */
  approve(kind: Kind, data: Record<string, unknown>, account: string): Promise<Approved>;
  close(): Promise<void>;
};

const scopeOf = (kind: Kind) => (kind === "account-access" ? "accounts" : "payments");

async function approvalsBy(open: OpenWay, bank: Partial<Bank>): Promise<Approvals> {
  const pages: string[] = [];
  const way = await open({ bank, checkPage: (page) => void pages.push(page) });
  const tpp = await way.bed.createTpp();
  return {
    ...way,
    async approve(kind, data, account) {
      const consentId = await way.bed.lodge(tpp, kind, { data });
      const one = way.travel();
      pages.length = 0;
      await one.open(await tpp.authorizationUrl({ scope: scopeOf(kind), consentId }));
      await one.confirm("anna");
      if (one instanceof InApp) {
        if (data.debtor === undefined) await one.listAccounts();
        await one.choose(account);
      } else {
        await one.approve(account);
      }
      assert.ok(one instanceof InApp || one instanceof InBrowser);
      for (let turn = 0; turn < 2 && one.ending() === null; turn += 1) await one.confirmAgain();
      assert.equal((await way.bed.consent(consentId)).status, "AUTH", pages.at(-1) ?? "no page");
      const isForm = (page: string) => page.includes("<form");
      const seen = one instanceof InApp ? one.seen.flatMap(factsInApp) : [];
      return { consentId, facts: [...seen, ...pages.filter(isForm).flatMap(factsOn)] };
    },
  };
}

type OpenWay = (more: More) => Promise<Way>;

async function openBackchannel(bank: Partial<Bank>): Promise<Approvals> {
  const bed = await openBackchannelBed({ bank });
  const tpp = await bed.createTpp();
  return {
    bed,
    close: () => bed.close(),
    async approve(kind, data, account) {
      bed.advance({ hours: 1 });
      const consentId = await bed.lodge(tpp, kind, { data });
      const message = "Till 4";
      const claims = { ...(await bed.hint(anna)), binding_message: message };
      await begin(tpp, { scope: scopeOf(kind), consentId, claims });
      const journeyId = await bed.journeyOf(consentId);
      // what the core gets to show: the facts of the request, and the TPP's message
      const { facts } = await bed.app.show(journeyId);
      const seen: object[] = [{ facts: [...facts, { value: message }] }];
      await bed.answer("approved");
      for (let turn = 0; turn < 3; turn += 1) {
        const journey = await bed.app.show(journeyId);
        if (journey.outcome !== null) break;
        if (turn === 0) seen.push(await bed.app.listAccounts(journeyId, anna));
        if (turn > 0) seen.push(journey);
        bed.advance({ seconds: 1 });
        const { shownHash, stepUp } = journey;
        const at = bed.clock.now().toString();
        const authentication =
          stepUp === null ? {} : { authentication: { amr: ["swk", "pin"], at } };
        const accountIds = turn === 0 ? { accountIds: [account] } : {};
        const decision = { decision: "approve" as const, customerId: anna, shownHash };
        await bed.app.decide(journeyId, { ...decision, ...accountIds, ...authentication });
      }
      assert.equal((await bed.consent(consentId)).status, "AUTH");
      return { consentId, facts: seen.flatMap(factsInApp) };
    },
  };
}

/** Opens a bank for each way to approve. */
export const approvalsOf: Readonly<Record<WayName, (bank: Partial<Bank>) => Promise<Approvals>>> = {
  code: (bank) => approvalsBy(ways.code, bank),
  passkey: (bank) => approvalsBy(ways.passkey, bank),
  decoupled: (bank) => approvalsBy(ways.decoupled, bank),
  redirect: (bank) => approvalsBy(ways.redirect, bank),
  "login there": (bank) => approvalsBy(ways["login there"], bank),
  app: (bank) => approvalsBy(ways.app, bank),
  backchannel: openBackchannel,
};
