"""A bank's core for Aldgate, in one file. It needs Python 3.9 or later, and no packages.

python3 examples/banks/bank.py 9090 bank.db
ALDGATE_DATA=./data-python ./aldgate start --bank http://127.0.0.1:9090
"""

import hashlib
import hmac
import json
import re
import secrets
import sqlite3
import sys
import threading
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ABOUT = {
    "contract": 1,
    "name": "Sample bank in Python",
    "parts": ["account-access", "balances", "transactions", "domestic-payment"],
    "operations": ["readChanges", "listTestCustomers", "readTestCode"],
}

# Replace what follows by your own customers and accounts.
SORT_CODE = "001900"  # no real sort code begins with 00
OPENED = "2026-01-05T09:00:00Z"
TEST_CODE = "123456"
TEST_PASSWORDS = {"nia": "nia's password", "tom": "tom's password"}
CUSTOMERS = {
    "cus-nia": {"customerId": "cus-nia", "login": "nia", "name": "Nia Hughes"},
    "cus-tom": {"customerId": "cus-tom", "login": "tom", "name": "Tom Byrne"},
}
HOLDERS = {
    "acc-nia": ["cus-nia"],
    "acc-joint": ["cus-nia", "cus-tom"],
    "acc-blocked": ["cus-nia"],
    "acc-tom": ["cus-tom"],
}


ACCOUNTS = {
    account_id: {
        "accountId": account_id,
        "accountType": "Personal",
        "accountSubType": "CurrentAccount",
        "currency": "GBP",
        "nickname": None,
        "holderName": holder_name,
        "sortCodeAccountNumber": SORT_CODE + number,
        "iban": None,
        "maskedPan": None,
        "signatoriesRequired": 1,
        "status": status,
    }
    for account_id, number, status, holder_name in [
        ("acc-nia", "10000001", "Enabled", "Nia Hughes"),
        ("acc-joint", "10000002", "Enabled", "Nia Hughes and Tom Byrne"),
        ("acc-blocked", "10000003", "Disabled", "Nia Hughes"),
        ("acc-tom", "10000004", "Enabled", "Tom Byrne"),
    ]
}
OPENING_PENCE = {"acc-nia": 100_000, "acc-joint": 25_000, "acc-blocked": 5_000, "acc-tom": 50_000}

REASONS = {  # of ISO 20022
    "AC01": "IncorrectAccountNumber",
    "AC02": "InvalidDebtorAccountNumber",
    "AC03": "InvalidCreditorAccountNumber",
    "AC06": "BlockedAccount",
    "AG01": "TransactionForbidden",
    "AM03": "NotAllowedCurrency",
    "AM04": "InsufficientFunds",
    "MS03": "NotSpecifiedReasonAgentGenerated",
}

# A payment is never deleted, because its id must be recognised for ever. Balances are sums of
# entries, so no balance can differ from its entries.
SCHEMA = """
CREATE TABLE IF NOT EXISTS payment (
    id TEXT PRIMARY KEY, debtor TEXT, payee TEXT, pence INTEGER, charge INTEGER,
    reference TEXT, state TEXT NOT NULL, reason TEXT
);
CREATE TABLE IF NOT EXISTS entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, pence INTEGER NOT NULL,
    at TEXT NOT NULL, text TEXT NOT NULL, payment TEXT
);
CREATE INDEX IF NOT EXISTS entries_of_account ON entry (account);
CREATE INDEX IF NOT EXISTS reserved_payments ON payment (debtor) WHERE state = 'reserved';
"""


class Wrong(Exception):
    """A request that does not fit the contract. The text has no customer's data."""


def now():
    return datetime.now(timezone.utc)


def iso(time):
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def member(given, name, kind):
    value = given.get(name) if isinstance(given, dict) else None
    if not isinstance(value, kind):
        raise Wrong(f"{name} is missing or has the wrong type")
    return value


def pence_of(money):
    """Returns an amount in pence, or None if it is in another currency."""
    amount, currency = member(money, "amount", str), member(money, "currency", str)
    if currency != "GBP":
        return None
    if not re.fullmatch(r"[0-9]{1,13}([.][0-9]{1,2})?", amount):
        raise Wrong("amount must be a decimal such as 12.34")
    return int(Decimal(amount) * 100)


def texts(values):
    if not all(isinstance(one, str) for one in values):
        raise Wrong("the list must have texts only")
    return values


# Customers: login, password and second factor


def hash_of(login, password):
    return hashlib.scrypt(password.encode(), salt=login.encode(), n=2**14, r=8, p=1)


