// A bank's core for Aldgate, in one file. It needs Go 1.24 or later on Linux or macOS, and no
// packages.
//
// go run examples/banks/bank.go 9090 bank.log
// ALDGATE_DATA=./data-go ./aldgate start --bank http://127.0.0.1:9090
package main

import (
	"bytes"
	"cmp"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type object = map[string]any

var about = object{
	"contract":   1,
	"name":       "Sample bank in Go",
	"parts":      []string{"account-access", "balances", "transactions", "domestic-payment"},
	"operations": []string{"readChanges", "listTestCustomers", "readTestCode"},
}

// Replace what follows by your own customers and accounts.
const (
	sortCode = "001900" // no real sort code begins with 00
	opened   = "2026-01-05T09:00:00Z"
	testCode = "123456"
)

type customer struct {
	CustomerID string `json:"customerId"`
	Login      string `json:"login"`
	Name       string `json:"name"`
	password   string
}

var customers = []customer{
	{"cus-nia", "nia", "Nia Hughes", "nia's password"},
	{"cus-tom", "tom", "Tom Byrne", "tom's password"},
}

type account struct {
	id, number, status, holderName string
	opening                        int64
	holders                        []string
}

var accounts = []account{
	{"acc-nia", "10000001", "Enabled", "Nia Hughes", 100_000, []string{"cus-nia"}},
	{"acc-joint", "10000002", "Enabled", "Nia Hughes and Tom Byrne", 25_000, []string{"cus-nia", "cus-tom"}},
	{"acc-blocked", "10000003", "Disabled", "Nia Hughes", 5_000, []string{"cus-nia"}},
	{"acc-tom", "10000004", "Enabled", "Tom Byrne", 50_000, []string{"cus-tom"}},
}

// The reasons are of ISO 20022.
var reasons = map[string]string{
	"AC01": "IncorrectAccountNumber",
	"AC02": "InvalidDebtorAccountNumber",
	"AC03": "InvalidCreditorAccountNumber",
	"AC06": "BlockedAccount",
	"AG01": "TransactionForbidden",
	"AM03": "NotAllowedCurrency",
	"AM04": "InsufficientFunds",
	"MS03": "NotSpecifiedReasonAgentGenerated",
}

// wrong is a request that does not fit the contract. The text has no customer's data.
type wrong string

func (w wrong) Error() string { return string(w) }

// payment is a payment as it is now. Its state is reserved, settled or refused.
type payment struct {
	ID, Debtor, Payee        string
	Pence, Charge            int64
	Reference, State, Reason string
	At                       string
}

type entry struct {
	account      string
	pence        int64
	at, text, id string
}

type challenge struct {
	until time.Time
	tries int
}

// books are what the core knows. Each change of a payment is a line of the file, and is never
// deleted, because a payment's id must be recognised for ever. The rest follows from the lines.
type books struct {
	mutex        sync.Mutex
	file         *os.File
	unsaved      bytes.Buffer
	payments     map[string]payment
	entries      []entry
	booked, held map[string]int64
	newest       map[string]int
	challenges   map[string]challenge
}

func openBooks(path string) (*books, error) {
	b := &books{
		payments: map[string]payment{}, booked: map[string]int64{}, held: map[string]int64{},
		newest: map[string]int{}, challenges: map[string]challenge{},
	}
	for _, one := range accounts {
		b.book(one.id, one.opening, opened, "Opening deposit", "")
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	b.file = file
	// two cores would each know only their own payments; the lock ends with the process
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, fmt.Errorf("another core is using %s: %w", path, err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1] // a crash may have cut a line
	for line := range bytes.Lines(whole) {
		var next payment
		if err := json.Unmarshal(line, &next); err != nil {
			return nil, err
		}
		b.apply(next)
	}
	if err := file.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	_, err = file.Seek(0, io.SeekEnd)
	return b, err
}

func (b *books) change(next payment) {
	next.At = now()
	b.apply(next)
	line, _ := json.Marshal(next) // texts and numbers can always be written
	b.unsaved.Write(append(line, '\n'))
}

func (b *books) apply(next payment) {
	total := next.Pence + next.Charge
	if b.payments[next.ID].State == "reserved" {
		b.held[next.Debtor] -= total
	}
	b.payments[next.ID] = next
	switch next.State {
	case "reserved":
		b.held[next.Debtor] += total
	case "settled":
		b.book(next.Debtor, -total, next.At, next.Reference, next.ID)
		if next.Payee != "" {
			b.book(next.Payee, next.Pence, next.At, next.Reference, next.ID)
		}
	}
}

func (b *books) book(account string, pence int64, at, text, id string) {
	b.entries = append(b.entries, entry{account, pence, at, text, id})
	b.booked[account] += pence
	b.newest[account] = len(b.entries)
}

// save writes the changes to the disk, before they are answered.
func (b *books) save() {
	if b.unsaved.Len() == 0 {
		return
	}
	_, err := b.file.Write(b.unsaved.Bytes())
	if err := errors.Join(err, b.file.Sync()); err != nil {
		log.Fatal("the file cannot be written") // what is in memory is not on the disk
	}
	b.unsaved.Reset()
}

// Customers: login, password and second factor

func hashOf(login, password string) []byte {
	hash, err := pbkdf2.Key(sha256.New, password, []byte("aldgate "+login), 100_000, 32)
	if err != nil {
		log.Fatal(err) // the arguments are always right
	}
	return hash
}

var hashes = map[string][]byte{}

type loginRequest struct{ Login, Password *string }

func authenticate(given loginRequest) (any, error) {
	// an unknown login takes the same time as a wrong password
	hash := hashOf(*given.Login, *given.Password)
	if subtle.ConstantTimeCompare(hash, hashes[*given.Login]) == 0 {
		return object{"customer": nil}, nil
	}
	return oneCustomer(func(one customer) bool { return one.Login == *given.Login }), nil
}

func oneCustomer(isWanted func(customer) bool) object {
	if at := slices.IndexFunc(customers, isWanted); at >= 0 {
		return object{"customer": customers[at]}
	}
	return object{"customer": nil}
}

type customerRequest struct {
	CustomerID *string
	Wanted     struct{ Funds bool }
}

func (given customerRequest) isOf(one customer) bool { return one.CustomerID == *given.CustomerID }

func loadCustomer(given customerRequest) (any, error) { return oneCustomer(given.isOf), nil }

func (b *books) challenge(given customerRequest) (any, error) {
	if !slices.ContainsFunc(customers, given.isOf) {
		return nil, wrong("there is no such customer")
	}
	// A real core sends a code here, with the amount and the payee of the subject.
	for id, one := range b.challenges {
		if one.until.Before(time.Now()) {
			delete(b.challenges, id)
		}
	}
	id, until := rand.Text(), time.Now().UTC().Add(5*time.Minute)
	b.challenges[id] = challenge{until, 3}
	return object{"challengeId": id, "method": "code", "expiresAt": until}, nil
}

type codeRequest struct{ ChallengeID, Code *string }

func (b *books) verify(given codeRequest) (any, error) {
	found, isOpen := b.challenges[*given.ChallengeID]
	delete(b.challenges, *given.ChallengeID)
	if !isOpen || found.until.Before(time.Now()) {
		return object{"isRight": false}, nil
	}
	isRight := *given.Code == testCode
	if found.tries--; !isRight && found.tries > 0 {
		b.challenges[*given.ChallengeID] = found
	}
	return object{"isRight": isRight}, nil
}

func listTestCustomers(struct{}) (any, error) {
	found := []object{}
	for _, one := range customers {
		found = append(found, object{
			"customerId": one.CustomerID, "login": one.Login, "name": one.Name,
			"password": one.password, "description": "A test customer",
		})
	}
	return object{"customers": found}, nil
}

func (b *books) readTestCode(given struct{ ChallengeID *string }) (any, error) {
	if _, isOpen := b.challenges[*given.ChallengeID]; isOpen {
		return object{"code": testCode}, nil
	}
	return object{"code": nil}, nil
}

// Accounts and balances

func (a account) json() object {
	return object{
		"accountId":             a.id,
		"accountType":           "Personal",
		"accountSubType":        "CurrentAccount",
		"currency":              "GBP",
		"nickname":              nil,
		"holderName":            a.holderName,
		"sortCodeAccountNumber": sortCode + a.number,
		"iban":                  nil,
		"maskedPan":             nil,
		"signatoriesRequired":   1,
		"status":                a.status,
	}
}

func oneAccount(isWanted func(account) bool) *account {
	if at := slices.IndexFunc(accounts, isWanted); at >= 0 {
		return &accounts[at]
	}
	return nil
}

func accountWithID(id string) *account {
	return oneAccount(func(one account) bool { return one.id == id })
}

func numbered(scheme, number string) *account {
	return oneAccount(func(one account) bool {
		return scheme == "UK.OBIE.SortCodeAccountNumber" && number == sortCode+one.number
	})
}

func accountJSON(found *account) object {
	if found == nil {
		return object{"account": nil}
	}
	return object{"account": found.json()}
}

type accountRequest struct{ AccountID *string }

func loadAccount(given accountRequest) (any, error) {
	return accountJSON(accountWithID(*given.AccountID)), nil
}

type numberRequest struct{ SchemeName, Identification *string }

func findAccount(given numberRequest) (any, error) {
	return accountJSON(numbered(*given.SchemeName, *given.Identification)), nil
}

func (b *books) listAccounts(given customerRequest) (any, error) {
	found := []object{}
	for _, one := range accounts {
		if !slices.Contains(one.holders, *given.CustomerID) {
			continue
		}
		shown := one.json()
		if given.Wanted.Funds {
			shown["funds"] = b.funds(one.id)
		}
		found = append(found, shown)
	}
	return object{"accounts": found}, nil
}

func (b *books) available(id string) int64 { return b.booked[id] - b.held[id] }

func (b *books) funds(id string) object {
	booked, available := decimalOf(b.booked[id]), decimalOf(b.available(id))
	return object{"booked": booked, "available": available, "currency": "GBP"}
}

func (b *books) loadFunds(given struct{ AccountIDs []string }) (any, error) {
	found := []object{}
	for _, id := range given.AccountIDs {
		if accountWithID(id) != nil {
			found = append(found, object{"accountId": id, "funds": b.funds(id)})
		}
	}
	return object{"accounts": found}, nil
}

func (b *books) confirmFunds(given struct {
	AccountID *string
	Amount    *money
}) (any, error) {
	pence, isPounds, err := given.Amount.pence()
	found := accountWithID(*given.AccountID)
	isOpen := found != nil && found.status == "Enabled"
	return object{"isCovered": isOpen && isPounds && b.available(*given.AccountID) >= pence}, err
}

// Payments: each is made at most once, whatever arrives how often

type instruction struct {
	PaymentID, DebtorAccountID *string
	Amount                     *money
	Charge                     *money `is:"optional"`
	Creditor                   *numberRequest
	Reference                  string
	International              any
}

type money struct{ Amount, Currency *string }

var decimal = regexp.MustCompile(`^([0-9]{1,13})(?:[.]([0-9]{1,2}))?$`)

// pence returns an amount in pence, and false if it is in another currency.
func (m *money) pence() (int64, bool, error) {
	if m == nil {
		return 0, true, nil
	}
	if *m.Currency != "GBP" {
		return 0, false, nil
	}
	found := decimal.FindStringSubmatch(*m.Amount)
	if found == nil {
		return 0, false, wrong("amount must be a decimal such as 12.34")
	}
	pence, err := strconv.ParseInt(found[1]+(found[2] + "00")[:2], 10, 64)
	return pence, true, err
}

func decimalOf(pence int64) string {
	sign := ""
	if pence < 0 {
		sign, pence = "-", -pence
	}
	return fmt.Sprintf("%s%d.%02d", sign, pence/100, pence%100)
}

// read returns the payment of an instruction, with the reason why it can never be made.
func (i instruction) read() (payment, error) {
	pence, inPounds, err := i.Amount.pence()
	charge, chargedInPounds, chargeErr := i.Charge.pence()
	number := *i.Creditor.Identification
	made := payment{
		ID: *i.PaymentID, Debtor: *i.DebtorAccountID,
		Pence: pence, Charge: charge, Reference: i.Reference,
	}
	payee := numbered(*i.Creditor.SchemeName, number)
	if payee != nil {
		made.Payee = payee.id
	}
	switch {
	case !inPounds || !chargedInPounds:
		made.Reason = "AM03"
	case i.International != nil:
		made.Reason = "AG01"
	case payee == nil && strings.HasPrefix(number, sortCode):
		made.Reason = "AC01"
	}
	return made, cmp.Or(err, chargeErr)
}

type paymentsRequest struct{ Payments []instruction }

func (b *books) reserve(given paymentsRequest) (any, error) {
	// all are read before the first is stored, because a wrong one refuses the call
	asked, ids := []payment{}, []string{}
	for _, one := range given.Payments {
		read, err := one.read()
		if err != nil {
			return nil, err
		}
		asked, ids = append(asked, read), append(ids, read.ID)
	}
	for _, one := range asked {
		if _, isKnown := b.payments[one.ID]; isKnown {
			continue
		}
		one.State = "reserved"
		if one.Reason = b.refusalOf(one); one.Reason != "" {
			one.State = "refused"
		}
		b.change(one)
	}
	return b.outcomes(ids), nil
}

// refusalOf returns why a payment cannot be made, or an empty text.
func (b *books) refusalOf(one payment) string {
	debtor := accountWithID(one.Debtor)
	switch {
	case debtor == nil:
		return "AC02"
	case debtor.status != "Enabled":
		return "AC06"
	case one.Reason != "":
		return one.Reason
	case one.Payee == one.Debtor:
		return "AC03"
	case b.available(one.Debtor) < one.Pence+one.Charge:
		return "AM04"
	}
	return ""
}

func (b *books) execute(given struct {
	Payments []struct{ PaymentID *string }
}) (any, error) {
	ids := []string{}
	for _, one := range given.Payments {
		ids = append(ids, *one.PaymentID)
		// A real core sends payments to other banks to the payment scheme, and answers `pending`.
		b.end(*one.PaymentID, "settled", "")
	}
	return b.outcomes(ids), nil
}

// end ends a payment if its funds are reserved.
func (b *books) end(id, state, reason string) {
	if found := b.payments[id]; found.State == "reserved" {
		found.State, found.Reason = state, reason
		b.change(found)
	}
}

type idsRequest struct{ PaymentIDs []string }

func (b *books) ask(given idsRequest) (any, error) { return b.outcomes(given.PaymentIDs), nil }

func (b *books) release(given idsRequest) (any, error) {
	for _, id := range given.PaymentIDs {
		b.end(id, "refused", "MS03")
	}
	return object{}, nil
}

func (b *books) outcomes(ids []string) object {
	found := []object{}
	for _, id := range ids {
		one := b.payments[id]
		outcome := object{"paymentId": id, "state": cmp.Or(one.State, "unknown")}
		switch one.State {
		case "settled":
			outcome["posted"] = true
		case "refused":
			outcome["reason"] = object{"code": one.Reason, "text": reasons[one.Reason]}
		}
		found = append(found, outcome)
	}
	return object{"outcomes": found}
}

// this bank pays in pounds only
func price(struct{}) (any, error) { return object{"price": nil}, nil }

// Account data: the cursor is the number of the last entry that was sent

func (b *books) readChanges(after, limit string) (any, error) {
	start, err := strconv.ParseUint(cmp.Or(after, "0"), 10, 31)
	if err != nil || int(start) > len(b.entries) {
		return nil, wrong("after is not a cursor of this core")
	}
	most, err := strconv.ParseUint(cmp.Or(limit, "500"), 10, 31)
	if err != nil || most == 0 {
		return nil, wrong("limit must be a number")
	}
	end := min(int(start)+int(most), len(b.entries))
	position := object{"cursor": strconv.Itoa(end)}
	if end == len(b.entries) {
		position["deliveredUpTo"] = now()
	}
	changes := object{}
	if after == "" {
		changes = firstFacts()
	}
	transactions, balances := []object{}, []object{}
	for at, one := range b.entries[start:end] {
		version := int(start) + at + 1
		transactions = append(transactions, one.transaction(version))
		if b.newest[one.account] == version {
			balances = append(balances, one.balance(version, b.booked[one.account]))
		}
	}
	changes["transactions"], changes["balances"] = transactions, balances
	changes["position"] = position
	return changes, nil
}

func firstFacts() object {
	all, holders, delivered := []object{}, []object{}, []object{}
	for _, one := range accounts {
		fact := one.json()
		fact["version"], fact["isSwitched"], fact["statementDeliveries"] = 1, false, []string{}
		fact["openedOn"], fact["statusUpdatedAt"] = opened[:10], opened
		all = append(all, fact)
		role := "owner"
		if len(one.holders) > 1 {
			role = "joint"
		}
		for _, id := range one.holders {
			holders = append(holders, object{"version": 1, "accountId": one.id, "customerId": id, "role": role})
		}
		for _, cluster := range []string{"account", "balances", "transactions"} {
			delivered = append(delivered, object{"accountId": one.id, "cluster": cluster, "asOf": opened})
		}
	}
	return object{"accounts": all, "holders": holders, "delivered": delivered}
}

func (e entry) transaction(version int) object {
	indicator, pence := "Credit", e.pence
	if pence < 0 {
		indicator, pence = "Debit", -pence
	}
	return object{
		"version":       version,
		"accountId":     e.account,
		"transactionId": fmt.Sprintf("entry-%d", version),
		"indicator":     indicator,
		"status":        "Booked",
		"bookedAt":      e.at,
		"amount":        object{"amountMinor": pence, "currency": "GBP"},
		"information":   e.text,
		"bookingId":     e.id,
	}
}

func (e entry) balance(version int, pence int64) object {
	return object{
		"version":   version,
		"accountId": e.account,
		"currency":  "GBP",
		"statedAt":  e.at,
		"balances":  []object{{"type": "InterimBooked", "amountMinor": pence}},
	}
}

func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// HTTP: each operation has a path and a function of the body

const mostBytes = 16 << 20

// post serves an operation. Pointers and lists of its request must be there.
func post[Request any](b *books, path string, run func(Request) (any, error)) {
	serve(b, "POST "+path, func(request *http.Request) (any, error) {
		var given Request
		body, err := io.ReadAll(http.MaxBytesReader(nil, request.Body, mostBytes))
		if err != nil || json.Unmarshal(body, &given) != nil {
			return nil, wrong("the body is too large, is not JSON or has a member of the wrong type")
		}
		if name := missing(reflect.ValueOf(given)); name != "" {
			return nil, wrong(name + " is missing")
		}
		b.mutex.Lock()
		defer b.mutex.Unlock()
		defer b.save()
		return run(given)
	})
}

// missing returns the name of a member that must be there and is not.
func missing(value reflect.Value) string {
	switch value.Kind() {
	case reflect.Pointer:
		return missing(value.Elem())
	case reflect.Slice:
		for at := range value.Len() {
			if name := missing(value.Index(at)); name != "" {
				return name
			}
		}
	case reflect.Struct:
		for at := range value.NumField() {
			field, kind := value.Field(at), value.Field(at).Kind()
			isNil := (kind == reflect.Pointer || kind == reflect.Slice) && field.IsNil()
			if isNil && value.Type().Field(at).Tag.Get("is") == "optional" {
				continue
			}
			if isNil {
				return value.Type().Field(at).Name
			}
			if name := missing(field); name != "" {
				return name
			}
		}
	}
	return ""
}

func serve(b *books, pattern string, run func(*http.Request) (any, error)) {
	http.HandleFunc(pattern, func(writer http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Aldgate-Contract") != "1" {
			problem(writer, 400, "refused", "the header Aldgate-Contract must be 1")
			return
		}
		answer, err := run(request)
		var fault wrong
		switch {
		case errors.As(err, &fault):
			problem(writer, 400, "refused", fault.Error())
		case err != nil: // its text may contain a customer's data
			log.Printf("%s failed", pattern)
			problem(writer, 500, "unknown", "the core failed")
		default:
			send(writer, 200, "application/json", answer)
		}
	})
}

func problem(writer http.ResponseWriter, status int, outcome, title string) {
	body := object{"title": title, "status": status, "outcome": outcome}
	send(writer, status, "application/problem+json", body)
}

func send(writer http.ResponseWriter, status int, contentType string, body any) {
	writer.Header().Set("Content-Type", contentType)
	writer.WriteHeader(status)
	_ = json.NewEncoder(writer).Encode(body) // if Aldgate has gone, it asks later
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("name a port and a file: 9090 bank.log")
	}
	for _, one := range customers {
		hashes[one.Login] = hashOf(one.Login, one.password)
	}
	// a second core on the port ends here, before it touches the file
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	b, err := openBooks(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	serve(b, "GET /about", func(*http.Request) (any, error) { return about, nil })
	serve(b, "GET /changes", func(request *http.Request) (any, error) {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		query := request.URL.Query()
		return b.readChanges(query.Get("after"), query.Get("limit"))
	})
	post(b, "/customers/authenticate", authenticate)
	post(b, "/customers/read", loadCustomer)
	post(b, "/customers/accounts", b.listAccounts)
	post(b, "/challenges/start", b.challenge)
	post(b, "/challenges/verify", b.verify)
	post(b, "/accounts/read", loadAccount)
	post(b, "/accounts/find", findAccount)
	post(b, "/accounts/funds", b.loadFunds)
	post(b, "/accounts/confirm-funds", b.confirmFunds)
	post(b, "/payments/price", price)
	post(b, "/payments/reserve", b.reserve)
	post(b, "/payments/execute", b.execute)
	post(b, "/payments/ask", b.ask)
	post(b, "/payments/release", b.release)
	post(b, "/test/customers", listTestCustomers)
	post(b, "/test/code", b.readTestCode)
	http.HandleFunc("/", func(writer http.ResponseWriter, _ *http.Request) {
		problem(writer, 404, "retry", "there is no such operation")
	})
	fmt.Printf("Open at http://%s\n", listener.Addr())
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
