-- The schema as the migrations make it: to read, not to run. migrations/ has the comments.
-- "npm run schema" writes it; test/storage/schema.test.ts compares it with the migrations.

-- ========== the migration runner

create table migration (
  name text not null,
  text_hash text not null,
  applied_at timestamp with time zone default clock_timestamp() not null,
  served_from text,
  constraint migration_pkey PRIMARY KEY (name)
);
comment on column migration.served_from is 'the oldest release that can serve the schema; null if nobody knows';

-- ========== 0000_history

create domain change_cause as text
  constraint change_cause_check CHECK (VALUE = ANY (ARRAY['tpp'::text, 'customer'::text, 'bank'::text, 'clock'::text, 'unknown'::text]));

create domain changed_kind as text
  constraint changed_kind_check CHECK (VALUE = ANY (ARRAY['consent'::text, 'order'::text, 'client'::text, 'account'::text]));

create table change (
  sequence bigint generated always as identity not null,
  object_kind changed_kind not null,
  object_id text not null,
  after text not null,
  cause change_cause not null,
  interaction_id text,
  api_version text,
  occurred_at timestamp with time zone not null,
  constraint change_pkey PRIMARY KEY (sequence)
);
CREATE INDEX change_of_object ON public.change USING hash (object_id);
CREATE TRIGGER change_kept BEFORE DELETE OR UPDATE ON public.change FOR EACH ROW EXECUTE FUNCTION keep_changes();
CREATE TRIGGER change_not_truncated BEFORE TRUNCATE ON public.change FOR EACH STATEMENT EXECUTE FUNCTION keep_changes();

CREATE OR REPLACE FUNCTION public.keep_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  ended_before timestamptz := nullif(current_setting('aldgate.histories_before', true), '');
begin
  if tg_op = 'DELETE' then
    if not exists (
      select from change c where c.object_id = old.object_id
        and (c.object_kind <> 'consent'
          or c.after::json->>'status' not in ('AWUP', 'AWAU', 'RJCT')))
    then
      return old;
    end if;
    if old.object_kind in ('consent', 'order') and not exists (
      select from change c where c.object_id = old.object_id
        and (ended_before is null or c.occurred_at > ended_before))
    then
      return old;
    end if;
  end if;
  raise exception 'a change is never updated, and is deleted only with an unauthorised consent or, '
    'after their period, with an ended one';
end $function$;