HASHES = {login: hash_of(login, password) for login, password in TEST_PASSWORDS.items()}
CHALLENGES = {}  # by id: until when, and how many codes may still be tried


def authenticate(login, password):
    # an unknown login takes the same time as a wrong password
    is_right = hmac.compare_digest(hash_of(login, password), HASHES.get(login, b""))
    found = [one for one in CUSTOMERS.values() if is_right and one["login"] == login]
    return {"customer": found[0] if found else None}


def load_customer(customer_id):
    return {"customer": CUSTOMERS.get(customer_id)}


def challenge(customer_id, subject):
    if customer_id not in CUSTOMERS:
        raise Wrong("there is no such customer")
    # A real core sends a code here, with the amount and the payee of the subject.
    for expired in [key for key, (until, _) in CHALLENGES.items() if until < now()]:
        del CHALLENGES[expired]
    challenge_id, until = secrets.token_urlsafe(16), now() + timedelta(minutes=5)
    CHALLENGES[challenge_id] = (until, 3)
    return {"challengeId": challenge_id, "method": "code", "expiresAt": iso(until)}


def verify(challenge_id, code):
    until, tries = CHALLENGES.pop(challenge_id, (now(), 0))
    if tries == 0 or until <= now():
        return {"isRight": False}
    is_right = hmac.compare_digest(code.encode(), TEST_CODE.encode())
    if not is_right:
        CHALLENGES[challenge_id] = (until, tries - 1)
    return {"isRight": is_right}


def list_test_customers():
    return {
        "customers": [
            {**one, "password": TEST_PASSWORDS[one["login"]], "description": "A test customer"}
            for one in CUSTOMERS.values()
        ]
    }


def read_test_code(challenge_id):
    return {"code": TEST_CODE if challenge_id in CHALLENGES else None}


# Accounts and balances


def funds_of(account_id):
    (booked,) = DB.execute(
        "SELECT coalesce(sum(pence), 0) FROM entry WHERE account = ?", (account_id,)
    ).fetchone()
    (held,) = DB.execute(
        "SELECT coalesce(sum(pence + charge), 0) FROM payment"
        " WHERE debtor = ? AND state = 'reserved'",
        (account_id,),
    ).fetchone()
    return booked, booked - held


def load_account(account_id):
    return {"account": ACCOUNTS.get(account_id)}


def list_accounts(customer_id, wanted):
    found = [ACCOUNTS[key] for key, holders in HOLDERS.items() if customer_id in holders]
    if wanted and wanted.get("funds"):
        found = [{**one, "funds": funds_json(one["accountId"])} for one in found]
    return {"accounts": found}


def find_account(scheme_name, identification, secondary):
    return {"account": numbered(scheme_name, identification)}


def numbered(scheme_name, number):
    if scheme_name != "UK.OBIE.SortCodeAccountNumber":
        return None
    found = [one for one in ACCOUNTS.values() if one["sortCodeAccountNumber"] == number]
    return found[0] if found else None


def funds_json(account_id):
    booked, available = funds_of(account_id)
    decimals = [f"{Decimal(pence) / 100:.2f}" for pence in (booked, available)]
    return {"booked": decimals[0], "available": decimals[1], "currency": "GBP"}


def load_funds(account_ids):
    known = [one for one in texts(account_ids) if one in ACCOUNTS]
    return {"accounts": [{"accountId": one, "funds": funds_json(one)} for one in known]}


def confirm_funds(account_id, amount):
    pence = pence_of(amount)
    is_open = ACCOUNTS.get(account_id, {}).get("status") == "Enabled"
    is_covered = is_open and pence is not None and funds_of(account_id)[1] >= pence
    return {"isCovered": is_covered}


# Payments: each is made at most once, whatever arrives how often


def outcome_of(payment_id):
    row = DB.execute("SELECT state, reason FROM payment WHERE id = ?", (payment_id,)).fetchone()
    state, reason = row or ("unknown", None)
    outcome = {"paymentId": payment_id, "state": state}
    if state == "refused":
        outcome["reason"] = {"code": reason, "text": REASONS[reason]}
    if state == "settled":
        outcome["posted"] = True
    return outcome


