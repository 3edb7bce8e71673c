/** How long what the authorization server issues can be used. docs/registration.md lists them. */
export const lifetimeSeconds = {
  AuthorizationCode: 60,
  IdToken: 3600,
  AccessToken: 600,
  PushedAuthorizationRequest: 60,
} as const;
