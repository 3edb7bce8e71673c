-- Room: auth. The page of a journey that ended with too many wrong tries says when the next try is
-- possible.

-- null if no lock ended the journey
alter table journey add column locked_until timestamptz;