def reserve(payments):
    for given in payments:
        payment_id = member(given, "paymentId", str)
        debtor = member(given, "debtorAccountId", str)
        pence = pence_of(member(given, "amount", dict))
        charge = pence_of(given["charge"]) if given.get("charge") else 0
        creditor = member(given, "creditor", dict)
        number = member(creditor, "identification", str)
        payee = numbered(member(creditor, "schemeName", str), number)
        reference = member(given, "reference", (str, type(None)))
        if outcome_of(payment_id)["state"] != "unknown":
            continue
        reason = refusal_of(debtor, pence, charge, payee, number)
        if given.get("international"):
            reason = "AG01"
        payee_id, state = payee and payee["accountId"], "refused" if reason else "reserved"
        DB.execute(
            "INSERT INTO payment VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (payment_id, debtor, payee_id, pence or 0, charge or 0, reference or "", state, reason),
        )
    return {"outcomes": [outcome_of(one["paymentId"]) for one in payments]}


def refusal_of(debtor, pence, charge, payee, number):
    """Returns why a payment cannot be made, or None."""
    if debtor not in ACCOUNTS:
        return "AC02"
    if ACCOUNTS[debtor]["status"] != "Enabled":
        return "AC06"
    if pence is None or charge is None:
        return "AM03"
    if payee and payee["accountId"] == debtor:
        return "AC03"
    if payee is None and number.startswith(SORT_CODE):
        return "AC01"
    return "AM04" if funds_of(debtor)[1] < pence + charge else None


def execute(payments):
    ids = [member(one, "paymentId", str) for one in payments]
    for payment_id in ids:
        is_new = DB.execute(
            "UPDATE payment SET state = 'settled' WHERE id = ? AND state = 'reserved'",
            (payment_id,),
        ).rowcount
        if not is_new:
            continue
        debtor, payee, pence, charge, reference = DB.execute(
            "SELECT debtor, payee, pence, charge, reference FROM payment WHERE id = ?",
            (payment_id,),
        ).fetchone()
        book(debtor, -pence - charge, reference, payment_id)
        if payee:
            book(payee, pence, reference, payment_id)
        # A real core sends other payments to the payment scheme here, and answers `pending`.
    return {"outcomes": [outcome_of(one) for one in ids]}


def book(account_id, pence, text, payment_id, at=None):
    DB.execute(
        "INSERT INTO entry (account, pence, at, text, payment) VALUES (?, ?, ?, ?, ?)",
        (account_id, pence, at or iso(now()), text, payment_id),
    )


def ask(payment_ids):
    return {"outcomes": [outcome_of(one) for one in texts(payment_ids)]}


def release(payment_ids):
    for payment_id in texts(payment_ids):
        DB.execute(
            "UPDATE payment SET state = 'refused', reason = 'MS03'"
            " WHERE id = ? AND state = 'reserved'",
            (payment_id,),
        )
    return {}


def price(payment):
    return {"price": None}  # this bank pays in pounds only


# Account data: the cursor is the number of the last entry that was sent


def read_changes(after, limit):
    (newest,) = DB.execute("SELECT coalesce(max(seq), 0) FROM entry").fetchone()
    if not re.fullmatch(r"[0-9]{1,15}", after or "0") or int(after or 0) > newest:
        raise Wrong("after is not a cursor of this core")
    if not re.fullmatch(r"[1-9][0-9]{0,5}", limit):
        raise Wrong("limit must be a number")
    start = int(after or 0)
    entries = DB.execute(
        "SELECT seq, account, pence, at, text, payment FROM entry"
        " WHERE seq > ? ORDER BY seq LIMIT ?",
        (start, int(limit)),
    ).fetchall()
    end = entries[-1][0] if entries else start
    balances = DB.execute(
        "SELECT account, sum(pence), max(seq), max(at) FROM entry"
        " GROUP BY account HAVING max(seq) > ? AND max(seq) <= ?",
        (start, end),
    ).fetchall()
    position = {"cursor": str(end)}
    if end == newest:
        position["deliveredUpTo"] = iso(now())
    return {
        **(first_facts() if after is None else {}),
        "transactions": [transaction(*one) for one in entries],
        "balances": [balance(*one) for one in balances],
        "position": position,
    }


def first_facts():
    opened = {"version": 1, "openedOn": OPENED[:10], "statusUpdatedAt": OPENED}
    clusters = ["account", "balances", "transactions"]
    return {
        "accounts": [
            {**one, **opened, "isSwitched": False, "statementDeliveries": []}
            for one in ACCOUNTS.values()
        ],
        "holders": [
            {
                "version": 1,
                "accountId": account_id,
                "customerId": customer_id,
                "role": "owner" if len(holders) == 1 else "joint",
            }
            for account_id, holders in HOLDERS.items()
            for customer_id in holders
        ],
        "delivered": [
            {"accountId": one, "cluster": cluster, "asOf": OPENED}
            for one in ACCOUNTS
            for cluster in clusters
        ],
    }


