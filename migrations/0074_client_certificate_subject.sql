-- What a client's transport certificates must say of its organisation and software.

alter table client
  -- attributes of a distinguished name (RFC 4514), each of which the certificate's subject must have
  -- with this value; null for a client that no certificate speaks for
  add column certificate_subject text;
-- as the directories of Open Banking UK write it: OU is the organisation, CN the software
update client set certificate_subject = 'CN=' || software_id || ',OU=' || organisation_id;
