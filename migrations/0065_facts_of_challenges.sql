-- Room: auth. What a challenge confirms is compared by its facts, because another release may say
-- the same in other words. Null for a challenge of an earlier release, which has only the hash of
-- its words.

alter table login_challenge add column facts_hash text;