def transaction(seq, account_id, pence, at, text, payment_id):
    return {
        "version": seq,
        "accountId": account_id,
        "transactionId": f"entry-{seq}",
        "indicator": "Debit" if pence < 0 else "Credit",
        "status": "Booked",
        "bookedAt": at,
        "amount": {"amountMinor": abs(pence), "currency": "GBP"},
        "information": text,
        "bookingId": payment_id,
    }


def balance(account_id, pence, seq, at):
    return {
        "version": seq,
        "accountId": account_id,
        "currency": "GBP",
        "statedAt": at,
        "balances": [{"type": "InterimBooked", "amountMinor": pence}],
    }


# HTTP: each operation has a path and its arguments in the order of the contract

TEXT_OR_NULL = (str, type(None))
OPERATIONS = {
    "/customers/authenticate": (authenticate, {"login": str, "password": str}),
    "/customers/read": (load_customer, {"customerId": str}),
    "/customers/accounts": (list_accounts, {"customerId": str, "wanted": (dict, type(None))}),
    "/challenges/start": (challenge, {"customerId": str, "subject": dict}),
    "/challenges/verify": (verify, {"challengeId": str, "code": str}),
    "/accounts/read": (load_account, {"accountId": str}),
    "/accounts/find": (
        find_account,
        {"schemeName": str, "identification": str, "secondaryIdentification": TEXT_OR_NULL},
    ),
    "/accounts/funds": (load_funds, {"accountIds": list}),
    "/accounts/confirm-funds": (confirm_funds, {"accountId": str, "amount": dict}),
    "/payments/price": (price, {"payment": dict}),
    "/payments/reserve": (reserve, {"payments": list}),
    "/payments/execute": (execute, {"payments": list}),
    "/payments/ask": (ask, {"paymentIds": list}),
    "/payments/release": (release, {"paymentIds": list}),
    "/test/customers": (list_test_customers, {}),
    "/test/code": (read_test_code, {"challengeId": str}),
}
MOST_BYTES = 16 * 1024 * 1024


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60  # seconds without a request

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/about":
            self.answer(lambda: ABOUT)
        elif url.path == "/changes":
            self.answer(lambda: read_changes(query.get("after"), query.get("limit", "500")))
        else:
            self.problem(404, "retry", "there is no such operation")

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,8}", length) or int(length) > MOST_BYTES:
            self.close_connection = True
            self.problem(413, "refused", "the body is too large, or has no Content-Length")
            return
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return  # the connection was lost, and nothing is done
        if self.path not in OPERATIONS:
            self.problem(404, "retry", "there is no such operation")
            return
        function, arguments = OPERATIONS[self.path]
        self.answer(lambda: function(*read_arguments(body, arguments)))

    def answer(self, function):
        try:
            if self.headers.get("Aldgate-Contract") != "1":
                raise Wrong("the header Aldgate-Contract must be 1")
            with LOCK, DB:  # one transaction: all of it is stored, or nothing
                answer = function()
        except (Wrong, UnicodeError) as wrong:  # a lone surrogate is no text
            self.problem(400, "refused", str(wrong) if isinstance(wrong, Wrong) else "no text")
        except Exception as error:  # its text may contain a customer's data
            print(f"{self.path} failed: {type(error).__name__}", file=sys.stderr, flush=True)
            self.problem(500, "unknown", "the core failed")
        else:
            self.send(200, "application/json", answer)

    def problem(self, status, outcome, title):
        problem = {"title": title, "status": status, "outcome": outcome}
        self.send(status, "application/problem+json", problem)

    def send(self, status, content_type, body):
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        try:
            self.wfile.write(sent)
        except OSError:
            self.close_connection = True  # Aldgate has gone, and asks later

    def log_message(self, *_):
        pass  # a log of requests is the gateway's


def read_arguments(body, arguments):
    try:
        given = json.loads(body)
    except ValueError:
        raise Wrong("the body is not JSON") from None
    return [member(given, name, kind) for name, kind in arguments.items()]


def open_database(path):
    db = sqlite3.connect(path, check_same_thread=False)
    db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + SCHEMA)
    return db


if __name__ == "__main__":
    LOCK = threading.Lock()
    DB = open_database(sys.argv[2])
    with DB:
        if DB.execute("SELECT count(*) FROM entry").fetchone() == (0,):
            for opened_account, opening_pence in OPENING_PENCE.items():
                book(opened_account, opening_pence, "Opening deposit", None, at=OPENED)
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"Open at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
