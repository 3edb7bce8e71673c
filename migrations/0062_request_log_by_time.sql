-- Room: request-log. An index by time: a listing reads the log once, the newest first.
-- Outside a transaction.

create index concurrently if not exists request_log_chunk_time on request_log_chunk
  (written_at, chunk_id);
