import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DatabaseUrlError,
  databaseNameOf,
  otherDatabase,
  parseDatabaseUrl,
} from "#src/storage/database-url.ts";

const several: [given: string, hosts: Record<string, string>, mustWrite?: boolean][] = [
  ["postgres://u:p%2C@db/n", { db: "postgres://u:p%2C@db/n" }],
  ["postgres://u:p@w@db/n", { db: "postgres://u:p@w@db/n" }],
  ["postgres://u@/n?host=db", { db: "postgres://u@/n?host=db" }],
  ["postgres://db:5433", { "db:5433": "postgres://db:5433" }],
  ["postgres:///n?host=/run/pg", { "/run/pg": "postgres:///n?host=%2Frun%2Fpg" }],
  [
    "postgresql://u:p@a:5432,[::1]:5433,c/n?sslmode=verify-full&target_session_attrs=primary",
    {
      "a:5432": "postgresql://u:p@a:5432/n?sslmode=verify-full",
      "[::1]:5433": "postgresql://u:p@[::1]:5433/n?sslmode=verify-full",
      c: "postgresql://u:p@c/n?sslmode=verify-full",
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

test("the name of a database is read and changed, however many servers the URL names", () => {
  for (const [url] of several) {
    assert.equal(databaseNameOf(url), url.includes("/n") ? "n" : "");
    assert.equal(databaseNameOf(otherDatabase(url, "a world?")), "a world?");
  }
});

const refused: [url: string, message: RegExp][] = [
  ["mysql://a/n", /must have the form/],
  ["postgres://a,,b/n", /between two commas is empty/],
  ["postgres://a/n?target_session_attrs=standby", /must be any, primary, read-write/],
  ["postgres:///n?host=a,b", /before the path/],
  ["postgres://a/n?target_session_attrs=toString", /must be any, primary, read-write/],
  ...["", "prefer", "require", "verify-ca", "Verify-Full"].map((mode): [string, RegExp] => [
    `postgres://a/n?sslmode=${mode}`,
    /^sslmode must be disable, no-verify, verify-full, not /,
  ]),
  // the driver would use the last one
  ["postgres://a/n?sslmode=verify-full&sslmode=disable", /names sslmode twice/],
  ["postgres://a/n#?sslmode=verify-full", /not a valid URL.*# is %23/],
  ["postgres://u:p#w@a/n", /not a valid URL.*# is %23/],
  ["postgres://a:port/n", /not a valid URL/],
  ["postgres://a,b:port/n", /not a valid URL/],
];
for (const [url, message] of refused) {
  test(`${url} is refused`, () => {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: Error) => error instanceof DatabaseUrlError && message.test(error.message),
    );
  });
}
