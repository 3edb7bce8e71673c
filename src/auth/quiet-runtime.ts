// Imported before oidc-provider, which warns of every runtime whose build bears no LTS name, as the
// pinned one's does not: a line that a newcomer would take for a fault.
const { warn } = console;
console.warn = (...texts: unknown[]) => {
  if (!String(texts[0]).includes("oidc-provider WARNING: Unsupported runtime")) warn(...texts);
};
