// Imported before oidc-provider. The library warns of two things that are meant, and a newcomer
// would take each warning for a fault: the pinned runtime, whose build has no LTS name, and forms
// that are parsed before the library sees them, because their text is judged at the edge.
const meant = /oidc-provider WARNING: (Unsupported runtime|already parsed request body)/;
const { warn } = console;
console.warn = (...texts: unknown[]) => {
  if (!meant.test(String(texts[0]))) warn(...texts);
};
