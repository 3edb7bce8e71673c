-- Room: request-log. The log of the TPPs' requests.

-- One row has the requests of about a second of one process, because a row of their own would cost
-- the database more than the rest of a page. Nothing is updated. The oldest rows are deleted.
create table request_log_chunk (
  -- in the order of the commits: see src/request-log/store.ts
  chunk_id bigint generated always as identity primary key,
  -- Requests whose caller is not known. They have a share of the log, so that strangers cannot push
  -- the requests of TPPs out of it.
  is_anonymous boolean not null,
  -- by the machine's clock
  written_at timestamptz not null,
  entry_count integer not null check (entry_count > 0),
  byte_count integer not null,
  -- A JSON array with an object per request. The type is text: it is searched before it is parsed.
  entries text not null,
  -- A JSON array with the headers and bodies of the same requests; null outside a sandbox.
  bodies text
);
