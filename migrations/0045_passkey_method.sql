-- Room: auth. A customer can answer a challenge with a passkey.

alter domain challenge_method drop constraint challenge_method_check;
alter domain challenge_method add constraint challenge_method_check
  check (value in ('code', 'redirect', 'decoupled', 'app', 'passkey'));

alter table login_challenge
  -- for an answer with a passkey: what the browser is given to ask for it
  add column passkey json;
