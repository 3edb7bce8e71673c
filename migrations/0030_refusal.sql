-- Room: auth. What the customer reads when the bank's core has refused an authorisation.

alter table journey add column refusal text;
