// Whatever error the library throws, with or without words of its own, has a description.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import { describeFailure } from "#src/auth/provider/describe-failure.ts";

const rules = {
  sandbox: false,
  algorithms: ["PS256"] as const,
  audiences: () => [],
  judgedCertificateOf: () => ({ certificate: null, fault: null }),
} as unknown as Parameters<typeof describeFailure>[0];
const ctx = { req: {}, oidc: { provider: { issuer: "" } } } as unknown as KoaContextWithOIDC;

type Made = InstanceType<typeof errors.OIDCProviderError>;

for (const [name, Failure] of Object.entries(errors)) {
  test(`the description of ${name} is a text, even if the library gives none`, () => {
    const make = Failure as unknown as new (...given: unknown[]) => Made;
    const odd = () => new make("a value is odd");
    for (const error of [odd(), Object.assign(odd(), { error_description: undefined })]) {
      const described = describeFailure(rules, ctx, error);
      assert.match(described, /^[\x20-\x21\x23-\x5b\x5d-\x7e]{10,}$/);
    }
  });
}
