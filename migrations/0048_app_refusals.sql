-- Room: auth. What the customer has answered in the app, and whose request it was.

alter table login_challenge
  -- whether a TPP has begun it without a browser: it counts apart from the customer's own
  add column is_by_tpp boolean not null default false,
  -- the answer that has ended it, for the page or the journey that still waits
  add column refused_as text check (refused_as in ('declined', 'altered'));
