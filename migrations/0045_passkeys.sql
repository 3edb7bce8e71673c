-- Room: sandbox. The passkeys of the sandbox bank's customers.

create table sandbox_passkey (
  passkey_id text primary key,
  customer_id text not null references customer,
  name text not null,
  created_at timestamptz not null,
  -- the random value that the new passkey signs when it is added (base64url)
  challenge text not null,
  -- until when the customer may add it; null before the second factor
  allowed_until timestamptz,
  -- the rest is null until it is added
  added_at timestamptz,
  -- base64url
  credential_id text unique,
  -- SubjectPublicKeyInfo, base64url
  public_key text,
  transports text[],
  -- whether it may be copied to other devices
  is_synced boolean,
  sign_count bigint,
  used_at timestamptz
);
create index sandbox_passkey_customer on sandbox_passkey (customer_id);
create index sandbox_passkey_unused on sandbox_passkey (created_at) where added_at is null;
