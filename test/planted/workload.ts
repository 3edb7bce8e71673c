import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { BankProcess } from "#test/attacks/bank-process.ts";
import { callControl } from "#test/attacks/fuzz/world.ts";
import { subscribe } from "#test/events/events-bed.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";
import type { History } from "#test/model/history.ts";
import { RecordingTpp } from "#test/model/recording-tpp.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limit, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";

// A little of everything that the model judges, at two processes of a bank at a time. It takes each
// promise to its edge: keys are sent again, consents used again, limits used up, access revoked.

const apis = "/api/open-banking";
const vrp = "/v4.0/pisp/domestic-vrp";

/** A payee for whom the scheme refuses each payment. */
const refusing = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "00990000000012",
  Name: "Refused",
};

/** The workload at the banks, which share a database. */
export class Workload {
  readonly tpp: RecordingTpp;
  readonly #banks: readonly [BankProcess, BankProcess];
  readonly #account: string;

  private constructor(
    tpp: RecordingTpp,
    banks: readonly [BankProcess, BankProcess],
    account: string,
  ) {
    this.tpp = tpp;
    this.#banks = banks;
    this.#account = account;
  }

  static async open(
    banks: readonly [BankProcess, BankProcess],
    history: History,
  ): Promise<Workload> {
    const request = {
      name: "Workload",
      roles: [...tppRoles],
      redirectUris: ["http://localhost:7878/callback"],
      tokenEndpointAuthMethod: "private_key_jwt" as const,
      certificateBound: false,
    };
    const [bank] = banks;
    const issued = await callControl<TppCredentials>(bank, "POST", "/tpps", request);
    type Customers = { customers: SandboxCustomer[] };
    const { customers } = await callControl<Customers>(bank, "GET", "/customers");
    const amara = present(
      customers.find(({ login }) => login === "amara"),
      "Amara",
    );
    const account = amara.accounts.find((one) => one.accountSubType === "CurrentAccount");
    const tpp = new RecordingTpp(bank, { ...issued, ...request }, history);
    return new Workload(tpp, banks, present(account, "an account").accountId);
  }

  /** Runs all of it. */
  async run(): Promise<void> {
    await subscribe(this.tpp, {}, "payments");
    let isOpen = true;
    const receiving = this.#receive(() => isOpen);
    const work = async (): Promise<void> => {
      await Promise.all([this.#payOnce(), this.#payWithinLimits(), this.#readAndRevoke()]);
      await this.#payAfterRejections();
      await this.#payTooEarly();
      await this.#payAfterRevocation();
      // the engines and the collector of events go on for a while
      await delay(4000);
    };
    await Promise.all([work().finally(() => (isOpen = false)), receiving]);
  }

  #at(index: number, path: string): string {
    return `${this.#banks[index % 2]?.publicUrl}${apis}${path}`;
  }

  async #approve(scope: "accounts" | "payments", consentId: string): Promise<string> {
    const decision = {
      authorizationUrl: await this.tpp.authorizationUrl({ scope, consentId }),
      customer: "amara",
      accounts: [this.#account],
      decision: "approve",
    };
    const { redirectUrl } = await this.tpp.decide(consentId, true, () =>
      callControl<{ redirectUrl: string }>(this.#banks[0], "POST", "/authorisations", decision),
    );
    return (await this.tpp.exchangeCode(redirectUrl)).access_token;
  }

  async #payOnce(): Promise<void> {
    for (let count = 0; count < 4; count += 1) {
      const { consentId, initiation, risk } = await lodge(this.tpp);
      const token = await this.#approve("payments", consentId);
      const body = { Data: { ConsentId: consentId, Initiation: initiation }, Risk: risk };
      const send = (index: number, idempotencyKey: string) =>
        this.tpp.call<Json>({
          path: this.#at(index, "/v4.0/pisp/domestic-payments"),
          token,
          body,
          idempotencyKey,
        });
      await Promise.all([send(0, consentId), send(1, consentId)]);
      await send(0, consentId);
      await send(1, `${consentId}-2`);
    }
  }

  /** Agrees on payments within limits. Returns the means to pay at one of the banks. */
  async #agree(
    change: (data: Json) => void = () => undefined,
  ): Promise<{ consentId: string; pay(index: number, amount: string): Promise<Json> }> {
    const body = vrpConsent(({ Data }) => {
      Data.ControlParameters.PeriodicLimits = [limit("Year", "Consent", "12.00")];
      change(Data);
    });
    const token = await this.tpp.clientToken("payments");
    const lodged = await this.tpp.call<Json>({ path: `${vrp}-consents`, token, body });
    const consentId: string = lodged.body.Data.ConsentId;
    const granted = await this.#approve("payments", consentId);
    const pay = (index: number, amount: string) =>
      this.tpp.call<Json>({
        path: this.#at(index, `${vrp}s`),
        token: granted,
        body: vrpOrder(consentId, body, amount),
        idempotencyKey: randomUUID(),
      });
    return { consentId, pay };
  }

