"""Reads a customer's accounts, as a TPP with mutual TLS (FAPI 2.0). Standard library only.

    ./aldgate worlds open --json | python3 examples/python/read_accounts.py
"""

import base64
import hashlib
import json
import os
import secrets
import ssl
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

CUSTOMER = "amara"
REDIRECT_URI = "https://tpp.example/callback"


def main() -> None:
    world = json.load(sys.stdin)
    if "error" in world:
        sys.exit(world["error"]["message"])
    bank = Bank(world)
    tpp = bank.sandbox("/tpps", {
        "name": "Python example",
        "roles": ["AISP"],
        "redirectUris": [REDIRECT_URI],
        "profile": "fapi2",
        "tokenEndpointAuthMethod": "tls_client_auth",
    })
    bank.use_certificate(tpp["transport"])

    # the consent
    token = bank.token(tpp, grant_type="client_credentials", scope="accounts")
    consent = bank.call("POST", "/account-access-consents", token, {
        "Data": {"Permissions": ["ReadAccountsDetail", "ReadBalances"]},
        "Risk": {},
    })

    # the customer's approval: a pushed request, and the customer in a browser
    verifier = secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    intent = {"openbanking_intent_id": {"value": consent["Data"]["ConsentId"], "essential": True}}
    pushed = bank.form("/request", {
        "client_id": tpp["clientId"],
        "response_type": "code",
        "redirect_uri": REDIRECT_URI,
        "scope": "openid accounts",
        "state": secrets.token_urlsafe(),
        "nonce": secrets.token_urlsafe(),
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        "claims": json.dumps({"id_token": intent}),
    })
    query = {"client_id": tpp["clientId"], "request_uri": pushed["request_uri"]}
    # the sandbox plays the customer; otherwise you redirect the customer's browser to this URL
    came_back = bank.sandbox("/authorisations", {
        "authorizationUrl": f"{world['issuer']}/auth?{urllib.parse.urlencode(query)}",
        "customer": CUSTOMER,
        "decision": "approve",
    })["redirectUrl"]
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(came_back).query)["code"][0]

    # the accounts
    access = bank.token(
        tpp,
        grant_type="authorization_code",
        code=code,
        redirect_uri=REDIRECT_URI,
        code_verifier=verifier,
    )
    accounts = bank.call("GET", "/accounts", access)["Data"]["Account"]
    balances = bank.call("GET", "/balances", access)["Data"]["Balance"]
    for account in accounts:
        amounts = [
            f"{one['Amount']['Amount']} {one['Amount']['Currency']} {one['CreditDebitIndicator']}"
            for one in balances
            if one["AccountId"] == account["AccountId"]
        ]
        print(account["AccountId"], account["Nickname"], amounts[0])


class Bank:
    """A world, with the connection of a TPP."""

    def __init__(self, world: dict) -> None:
        self.world = world
        self.tls = ssl.create_default_context(cadata=world["caPem"])

    def use_certificate(self, transport: dict) -> None:
        # the ssl module reads keys from files only
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "transport.pem")
            with open(path, "w", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
                file.write(transport["privateKeyPem"] + transport["certificatePem"])
            self.tls.load_cert_chain(path)

    def send(self, method: str, url: str, headers: dict, body: bytes | None = None) -> dict:
        request = urllib.request.Request(url, body, headers, method=method)
        context = self.tls if url.startswith("https:") else None
        try:
            with urllib.request.urlopen(request, context=context) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {url} was answered with {error.code}: {error.read().decode()}")

    def sandbox(self, path: str, body: dict) -> dict:
        url = f"{self.world['publicUrl']}/sandbox/v1{path}"
        return self.send("POST", url, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def form(self, path: str, fields: dict) -> dict:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        body = urllib.parse.urlencode(fields).encode()
        return self.send("POST", self.world["mtlsUrl"] + path, headers, body)

    def token(self, tpp: dict, **fields: str) -> str:
        return self.form("/token", {"client_id": tpp["clientId"], **fields})["access_token"]

    def call(self, method: str, path: str, token: str, body: dict | None = None) -> dict:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        url = f"{self.world['mtlsUrl']}/api/open-banking/v4.0/aisp{path}"
        return self.send(method, url, headers, None if body is None else json.dumps(body).encode())


main()
