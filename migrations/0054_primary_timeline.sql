-- Room: storage. The timeline of the primary, by which a standby shows that it follows this primary.

create table primary_timeline (
  -- one row
  only_row boolean primary key default true check (only_row),
  -- the first eight digits of the names of the primary's log files; empty before any read
  timeline text not null
);

insert into primary_timeline (timeline) values ('');
