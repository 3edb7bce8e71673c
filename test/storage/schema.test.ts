import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { page, renderSchema } from "#scripts/schema.ts";
import type { Database } from "#src/storage/database.ts";
import { openWithoutSchema } from "#test/sandbox/bank/empty-bank.ts";

describe("the committed schema", () => {
  let database: Database;
  before(async () => {
    database = await openWithoutSchema();
  });
  after(() => database?.close());

  test("equals what the migrations make", async () => {
    const committed = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
    assert.equal(committed, await renderSchema(database), "npm run schema writes it");
  });
});

describe("the description of a schema", () => {
  let database: Database;
  beforeEach(async () => {
    database = await openWithoutSchema();
  });
  afterEach(() => database?.close());

  const first = {
    name: "0001_shop",
    text: `create domain rating as integer default 3 not null check (value between 1 and 5);
      create table item (
        item_id bigint generated always as identity primary key,
        name text not null check (name <> ''),
        photo bytea storage external,
        rating rating,
        price numeric(8, 2) default 0,
        doubled numeric generated always as (price * 2) stored
      ) with (fillfactor = 70);
      comment on column item.price is 'the customer''s price';
      create unique index item_name on item (lower(name)) where price > 0;
      create view cheap as select item_id from item where price < 1;
      create function refuse() returns trigger language plpgsql as 'begin return null; end';
      create trigger refused before delete on item for each row execute function refuse();`,
  };
  const second = {
    name: "0002_staff",
    text: "create table clerk (clerk_id text primary key); alter table item add clerk_id text references clerk;",
  };

  test("lists every fact of an object under the migration that created it", async () => {
    const text = await renderSchema(database, [first, second]);
    const [, , shop = "", staff = ""] = text.split(/^-- =+ /m);
    for (const fact of [
      "create domain rating as integer default 3 not null\n  constraint rating_check CHECK (",
      "rating rating",
      "item_id bigint generated always as identity not null",
      "name text not null",
      "photo bytea storage external",
      "price numeric(8,2) default 0",
      "doubled numeric generated always as ((price * (2)::numeric)) stored",
      "CHECK (name <> ''::text)",
      "PRIMARY KEY (item_id)",
      "FOREIGN KEY (clerk_id) REFERENCES clerk(clerk_id)",
      ") with (fillfactor=70);",
      "comment on column item.price is 'the customer''s price';",
      "CREATE UNIQUE INDEX item_name ON public.item USING btree (lower(name)) WHERE (price > ",
      "create view cheap as\n SELECT item_id",
      "CREATE TRIGGER refused BEFORE DELETE ON public.item FOR EACH ROW",
      "CREATE OR REPLACE FUNCTION public.refuse()",
    ]) {
      assert.ok(shop.includes(fact), `${fact} is missing in:\n${shop}`);
    }
    assert.match(staff, /^0002_staff\n\ncreate table clerk/);
    assert.ok(!staff.includes("item"), staff);
  });

  test("fails for an object of a kind that it does not describe", async () => {
    const third = { name: "0003_kinds", text: "create type size as enum ('small', 'large')" };
    await assert.rejects(renderSchema(database, [first, second, third]), /describe type size/);
  });
});
