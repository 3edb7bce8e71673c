import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createDraw } from "#test/attacks/fuzz/draw.ts";
import { mutateStructure, textual } from "#test/attacks/fuzz/mutate-body.ts";
import { countClients } from "#test/clients/stored-settings.ts";
import { type Answer, type Bed, openRegistrationBed } from "./bed.ts";
import { signAny } from "./sign-any.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed();
});
after(() => bed?.close());

const requests = 400;
const seed = 12;

/** Reads a new registration with a token of the client. */
async function readBack({ body }: Answer): Promise<unknown> {
  const client = bed.client(body, bed);
  try {
    const answer = await client.tokenAnswer({ grant_type: "client_credentials" });
    const { access_token: token } = answer.body as { access_token: string };
    const headers = { authorization: `Bearer ${token}` };
    const url = `${bed.url}/${String(body.client_id)}`;
    return (await bed.send({ method: "GET", url, headers })).body;
  } finally {
    client.close();
  }
}

test("R-138, R-141: a valid request with random changes either registers a client that can be read back, or is refused and stores nothing", async () => {
  const seen = new Map<number, number>();
  let clients = await countClients(bed.bank.database);
  for (let number = 0; number < requests; number++) {
    const draw = createDraw(seed, number);
    const changes: string[] = [];
    const claims = await bed.claims();
    if (draw.chance(0.8)) changes.push(...mutateStructure(claims, draw));
    let body: string | Buffer = await signAny(claims, { kid: bed.kid }, bed.keys.signing);
    if (draw.chance(0.2)) {
      const [name, change] = draw.pick(textual);
      changes.push(name);
      body = change(body, draw);
    }
    const interactionId = randomUUID();
    const headers = { "x-fapi-interaction-id": interactionId };
    const answer = await bed.send({ body, headers });
    const about = `request ${number} (${changes.join(", ")}): ${answer.text}`;
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    if (answer.status === 201) {
      clients += 1;
      assert.deepEqual(await readBack(answer), answer.body, about);
    } else {
      assert.ok([400, 413, 415].includes(answer.status), about);
      assert.match(String(answer.body.error), /^(invalid|unapproved)_[a-z_]+$/, about);
      assert.match(String(answer.body.error_description), /^[ !#-[\]-~]{1,500}$/, about);
    }
    assert.equal(await countClients(bed.bank.database), clients, about);
  }
  // changes must neither always succeed nor never
  assert.ok((seen.get(201) ?? 0) > requests / 10, JSON.stringify([...seen]));
  assert.ok((seen.get(400) ?? 0) > requests / 10, JSON.stringify([...seen]));
});
