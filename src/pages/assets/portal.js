// Lets calls be tried on a resource's page: the sandbox signs them and fetches their tokens.

// ids of answers and the chosen TPP, for the other pages of this tab
const memory = new Map(Object.entries(JSON.parse(sessionStorage.getItem("memory") ?? "{}")));
const keep = (name, value) => {
  memory.set(name, value);
  sessionStorage.setItem("memory", JSON.stringify(Object.fromEntries(memory)));
};

const profiles = document.querySelector("form.profile");
profiles.hidden = false;
profiles.elements.profile.value = memory.get("profile") ?? profiles.elements.profile.value;
profiles.addEventListener("submit", (event) => event.preventDefault());
profiles.addEventListener("change", () => keep("profile", profiles.elements.profile.value));

for (const form of document.querySelectorAll("form.try")) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}
fillFields();

async function send(form) {
  const result = form.querySelector(".result");
  const button = form.querySelector("button");
  let call;
  try {
    call = callOf(form);
  } catch (error) {
    show(result, "The body is not JSON", String(error.message), {});
    return;
  }
  button.disabled = true;
  try {
    const answer = call.path.startsWith("/sandbox/")
      ? await callDirectly(call)
      : await explore(call);
    show(result, `${answer.status}`, answer.body, answer.headers ?? {});
    remember(answer.body);
    offerNext(result, call, answer);
  } catch (error) {
    show(result, "The sandbox did not answer", String(error.message), {});
  } finally {
    button.disabled = false;
  }
}

// The sandbox's own interface needs neither token nor signature.
async function callDirectly({ method, path, headers = {}, body }) {
  const given = body === undefined ? {} : { "content-type": "application/json" };
  const response = await callControls(path, {
    method,
    headers: { ...headers, ...given },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") && text !== "";
  const answered = Object.fromEntries(response.headers);
  return { status: response.status, headers: answered, body: isJson ? JSON.parse(text) : text };
}

async function explore(call) {
  // a consent belongs to the TPP of one profile, so all calls of a journey must use the same one
  if (profiles.elements.profile.selectedIndex > 0) call.profile = profiles.elements.profile.value;
  const response = await callControls("/sandbox/v1/explorer", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(call),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  return { status: "The sandbox could not send this call:", body: answer };
}

let token = "";

// A caller from another machine needs the token of the controls, which is asked for once.
async function callControls(path, options) {
  const sent = () =>
    fetch(path, {
      ...options,
      headers: { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    });
  const response = await sent();
  if (response.status !== 401) return response;
  token = prompt("The sandbox's controls need their token (SANDBOX_CONTROLS_TOKEN):")?.trim() ?? "";
  return token ? sent() : response;
}

function callOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  const call = { method: form.dataset.method };
  for (const input of form.querySelectorAll("input")) {
    const value = input.value.trim();
    const place = input.dataset.in;
    if (place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(value));
    else if (value === "") continue;
    else if (place === "query") query.append(input.name, value);
    else if (place === "header") headers[input.name] = value;
    else if (place === "consent") call.consentId = value;
  }
  const text = form.elements.body?.value;
  if (text) call.body = JSON.parse(text);
  call.path = query.size > 0 ? `${path}?${query}` : path;
  if (Object.keys(headers).length > 0) call.headers = headers;
  return call;
}

function show(result, heading, body, headers) {
  const title = document.createElement("p");
  title.append(Object.assign(document.createElement("b"), { textContent: heading }));
  result.replaceChildren(title);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (lines.length > 0) {
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = "Headers";
    details.append(summary, block(lines.join("\n")));
    result.append(details);
  }
  if (body !== null && body !== undefined && body !== "") {
    result.append(block(typeof body === "string" ? body : JSON.stringify(body, null, 2)));
  }
}

// What a reader does next: approve a consent that waits, or see why the bank answered so.
function offerNext(result, call, { headers = {}, body }) {
  const { ConsentId: consentId, Status: status } = body?.Data ?? {};
  if (call.method === "POST" && consentId && /^(AWAU|AwaitingAuthorisation)$/.test(status)) {
    const button = document.createElement("button");
    button.className = "button";
    button.textContent = "Approve this consent";
    button.addEventListener("click", () => approve(button, call, consentId));
    const line = document.createElement("p");
    line.append(button);
    result.append(line);
  }
  const id = headers["x-fapi-interaction-id"];
  if (!id) return;
  const line = document.createElement("p");
  const query = new URLSearchParams({ id });
  line.append(
    linkTo(`/sandbox/requests/${encodeURIComponent(id)}`, "This call in the log"),
    " · ",
    linkTo(`/sandbox/explanations?${query}`, "Why this answer"),
  );
  result.append(line);
}

async function approve(button, { path }, consentId) {
  button.disabled = true;
  const profile = profiles.elements.profile.value;
  const response = await callControls("/sandbox/v1/explorer/approvals", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ path, consentId, profile }),
  });
  const { customer, message } = await response.json();
  button.parentElement.textContent = customer ? `Approved as ${customer}.` : message;
}

function linkTo(url, textContent) {
  return Object.assign(document.createElement("a"), { href: url, textContent });
}

function block(text) {
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.textContent = text;
  return pre;
}

// Ids that an answer holds fill the empty fields of other operations, and bodies that ask for the
// same id.
function remember(body) {
  const data = body?.Data;
  if (data === null || typeof data !== "object") return;
  for (const [name, value] of Object.entries(data)) {
    if (name.endsWith("Id") && typeof value === "string") keep(name, value);
  }
  const account = data.Account?.[0]?.AccountId;
  if (account) keep("AccountId", account);
  fillFields();
}

function fillFields() {
  for (const input of document.querySelectorAll("form.try input")) {
    const value = memory.get(input.name === "consentId" ? "ConsentId" : input.name);
    if (value !== undefined && (input.value === "" || input.dataset.filled)) {
      input.value = value;
      input.dataset.filled = "yes";
    }
  }
  const consentId = memory.get("ConsentId");
  for (const area of document.querySelectorAll("form.try textarea")) {
    if (consentId) {
      area.value = area.value.replace(
        /("ConsentId": )"[^"]*"/,
        (_, name) => `${name}"${consentId}"`,
      );
    }
  }
}
