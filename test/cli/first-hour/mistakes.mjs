// Twelve mistakes of a TPP's first hour, with the installed library. Each is mended by a reader that
// sees nothing but the request and the answer: `readers` says what the words of an answer make it do.
import assert from "node:assert/strict";
import { AuthorisationError, BankError, connect } from "@aldgate/client";
import { openSandbox } from "@aldgate/client/sandbox";

const sandbox = openSandbox(process.argv[2]);
const registered = await sandbox.createTpp({ profile: "fapi2" });
const usual = await connect(registered);

const newBody = () => ({
  Data: {
    Initiation: {
      InstructionIdentification: "invoice-17",
      EndToEndIdentification: "invoice-17",
      InstructedAmount: { Amount: "10.00", Currency: "GBP" },
      CreditorAccount: {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification: "20202010981789",
        Name: "Dr Foo",
      },
    },
  },
  Risk: {},
});

/** What the developer's program sends. A mistake changes one member, and a reader mends one. */
const newRequest = () => ({
  redirectUri: registered.client.redirectUri,
  keyId: registered.client.signing.keyId,
  signatureKeyId: registered.client.signing.keyId,
  audience: "issuer",
  headers: {},
  body: newBody(),
  permissions: ["ReadAccountsDetail", "ReadBalances"],
});

async function open({ redirectUri, keyId, signatureKeyId, audience, headers }) {
  const { client } = registered;
  return connect({
    ...registered,
    client: { ...client, redirectUri, signing: { ...client.signing, keyId } },
    deviations: { signatureKeyId, assertionAudience: audience },
    fetch(url, options, send) {
      if (!url.includes("/open-banking/")) return send(url, options);
      const all = { ...options.headers, ...headers };
      const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
      return send(url, { ...options, headers: sent });
    },
  });
}

async function approve(bank, consent) {
  const login = await bank.authorise(consent);
  const { redirectUrl } = await sandbox.approve(login, { customer: "amara" });
  return bank.finish(login, redirectUrl);
}

const calls = {
  consent: (bank, { body }) => bank.payments("domestic-payment").createConsent(body),
  order: (bank, { body, consentId, grant }) =>
    bank
      .payments("domestic-payment")
      .submit({ id: consentId, sent: body }, { ...grant, consentId }),
  login: async (bank, { body }) =>
    bank.authorise(await bank.payments("domestic-payment").createConsent(body)),
  async balances(bank, { permissions }) {
    const consent = await bank.accounts.createConsent({
      Data: { Permissions: permissions },
      Risk: {},
    });
    const balances = [];
    const grant = await approve(bank, consent);
    for await (const one of bank.accounts.readAll("balances", grant)) balances.push(one);
    assert.ok(balances.length > 0);
  },
};

const approved = async () => {
  const body = newBody();
  const consent = await usual.payments("domestic-payment").createConsent(body);
  return { body, consentId: consent.id, grant: await approve(usual, consent) };
};

const initiationOf = ({ body }) => body.Data.Initiation;

const mistakes = [
  {
    mistake: "another currency",
    call: "consent",
    make: (request) => {
      initiationOf(request).InstructedAmount.Currency = "USD";
    },
  },
  {
    mistake: "a scheme without its namespace",
    call: "consent",
    make: (request) => {
      initiationOf(request).CreditorAccount.SchemeName = "SortCodeAccountNumber";
    },
  },
  {
    mistake: "a misspelt member",
    call: "consent",
    make: (request) => {
      const { InstructedAmount, ...rest } = initiationOf(request);
      request.body.Data.Initiation = { ...rest, InstructedAmmount: InstructedAmount };
    },
  },
  {
    mistake: "a sort code with hyphens",
    call: "consent",
    make: (request) => {
      initiationOf(request).CreditorAccount.Identification = "20-20-20 10981789";
    },
  },
  {
    mistake: "no idempotency key",
    call: "consent",
    make: (request) => {
      request.headers["x-idempotency-key"] = null;
    },
  },
  {
    mistake: "a signature that names another key",
    call: "consent",
    make: (request) => {
      request.signatureKeyId = "my-key";
    },
  },
  {
    mistake: "a client assertion that names another key",
    call: "consent",
    make: (request) => {
      request.keyId = "my-key";
    },
  },
  {
    mistake: "a client assertion for another audience",
    call: "consent",
    make: (request) => {
      request.audience = "https://bank.example/token";
    },
  },
  {
    mistake: "a redirect URI that is not registered",
    call: "login",
    make: (request) => {
      request.redirectUri = "https://tpp.example/returned";
    },
  },
  {
    mistake: "an order with another amount than its consent",
    call: "order",
    make: async (request) => {
      Object.assign(request, await approved());
      initiationOf(request).InstructedAmount.Amount = "12.00";
    },
  },
  {
    mistake: "the token of another consent",
    call: "order",
    make: async (request) => {
      Object.assign(request, await approved());
      request.consentId = (await usual.payments("domestic-payment").createConsent(newBody())).id;
    },
  },
  {
    mistake: "a consent without the permission",
    call: "balances",
    make: (request) => {
      request.permissions = ["ReadAccountsDetail"];
    },
  },
];

