// Asks the browser for a passkey when the customer goes on, and sends it with the form.

const field = document.querySelector("input[data-passkey]");
const { form } = field;
const problem = document.querySelector("[data-passkey-problem]");
let isAsking = false;

form.addEventListener("submit", (event) => {
  const { submitter } = event;
  // a button that leaves, or goes on in another way, needs no passkey
  if (submitter?.formNoValidate || field.value !== "") return;
  event.preventDefault();
  if (!isAsking) void send(submitter);
});

// a page that the customer comes back to asks again
addEventListener("pageshow", () => {
  field.value = "";
});

async function send(submitter) {
  isAsking = true;
  problem.hidden = true;
  try {
    field.value = JSON.stringify(await asked[field.dataset.passkey](readOptions()));
  } catch {
    // the customer has closed the window, or the device has no such passkey
    problem.hidden = false;
    return;
  } finally {
    isAsking = false;
  }
  form.requestSubmit(submitter);
}

const asked = {
  async get(publicKey) {
    const { id, type, response } = await navigator.credentials.get({ publicKey });
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    return {
      id,
      type,
      response: {
        clientDataJSON: textOf(clientDataJSON),
        authenticatorData: textOf(authenticatorData),
        signature: textOf(signature),
        ...(userHandle ? { userHandle: textOf(userHandle) } : {}),
      },
    };
  },
  async create(publicKey) {
    const { id, type, response } = await navigator.credentials.create({ publicKey });
    return {
      id,
      type,
      response: {
        clientDataJSON: textOf(response.clientDataJSON),
        authenticatorData: textOf(response.getAuthenticatorData()),
        publicKey: textOf(response.getPublicKey()),
        transports: response.getTransports(),
      },
    };
  },
};

// The options are JSON, whose binary values are base64url.
function readOptions() {
  const options = JSON.parse(field.dataset.options);
  const named = (list = []) => list.map((one) => ({ ...one, id: bytesOf(one.id) }));
  return {
    ...options,
    challenge: bytesOf(options.challenge),
    ...(options.user ? { user: { ...options.user, id: bytesOf(options.user.id) } } : {}),
    ...(options.allowCredentials ? { allowCredentials: named(options.allowCredentials) } : {}),
    ...(options.excludeCredentials
      ? { excludeCredentials: named(options.excludeCredentials) }
      : {}),
  };
}

function bytesOf(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function textOf(bytes) {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
