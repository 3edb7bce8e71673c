-- Room: payments. When the list of the participants of the commercial scheme for variable recurring
-- payments is to be read again. Processes share the work: the one that moves the time reads it.

create table scheme_list (
  url text primary key,
  due_at timestamptz not null,
  -- null if it has not been read yet
  read_at timestamptz
);
