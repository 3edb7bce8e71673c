-- Room: consents. What the bank's core has attached to a consent that a customer has authorised.

create table attached_data (
  consent_id text primary key references consent on delete cascade,
  -- the key of ATTACHED_DATA_KEYS with which it is encrypted
  key_id text not null,
  -- encrypted, in base64url
  sealed text not null,
  -- when the sweep looks next whether it can be erased
  check_at timestamptz not null
);
create index attached_data_check on attached_data (check_at);
create index attached_data_key on attached_data (key_id);