  async #payWithinLimits(): Promise<void> {
    for (let count = 0; count < 4; count += 1) {
      const { pay } = await this.#agree();
      await pay(0, "6.00");
      await Promise.all(Array.from({ length: 12 }, (_, index) => pay(index, "3.00")));
    }
  }

  /** Pays once more after the customer has stopped the payments. */
  async #payAfterRevocation(): Promise<void> {
    const { consentId, pay } = await this.#agree();
    await pay(0, "3.00");
    await this.#revoke(consentId);
    await pay(1, "3.00");
  }

  /** Lets the customer end a consent. */
  #revoke(consentId: string): Promise<unknown> {
    return this.tpp.revoke(consentId, () =>
      callControl(this.#banks[0], "POST", `/consents/${consentId}/revoke`, {}),
    );
  }

  /** Pays on the day before the consent may be used. */
  async #payTooEarly(): Promise<void> {
    const from = Temporal.Now.instant().add({ hours: 48 }).toString({ smallestUnit: "second" });
    const { pay } = await this.#agree(({ ControlParameters }) => {
      ControlParameters.ValidFromDateTime = from;
    });
    await pay(0, "3.00");
  }

  /** Uses a limit up with payments that are rejected, and then once more. */
  async #payAfterRejections(): Promise<void> {
    const { pay } = await this.#agree(({ Initiation }) => {
      Initiation.CreditorAccount = refusing;
    });
    const paid: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      paid.push((await pay(count, "3.00")).body.Data.DomesticVRPId);
    }
    const token = await this.tpp.clientToken("payments");
    for (const id of paid) {
      for (let tries = 0; tries < 100; tries += 1) {
        const read = await this.tpp.call<Json>({ path: `${vrp}s/${id}`, token });
        if (read.body.Data.Status === "RJCT") break;
        await delay(100);
      }
    }
    await pay(0, "3.00");
  }

  async #readAndRevoke(): Promise<void> {
    for (let count = 0; count < 3; count += 1) {
      const consentId = await lodgeAccess(this.tpp);
      const token = await this.#approve("accounts", consentId);
      const read = (index: number) =>
        this.tpp.call({ path: this.#at(index, "/v3.1/aisp/accounts"), token });
      await Promise.all([read(0), read(1)]);
      if (count === 0) {
        const path = `/v3.1/aisp/account-access-consents/${consentId}`;
        const own = await this.tpp.clientToken("accounts");
        await this.tpp.call({ path, method: "DELETE", token: own });
      } else {
        await this.#revoke(consentId);
      }
      await Promise.all([read(0), read(1)]);
    }
  }

  /** Polls for events, and acknowledges them. At last, acknowledges all that are left. */
  async #receive(isOpen: () => boolean): Promise<void> {
    const token = await this.tpp.clientToken("payments");
    const path = "/v4.0/events";
    let ack: string[] = [];
    for (let rounds = 0; rounds < 500 && (isOpen() || ack.length > 0); rounds += 1) {
      const body = { returnImmediately: true, maxEvents: 3, ack };
      const polled = await this.tpp.call<Json>({ path, token, body });
      // what is not acknowledged is returned again
      ack = rounds % 3 === 0 && isOpen() ? [] : Object.keys(polled.body.sets ?? {});
      // an event that returns for ever would keep this loop open
      if (!isOpen() && rounds > 400) return;
      await delay(50);
    }
  }
}