/** Reads or replaces a member of the body at a path of an answer, such as `Data.Initiation`. */
function at(body, path, ...values) {
  const names = path.split(".");
  const last = names.pop();
  const parent = names.reduce((object, name) => object[name], body);
  const before = parent[last];
  if (values.length > 0) parent[last] = values[0];
  if (values[0] === undefined && values.length > 0) delete parent[last];
  return before;
}

/** The words of an answer, and what they make a reader do who does not know the bank. */
const readers = [
  [
    /must be one of (.+)\.$/,
    ({ body }, [, list], { path }) => {
      const allowed = list.split(", ");
      const sent = at(body, path);
      at(body, path, allowed.find((one) => one.includes(sent)) ?? allowed[0]);
    },
  ],
  [
    /without hyphens or spaces/,
    ({ body }, _, { path }) => at(body, path, at(body, path).replaceAll(/[- ]/g, "")),
  ],
  [
    /Send it: an? /,
    ({ body }, _, { path, faults }) => {
      const unexpected = faults.find(({ message }) => /Leave it out\./.test(message));
      at(body, path, at(body, unexpected.path, undefined));
    },
  ],
  [
    /Send a key that is unique to this request\./,
    ({ headers }, _, { path }) => {
      headers[path] = crypto.randomUUID();
    },
  ],
  [
    /kid in the JOSE header is .*; the bank knows (\S+)\./,
    (request, [, known]) => {
      request.signatureKeyId = known;
    },
  ],
  [
    /client assertion names kid .* Its keys: (\S+)\.$/,
    (request, [, known]) => {
      request.keyId = known;
    },
  ],
  [
    /^aud of the client assertion is .* must be .*: (\S+)\.$/,
    (request, [, audience]) => {
      request.audience = audience;
    },
  ],
  [
    /^redirect_uri is .* Registered: (\S+)\.$/,
    (request, [, uri]) => {
      request.redirectUri = uri;
    },
  ],
  [/the consent has "([^"]+)"/, ({ body }, [, same], { path }) => at(body, path, same)],
  [
    /The access token belongs to the consent ([^ ,]+)/,
    (request, [, consentId]) => {
      request.consentId = consentId;
    },
  ],
  [
    /The consent lacks (\w+)\. Ask the customer for a consent that has this permission\./,
    (request, [, permission]) => {
      request.permissions = [...request.permissions, permission];
    },
  ],
];

/** Sends a request, and returns what the bank says against it; null if it accepts the request. */
async function answerTo(call, request) {
  const bank = await open(request);
  try {
    await calls[call](bank, request);
    return null;
  } catch (error) {
    if (error instanceof BankError) {
      const { code, path, faults } = error;
      return { code, path, faults, message: faults[0].message };
    }
    if (error instanceof AuthorisationError) {
      return { code: error.error, path: null, faults: [], message: error.description };
    }
    throw error;
  } finally {
    bank.close();
  }
}

for (const { mistake, call, make } of mistakes) {
  const request = newRequest();
  await make(request);
  const said = await answerTo(call, request);
  assert.ok(said, `${mistake}: the bank accepts it`);
  const reader = readers.find(([words]) => words.test(said.message));
  assert.ok(reader, `${mistake}: nobody knows what to do when told: ${said.message}`);
  const [words, mend] = reader;
  mend(request, words.exec(said.message), said);
  const again = await answerTo(call, request);
  const result = again === null ? "mended" : `still refused: ${again.message}`;
  console.log(JSON.stringify({ mistake, code: said.code, message: said.message, result }));
}
usual.close();
sandbox.close();
