#!/bin/sh
# Keeps watch on a database host, with the variables of patroni.env. If the disk is nearly full, the
# primary hands over to a standby. Otherwise it would stay the primary, and be unable to write.
limit=95
while sleep 5; do
  used=$(df --output=pcent /var/lib/postgresql/aldgate | tr -dc '0-9')
  [ "${used:-0}" -lt "$limit" ] && continue
  # this fails if the host is not the primary
  patronictl -c /etc/patroni/patroni.yml switchover aldgate --leader "$PATRONI_NAME" --force
done