CREATE OR REPLACE FUNCTION public.record_by_bank(kind text, id text, facts json, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into change (object_kind, object_id, after, cause, occurred_at)
  values (kind, id, facts::text, 'bank', at)
$function$;

CREATE OR REPLACE FUNCTION public.record_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  is_explained boolean := tg_op = 'INSERT' or new.revision > old.revision;
begin
  insert into change (object_kind, object_id, after, cause, interaction_id, api_version,
    occurred_at)
  select tg_argv[0], h.object_id, h.facts::text,
    case when is_explained then new.changed_by else 'unknown' end,
    case when is_explained then new.interaction_id end, h.api_version,
    coalesce(case when is_explained then new.changed_at end, h.happened_at)
  from history_of(new) h
  where h.facts::text is distinct from (
    select l.after from change l where l.object_id = h.object_id
    -- `+ 0` as in src/history/change.ts
    order by l.sequence + 0 desc limit 1);
  return null;
end $function$;

-- ========== 0001_clients

create table client (
  client_id text not null,
  software_id text not null,
  organisation_id text not null,
  metadata json not null,
  certificate_subject text,
  created_at timestamp with time zone not null,
  constraint client_pkey PRIMARY KEY (client_id),
  constraint client_client_id_software_id_organisation_id_key UNIQUE (client_id, software_id, organisation_id),
  constraint client_software_id_organisation_id_fkey FOREIGN KEY (software_id, organisation_id) REFERENCES software(software_id, organisation_id)
);
CREATE INDEX client_software ON public.client USING btree (software_id);
CREATE TRIGGER client_registration_changed AFTER UPDATE ON public.client FOR EACH ROW WHEN (((new.certificate_subject IS DISTINCT FROM old.certificate_subject) OR ((new.metadata)::text IS DISTINCT FROM (old.metadata)::text))) EXECUTE FUNCTION client_registration_changed();

create table client_key (
  client_id text not null,
  kid text not null,
  use text not null,
  jwk json not null,
  state text default 'active'::text not null,
  not_before timestamp with time zone,
  not_after timestamp with time zone,
  source text not null,
  created_at timestamp with time zone not null,
  constraint client_key_pkey PRIMARY KEY (client_id, kid),
  constraint client_key_client_id_fkey FOREIGN KEY (client_id) REFERENCES client(client_id) ON DELETE CASCADE,
  constraint client_key_check CHECK (not_before < not_after),
  constraint client_key_source_check CHECK (source = ANY (ARRAY['registration'::text, 'directory'::text])),
  constraint client_key_state_check CHECK (state = ANY (ARRAY['active'::text, 'retired'::text, 'withdrawn'::text])),
  constraint client_key_use_check CHECK (use = ANY (ARRAY['sig'::text, 'enc'::text, 'tls'::text]))
);
CREATE TRIGGER client_key_changed AFTER INSERT OR DELETE OR UPDATE ON public.client_key FOR EACH ROW EXECUTE FUNCTION client_key_changed();

create table client_setting (
  client_id text not null,
  software_id text not null,
  organisation_id text not null,
  status text default 'active'::text not null,
  suspended_by text,
  suspended_because text,
  withheld_scopes text[] default '{}'::text[] not null,
  certificate_bound boolean default true not null,
  vrp_contracts json default '[]'::json not null,
  jwks_version integer default 0 not null,
  revision integer default 1 not null,
  changed_by text default 'bank'::text,
  interaction_id text,
  changed_at timestamp with time zone,
  scheme_status text,
  constraint client_setting_pkey PRIMARY KEY (client_id),
  constraint client_setting_client_id_software_id_organisation_id_fkey FOREIGN KEY (client_id, software_id, organisation_id) REFERENCES client(client_id, software_id, organisation_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint client_setting_changed_by_check CHECK (changed_by = ANY (ARRAY['tpp'::text, 'customer'::text, 'bank'::text, 'clock'::text])),
  constraint client_setting_scheme_status_check CHECK (scheme_status = ANY (ARRAY['Active'::text, 'Suspended'::text, 'Revoked'::text])),
  constraint client_setting_status_check CHECK (status = ANY (ARRAY['active'::text, 'suspended'::text, 'removed'::text])),
  constraint client_setting_suspended_by_check CHECK (suspended_by = ANY (ARRAY['bank'::text, 'directory'::text]))
);
CREATE TRIGGER client_changed AFTER UPDATE ON public.client_setting FOR EACH ROW EXECUTE FUNCTION record_change('client');
CREATE TRIGGER client_created AFTER INSERT ON public.client_setting FOR EACH ROW EXECUTE FUNCTION record_change('client');

create table organisation (
  organisation_id text not null,
  name text not null,
  constraint organisation_pkey PRIMARY KEY (organisation_id)
);

create table software (
  software_id text not null,
  organisation_id text not null,
  name text not null,
  on_behalf_of text,
  roles text[] not null,
  statement_issuer text,
  jwks_uri text,
  revoked_jwks_uri text,
  keys_read_at timestamp with time zone,
  keys_due_at timestamp with time zone,
  status_read_at timestamp with time zone,
  status_due_at timestamp with time zone,
  constraint software_pkey PRIMARY KEY (software_id),
  constraint software_software_id_organisation_id_key UNIQUE (software_id, organisation_id),
  constraint software_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation(organisation_id)
);
CREATE INDEX software_keys_due ON public.software USING btree (keys_due_at) WHERE (keys_due_at IS NOT NULL);
CREATE INDEX software_status_due ON public.software USING btree (statement_issuer, status_due_at);

CREATE OR REPLACE FUNCTION public.client_key_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and old.state = 'withdrawn' and new.state <> 'withdrawn' then
    raise exception 'a withdrawn key is never accepted again' using errcode = '23514';
  end if;
  update client_setting set jwks_version = jwks_version + 1
  where client_id = case tg_op when 'DELETE' then old.client_id else new.client_id end;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.client_registration_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- an update without a change, which makes the trigger write the history
  update client_setting set client_id = client_id where client_id = new.client_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.history_of(s client_setting, OUT object_id text, OUT facts json, OUT api_version text, OUT happened_at timestamp with time zone)
 RETURNS record
 LANGUAGE sql
 STABLE
AS $function$
  select s.client_id, json_build_object('status', s.status, 'suspendedBy', s.suspended_by,
      'suspendedBecause', s.suspended_because, 'withheldScopes', s.withheld_scopes,
      'certificateBound', s.certificate_bound, 'certificateSubject', c.certificate_subject,
      -- a statement has up to 64 kB, so that the history has its hash
      'metadata', c.metadata::jsonb - 'software_statement',
      'statementSha256',
        encode(sha256(convert_to(c.metadata->>'software_statement', 'UTF8')), 'hex'),
      'vrpContracts', s.vrp_contracts, 'schemeStatus', s.scheme_status,
      'keys', coalesce((
        select json_agg(json_build_object('kid', k.kid, 'use', k.use, 'state', k.state,
          'notBefore', k.not_before, 'notAfter', k.not_after) order by k.kid)
        from client_key k where k.client_id = s.client_id), '[]')),
    null::text, clock_timestamp()
  from client c where c.client_id = s.client_id
$function$;

-- ========== 0002_consents

create domain authorisation_ending as text
  constraint authorisation_ending_check CHECK (VALUE = ANY (ARRAY['replaced'::text, 'revoked'::text, 'deleted'::text, 'expired'::text, 'grant destroyed'::text]));

create domain consent_status as text
  constraint consent_status_check CHECK (VALUE = ANY (ARRAY['AWUP'::text, 'AWAU'::text, 'AUTH'::text, 'RJCT'::text, 'COND'::text, 'CANC'::text, 'EXPD'::text]));

create domain covering_ending as text
  constraint covering_ending_check CHECK (VALUE = 'withdrawn'::text);

create table consent (
  consent_id text not null,
  kind text not null,
  api_version text not null,
  client_id text not null,
  status consent_status not null,
  status_reason json default '[]'::json not null,
  created_at timestamp with time zone not null,
  status_updated_at timestamp with time zone not null,
  waits_since timestamp with time zone,
  expires_at timestamp with time zone,
  deleted_at timestamp with time zone,
  lapses_at timestamp with time zone,
  body json not null,
  terms json default '{}'::json not null,
  permissions text[] default '{}'::text[] not null,
  transactions_from timestamp with time zone,
  transactions_to timestamp with time zone,
  customer_id text,
  debtor json,
  grant_id text,
  authorised_at timestamp with time zone,
  authenticated_at timestamp with time zone,
  revision integer default 1 not null,
  changed_by text default 'bank'::text,
  interaction_id text,
  changed_at timestamp with time zone,
  paused_at timestamp with time zone,
  constraint consent_pkey PRIMARY KEY (consent_id),
  constraint consent_grant_id_key UNIQUE (grant_id),
  constraint consent_client_id_fkey FOREIGN KEY (client_id) REFERENCES client(client_id)
) with (fillfactor=60);
CREATE INDEX consent_client ON public.consent USING btree (client_id, created_at);
CREATE INDEX consent_customer ON public.consent USING btree (customer_id, created_at) WHERE (customer_id IS NOT NULL);
CREATE INDEX consent_lapsing ON public.consent USING btree (lapses_at) WHERE (lapses_at IS NOT NULL);
CREATE INDEX consent_unauthorised ON public.consent USING btree (created_at) WHERE (authorised_at IS NULL);
CREATE INDEX consent_waiting ON public.consent USING btree (waits_since) WHERE (waits_since IS NOT NULL);
CREATE TRIGGER consent_authorisation_ended AFTER UPDATE ON public.consent FOR EACH ROW WHEN (((new.changed_by IS NOT NULL) OR (new.revision = old.revision))) EXECUTE FUNCTION end_authorisation();
CREATE TRIGGER consent_changed AFTER UPDATE ON public.consent FOR EACH ROW WHEN (((new.changed_by IS NOT NULL) OR (new.revision = old.revision))) EXECUTE FUNCTION record_change('consent');
CREATE TRIGGER consent_created AFTER INSERT ON public.consent FOR EACH ROW WHEN ((new.changed_by IS NOT NULL)) EXECUTE FUNCTION record_change('consent');

create table consent_account (
  consent_id text not null,
  account_id text not null,
  covered_from timestamp with time zone not null,
  covered_until timestamp with time zone,
  reason covering_ending,
  constraint consent_account_pkey PRIMARY KEY (consent_id, account_id) INCLUDE (covered_until),
  constraint consent_account_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consent(consent_id) ON DELETE CASCADE,
  constraint consent_account_check CHECK ((covered_until IS NULL) = (reason IS NULL))
);
CREATE INDEX consent_account_covering ON public.consent_account USING btree (account_id);

create table consent_authorisation (
  grant_id text not null,
  consent_id text not null,
  customer_id text not null,
  authorised_at timestamp with time zone not null,
  acr text not null,
  amr text[] not null,
  challenge_id text,
  shown_hash text,
  ended_at timestamp with time zone,
  ending authorisation_ending,
  method text,
  answered_at timestamp with time zone,
  shown json,
  showings json,
  constraint consent_authorisation_pkey PRIMARY KEY (grant_id),
  constraint consent_authorisation_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consent(consent_id) ON DELETE CASCADE,
  constraint consent_authorisation_check CHECK ((ended_at IS NULL) = (ending IS NULL))
);
CREATE INDEX consent_authorisation_history ON public.consent_authorisation USING btree (consent_id, authorised_at);

create table unattended_access (
  day date not null,
  consent_id text not null,
  operation_id text not null,
  account_id text not null,
  accesses integer not null,
  constraint unattended_access_pkey PRIMARY KEY (day, consent_id, operation_id, account_id)
);

CREATE OR REPLACE FUNCTION public.choose_accounts(consent text, chosen text[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from consent_account where consent_id = consent) then
    insert into consent_account (consent_id, account_id, covered_from)
    select consent, account_id, at from unnest(chosen) as account_id;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.consent_history(status text, reasons text, grant_id text, deleted_at timestamp with time zone, rare text DEFAULT ''::text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select ('{"status":"' || status || '","reasons":' || reasons || ',"grant":')
    || coalesce('"' || grant_id || '"', 'null')
    || (',"deleted":' || (deleted_at is not null)::text || rare || '}')
$function$;

CREATE OR REPLACE FUNCTION public.end_authorisation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.grant_id is null or new.grant_id is not distinct from old.grant_id
    and new.deleted_at is not distinct from old.deleted_at
    and (new.status = old.status or new.status not in ('CANC', 'EXPD', 'RJCT'))
  then
    return null;
  end if;
  update consent_authorisation set ended_at = coalesce(new.changed_at, new.status_updated_at),
    ending = case
      when new.deleted_at is not null then 'deleted'
      when new.grant_id is null then 'grant destroyed'
      when new.grant_id <> old.grant_id then 'replaced'
      when new.status = 'EXPD' then 'expired'
      else 'revoked' end
  where grant_id = old.grant_id and ended_at is null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.history_of(c consent, OUT object_id text, OUT facts json, OUT api_version text, OUT happened_at timestamp with time zone)
 RETURNS record
 LANGUAGE sql
 STABLE
AS $function$
  select c.consent_id, consent_history(c.status, c.status_reason::text, c.grant_id, c.deleted_at,
      rare_consent_history(c.consent_id, c.terms, c.paused_at))::json,
    c.api_version, c.status_updated_at
$function$;

CREATE OR REPLACE FUNCTION public.lock_consents(ids text[])
 RETURNS TABLE(consent_id text, status text)
 LANGUAGE plpgsql
AS $function$
begin
  return query select c.consent_id, c.status::text from consent c
    where c.consent_id = any(ids) and c.deleted_at is null and c.paused_at is null
    order by c.consent_id for no key update;
end $function$;

-- ========== 0003_auth

create domain challenge_method as text
  constraint challenge_method_check CHECK (VALUE = ANY (ARRAY['code'::text, 'redirect'::text, 'decoupled'::text, 'app'::text, 'passkey'::text]));

create domain token_kind as text
  constraint token_kind_check CHECK (VALUE = ANY (ARRAY['authorization_code'::text, 'client_credentials'::text]));

create table access_token (
  token_hash text not null,
  kind token_kind not null,
  client_id text not null,
  scope text not null,
  grant_id text,
  certificate_thumbprint text,
  expires_at timestamp with time zone not null,
  payload json not null,
  constraint access_token_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX access_token_client ON public.access_token USING btree (client_id);
CREATE INDEX access_token_expiry ON public.access_token USING btree (expires_at);
CREATE INDEX access_token_grant ON public.access_token USING btree (grant_id) WHERE (grant_id IS NOT NULL);

create table journey (
  uid text not null,
  consent_id text not null,
  client_id text not null,
  software_name text not null,
  on_behalf_of text,
  step text not null,
  outcome text,
  interaction json,
  customer_id text,
  customer_login text,
  customer_name text,
  accounts json,
  account_ids text[] default '{}'::text[] not null,
  challenge_id text,
  failures integer default 0 not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  locked_until timestamp with time zone,
  extended_step text,
  payee_check json,
  refusal text,
  step_up text,
  authentication json,
  is_in_app boolean default false not null,
  ends_by timestamp with time zone,
  showings json default '[]'::json not null,
  login_amr text[],
  constraint journey_pkey PRIMARY KEY (uid),
  constraint journey_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consent(consent_id)
);
CREATE UNIQUE INDEX journey_backchannel ON public.journey USING btree (consent_id) WHERE ((ends_by IS NOT NULL) AND (outcome IS NULL));
CREATE INDEX journey_backchannel_client ON public.journey USING btree (client_id, created_at) WHERE (ends_by IS NOT NULL);
CREATE INDEX journey_consent ON public.journey USING btree (consent_id);
CREATE INDEX journey_ended ON public.journey USING btree (created_at) WHERE (outcome IS NOT NULL);
CREATE INDEX journey_open ON public.journey USING btree (created_at) WHERE (outcome IS NULL);

create table login_attempt (
  subject text not null,
  failures integer default 0 not null,
  pending integer default 0 not null,
  pending_until timestamp with time zone not null,
  locked_until timestamp with time zone not null,
  constraint login_attempt_pkey PRIMARY KEY (subject)
);
CREATE INDEX login_attempt_pending ON public.login_attempt USING btree (pending_until);

create table login_challenge (
  challenge_id text not null,
  customer_id text not null,
  method challenge_method not null,
  subject json not null,
  subject_hash text not null,
  tries integer default 0 not null,
  verified_at timestamp with time zone,
  spent_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  sent_to text,
  new_codes integer default 0 not null,
  app json,
  amr text[],
  asked_at timestamp with time zone,
  passkey json,
  is_by_tpp boolean default false not null,
  refused_as text,
  is_replaced boolean default false not null,
  showings json,
  facts_hash text,
  constraint login_challenge_pkey PRIMARY KEY (challenge_id),
  constraint login_challenge_refused_as_check CHECK (refused_as = ANY (ARRAY['declined'::text, 'altered'::text]))
);
CREATE INDEX login_challenge_expiry ON public.login_challenge USING btree (expires_at);
CREATE INDEX login_challenge_open ON public.login_challenge USING btree (customer_id, expires_at) WHERE (verified_at IS NULL);

create table oidc_artifact (
  model text not null,
  id_hash text not null,
  payload json not null,
  grant_id text,
  uid text,
  client_id text,
  consumed_at timestamp with time zone,
  expires_at timestamp with time zone,
  constraint oidc_artifact_pkey PRIMARY KEY (model, id_hash)
);
CREATE INDEX oidc_artifact_expiry ON public.oidc_artifact USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX oidc_artifact_grant ON public.oidc_artifact USING btree (grant_id) WHERE (grant_id IS NOT NULL);
CREATE INDEX oidc_artifact_uid ON public.oidc_artifact USING btree (uid) WHERE (uid IS NOT NULL);

create table own_session (
  session_hash text not null,
  state text not null,
  customer_id text not null,
  customer_login text not null,
  customer_name text not null,
  challenge_id text,
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  message text,
  login_amr text[],
  constraint own_session_pkey PRIMARY KEY (session_hash),
  constraint own_session_state_check CHECK (state = ANY (ARRAY['factor'::text, 'in'::text]))
);
CREATE INDEX own_session_seen ON public.own_session USING btree (seen_at);

-- ========== 0004_account_store

create table account (
  account_id text not null,
  account_type text not null,
  account_sub_type text not null,
  currency text not null,
  nickname text,
  description text,
  holder_name text not null,
  opened_on date not null,
  matures_on date,
  status text default 'Enabled'::text not null,
  status_updated_at timestamp with time zone not null,
  is_switched boolean default false not null,
  sort_code_account_number text,
  secondary_identification text,
  iban text,
  masked_pan text,
  signatories_required integer default 1 not null,
  product_id text,
  company_id text,
  servicer json,
  statement_deliveries json default '[]'::json not null,
  version bigint default 1 not null,
  history_from timestamp with time zone,
  constraint account_pkey PRIMARY KEY (account_id),
  constraint account_company_id_fkey FOREIGN KEY (company_id) REFERENCES party(party_id),
  constraint account_product_id_fkey FOREIGN KEY (product_id) REFERENCES product(product_id),
  constraint account_status_check CHECK (status = ANY (ARRAY['Enabled'::text, 'Disabled'::text, 'Deleted'::text])),
  constraint switched_is_closed CHECK (NOT is_switched OR status = 'Deleted'::text)
);
CREATE UNIQUE INDEX account_by_iban ON public.account USING btree (iban, COALESCE(secondary_identification, ''::text), (
CASE
    WHEN (status = 'Deleted'::text) THEN account_id
    ELSE ''::text
END));
CREATE UNIQUE INDEX account_by_number ON public.account USING btree (sort_code_account_number, COALESCE(secondary_identification, ''::text), (
CASE
    WHEN (status = 'Deleted'::text) THEN account_id
    ELSE ''::text
END));
CREATE INDEX account_closed ON public.account USING btree (status_updated_at) WHERE (status = 'Deleted'::text);
CREATE INDEX account_history_from ON public.account USING btree (history_from) WHERE (history_from IS NOT NULL);
CREATE TRIGGER account_has_no_transactions BEFORE DELETE ON public.account FOR EACH ROW EXECUTE FUNCTION account_has_no_transactions();
CREATE TRIGGER account_is_not_truncated BEFORE TRUNCATE ON public.account FOR EACH STATEMENT EXECUTE FUNCTION account_is_not_truncated();
CREATE TRIGGER account_status_changed AFTER UPDATE ON public.account FOR EACH ROW WHEN (((new.status <> old.status) OR (new.is_switched <> old.is_switched))) EXECUTE FUNCTION record_account_status();

create table account_balance (
  account_id text not null,
  currency text not null,
  version bigint not null,
  stated_at timestamp with time zone not null,
  booked_minor bigint,
  available_minor bigint,
  credit_lines json,
  further json,
  currency_kind text,
  constraint account_balance_pkey PRIMARY KEY (account_id, currency),
  constraint account_balance_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint account_balance_currency_kind_check CHECK (currency_kind = ANY (ARRAY['Base'::text, 'Local'::text]))
) with (fillfactor=50);

create table account_freshness (
  account_id text not null,
  cluster text not null,
  as_of timestamp with time zone not null,
  source text default ''::text not null,
  constraint account_freshness_pkey PRIMARY KEY (account_id, cluster),
  constraint account_freshness_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint account_freshness_cluster_check CHECK (cluster = ANY (ARRAY['account'::text, 'balances'::text, 'transactions'::text, 'regular-payments'::text, 'statements'::text]))
);
CREATE INDEX account_freshness_oldest ON public.account_freshness USING btree (cluster, source, as_of);

create table account_holder (
  account_id text not null,
  customer_id text not null,
  role text not null,
  version bigint default 1 not null,
  is_beneficial_owner boolean,
  constraint account_holder_pkey PRIMARY KEY (account_id, customer_id),
  constraint account_holder_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint account_holder_role_check CHECK (role = ANY (ARRAY['owner'::text, 'joint'::text, 'signatory'::text]))
);
CREATE INDEX account_holder_customer ON public.account_holder USING btree (customer_id);

create table account_statement (
  account_id text not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  statement_id text not null,
  number integer not null,
  created_at timestamp with time zone not null,
  period_name text,
  currency text not null,
  currency_kind text,
  opening_minor bigint not null,
  closing_minor bigint not null,
  credits_minor bigint not null,
  debits_minor bigint not null,
  credit_count integer not null,
  debit_count integer not null,
  limit_minor bigint not null,
  costs json not null,
  minimum_payment_minor bigint,
  payment_due_at timestamp with time zone,
  rates json default '[]'::json not null,
  particulars json,
  version bigint default 1 not null,
  constraint account_statement_pkey PRIMARY KEY (account_id, starts_at, statement_id),
  constraint account_statement_statement_id_key UNIQUE (statement_id),
  constraint account_statement_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint account_statement_check CHECK (closing_minor = (opening_minor + credits_minor - debits_minor)),
  constraint account_statement_currency_kind_check CHECK (currency_kind = ANY (ARRAY['Base'::text, 'Local'::text])),
  constraint account_statement_minimum_payment_minor_check CHECK (minimum_payment_minor >= 0),
  constraint account_statement_rates_check CHECK (NOT jsonb_path_exists(rates::jsonb, '$[*]?(!(exists (@."rate"?(@ like_regex "^-?[0-9]{1,3}([.][0-9]{1,4})?$"))))'::jsonpath))
);
CREATE INDEX account_statement_ended ON public.account_statement USING btree (ends_at);
comment on column account_statement.costs is '[{type, indicator, text, amount, code, frequency, rate, rateType}]: type CHG, INT or IND; amount in minor units as text; code, frequency and rateType of the standard''s or of the bank''s namespace; rate in percent. A cost without a code is only in the totals.';

create table account_transaction (
  account_id text not null,
  transaction_id text not null,
  booked_at timestamp with time zone not null,
  value_at timestamp with time zone,
  version bigint not null,
  amount_minor bigint not null,
  balance_minor bigint,
  balance_type text,
  indicator text not null,
  status text not null,
  currency text not null,
  iso_code text,
  bank_code text,
  bank_code_issuer text,
  reference text,
  information text,
  merchant_name text,
  merchant_category_code text,
  card_scheme text,
  card_authorisation text,
  card_ending text,
  party_scheme text,
  party_identification text,
  party_name text,
  particulars json,
  has_particulars boolean generated always as ((particulars IS NOT NULL)) stored not null,
  posting_id text,
  facts text generated always as ((rtrim(JSON_ARRAY(indicator, status, amount_minor, currency, iso_code, information, balance_minor, balance_type, bank_code, bank_code_issuer, reference, merchant_name, merchant_category_code, party_scheme, party_identification, party_name, card_scheme, card_authorisation, card_ending, ((date_part('epoch'::text, (value_at - '1970-01-01 00:00:00+00'::timestamp with time zone)) * (1000000)::double precision))::bigint NULL ON NULL RETURNING text), ', nul]'::text) || ']'::text)) stored not null,
  constraint account_transaction_pkey PRIMARY KEY (account_id, booked_at, transaction_id) INCLUDE (indicator, status, facts, has_particulars),
  constraint account_transaction_amount_minor_check CHECK (amount_minor >= 0 AND amount_minor <= '9007199254740991'::bigint),
  constraint account_transaction_card_ending_check CHECK (length(card_ending) <= 4),
  constraint account_transaction_check CHECK ((balance_minor IS NULL) = (balance_type IS NULL)),
  constraint account_transaction_indicator_check CHECK (indicator = ANY (ARRAY['Credit'::text, 'Debit'::text])),
  constraint account_transaction_iso_code_check CHECK (iso_code ~ '^[A-Z]{4}-[A-Z]{4}-[A-Z]{4}$'::text),
  constraint account_transaction_status_check CHECK (status = ANY (ARRAY['Booked'::text, 'Future'::text, 'Information'::text, 'Pending'::text, 'Rejected'::text]))
) with (autovacuum_vacuum_insert_scale_factor=0.02);
CREATE UNIQUE INDEX account_transaction_id ON public.account_transaction USING btree (transaction_id);
CREATE INDEX account_transaction_pending ON public.account_transaction USING btree (account_id, booked_at) WHERE (status = 'Pending'::text);
CREATE INDEX account_transaction_pending_due ON public.account_transaction USING btree (booked_at) WHERE (status = 'Pending'::text);
CREATE TRIGGER account_history_grows AFTER INSERT ON public.account_transaction REFERENCING NEW TABLE AS new_entry FOR EACH STATEMENT EXECUTE FUNCTION account_history_grows();
CREATE TRIGGER account_history_moves AFTER UPDATE ON public.account_transaction REFERENCING NEW TABLE AS new_entry FOR EACH STATEMENT EXECUTE FUNCTION account_history_grows();

create table beneficiary (
  beneficiary_id text not null,
  customer_id text not null,
  beneficiary_type text default 'Ordinary'::text not null,
  scheme_name text not null,
  identification text not null,
  name text,
  secondary_identification text,
  proxy json,
  creditor_bic text,
  creditor_agent json,
  reference text,
  created_at timestamp with time zone not null,
  supplementary json,
  version bigint default 1 not null,
  constraint beneficiary_pkey PRIMARY KEY (beneficiary_id),
  constraint beneficiary_beneficiary_type_check CHECK (beneficiary_type = ANY (ARRAY['Trusted'::text, 'Ordinary'::text])),
  constraint beneficiary_creditor_bic_check CHECK (creditor_bic ~ '^[A-Z0-9]{8}([A-Z0-9]{3})?$'::text),
  constraint beneficiary_identification_check CHECK (identification <> ''::text),
  constraint beneficiary_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 35)
);
CREATE UNIQUE INDEX beneficiary_account ON public.beneficiary USING btree (customer_id, scheme_name, identification, COALESCE(secondary_identification, ''::text), COALESCE(creditor_bic, ''::text));

create table channel_scheduled_payment (
  scheduled_payment_id text not null,
  account_id text not null,
  execute_at timestamp with time zone not null,
  reference text,
  debtor_reference text,
  amount_minor bigint not null,
  currency text not null,
  creditor json not null,
  creditor_agent json,
  version bigint not null,
  constraint channel_scheduled_payment_pkey PRIMARY KEY (scheduled_payment_id),
  constraint channel_scheduled_payment_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint channel_scheduled_payment_amount_minor_check CHECK (amount_minor > 0)
);
CREATE INDEX channel_scheduled_payment_account ON public.channel_scheduled_payment USING btree (account_id, execute_at, scheduled_payment_id);

create table channel_standing_order (
  standing_order_id text not null,
  account_id text not null,
  rhythm json not null,
  reference text,
  currency text not null,
  number_of_payments integer,
  state text not null,
  first_payment_on date,
  first_payment_minor bigint not null,
  recurring_payment_on date,
  next_payment_at timestamp with time zone,
  next_payment_minor bigint,
  last_payment_at timestamp with time zone,
  last_payment_minor bigint,
  final_payment_on date,
  final_payment_minor bigint,
  mandate json,
  remittance json,
  creditor json not null,
  creditor_agent json,
  supplementary json,
  version bigint not null,
  constraint channel_standing_order_pkey PRIMARY KEY (standing_order_id),
  constraint channel_standing_order_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint channel_standing_order_check CHECK ((next_payment_at IS NULL) = (next_payment_minor IS NULL)),
  constraint channel_standing_order_check1 CHECK ((last_payment_at IS NULL) = (last_payment_minor IS NULL)),
  constraint channel_standing_order_number_of_payments_check CHECK (number_of_payments > 0),
  constraint channel_standing_order_state_check CHECK (state = ANY (ARRAY['Active'::text, 'Cancelled'::text, 'Expired'::text, 'Suspended'::text]))
);
CREATE INDEX channel_standing_order_account ON public.channel_standing_order USING btree (account_id, standing_order_id);

create table direct_debit (
  direct_debit_id text not null,
  account_id text not null,
  mandate_reference text not null,
  originator_name text not null,
  frequency text not null,
  status text not null,
  status_updated_at timestamp with time zone not null,
  mandate json,
  previous_at timestamp with time zone,
  previous_minor bigint,
  previous_currency text,
  version bigint default 1 not null,
  constraint direct_debit_pkey PRIMARY KEY (direct_debit_id),
  constraint direct_debit_account_id_mandate_reference_key UNIQUE (account_id, mandate_reference),
  constraint direct_debit_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint direct_debit_check CHECK ((previous_at IS NULL) = (previous_minor IS NULL) AND (previous_at IS NULL) = (previous_currency IS NULL)),
  constraint direct_debit_frequency_check CHECK (frequency = ANY (ARRAY['Annual'::text, 'Daily'::text, 'Fortnightly'::text, 'HalfYearly'::text, 'Monthly'::text, 'NotKnown'::text, 'Quarterly'::text, 'Weekly'::text])),
  constraint direct_debit_mandate_reference_check CHECK (length(mandate_reference) >= 1 AND length(mandate_reference) <= 35),
  constraint direct_debit_originator_name_check CHECK (length(originator_name) >= 1 AND length(originator_name) <= 70),
  constraint direct_debit_previous_minor_check CHECK (previous_minor > 0),
  constraint direct_debit_status_check CHECK (status = ANY (ARRAY['Active'::text, 'Cancelled'::text, 'Expired'::text, 'Suspended'::text]))
);

create table offer (
  offer_id text not null,
  account_id text not null,
  ends_at timestamp with time zone not null,
  details json not null,
  version bigint default 1 not null,
  constraint offer_pkey PRIMARY KEY (offer_id),
  constraint offer_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id)
);
CREATE INDEX offer_account ON public.offer USING btree (account_id, offer_id);

create table party (
  party_id text not null,
  name text not null,
  legal_structure text,
  lei text,
  contact json,
  version bigint default 1 not null,
  constraint party_pkey PRIMARY KEY (party_id),
  constraint party_lei_check CHECK (lei ~ '^[A-Z0-9]{18}[0-9]{2}$'::text)
);

create table product (
  product_id text not null,
  name text not null,
  details json not null,
  purchase_rate text,
  version bigint default 1 not null,
  constraint product_pkey PRIMARY KEY (product_id)
);

create table removed_fact (
  entity text not null,
  key text not null,
  version bigint not null,
  removed_at timestamp with time zone default now() not null,
  account_id text,
  constraint removed_fact_pkey PRIMARY KEY (entity, key)
);
CREATE INDEX removed_fact_to_forget ON public.removed_fact USING btree (removed_at) WHERE (entity <> 'account'::text);

CREATE OR REPLACE FUNCTION public.account_history_grows()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  accounts text[];
  firsts timestamptz[];
  known integer;
begin
  select array_agg(account_id), array_agg(first_booked_at) into accounts, firsts from (
    select account_id, min(booked_at) as first_booked_at from new_entry group by account_id
  ) grown;
  if accounts is null then return null; end if;
  select count(*) into known from account where account_id = any(accounts);
  if known <> cardinality(accounts) then
    raise exception 'the account of an entry must exist' using errcode = '23503';
  end if;
  update account a set history_from = m.first_booked_at
  from unnest(accounts, firsts) as m(account_id, first_booked_at)
  where a.account_id = m.account_id
    and (a.history_from is null or a.history_from > m.first_booked_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.feed_balances(stated account_balance[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  changed integer;
begin
  if stated is null then return; end if;
  -- as `lock_accounts` does: a ledger sends balances first, and then the entries of these accounts
  perform 1 from account where account_id = any(array(select g.account_id from unnest(stated) g))
  order by account_id for no key update;
  update account_balance b set version = g.version, booked_minor = g.booked_minor,
    available_minor = g.available_minor, stated_at = coalesce(g.stated_at, b.stated_at),
    credit_lines = g.credit_lines, further = g.further, currency_kind = g.currency_kind
  from unnest(stated) g
  where b.account_id = g.account_id and b.currency = g.currency and b.version < g.version;
  get diagnostics changed = row_count;
  if changed = cardinality(stated) then return; end if;
  insert into account_balance as b (account_id, currency, version, stated_at, booked_minor,
    available_minor, credit_lines, further, currency_kind)
  select g.account_id, g.currency, g.version, coalesce(g.stated_at, now()), g.booked_minor,
    g.available_minor, g.credit_lines, g.further, g.currency_kind
  from unnest(stated) g
  where not exists (select from removed_fact r where r.entity = 'balances'
    and r.key = concat_ws(' ', g.account_id, g.currency) and r.version >= g.version)
  on conflict (account_id, currency) do update set version = excluded.version,
    booked_minor = excluded.booked_minor, available_minor = excluded.available_minor,
    stated_at = excluded.stated_at, credit_lines = excluded.credit_lines,
    further = excluded.further, currency_kind = excluded.currency_kind
  where b.version < excluded.version;
end $function$;

CREATE OR REPLACE FUNCTION public.feed_transactions(given json, bookings text[] DEFAULT NULL::text[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  insert into account_transaction as t (account_id, transaction_id, booked_at, value_at, version,
    amount_minor, balance_minor, balance_type, indicator, status, currency, iso_code, bank_code,
    bank_code_issuer, reference, information, merchant_name, merchant_category_code, card_scheme,
    card_authorisation, card_ending, party_scheme, party_identification, party_name, particulars,
    posting_id)
  select g.account_id, g.transaction_id, g.booked_at, g.value_at, g.version, g.amount_minor,
    g.balance_minor, g.balance_type, g.indicator, g.status, g.currency, g.iso_code, g.bank_code,
    g.bank_code_issuer, g.reference, g.information, g.merchant_name, g.merchant_category_code,
    g.card_scheme, g.card_authorisation, g.card_ending, g.party_scheme, g.party_identification,
    g.party_name, g.particulars, g.posting_id
  from json_populate_recordset(null::account_transaction, given) g
  where (bookings is null or g.posting_id = any(bookings))
    and not exists (select from removed_fact r where r.entity = 'transaction'
      and r.key = g.transaction_id and r.version >= g.version)
  on conflict (transaction_id) do update set account_id = excluded.account_id,
    booked_at = excluded.booked_at, value_at = excluded.value_at, version = excluded.version,
    amount_minor = excluded.amount_minor, balance_minor = excluded.balance_minor,
    balance_type = excluded.balance_type, indicator = excluded.indicator,
    status = excluded.status, currency = excluded.currency, iso_code = excluded.iso_code,
    bank_code = excluded.bank_code, bank_code_issuer = excluded.bank_code_issuer,
    reference = excluded.reference, information = excluded.information,
    merchant_name = excluded.merchant_name,
    merchant_category_code = excluded.merchant_category_code,
    card_scheme = excluded.card_scheme, card_authorisation = excluded.card_authorisation,
    card_ending = excluded.card_ending, party_scheme = excluded.party_scheme,
    party_identification = excluded.party_identification, party_name = excluded.party_name,
    particulars = excluded.particulars, posting_id = excluded.posting_id
  where t.version < excluded.version;
end $function$;

CREATE OR REPLACE FUNCTION public.lock_accounts(accounts text[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  perform 1 from account where account_id = any(accounts)
  order by account_id for no key update;
end $function$;

CREATE OR REPLACE FUNCTION public.record_account_status()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform record_by_bank('account', new.account_id,
    json_build_object('status', new.status, 'isSwitched', new.is_switched),
    new.status_updated_at);
  return null;
end $function$;

-- ========== 0005_payments

create domain charged_minor as bigint
  constraint charged_minor_check CHECK (VALUE >= 0);

create domain order_authorisation as text
  constraint order_authorisation_check CHECK (VALUE = ANY (ARRAY['AWAF'::text, 'AUTH'::text, 'RJCT'::text]));

create domain order_family as text
  constraint order_family_check CHECK (VALUE = ANY (ARRAY['immediate'::text, 'scheduled'::text, 'standingOrder'::text, 'file'::text]));

create domain payments_per_call as integer
  constraint payments_per_call_check CHECK (VALUE > 0);

create domain positive_minor as bigint
  constraint positive_minor_check CHECK (VALUE > 0);

create table idempotency_key (
  client_id text not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  resource_id text not null,
  created_at timestamp with time zone not null,
  constraint idempotency_key_pkey PRIMARY KEY (client_id, operation, key)
);
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (created_at);

create table limit_use (
  consent_id text not null,
  day date not null,
  amount_minor bigint not null,
  constraint limit_use_pkey PRIMARY KEY (consent_id, day)
) with (fillfactor=50);

create table payment (
  payment_id text not null,
  order_id text not null,
  sequence integer not null,
  scheduled_on date,
  is_last boolean,
  status text not null,
  status_reason_code text,
  status_reason_text text,
  created_at timestamp with time zone not null,
  status_updated_at timestamp with time zone not null,
  debtor_account_id text not null,
  amount_minor positive_minor not null,
  charge_minor charged_minor default 0 not null,
  currency text not null,
  international json,
  creditor json not null,
  end_to_end_id text,
  reference text,
  local_instrument text,
  execute_at timestamp with time zone,
  due_at timestamp with time zone,
  lease_owner text,
  lease_until timestamp with time zone,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  call_limit payments_per_call,
  in_work_of_file text,
  constraint payment_pkey PRIMARY KEY (payment_id),
  constraint payment_order_id_sequence_key UNIQUE (order_id, sequence),
  constraint payment_order_id_fkey FOREIGN KEY (order_id) REFERENCES payment_order(order_id)
) with (fillfactor=50);
CREATE INDEX payment_due_in_order ON public.payment USING btree (due_at, sequence) WHERE (due_at IS NOT NULL);
CREATE INDEX payment_failing ON public.payment USING btree (payment_id) WHERE (failures > 0);
CREATE UNIQUE INDEX payment_occurrence ON public.payment USING btree (order_id, scheduled_on) WHERE (scheduled_on IS NOT NULL);
CREATE INDEX payment_of_file_in_work ON public.payment USING btree (in_work_of_file) WHERE (in_work_of_file IS NOT NULL);
CREATE INDEX payment_waiting ON public.payment USING btree (debtor_account_id, execute_at) WHERE ((execute_at IS NOT NULL) AND (due_at IS NOT NULL));

create table payment_file (
  file_id text not null,
  consent_id text,
  begun_at timestamp with time zone default clock_timestamp() not null,
  content_type text not null,
  constraint payment_file_pkey PRIMARY KEY (file_id),
  constraint payment_file_consent_id_key UNIQUE (consent_id),
  constraint payment_file_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consent(consent_id)
);
CREATE INDEX payment_file_coming ON public.payment_file USING btree (begun_at) WHERE (consent_id IS NULL);

create table payment_file_batch (
  file_id text not null,
  first_sequence integer not null,
  instructions json not null,
  constraint payment_file_batch_pkey PRIMARY KEY (file_id, first_sequence),
  constraint payment_file_batch_file_id_fkey FOREIGN KEY (file_id) REFERENCES payment_file(file_id) ON DELETE CASCADE
);

create table payment_file_chunk (
  file_id text not null,
  position integer not null,
  bytes bytea storage external not null,
  constraint payment_file_chunk_pkey PRIMARY KEY (file_id, "position"),
  constraint payment_file_chunk_file_id_fkey FOREIGN KEY (file_id) REFERENCES payment_file(file_id) ON DELETE CASCADE
);

create table payment_order (
  order_id text not null,
  consent_id text not null,
  consent_use text default 'once'::text not null,
  kind text not null,
  family order_family not null,
  api_version text not null,
  client_id text not null,
  customer_id text not null,
  debtor_account_id text not null,
  status text not null,
  status_reason json default '[]'::json not null,
  created_at timestamp with time zone not null,
  status_updated_at timestamp with time zone not null,
  amount_minor positive_minor,
  currency text,
  terms json default '{}'::json not null,
  signatories_required integer,
  signatories_received integer,
  authorisation_status order_authorisation,
  authorisation_updated_at timestamp with time zone,
  authorisation_expires_at timestamp with time zone,
  signed_by text[] default '{}'::text[] not null,
  revision integer default 1 not null,
  changed_by text default 'bank'::text,
  interaction_id text,
  changed_at timestamp with time zone,
  file_in_work_since timestamp with time zone,
  signatures json,
  constraint payment_order_pkey PRIMARY KEY (order_id),
  constraint payment_order_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consent(consent_id),
  constraint payment_order_check CHECK ((amount_minor IS NULL) = (currency IS NULL)),
  constraint payment_order_check1 CHECK (consent_use = 'once'::text OR consent_use = 'within limits'::text AND amount_minor IS NOT NULL)
) with (fillfactor=50);
CREATE UNIQUE INDEX payment_order_consent ON public.payment_order USING btree (consent_id, (
CASE
    WHEN (consent_use = 'once'::text) THEN ''::text
    ELSE order_id
END));
CREATE INDEX payment_order_debtor ON public.payment_order USING btree (debtor_account_id, created_at);
CREATE INDEX payment_order_file_in_work ON public.payment_order USING btree (file_in_work_since) WHERE (file_in_work_since IS NOT NULL);
CREATE INDEX payment_order_schedule ON public.payment_order USING btree (debtor_account_id) WHERE ((terms -> 'schedule'::text) IS NOT NULL);
CREATE INDEX payment_order_signing ON public.payment_order USING btree (authorisation_expires_at) WHERE ((authorisation_status)::text = 'AWAF'::text);
CREATE INDEX payment_order_within_limits ON public.payment_order USING btree (consent_id, created_at) WHERE (consent_use = 'within limits'::text);
CREATE TRIGGER order_changed AFTER UPDATE ON public.payment_order FOR EACH ROW WHEN (((new.changed_by IS NOT NULL) OR (new.revision = old.revision))) EXECUTE FUNCTION record_change('order');
CREATE TRIGGER order_created AFTER INSERT ON public.payment_order FOR EACH ROW WHEN ((new.changed_by IS NOT NULL)) EXECUTE FUNCTION record_change('order');

create view scheduled_payment as
 SELECT p.payment_id,
    o.order_id,
    p.debtor_account_id AS account_id,
    p.execute_at,
    p.reference,
    p.creditor,
    p.amount_minor,
    p.currency,
    p.international -> 'creditorAgent'::text AS creditor_agent
   FROM payment p
     JOIN payment_order o ON o.order_id = p.order_id
  WHERE p.execute_at IS NOT NULL AND p.due_at IS NOT NULL AND o.family::text = 'scheduled'::text AND (o.status = ANY (ARRAY['RCVD'::text, 'PDNG'::text, 'ACTC'::text, 'ACCP'::text, 'ACFC'::text, 'ACSP'::text])) AND COALESCE(o.authorisation_status::text, 'AUTH'::text) = 'AUTH'::text;

create view standing_order as
 SELECT o.order_id AS standing_order_id,
    o.debtor_account_id AS account_id,
    o.kind,
    (o.terms -> 'schedule'::text) -> 'rhythm'::text AS rhythm,
    f.reference,
    f.creditor,
    f.currency,
    ((o.terms -> 'schedule'::text) ->> 'numberOfPayments'::text)::integer AS number_of_payments,
    n.payment_id IS NOT NULL AS is_active,
    ((o.terms -> 'schedule'::text) ->> 'firstDate'::text)::date AS first_payment_on,
    ((o.terms -> 'schedule'::text) ->> 'firstMinor'::text)::bigint AS first_payment_minor,
    ((o.terms -> 'schedule'::text) ->> 'recurringDate'::text)::date AS recurring_payment_on,
    n.scheduled_on AS next_payment_on,
    n.execute_at AS next_payment_at,
    n.amount_minor AS next_payment_minor,
    l.scheduled_on AS last_payment_on,
    l.execute_at AS last_payment_at,
    l.amount_minor AS last_payment_minor,
    ((o.terms -> 'schedule'::text) ->> 'finalDate'::text)::date AS final_payment_on,
    ((o.terms -> 'schedule'::text) ->> 'finalMinor'::text)::bigint AS final_payment_minor,
    o.status,
    o.created_at,
    f.international -> 'creditorAgent'::text AS creditor_agent,
    o.terms -> 'mandate'::text AS mandate,
    o.terms -> 'remittance'::text AS remittance
   FROM payment_order o
     JOIN payment f ON f.order_id = o.order_id AND f.sequence = 1
     LEFT JOIN LATERAL ( SELECT p.payment_id,
            p.scheduled_on,
            p.execute_at,
            p.amount_minor
           FROM payment p
          WHERE p.order_id = o.order_id AND (p.status = ANY (ARRAY['RCVD'::text, 'PDNG'::text, 'ACTC'::text, 'ACCP'::text]))
          ORDER BY p.sequence
         LIMIT 1) n ON true
     LEFT JOIN LATERAL ( SELECT p.scheduled_on,
            p.execute_at,
            p.amount_minor
           FROM payment p
          WHERE p.order_id = o.order_id AND (p.status = ANY (ARRAY['ACSC'::text, 'ACCC'::text, 'ACWP'::text, 'BLCK'::text]))
          ORDER BY p.sequence DESC
         LIMIT 1) l ON true
  WHERE (o.terms -> 'schedule'::text) IS NOT NULL AND (o.status <> ALL (ARRAY['PATC'::text, 'RJCT'::text]));

CREATE OR REPLACE FUNCTION public.history_of(o payment_order, OUT object_id text, OUT facts json, OUT api_version text, OUT happened_at timestamp with time zone)
 RETURNS record
 LANGUAGE sql
 STABLE
AS $function$
  select o.order_id, order_history(o.status, o.status_reason::text, o.authorisation_status,
    o.signatories_received)::json, o.api_version, o.status_updated_at
$function$;

CREATE OR REPLACE FUNCTION public.order_history(status text, reasons text, authorisation text, signatures integer)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select '{"status":"' || status || '","reasons":' || reasons || ',"authorisation":'
    || coalesce('"' || authorisation || '"', 'null') || ',"signatures":'
    || coalesce(signatures::text, 'null') || '}'
$function$;

-- ========== 0006_ledger

create table bank_payment (
  payment_id text not null,
  state text not null,
  reason_code text,
  reason_text text,
  answer text,
  answer_at timestamp with time zone,
  created_at timestamp with time zone not null,
  debtor_account_id text not null,
  amount_minor bigint not null,
  charge_minor bigint not null,
  currency text not null,
  creditor json not null,
  end_to_end_id text,
  reference text,
  local_instrument text,
  international json,
  transfer_minor bigint,
  transfer_currency text,
  deducted_minor bigint default 0 not null,
  exchange_rate numeric,
  contract_id text,
  constraint bank_payment_pkey PRIMARY KEY (payment_id),
  constraint bank_payment_answer_check CHECK (answer = ANY (ARRAY['accept'::text, 'acceptWithoutPosting'::text, 'refuse'::text])),
  constraint bank_payment_check CHECK (transfer_minor > deducted_minor),
  constraint bank_payment_deducted_minor_check CHECK (deducted_minor >= 0),
  constraint bank_payment_state_check CHECK (state = ANY (ARRAY['reserved'::text, 'pending'::text, 'settled'::text, 'refused'::text, 'returned'::text, 'released'::text]))
) with (fillfactor=50);
CREATE INDEX bank_payment_contract ON public.bank_payment USING btree (contract_id) WHERE (contract_id IS NOT NULL);

create table direct_debit_collection (
  direct_debit_id text not null,
  due_on date not null,
  outcome text not null,
  amount_minor bigint not null,
  currency text not null,
  posting_id text,
  decided_at timestamp with time zone not null,
  constraint direct_debit_collection_pkey PRIMARY KEY (direct_debit_id, due_on),
  constraint direct_debit_collection_posting_id_key UNIQUE (posting_id),
  constraint direct_debit_collection_direct_debit_id_fkey FOREIGN KEY (direct_debit_id) REFERENCES sandbox_mandate(direct_debit_id),
  constraint direct_debit_collection_amount_minor_check CHECK (amount_minor > 0),
  constraint direct_debit_collection_check CHECK ((outcome = 'collected'::text) = (posting_id IS NOT NULL)),
  constraint direct_debit_collection_outcome_check CHECK (outcome = ANY (ARRAY['collected'::text, 'unpaid'::text]))
);

create table exchange_contract (
  contract_id text not null,
  account_id text not null,
  unit_currency text not null,
  other_currency text not null,
  rate numeric not null,
  amount_minor bigint not null,
  agreed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint exchange_contract_pkey PRIMARY KEY (contract_id),
  constraint exchange_contract_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint exchange_contract_amount_minor_check CHECK (amount_minor > 0),
  constraint exchange_contract_check CHECK (other_currency <> unit_currency),
  constraint exchange_contract_rate_check CHECK (rate > 0::numeric)
);
CREATE INDEX exchange_contract_account ON public.exchange_contract USING btree (account_id);

create table hold (
  hold_id text not null,
  account_id text not null,
  amount_minor bigint not null,
  purpose text not null,
  created_at timestamp with time zone not null,
  constraint hold_pkey PRIMARY KEY (hold_id),
  constraint hold_amount_minor_check CHECK (amount_minor > 0),
  constraint hold_purpose_check CHECK (purpose = ANY (ARRAY['payment'::text, 'card'::text]))
);
CREATE INDEX hold_account ON public.hold USING btree (account_id);
CREATE TRIGGER hold_is_never_changed BEFORE UPDATE OR TRUNCATE ON public.hold FOR EACH STATEMENT EXECUTE FUNCTION hold_is_never_changed();
CREATE TRIGGER hold_placed AFTER INSERT ON public.hold REFERENCING NEW TABLE AS new_hold FOR EACH STATEMENT EXECUTE FUNCTION hold_placed();
CREATE TRIGGER hold_released AFTER DELETE ON public.hold REFERENCING OLD TABLE AS old_hold FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION hold_released();

create table ledger_account (
  account_id text not null,
  kind text not null,
  currency text not null,
  balance_minor bigint default 0 not null,
  held_minor bigint default 0 not null,
  overdraft_limit_minor bigint default 0 not null,
  revision bigint default 1 not null,
  stated_until timestamp with time zone,
  constraint ledger_account_pkey PRIMARY KEY (account_id),
  constraint funds_cover CHECK (kind = 'internal'::text OR (balance_minor - held_minor) >= (- overdraft_limit_minor)),
  constraint ledger_account_held_minor_check CHECK (held_minor >= 0),
  constraint ledger_account_kind_check CHECK (kind = ANY (ARRAY['customer'::text, 'internal'::text])),
  constraint ledger_account_overdraft_limit_minor_check CHECK (overdraft_limit_minor >= 0)
) with (fillfactor=50);
CREATE TRIGGER ledger_account_is_permanent BEFORE DELETE OR TRUNCATE ON public.ledger_account FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_permanent();
CREATE TRIGGER ledger_account_is_shown AFTER INSERT ON public.ledger_account REFERENCING NEW TABLE AS new_account FOR EACH STATEMENT EXECUTE FUNCTION ledger_account_is_shown();
CREATE TRIGGER ledger_limit_is_shown BEFORE UPDATE OF overdraft_limit_minor ON public.ledger_account FOR EACH ROW EXECUTE FUNCTION ledger_limit_is_shown();
CREATE TRIGGER sandbox_first_statement AFTER INSERT ON public.ledger_account REFERENCING NEW TABLE AS new_account FOR EACH STATEMENT EXECUTE FUNCTION sandbox_first_statement();

create table posting (
  posting_id text not null,
  debit_account_id text not null,
  credit_account_id text not null,
  amount_minor bigint not null,
  currency text not null,
  booked_at timestamp with time zone not null,
  payment_id text,
  purpose text not null,
  posted_in xid8 default pg_current_xact_id(),
  constraint posting_pkey PRIMARY KEY (posting_id),
  constraint posting_amount_minor_check CHECK (amount_minor > 0),
  constraint posting_check CHECK (debit_account_id <> credit_account_id)
);
CREATE INDEX posting_direct_debit ON public.posting USING btree (posting_id) WHERE (purpose = 'direct-debit'::text);
CREATE INDEX posting_opening_credit ON public.posting USING btree (credit_account_id) WHERE (purpose = 'opening'::text);
CREATE INDEX posting_opening_debit ON public.posting USING btree (debit_account_id) WHERE (purpose = 'opening'::text);
CREATE UNIQUE INDEX posting_payment ON public.posting USING btree (payment_id, purpose) WHERE (payment_id IS NOT NULL);
CREATE TRIGGER posting_is_permanent BEFORE DELETE OR UPDATE OR TRUNCATE ON public.posting FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_permanent();
CREATE TRIGGER posting_moves_balances AFTER INSERT ON public.posting REFERENCING NEW TABLE AS new_posting FOR EACH STATEMENT EXECUTE FUNCTION posting_moves_balances();

create table sandbox_mandate (
  direct_debit_id text not null,
  creditor_account_id text not null,
  day_of_month integer not null,
  least_minor bigint,
  most_minor bigint,
  next_on date not null,
  due_at timestamp with time zone,
  constraint sandbox_mandate_pkey PRIMARY KEY (direct_debit_id),
  constraint sandbox_mandate_creditor_account_id_fkey FOREIGN KEY (creditor_account_id) REFERENCES ledger_account(account_id),
  constraint sandbox_mandate_direct_debit_id_fkey FOREIGN KEY (direct_debit_id) REFERENCES direct_debit(direct_debit_id),
  constraint sandbox_mandate_check CHECK (most_minor >= least_minor),
  constraint sandbox_mandate_check1 CHECK ((least_minor IS NULL) = (most_minor IS NULL)),
  constraint sandbox_mandate_day_of_month_check CHECK (day_of_month >= 1 AND day_of_month <= 31),
  constraint sandbox_mandate_least_minor_check CHECK (least_minor > 0)
);
CREATE INDEX sandbox_mandate_due ON public.sandbox_mandate USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE OR REPLACE FUNCTION public.balances_of(l ledger_account, at_time timestamp with time zone)
 RETURNS account_balance
 LANGUAGE sql
 STABLE
RETURN ROW((l).account_id, (l).currency, (l).revision, at_time, (l).balance_minor, (((l).balance_minor - (l).held_minor) + CASE WHEN (((l).overdraft_limit_minor > 0) AND is_card((l).account_id)) THEN (l).overdraft_limit_minor ELSE (0)::bigint END), CASE WHEN ((l).overdraft_limit_minor > 0) THEN credit_lines_of(l) ELSE NULL::json END, NULL::json, CASE WHEN ((l).currency <> 'GBP'::text) THEN 'Local'::text ELSE NULL::text END)::account_balance;

CREATE OR REPLACE FUNCTION public.bank_move(leaving text, moves json, postings json, entries json)
 RETURNS SETOF bank_payment
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  ids text[];
  live text[];
  accounts text[];
  booking posting[];
  booked text[];
  posted bigint;
begin
  select array_agg(m.move->>'payment_id') into ids from json_array_elements(moves) as m(move);
  select array_agg(payment_id) into live from (
    select b.payment_id from bank_payment b
    where b.payment_id = any(ids) and b.state = leaving
    order by b.payment_id for update
  ) locked;
  if live is not null then
    select array_agg(p), count(distinct p.payment_id) into booking, posted
    from json_populate_recordset(null::posting, postings) p where p.payment_id = any(live);
    -- Some holds are released without a posting. Their accounts are locked together with those of the
    -- postings, because two batches that lock them one after the other can deadlock.
    if posted > 0 and posted < cardinality(live) then
      select array_agg(account_id) into accounts from (
        select account_id from hold where hold_id = any(live)
        union all
        select unnest(array[p.debit_account_id, p.credit_account_id]) from unnest(booking) p
      ) touched;
      perform 1 from ledger_account where account_id = any(accounts)
      order by account_id for no key update;
      perform lock_accounts(accounts);
    end if;
    if posted > 0 then
      with made as (
        insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor,
          currency, booked_at, payment_id, purpose)
        select posting_id, debit_account_id, credit_account_id, amount_minor, currency, booked_at,
          payment_id, purpose
        from unnest(booking)
        returning posting_id
      )
      select array_agg(posting_id) into booked from made;
      perform feed_transactions(entries, booked);
    end if;
    -- releases the holds of payments that have no postings
    if posted < cardinality(live) then
      delete from hold where hold_id = any(live);
    end if;
    update bank_payment b set state = m.state, reason_code = m.reason_code,
      reason_text = m.reason_text, answer = m.answer, answer_at = m.answer_at
    from json_populate_recordset(null::bank_payment, moves) m
    where b.payment_id = m.payment_id and b.payment_id = any(live);
  end if;
  return query select b.* from bank_payment b where b.payment_id = any(ids);
end $function$;

CREATE OR REPLACE FUNCTION public.bank_reserve(given json, at_time timestamp with time zone)
 RETURNS SETOF bank_payment
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  ids text[];
  refuse_codes text[];
  fresh text[];
  accounts text[];
  contracts text[];
  candidate record;
  account text;
  remaining bigint;
  code text;
  undecided text[];
  refused text[] := '{}';
  codes text[] := '{}';
begin
  select array_agg(g.instruction->>'payment_id' order by g.position),
    array_agg(g.instruction->>'refuse_code' order by g.position)
  into ids, refuse_codes
  from json_array_elements(given) with ordinality as g(instruction, position);
  with inserted as (
    insert into bank_payment (payment_id, state, created_at, debtor_account_id, amount_minor,
      charge_minor, currency, creditor, end_to_end_id, reference, local_instrument,
      international, transfer_minor, transfer_currency, deducted_minor, exchange_rate, contract_id)
    select payment_id, 'reserved', at_time, debtor_account_id, amount_minor, charge_minor,
      currency, creditor, end_to_end_id, reference, local_instrument, international,
      transfer_minor, transfer_currency, deducted_minor, exchange_rate, contract_id
    from json_populate_recordset(null::bank_payment, given)
    order by payment_id
    on conflict do nothing returning payment_id, debtor_account_id, contract_id
  )
  select array_agg(payment_id), array_agg(debtor_account_id),
    array_agg(contract_id) filter (where contract_id is not null)
  into fresh, accounts, contracts from inserted;
  if fresh is not null then
    undecided := fresh;
    if contracts is not null then
      perform 1 from exchange_contract where contract_id = any(contracts)
      order by contract_id for no key update;
    end if;
    perform 1 from ledger_account where account_id = any(accounts)
    order by account_id for no key update;
    for candidate in
      select b.payment_id, b.debtor_account_id, b.amount_minor + b.charge_minor as debit_minor,
        b.currency, a.status, g.refuse_code, b.contract_id,
        b.transfer_minor, a.currency as account_currency,
        l.balance_minor - l.held_minor + l.overdraft_limit_minor as available
      from unnest(ids, refuse_codes) with ordinality as g(payment_id, refuse_code, position)
      join bank_payment b on b.payment_id = g.payment_id
      left join account a on a.account_id = b.debtor_account_id
      left join ledger_account l on l.account_id = b.debtor_account_id
      where b.payment_id = any(fresh)
      order by b.debtor_account_id, g.position
    loop
      if account is distinct from candidate.debtor_account_id then
        account := candidate.debtor_account_id;
        remaining := candidate.available;
      end if;
      code := case
        when remaining is null or candidate.status is null then 'AC02'
        when candidate.status = 'Deleted' then 'AC04'
        when candidate.status = 'Disabled' then 'AC06'
        when candidate.refuse_code is not null then candidate.refuse_code
        when candidate.currency <> candidate.account_currency then 'AM03'
        when candidate.debit_minor > remaining then 'AM04'
        when candidate.contract_id is not null and (
          not exists (select from exchange_contract c
            where c.contract_id = candidate.contract_id
              and c.account_id = candidate.debtor_account_id and c.expires_at > at_time)
          or candidate.transfer_minor > exchange_contract_left(candidate.contract_id, undecided)
        ) then 'AM14'
      end;
      if code is null then
        remaining := remaining - candidate.debit_minor;
        undecided := array_remove(undecided, candidate.payment_id);
      else
        refused := refused || candidate.payment_id;
        codes := codes || code;
      end if;
    end loop;
    if refused <> '{}' then
      update bank_payment b set state = 'refused', reason_code = r.code
      from unnest(refused, codes) as r(payment_id, code) where b.payment_id = r.payment_id;
    end if;
    insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
    select b.payment_id, b.debtor_account_id, b.amount_minor + b.charge_minor, 'payment', at_time
    from bank_payment b where b.payment_id = any(fresh) and b.state = 'reserved';
  end if;
  return query select b.* from bank_payment b where b.payment_id = any(ids);
end $function$;

CREATE OR REPLACE FUNCTION public.credit_lines_of(l ledger_account)
 RETURNS json
 LANGUAGE sql
 STABLE
RETURN CASE WHEN is_card((l).account_id) THEN json_build_array(json_build_object('type', 'Credit', 'isIncluded', true, 'amountMinor', ((l).overdraft_limit_minor)::text)) ELSE json_build_array(json_build_object('type', 'Available', 'isIncluded', false, 'amountMinor', (GREATEST((0)::bigint, ((l).overdraft_limit_minor + LEAST((0)::bigint, ((l).balance_minor - (l).held_minor)))))::text), json_build_object('type', 'PreAgreed', 'isIncluded', false, 'amountMinor', ((l).overdraft_limit_minor)::text)) END;

CREATE OR REPLACE FUNCTION public.exchange_contract_left(contract text, but text[] DEFAULT '{}'::text[])
 RETURNS numeric
 LANGUAGE sql
 STABLE
AS $function$
  select c.amount_minor - coalesce((
    select sum(b.transfer_minor) from bank_payment b
    where b.contract_id = c.contract_id and b.state in ('reserved', 'pending', 'settled')
      and b.payment_id <> all(but)
  ), 0)
  from exchange_contract c where c.contract_id = contract
$function$;

CREATE OR REPLACE FUNCTION public.hold_is_never_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a hold can be placed and released, but not changed' using errcode = '23514';
end $function$;

CREATE OR REPLACE FUNCTION public.hold_placed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  accounts text[];
  amounts numeric[];
  at_time timestamptz;
  held_accounts integer;
  changed account_balance[];
begin
  select array_agg(account_id), array_agg(amount), max(newest) into accounts, amounts, at_time from (
    select account_id, sum(amount_minor) as amount, max(created_at) as newest from new_hold
    group by account_id order by account_id
  ) sums;
  if accounts is null then return null; end if;
  with placed as (
    update ledger_account a set held_minor = a.held_minor + m.amount, revision = a.revision + 1
    from unnest(accounts, amounts) as m(account_id, amount) where a.account_id = m.account_id
    returning a.kind, balances_of(a, at_time) as balances
  )
  select count(*), array_agg(balances) filter (where kind = 'customer')
  into held_accounts, changed from placed;
  if held_accounts <> cardinality(accounts) then
    raise exception 'the account of a hold must exist' using errcode = '23503';
  end if;
  perform feed_balances(changed);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.hold_released()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  accounts text[];
  amounts numeric[];
  changed account_balance[];
begin
  select array_agg(account_id), array_agg(amount) into accounts, amounts from (
    select account_id, sum(amount_minor) as amount from old_hold
    group by account_id order by account_id
  ) sums;
  if accounts is null then return null; end if;
  with released as (
    update ledger_account a set held_minor = a.held_minor - m.amount, revision = a.revision + 1
    from unnest(accounts, amounts) as m(account_id, amount) where a.account_id = m.account_id
    returning a.kind, balances_of(a, null) as balances
  )
  select array_agg(balances) into changed from released where kind = 'customer';
  perform feed_balances(changed);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.is_card(account text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (SELECT (a.account_sub_type = 'CreditCard'::text) FROM account a WHERE (a.account_id = is_card.account));

CREATE OR REPLACE FUNCTION public.ledger_account_is_shown()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed account_balance[];
begin
  select array_agg(balances_of(l::ledger_account, null)) into changed
  from new_account l where l.kind = 'customer';
  perform feed_balances(changed);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_is_permanent()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows of % are permanent', tg_table_name using errcode = '23514';
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_limit_is_shown()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.revision := old.revision + 1;
  if new.kind = 'customer' then
    perform feed_balances(array[balances_of(new, null)]);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.posting_moves_balances()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  payments text[];
  accounts text[];
  currencies text[];
  amounts numeric[];
  releases numeric[];
  at_time timestamptz;
  first_time timestamptz;
  moved_accounts integer;
  changed account_balance[];
  stated text[];
begin
  select array_agg(payment_id) filter (where payment_id is not null), max(booked_at), min(booked_at)
  into payments, at_time, first_time from new_posting;
  with released as (
    delete from hold where hold_id = any(payments) returning account_id, amount_minor
  )
  select array_agg(account_id), array_agg(currency), array_agg(amount), array_agg(released)
  into accounts, currencies, amounts, releases
  from (
    select account_id, case when min(currency) = max(currency) then min(currency) end as currency,
      sum(amount) as amount, sum(released) as released
    from (
      select debit_account_id as account_id, currency, -amount_minor as amount, 0 as released
      from new_posting
      union all
      select credit_account_id, currency, amount_minor, 0 from new_posting
      union all
      select account_id, null, 0, amount_minor from released
    ) legs group by account_id order by account_id
  ) sums;
  if accounts is null then return null; end if;
  with moved as (
    update ledger_account a set balance_minor = a.balance_minor + m.amount,
      held_minor = a.held_minor - m.released, revision = a.revision + 1
    from unnest(accounts, currencies, amounts, releases)
      as m(account_id, currency, amount, released)
    where a.account_id = m.account_id and a.currency = m.currency
    returning a.account_id, a.kind, a.stated_until, balances_of(a, at_time) as balances
  )
  select count(*), array_agg(balances) filter (where kind = 'customer'),
    array_agg(account_id) filter (where stated_until > first_time)
  into moved_accounts, changed, stated from moved;
  if moved_accounts <> cardinality(accounts) then
    raise exception 'the accounts of a posting must exist and have its currency' using errcode = '23514';
  end if;
  perform feed_balances(changed);
  if stated is not null then perform withdraw_interim_statements(stated, first_time); end if;
  return null;
end $function$;

-- ========== 0007_sandbox

create table customer (
  customer_id text not null,
  login text not null,
  name text not null,
  kind text not null,
  password_hash text not null,
  totp_secret text not null,
  constraint customer_pkey PRIMARY KEY (customer_id),
  constraint customer_login_key UNIQUE (login),
  constraint customer_kind_check CHECK (kind = ANY (ARRAY['personal'::text, 'business'::text]))
);

create table directory_key (
  software_id text not null,
  kid text not null,
  use text not null,
  jwk json not null,
  certificate_pem text not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint directory_key_pkey PRIMARY KEY (software_id, kid),
  constraint directory_key_software_id_fkey FOREIGN KEY (software_id) REFERENCES directory_software(software_id) ON DELETE CASCADE,
  constraint directory_key_use_check CHECK (use = ANY (ARRAY['sig'::text, 'tls'::text]))
);

create table directory_software (
  software_id text not null,
  organisation_id text not null,
  name text not null,
  on_behalf_of text,
  roles text[] not null,
  redirect_uris text[] not null,
  organisation_status text default 'Active'::text not null,
  software_status text default 'Active'::text not null,
  created_at timestamp with time zone not null,
  constraint directory_software_pkey PRIMARY KEY (software_id),
  constraint directory_software_organisation_status_check CHECK (organisation_status = ANY (ARRAY['Active'::text, 'Revoked'::text, 'Withdrawn'::text])),
  constraint directory_software_software_status_check CHECK (software_status = ANY (ARRAY['Active'::text, 'Inactive'::text, 'Revoked'::text]))
);

create table sandbox_certificate (
  client_id text not null,
  use text not null,
  certificate_pem text not null,
  ends_at timestamp with time zone not null,
  authority text not null,
  constraint sandbox_certificate_pkey PRIMARY KEY (client_id, use),
  constraint sandbox_certificate_client_id_fkey FOREIGN KEY (client_id) REFERENCES client(client_id),
  constraint sandbox_certificate_use_check CHECK (use = ANY (ARRAY['client'::text, 'signing'::text]))
);
CREATE INDEX sandbox_certificate_end ON public.sandbox_certificate USING btree (authority, ends_at);

create table sandbox_challenge (
  challenge_id text not null,
  tries integer not null,
  used_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint sandbox_challenge_pkey PRIMARY KEY (challenge_id)
);
CREATE INDEX sandbox_challenge_expiry ON public.sandbox_challenge USING btree (expires_at);

create table sandbox_clock (
  singleton boolean default true not null,
  offset_milliseconds bigint default 0 not null,
  begun_at timestamp with time zone,
  rate integer default 1 not null,
  frozen_at timestamp with time zone,
  ticked_at timestamp with time zone,
  version bigint default 0 not null,
  constraint sandbox_clock_pkey PRIMARY KEY (singleton),
  constraint sandbox_clock_check CHECK ((rate = 0) = (frozen_at IS NOT NULL)),
  constraint sandbox_clock_rate_check CHECK (rate >= 0 AND rate <= 86400),
  constraint sandbox_clock_singleton_check CHECK (singleton)
);

create table sandbox_income (
  income_id text not null,
  account_id text not null,
  source_account_id text not null,
  frequency text not null,
  day_of_month integer not null,
  comes_before boolean not null,
  time_of_day text not null,
  least_minor bigint not null,
  most_minor bigint not null,
  transaction_type text not null,
  information text not null,
  reference text,
  payer json,
  next_on date not null,
  due_at timestamp with time zone not null,
  constraint sandbox_income_pkey PRIMARY KEY (income_id),
  constraint sandbox_income_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id),
  constraint sandbox_income_source_account_id_fkey FOREIGN KEY (source_account_id) REFERENCES ledger_account(account_id),
  constraint sandbox_income_check CHECK (most_minor >= least_minor),
  constraint sandbox_income_day_of_month_check CHECK (day_of_month >= 1 AND day_of_month <= 31),
  constraint sandbox_income_frequency_check CHECK (frequency = ANY (ARRAY['Daily'::text, 'Weekly'::text, 'Monthly'::text])),
  constraint sandbox_income_least_minor_check CHECK (least_minor > 0)
);
CREATE INDEX sandbox_income_due ON public.sandbox_income USING btree (due_at);

create table sandbox_revoked_certificate (
  serial text not null,
  client_id text not null,
  revoked_at timestamp with time zone not null,
  constraint sandbox_revoked_certificate_pkey PRIMARY KEY (serial)
);

create table sandbox_seed (
  name text not null,
  seeded_at timestamp with time zone not null,
  constraint sandbox_seed_pkey PRIMARY KEY (name)
);

create table sandbox_statement_due (
  account_id text not null,
  due_at timestamp with time zone not null,
  constraint sandbox_statement_due_pkey PRIMARY KEY (account_id),
  constraint sandbox_statement_due_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(account_id)
);
CREATE INDEX sandbox_statement_due_at ON public.sandbox_statement_due USING btree (due_at, account_id);

CREATE OR REPLACE FUNCTION public.sandbox_card_rates(yearly text)
 RETURNS json
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (yearly IS NULL) THEN '[]'::json ELSE json_build_array(json_build_object('type', 'UK.OBIE.AnnualPurchase', 'rate', yearly), json_build_object('type', 'UK.OBIE.MonthlyPurchase', 'rate', (trim_scale(round(((yearly)::numeric / (12)::numeric), 4)))::text)) END;

CREATE OR REPLACE FUNCTION public.sandbox_cost_code(type text, is_monthly boolean, account_sub_type text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (type <> 'CHG'::text) THEN CASE account_sub_type WHEN 'CreditCard'::text THEN 'UK.OBIE.Purchase'::text ELSE 'UK.OBIE.Total'::text END WHEN is_monthly THEN 'UK.OBIE.Monthly'::text ELSE 'GB.Aldgate.Service'::text END;

CREATE OR REPLACE FUNCTION public.sandbox_cost_frequency(type text, is_monthly boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (type <> 'CHG'::text) THEN 'UK.OBIE.Monthly'::text WHEN is_monthly THEN 'UK.OBIE.StatementMonthly'::text ELSE NULL::text END;

CREATE OR REPLACE FUNCTION public.sandbox_first_statement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sandbox_statement_due (account_id, due_at)
  select account_id, 'epoch' from new_account where kind = 'customer';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.sandbox_minimum_payment(account_sub_type text, closing bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (account_sub_type <> 'CreditCard'::text) THEN NULL::bigint WHEN (closing >= 0) THEN (0)::bigint ELSE LEAST(GREATEST(((999 - (closing * 25)) / 1000), (500)::bigint), (- closing)) END;

CREATE OR REPLACE FUNCTION public.sandbox_next_statement(at_time timestamp with time zone, given text[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  update sandbox_statement_due d set due_at = next.due_at
  from (
    select a.account_id, sandbox_statement_due_after(coalesce(
      (select max(s.ends_at) from account_statement s where s.account_id = a.account_id),
      least(a.history_from, at_time))) as due_at
    from account a where a.account_id = any(given)
  ) next
  where d.account_id = next.account_id and d.due_at < next.due_at;
end $function$;

CREATE OR REPLACE FUNCTION public.sandbox_payment_due(account_sub_type text, closing bigint, ends_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (sandbox_minimum_payment(account_sub_type, closing) > 0) THEN (ends_at + '576:00:00'::interval) ELSE NULL::timestamp with time zone END;

CREATE OR REPLACE FUNCTION public.sandbox_period_name(starts_at timestamp with time zone, ends_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN ((to_char((starts_at AT TIME ZONE 'UTC'::text), 'FMDD'::text) || ' to '::text) || to_char(((ends_at AT TIME ZONE 'UTC'::text) - '1 day'::interval), 'FMDD FMMonth YYYY'::text));

CREATE OR REPLACE FUNCTION public.sandbox_statement_due_after(moment timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN (date_trunc('month'::text, (date_trunc('month'::text, moment, 'UTC'::text) + '40 days'::interval), 'UTC'::text) + '06:00:00'::interval);

-- ========== 0008_events

create table event (
  jti text not null,
  client_id text not null,
  sequence bigint generated always as identity not null,
  object_id text not null,
  change_sequence bigint not null,
  facts json not null,
  occurred_at timestamp with time zone not null,
  token text,
  state text default 'waiting'::text not null,
  error json,
  settled_at timestamp with time zone,
  attempts integer default 0 not null,
  first_failed_at timestamp with time zone,
  sent_by text,
  next_try_at timestamp with time zone not null,
  constraint event_pkey PRIMARY KEY (jti),
  constraint event_client_id_object_id_change_sequence_key UNIQUE (client_id, object_id, change_sequence),
  constraint event_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'undelivered'::text, 'accepted'::text, 'refused'::text, 'dropped'::text]))
);
CREATE INDEX event_due ON public.event USING btree (client_id, next_try_at) WHERE (state = 'waiting'::text);
CREATE INDEX event_settled ON public.event USING btree (settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX event_waiting ON public.event USING btree (client_id, sequence) WHERE (state = ANY (ARRAY['waiting'::text, 'undelivered'::text]));

create table event_cursor (
  is_only boolean default true not null,
  last bigint default 0 not null,
  noted bigint,
  writers text[] default '{}'::text[] not null,
  constraint event_cursor_pkey PRIMARY KEY (is_only),
  constraint event_cursor_is_only_check CHECK (is_only)
);

create table event_subscription (
  client_id text not null,
  subscription_id text not null,
  form text not null,
  api_version text not null,
  callback_url text,
  version text not null,
  named_types text[],
  event_types text[] not null,
  since timestamp with time zone not null,
  status text default 'active'::text not null,
  failing_since timestamp with time zone,
  probe_at timestamp with time zone,
  constraint event_subscription_pkey PRIMARY KEY (client_id),
  constraint event_subscription_subscription_id_key UNIQUE (subscription_id),
  constraint event_subscription_client_id_fkey FOREIGN KEY (client_id) REFERENCES client(client_id) ON DELETE CASCADE,
  constraint event_subscription_check CHECK (callback_url IS NOT NULL OR status = 'active'::text AND failing_since IS NULL),
  constraint event_subscription_check1 CHECK ((probe_at IS NOT NULL) = (status = 'unresponsive'::text)),
  constraint event_subscription_form_check CHECK (form = ANY (ARRAY['subscription'::text, 'callback'::text])),
  constraint event_subscription_status_check CHECK (status = ANY (ARRAY['active'::text, 'unresponsive'::text]))
);

-- ========== 0009_funds

create table funds_confirmation (
  funds_confirmation_id text not null,
  consent_id text not null,
  asked_at timestamp with time zone not null,
  reference text not null,
  amount_minor bigint not null,
  currency text not null,
  is_available boolean,
  reason text,
  constraint funds_confirmation_pkey PRIMARY KEY (funds_confirmation_id),
  constraint funds_confirmation_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consent(consent_id) ON DELETE CASCADE,
  constraint funds_confirmation_amount_minor_check CHECK (amount_minor > 0),
  constraint funds_confirmation_check CHECK ((is_available IS NULL) = (reason IS NOT NULL)),
  constraint funds_confirmation_reason_check CHECK (reason = 'other currency'::text)
);
CREATE INDEX funds_confirmation_history ON public.funds_confirmation USING btree (consent_id, asked_at);
CREATE UNIQUE INDEX funds_confirmation_reference ON public.funds_confirmation USING btree (consent_id, reference) WHERE (is_available IS NOT NULL);

-- ========== 0010_registration

create table registration_attempt (
  attempt_id bigint generated always as identity not null,
  at timestamp with time zone not null,
  interaction_id text not null,
  method text not null,
  certificate_subject text,
  software_id text,
  client_id text,
  status integer not null,
  rule text,
  description text,
  constraint registration_attempt_pkey PRIMARY KEY (attempt_id)
);
CREATE INDEX registration_attempt_age ON public.registration_attempt USING btree (at);
CREATE INDEX registration_attempt_client ON public.registration_attempt USING btree (client_id, at);
CREATE INDEX registration_attempt_software ON public.registration_attempt USING btree (software_id, at);

create table registration_jti (
  use text not null,
  issuer text not null,
  jti text not null,
  expires_at timestamp with time zone,
  constraint registration_jti_pkey PRIMARY KEY (use, issuer, jti),
  constraint registration_jti_use_check CHECK (use = ANY (ARRAY['request'::text, 'statement'::text]))
);
CREATE INDEX registration_jti_expiry ON public.registration_jti USING btree (expires_at) WHERE (expires_at IS NOT NULL);

-- ========== 0011_signing

create table signing_key (
  kid text not null,
  jwk json not null,
  location text not null,
  certificate_file text,
  published_from timestamp with time zone not null,
  active_from timestamp with time zone,
  published_until timestamp with time zone,
  withdrawn_at timestamp with time zone,
  constraint signing_key_pkey PRIMARY KEY (kid),
  constraint signing_key_check CHECK (active_from >= published_from)
);
CREATE UNIQUE INDEX signing_key_start ON public.signing_key USING btree (active_from) WHERE (withdrawn_at IS NULL);

-- ========== 0014_failing_payments

create table payment_failure (
  payment_id text not null,
  failed_at timestamp with time zone not null,
  step text not null,
  error text not null,
  constraint payment_failure_pkey PRIMARY KEY (payment_id)
);

-- ========== 0018_scheme_list

create table scheme_list (
  url text not null,
  due_at timestamp with time zone not null,
  read_at timestamp with time zone,
  failures integer default 0 not null,
  constraint scheme_list_pkey PRIMARY KEY (url)
);

-- ========== 0019_paused_consents

CREATE OR REPLACE FUNCTION public.rare_consent_history(consent text, terms json, paused_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
      select ',"withdrawn":' || json_agg(a.account_id order by a.account_id)
      from consent_account a where a.consent_id = consent and a.covered_until is not null), '')
    || case when terms->'vrpContract'->>'endedAt' is null then ''
      else ',"contractEnded":true' end
    || case when paused_at is null then '' else ',"paused":true' end
$function$;

-- ========== 0022_limits_from_one_list

CREATE OR REPLACE FUNCTION public.take_limits(orders json)
 RETURNS TABLE(order_id text, exceeded integer[])
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  locked text[];
  statuses text[];
  asked record;
  -- what the orders before it in this call use
  taken limit_use[] := '{}';
begin
  select array_agg(l.consent_id), array_agg(l.status) into locked, statuses
  from lock_consents(array(select o->>'consent_id' from json_array_elements(orders) o)) l;
  for asked in
    select o.* from json_to_recordset(orders) as o(order_id text, consent_id text,
      usable_in text[], day date, amount_minor bigint, is_counted boolean, limits json)
  loop
    continue when (statuses[array_position(locked, asked.consent_id)]
      = any(asked.usable_in)) is not true;
    order_id := asked.order_id;
    exceeded := array(
      select w.place::integer - 1
      from rows from (json_to_recordset(asked.limits)
        as (first date, last date, limit_minor bigint)) with ordinality
        as w(first, last, limit_minor, place)
      where asked.amount_minor > w.limit_minor - (
        select coalesce(sum(u.amount_minor), 0) from limit_use u
        where u.consent_id = asked.consent_id and u.day between w.first and w.last) - (
        select coalesce(sum(t.amount_minor), 0) from unnest(taken) t
        where t.consent_id = asked.consent_id and t.day between w.first and w.last)
      order by w.place);
    return next;
    if exceeded = '{}' and asked.is_counted then
      taken := taken || row(asked.consent_id, asked.day, asked.amount_minor)::limit_use;
    end if;
  end loop;
  insert into limit_use (consent_id, day, amount_minor)
  select t.consent_id, t.day, sum(t.amount_minor) from unnest(taken) t
  group by t.consent_id, t.day order by t.consent_id, t.day
  on conflict (consent_id, day) do update
    set amount_minor = limit_use.amount_minor + excluded.amount_minor;
end $function$;

-- ========== 0024_request_log

create table request_log_chunk (
  chunk_id bigint generated always as identity not null,
  is_anonymous boolean not null,
  written_at timestamp with time zone not null,
  entry_count integer not null,
  byte_count integer not null,
  entries text not null,
  bodies text,
  constraint request_log_chunk_pkey PRIMARY KEY (chunk_id),
  constraint request_log_chunk_entry_count_check CHECK (entry_count > 0)
);
CREATE INDEX request_log_chunk_time ON public.request_log_chunk USING btree (written_at, chunk_id);

-- ========== 0025_provoked

create table sandbox_failing_code (
  customer_id text not null,
  constraint sandbox_failing_code_pkey PRIMARY KEY (customer_id),
  constraint sandbox_failing_code_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id)
);

create table sandbox_return (
  payment_id text not null,
  due_at timestamp with time zone not null,
  reason_code text not null,
  constraint sandbox_return_pkey PRIMARY KEY (payment_id)
);
CREATE INDEX sandbox_return_due ON public.sandbox_return USING btree (due_at);

-- ========== 0026_own_customers

create table own_customer (
  customer_id text not null,
  description text not null,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint own_customer_pkey PRIMARY KEY (customer_id),
  constraint own_customer_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id)
);

-- ========== 0028_feed_sources

create table fact_refusal (
  source text not null,
  kind text not null,
  key text not null,
  path text not null,
  rule text not null,
  refused_at timestamp with time zone default clock_timestamp() not null,
  account_id text,
  customer_id text,
  place text,
  times integer default 1 not null,
  since timestamp with time zone default clock_timestamp(),
  constraint fact_refusal_pkey PRIMARY KEY (source, kind, key)
);
CREATE INDEX fact_refusal_account ON public.fact_refusal USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX fact_refusal_customer ON public.fact_refusal USING btree (customer_id) WHERE (customer_id IS NOT NULL);

create table feed_source (
  source text not null,
  cursor text,
  delivered_until timestamp with time zone,
  heard_at timestamp with time zone,
  constraint feed_source_pkey PRIMARY KEY (source)
);

-- ========== 0029_notices

create table notice_cursor (
  is_only boolean default true not null,
  last bigint default 0 not null,
  noted bigint,
  writers text[] default '{}'::text[] not null,
  failures integer default 0 not null,
  holder text,
  held_until timestamp with time zone,
  failed_at timestamp with time zone,
  failure text,
  constraint notice_cursor_pkey PRIMARY KEY (is_only),
  constraint notice_cursor_check CHECK (holder IS NULL OR held_until IS NOT NULL),
  constraint notice_cursor_is_only_check CHECK (is_only)
);

-- ========== 0033_interim_statements

CREATE OR REPLACE FUNCTION public.withdraw_interim_statements(accounts text[], covered timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  delete from account_statement
  where account_id = any(accounts) and ends_at > covered
    and ends_at <> date_trunc('month', ends_at, 'UTC');
end $function$;

-- ========== 0034_statement_now

CREATE OR REPLACE FUNCTION public.sandbox_statements(at_time timestamp with time zone, given text[], interim text DEFAULT NULL::text)
 RETURNS TABLE(statement json)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
declare
  last_end timestamptz := at_time;
begin
  if interim is null then
    last_end := date_trunc('month', at_time, 'UTC');
    -- the bank closes a month at 06:00 UTC on the first day of the next month
    if at_time < last_end + interval '6 hours' then
      last_end := date_trunc('month', last_end - interval '1 day', 'UTC');
    end if;
  end if;
  return query with started as materialized (
    select a.account_id, a.currency, a.account_sub_type,
      (select p.purchase_rate from product p where p.product_id = a.product_id) as purchase_rate,
      date_trunc('month', a.history_from, 'UTC') as first_month,
      coalesce(
        (select max(s.ends_at) from account_statement s where s.account_id = a.account_id),
        date_trunc('month', a.history_from, 'UTC')) as from_time
    from account a
    where a.account_id = any(given)
  ), due as materialized (
    select d.*, case when interim is not null then last_end else least(last_end, (
        select date_trunc('month', min(p.booked_at), 'UTC') from account_transaction p
        where p.account_id = d.account_id and p.status = 'Pending' and p.booked_at < last_end
      )) end as until_time
    from started d
    where d.from_time < last_end
  ), period as materialized (
    select d.*, d.from_time as starts_at, last_end as ends_at,
      last_end as created_at, interval '1 day' as further
    from due d where interim is not null
    union all
    select d.*, starts.at, ends.at, ends.at + interval '6 hours', interval '0'
    from due d
    cross join lateral generate_series(d.from_time at time zone 'UTC',
      (d.until_time - interval '1 day') at time zone 'UTC', interval '1 month') as first_day(at)
    cross join lateral (select first_day.at at time zone 'UTC' as at) starts
    cross join lateral (
      select date_trunc('month', starts.at + interval '40 days', 'UTC') as at) ends
    where interim is null
  ), opening as materialized (
    -- the balance at the start of the first due period: the current balance less everything since
    select d.account_id, l.balance_minor - coalesce((
        select sum(case t.indicator when 'Credit' then t.amount_minor else -t.amount_minor end)
        from account_transaction t
        where t.account_id = d.account_id and t.booked_at >= d.from_time and t.status = 'Booked'
      ), 0)::bigint as balance, l.overdraft_limit_minor
    from due d join ledger_account l on l.account_id = d.account_id
  ), due_statement as (
    select p.*,
      (extract(year from g.age) * 12 + extract(month from g.age))::integer + 1 as number,
      o.balance + coalesce(sum(s.credits - s.debits) over (
        partition by p.account_id order by p.starts_at rows between unbounded preceding
        and 1 preceding), 0)::bigint as opening,
      o.balance + (sum(s.credits - s.debits) over (
        partition by p.account_id order by p.starts_at))::bigint as closing,
      s.*, o.overdraft_limit_minor, c.costs
    from period p
    cross join lateral (select age(p.starts_at at time zone 'UTC',
      p.first_month at time zone 'UTC') as age) g
    join opening o on o.account_id = p.account_id
    cross join lateral (
      select coalesce(sum(t.amount_minor) filter (where t.indicator = 'Credit'), 0)::bigint
          as credits,
        coalesce(sum(t.amount_minor) filter (where t.indicator = 'Debit'), 0)::bigint as debits,
        count(*) filter (where t.indicator = 'Credit')::integer as credit_count,
        count(*) filter (where t.indicator = 'Debit')::integer as debit_count
      from account_transaction t
      where t.account_id = p.account_id and t.booked_at >= p.starts_at
        and t.booked_at < p.ends_at and t.status = 'Booked'
    ) s
    cross join lateral (
      select coalesce(json_agg(json_build_object('type', t.bank_code, 'indicator', t.indicator,
          'text', t.information, 'amount', t.amount_minor::text,
          'code', sandbox_cost_code(t.bank_code, m.is_monthly, p.account_sub_type),
          'frequency', sandbox_cost_frequency(t.bank_code, m.is_monthly))
          order by t.booked_at, t.transaction_id), '[]') as costs
      from account_transaction t
      cross join lateral (select exists (
        select from posting b
        where b.posting_id = t.posting_id and b.purpose = 'monthly-charge') as is_monthly) m
      -- the bank's own transactions: charges and interest
      where t.account_id = p.account_id and t.booked_at >= p.starts_at
        and t.booked_at < p.ends_at and t.status = 'Booked'
        and split_part(t.iso_code, '-', 3) in ('CHRG', 'INTR')
    ) c
  )
  select json_build_object('accountId', s.account_id,
    'statementId', coalesce(interim,
      'st-' || md5(s.account_id || to_char(s.starts_at at time zone 'UTC', ' YYYY-MM'))),
    'number', s.number, 'startsAt', s.starts_at, 'endsAt', s.ends_at, 'createdAt', s.created_at,
    'periodName', sandbox_period_name(s.starts_at, s.ends_at + s.further),
    'currency', s.currency, 'opening', s.opening::text, 'closing', s.closing::text,
    'credits', s.credits::text, 'debits', s.debits::text,
    'creditCount', s.credit_count, 'debitCount', s.debit_count,
    'limit', s.overdraft_limit_minor::text, 'costs', s.costs,
    'minimumPayment', sandbox_minimum_payment(s.account_sub_type, s.closing)::text,
    'paymentDueAt', sandbox_payment_due(s.account_sub_type, s.closing, s.ends_at),
    'rates', sandbox_card_rates(s.purchase_rate))
  from due_statement s;
end $function$;

-- ========== 0036_account_with_transactions

CREATE OR REPLACE FUNCTION public.account_has_no_transactions()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  if exists (select from account_transaction where account_id = old.account_id) then
    raise exception 'an account with transactions cannot be deleted' using errcode = '23514';
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION public.account_is_not_truncated()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'accounts are deleted one by one' using errcode = '23514';
end $function$;

-- ========== 0038_skipped_notices

create table notice_skip (
  notice_id text not null,
  position bigint not null,
  skipped_at timestamp with time zone not null,
  actor text not null,
  reason text not null,
  constraint notice_skip_pkey PRIMARY KEY (notice_id)
);
CREATE INDEX notice_skip_position ON public.notice_skip USING btree ("position");

-- ========== 0042_backchannel_authentication

create table backchannel_request (
  uid text not null,
  id_hash text not null,
  request_hash text not null,
  client_id text not null,
  payload json not null,
  expires_at timestamp with time zone not null,
  interval_seconds integer not null,
  polled_at timestamp with time zone,
  used_at timestamp with time zone,
  ping text,
  ping_at timestamp with time zone,
  pings integer default 0 not null,
  constraint backchannel_request_pkey PRIMARY KEY (uid),
  constraint backchannel_request_id_hash_key UNIQUE (id_hash),
  constraint backchannel_request_request_hash_key UNIQUE (request_hash),
  constraint backchannel_request_uid_fkey FOREIGN KEY (uid) REFERENCES journey(uid) ON DELETE CASCADE
);
CREATE INDEX backchannel_request_ping ON public.backchannel_request USING btree (ping_at) WHERE (ping IS NOT NULL);

-- ========== 0045_passkeys

create table sandbox_passkey (
  passkey_id text not null,
  customer_id text not null,
  name text not null,
  created_at timestamp with time zone not null,
  challenge text not null,
  allowed_until timestamp with time zone,
  added_at timestamp with time zone,
  credential_id text,
  public_key text,
  transports text[],
  is_synced boolean,
  sign_count bigint,
  used_at timestamp with time zone,
  constraint sandbox_passkey_pkey PRIMARY KEY (passkey_id),
  constraint sandbox_passkey_credential_id_key UNIQUE (credential_id),
  constraint sandbox_passkey_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id)
);
CREATE INDEX sandbox_passkey_customer ON public.sandbox_passkey USING btree (customer_id);
CREATE INDEX sandbox_passkey_unused ON public.sandbox_passkey USING btree (created_at) WHERE (added_at IS NULL);

-- ========== 0046_order_acts

create table sandbox_order_act (
  act_id bigint generated always as identity not null,
  order_id text not null,
  act text not null,
  acted_at timestamp with time zone not null,
  after_change bigint not null,
  until_change bigint not null,
  constraint sandbox_order_act_pkey PRIMARY KEY (act_id)
);
CREATE INDEX sandbox_order_act_order ON public.sandbox_order_act USING btree (order_id);

-- ========== 0047_attached_data

create table attached_data (
  consent_id text not null,
  key_id text not null,
  sealed text not null,
  check_at timestamp with time zone not null,
  constraint attached_data_pkey PRIMARY KEY (consent_id),
  constraint attached_data_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consent(consent_id) ON DELETE CASCADE
);
CREATE INDEX attached_data_check ON public.attached_data USING btree (check_at);
CREATE INDEX attached_data_key ON public.attached_data USING btree (key_id);

-- ========== 0054_primary_timeline

create table primary_timeline (
  only_row boolean default true not null,
  timeline text not null,
  constraint primary_timeline_pkey PRIMARY KEY (only_row),
  constraint primary_timeline_only_row_check CHECK (only_row)
);

-- ========== 0057_unapproved_journeys

create table consent_attempt (
  attempt_id text not null,
  consent_id text not null,
  customer_id text not null,
  ended_at timestamp with time zone not null,
  ending text not null,
  showings json not null,
  constraint consent_attempt_pkey PRIMARY KEY (consent_id, attempt_id),
  constraint consent_attempt_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consent(consent_id) ON DELETE CASCADE
);
