import {
  type CollectionRequest,
  consentHeader,
  type Kept,
  memberOf,
  type RequestCollection,
} from "./collection.ts";

// The format of Postman's collections, version 2.1.0 (schema.postman.com).

const schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

const script = (listen: "prerequest" | "test", text: string) => ({
  listen,
  script: { type: "text/javascript", exec: text.trimEnd().split("\n") },
});

/** Writes a collection in Postman's format. */
export const postmanCollection = ({ name, bank, apis }: RequestCollection): object => ({
  info: { name, schema, description: about },
  item: apis.map((api) => ({
    name: api.name,
    item: api.parts.map((part) => ({ name: part.name, item: part.requests.map(itemOf) })),
  })),
  event: [script("prerequest", prerequest)],
  variable: [
    { key: "bank", value: bank },
    { key: "controlsToken", value: "" },
  ],
});

const about =
  "Run it from the first request to the last: each request keeps the ids that later ones need. The " +
  "sandbox makes the token and the signature of each request, and a customer approves the consents.";

function itemOf(request: CollectionRequest): object {
  const { name, method, path, options, headers, body, status, keeps } = request;
  const tests = [
    `pm.test("the answer is ${status}", () => pm.response.to.have.status(${status}));`,
    ...keeps.map(keeping),
  ];
  return {
    name,
    event: [script("test", tests.join("\n"))],
    request: {
      method,
      url: {
        raw: `{{bank}}${path}`,
        host: ["{{bank}}"],
        path: path.slice(1).split("/"),
        query: options.map((one) => ({
          key: one.name,
          value: "",
          description: one.about,
          disabled: true,
        })),
      },
      header: headers.map((header) => ({ key: header.name, value: header.value })),
      ...(body === null ? {} : { body: { mode: "raw", raw: body } }),
    },
  };
}

const keeping = ({ variable, path }: Kept): string =>
  `pm.collectionVariables.set("${variable}", pm.response.json()${memberOf(path)});`;

// `replaceIn` fills the variables as Postman does when it sends the request, so the signature is
// that of the bytes that are sent
const prerequest = `
// The sandbox makes the headers of this request: its token, and its signature and idempotency key
// if it needs them. The key that signs stays with the sandbox.
const filled = (text) => pm.variables.replaceIn(text);
const bank = pm.variables.get("bank");
const path = filled(pm.request.url.toString()).slice(bank.length);
const call = { method: pm.request.method, path };
const consent = pm.request.headers.get("${consentHeader}");
if (consent) call.consentId = filled(consent);
pm.request.headers.remove("${consentHeader}");
if (pm.request.body && pm.request.body.raw) call.body = filled(pm.request.body.raw);
const header = { "content-type": "application/json" };
const controlsToken = pm.variables.get("controlsToken");
if (controlsToken) header.authorization = "Bearer " + controlsToken;
pm.sendRequest({
  url: bank + "/sandbox/v1/explorer/headers",
  method: "POST",
  header,
  body: { mode: "raw", raw: JSON.stringify(call) },
}, (error, answer) => {
  if (error) throw error;
  if (answer.code !== 200) throw new Error(answer.json().message);
  for (const [key, value] of Object.entries(answer.json().headers)) {
    pm.request.headers.upsert({ key, value });
  }
});
`.trimStart();
