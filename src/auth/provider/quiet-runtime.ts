// Imported before oidc-provider. The library warns of two things that are intended, and a newcomer
// would mistake each warning for a fault. One is the pinned runtime, whose build lacks an LTS name.
// The other is forms that are parsed before the library sees them, so that their text is checked.
const meant = /oidc-provider WARNING: (Unsupported runtime|already parsed request body)/;
const { warn } = console;
console.warn = (...texts: unknown[]) => {
  if (!meant.test(String(texts[0]))) warn(...texts);
};
