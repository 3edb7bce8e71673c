import assert from "node:assert/strict";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { replyOf } from "./backchannel-bed.ts";
import { assess } from "./refused-ending.ts";
import type { Answer, More, Traveller, Way } from "./traveller.ts";

/** A customer whose TPP has begun without a browser, and who scans the consent's id in the app. */
export class AtTill implements Traveller {
  readonly #bed: AuthBed;
  readonly #take: () => Promise<void>;
  readonly #requests: ReadonlyMap<string, Begun>;
  #begun: Begun | null = null;
  #login = "";
  uid = "";
  /** The refusals of the TPP's request and of the app's calls. */
  readonly refusals: string[] = [];
  #ending: { title: string; text: string } | null = null;

  constructor(bed: AuthBed, requests: ReadonlyMap<string, Begun>) {
    this.#bed = bed;
    this.#requests = requests;
    this.#take = () => present(bed.auth.backchannel, "journeys without a browser").run();
  }

  async open(key: string): Promise<void> {
    this.#begun = present(this.#requests.get(key), "the request");
    const { consentId } = this.#begun;
    const row = await first<{ uid: string }>(
      this.#bed.database,
      sql`select uid from journey where consent_id = ${consentId} order by created_at desc`,
    );
    this.uid = present(row, "the journey").uid;
    await this.look();
  }

  async #call(call: () => Promise<unknown>): Promise<void> {
    await call().catch((error: Error) => void this.refusals.push(error.message));
  }

  /** Scans the consent's id, if nobody has, and answers in the app. */
  async confirm(login: string, answer: Answer = "approved"): Promise<void> {
    const { inApp, appJourneys, answerInApp } = this.#bed;
    const { consentId } = present(this.#begun, "the request");
    this.#login = login;
    const sent = inApp.sent.length;
    await this.#call(() => appJourneys.scan({ customerId: `cust-${login}`, consentId }));
    if (inApp.sent.length > sent && answer !== "failed") answerInApp(answer);
    await this.#take();
    await this.look();
  }

  async approve(account = "101"): Promise<void> {
    // once more for what the account adds
    for (let turn = 0; turn < 2 && this.ending() === null; turn += 1) await this.choose(account);
  }

  async choose(account: string): Promise<void> {
    const { appJourneys } = this.#bed;
    const customerId = `cust-${this.#login}`;
    await this.#call(async () => {
      const { shownHash } = await appJourneys.show(this.uid);
      const decision = { decision: "approve", customerId, accountIds: [account], shownHash };
      await appJourneys.decide(this.uid, decision as { decision: "approve" });
    });
    await this.look();
  }

  async cancel(): Promise<void> {
    await this.confirm("anna", "declined");
  }

  async look(): Promise<void> {
    this.#ending = (await this.#bed.appJourneys.show(this.uid)).ending;
  }

  ending(): { title: string; text: string } | null {
    return this.#ending;
  }

  /** Polls: the answer is at the token endpoint. */
  async goBack(): Promise<Record<string, string>> {
    const { tpp, authReqId } = present(this.#begun, "the request");
    const { body } = await tpp.poll(authReqId);
    const { access_token: code, error, error_description } = body as Record<string, string>;
    return JSON.parse(JSON.stringify({ code, error, error_description })) as Record<string, string>;
  }
}

/** A request without a browser that the bank has accepted. */
type Begun = { tpp: TppClient; consentId: string; authReqId: string };

/** Begins requests without a browser, and remembers them by their consents. */
function beginning(requests: Map<string, Begun>): NonNullable<Way["ask"]> {
  return async (tpp, { scope, consentId, overrides: claims = {} }) => {
    const given = { requested_expiry: 600, ...claims };
    const answer = await tpp.backchannel({ scope, consentId, claims: given });
    assert.equal(answer.status, 200, answer.raw.toString());
    const { auth_req_id: authReqId } = answer.body as { auth_req_id: string };
    requests.set(consentId, { tpp, consentId, authReqId });
    return consentId;
  };
}

/** Opens a bank at which TPPs begin without a browser. */
export async function atTill(more?: More): Promise<Way> {
  const backchannelSender = { post: async () => replyOf(204), close: () => undefined };
  const bank = { assess, ...more?.bank };
  const bed = await openAuthBed({ ...more, inApp: true, backchannelSender, bank });
  const requests = new Map<string, Begun>();
  const travel = () => new AtTill(bed, requests);
  return { bed, travel, ask: beginning(requests), close: () => bed.close() };
}
