import {
  type CollectionRequest,
  consentHeader,
  type Kept,
  memberOf,
  type RequestCollection,
} from "./collection.ts";

// The format of Bruno's collections: a folder with a file in the language Bru for each request
// (docs.usebruno.com/bru-lang).

/** Writes a collection in Bruno's format: the texts of its files by their paths. */
export function brunoCollection({ name, bank, apis }: RequestCollection): Map<string, string> {
  const files = new Map([
    ["bruno.json", `${JSON.stringify({ version: "1", name, type: "collection" }, null, 2)}\n`],
    ["collection.bru", block("script:pre-request", preRequest)],
    ["environments/sandbox.bru", block("vars", `bank: ${bank}\ncontrolsToken: `)],
  ]);
  for (const [at, api] of apis.entries()) {
    const apiFolder = folderName(api.name);
    files.set(`${apiFolder}/folder.bru`, block("meta", `name: ${api.name}\nseq: ${at + 1}`));
    for (const [place, part] of api.parts.entries()) {
      const folder = `${apiFolder}/${folderName(part.name)}`;
      files.set(`${folder}/folder.bru`, block("meta", `name: ${part.name}\nseq: ${place + 1}`));
      for (const [index, request] of part.requests.entries())
        files.set(`${folder}/${request.id}.bru`, requestFile(request, index + 1));
    }
  }
  return files;
}

const folderName = (name: string): string => name.replaceAll(/[^\w.-]+/g, " ").trim();

const block = (name: string, text: string): string =>
  `${name} {\n${text.trimEnd().replaceAll(/^(?=.)/gm, "  ")}\n}\n`;

function requestFile(request: CollectionRequest, seq: number): string {
  const { name, method, path, options, headers, body, status, keeps } = request;
  const blocks = [
    block("meta", `name: ${name}\ntype: http\nseq: ${seq}`),
    block(
      method.toLowerCase(),
      `url: {{bank}}${path}\nbody: ${body === null ? "none" : "text"}\nauth: none`,
    ),
    ...(options.length > 0
      ? [block("params:query", options.map((one) => `~${one.name}: `).join("\n"))]
      : []),
    block("headers", headers.map((header) => `${header.name}: ${header.value}`).join("\n")),
    ...(body === null ? [] : [block("body:text", body)]),
    ...(keeps.length > 0 ? [block("vars:post-response", keeps.map(keeping).join("\n"))] : []),
    block(
      "tests",
      `test("the answer is ${status}", function () {\n  expect(res.getStatus()).to.equal(${status});\n});`,
    ),
  ];
  return blocks.join("\n");
}

const keeping = ({ variable, path }: Kept): string => `${variable}: res.body${memberOf(path)}`;

// the body is set again with its variables filled, so that the bytes that are signed are sent
const preRequest = `
// The sandbox makes the headers of this request: its token, and its signature and idempotency key
// if it needs them. The key that signs stays with the sandbox.
const axios = require("axios");
const bank = bru.interpolate("{{bank}}");
const call = { method: req.getMethod(), path: bru.interpolate(req.getUrl()).slice(bank.length) };
const consent = req.getHeader("${consentHeader}");
if (consent) call.consentId = bru.interpolate(consent);
req.deleteHeader("${consentHeader}");
const body = req.getBody({ raw: true });
if (body) {
  call.body = bru.interpolate(body);
  req.setBody(call.body, { raw: true });
}
const headers = { "content-type": "application/json" };
const controlsToken = bru.interpolate("{{controlsToken}}");
if (controlsToken) headers.authorization = "Bearer " + controlsToken;
const url = bank + "/sandbox/v1/explorer/headers";
const answer = await axios.post(url, JSON.stringify(call), { headers }).catch((error) => {
  throw new Error(error.response ? error.response.data.message : error.message);
});
for (const [name, value] of Object.entries(answer.data.headers)) req.setHeader(name, value);
`.trimStart();
