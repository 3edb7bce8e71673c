import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseUrlError, parseDatabaseUrl } from "#src/storage/database-url.ts";

const several: [given: string, hosts: Record<string, string>, mustWrite?: boolean][] = [
  ["postgres://u:p%2C@db/n", { db: "postgres://u:p%2C@db/n" }],
  ["postgres://db:5433", { "db:5433": "postgres://db:5433" }],
  ["postgres:///n?host=/run/pg", { "/run/pg": "postgres:///n?host=%2Frun%2Fpg" }],
  [
    "postgresql://u:p@a:5432,[::1]:5433,c/n?sslmode=require&target_session_attrs=primary",
    {
      "a:5432": "postgresql://u:p@a:5432/n?sslmode=require",
      "[::1]:5433": "postgresql://u:p@[::1]:5433/n?sslmode=require",
      c: "postgresql://u:p@c/n?sslmode=require",
    },
  ],
  ["postgres://a/n?target_session_attrs=any", { a: "postgres://a/n" }, false],
];
for (const [url, hosts, mustWrite = true] of several) {
  test(`${url} names ${Object.keys(hosts).join(" and ")}`, () => {
    const parsed = parseDatabaseUrl(url);
    assert.deepEqual(Object.fromEntries(parsed.hosts.map((host) => [host.name, host.url])), hosts);
    assert.equal(parsed.mustWrite, mustWrite);
  });
}

const refused: [url: string, message: RegExp][] = [
  ["mysql://a/n", /must have the form/],
  ["postgres://a,,b/n", /between two commas is empty/],
  ["postgres://a/n?target_session_attrs=standby", /must be any, primary, read-write/],
  ["postgres:///n?host=a,b", /before the path/],
];
for (const [url, message] of refused) {
  test(`${url} is refused`, () => {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: Error) => error instanceof DatabaseUrlError && message.test(error.message),
    );
  });
}
