-- Room: auth. A challenge can be answered outside of our pages: in the bank's app, or at the bank's
-- own OpenID provider.

-- `redirect`: at the provider. `app`: the app drives the whole journey.
alter domain challenge_method drop constraint challenge_method_check;
alter domain challenge_method add constraint challenge_method_check
  check (value in ('code', 'redirect', 'decoupled', 'app'));

alter table login_challenge
  -- for an answer in the app: what our page shows meanwhile
  add column app json,
  -- the methods with which the customer has answered; null before that
  add column amr text[],
  -- when the core was last asked for the answer
  add column asked_at timestamptz;

alter table journey
  -- how the customer was authenticated: {method, acr, amr, at}; null before the second factor
  add column authentication json,
  -- a journey that the bank's app drives; a browser cannot go on with it
  add column is_in_app boolean not null default false;
