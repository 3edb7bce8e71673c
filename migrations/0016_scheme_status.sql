-- Room: clients. The status of a TPP's organisation in the commercial scheme for variable recurring
-- payments. A payment reads it with the row of its client, so that it needs no other lookup.

-- null if the organisation is not known to take part
alter table client_setting add column scheme_status text
  check (scheme_status in ('Active', 'Suspended', 'Revoked'));

create or replace function history_of(s client_setting, out object_id text, out facts json,
  out api_version text, out happened_at timestamptz)
language sql stable as $body$
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
$body$;
