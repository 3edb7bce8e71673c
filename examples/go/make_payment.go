// Makes a signed payment, as a TPP with mutual TLS (FAPI 1.0 Advanced). Standard library only.
//
//	./aldgate worlds open --json | go run examples/go/make_payment.go
package main

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const customer = "amara"

// What `./aldgate worlds open --json` prints, as far as this program needs it.
type world struct {
	PublicURL string `json:"publicUrl"`
	MtlsURL   string `json:"mtlsUrl"`
	Issuer    string `json:"issuer"`
	CaPem     string `json:"caPem"`
	Tpps      []tpp  `json:"tpps"`
	Error     struct {
		Message string `json:"message"`
	} `json:"error"`
}

type tpp struct {
	ClientID       string   `json:"clientId"`
	OrganisationID string   `json:"organisationId"`
	SoftwareID     string   `json:"softwareId"`
	RedirectUris   []string `json:"redirectUris"`
	Signing        struct {
		Kid           string `json:"kid"`
		PrivateKeyPem string `json:"privateKeyPem"`
	} `json:"signing"`
	Transport struct {
		PrivateKeyPem  string `json:"privateKeyPem"`
		CertificatePem string `json:"certificatePem"`
	} `json:"transport"`
}

type object map[string]any

func main() {
	log.SetFlags(0)
	var bank world
	must(json.NewDecoder(os.Stdin).Decode(&bank))
	if bank.Error.Message != "" {
		log.Fatal(bank.Error.Message)
	}
	me := client{world: bank, tpp: bank.Tpps[0]}
	me.open()

	// the consent
	initiation := object{
		"InstructionIdentification": "basket-7",
		"EndToEndIdentification":    "order-1234",
		"InstructedAmount":          object{"Amount": "12.50", "Currency": "GBP"},
		"CreditorAccount": object{
			"SchemeName":     "UK.OBIE.SortCodeAccountNumber",
			"Identification": "20001512345678",
			"Name":           "The Corner Shop Limited",
		},
	}
	token := me.token(url.Values{"grant_type": {"client_credentials"}, "scope": {"payments"}})
	consent := me.post("/domestic-payment-consents", token, object{
		"Data": object{"Initiation": initiation},
		"Risk": object{},
	})
	consentID := consent["ConsentId"].(string)

	// the customer's approval
	redirectURI := me.tpp.RedirectUris[0]
	cameBack := me.approve(me.authorizationURL(consentID, redirectURI))
	access := me.token(url.Values{
		"grant_type":   {"authorization_code"},
		"code":         {cameBack.Get("code")},
		"redirect_uri": {redirectURI},
	})

	// the payment
	order := me.post("/domestic-payments", access, object{
		"Data": object{"ConsentId": consentID, "Initiation": initiation},
		"Risk": object{},
	})
	id := order["DomesticPaymentId"].(string)
	token = me.token(url.Values{"grant_type": {"client_credentials"}, "scope": {"payments"}})
	for !isFinal(order["Status"].(string)) {
		time.Sleep(200 * time.Millisecond)
		order = me.get("/domestic-payments/"+id, token)
	}
	fmt.Println(id, order["Status"])
}

func isFinal(status string) bool {
	return status == "ACCC" || status == "ACWP" || status == "RJCT"
}

// A TPP of a world, with its connection and its signing key.
type client struct {
	world
	tpp  tpp
	http *http.Client
	key  *rsa.PrivateKey
}

func (c *client) open() {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(c.CaPem))
	transport := c.tpp.Transport
	certificate, err := tls.X509KeyPair(
		[]byte(transport.CertificatePem), []byte(transport.PrivateKeyPem))
	must(err)
	c.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs:      roots,
		Certificates: []tls.Certificate{certificate},
	}}}
	block, _ := pem.Decode([]byte(c.tpp.Signing.PrivateKeyPem))
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	must(err)
	c.key = key.(*rsa.PrivateKey)
}

func (c *client) token(form url.Values) string {
	form.Set("client_id", c.tpp.ClientID) // the certificate authenticates the ready TPP
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	return c.send("POST", c.MtlsURL+"/token", header, []byte(form.Encode()))["access_token"].(string)
}

func (c *client) authorizationURL(consentID string, redirectURI string) string {
	intent := object{"openbanking_intent_id": object{"value": consentID, "essential": true}}
	now := time.Now().Unix()
	parameters := url.Values{
		"client_id":     {c.tpp.ClientID},
		"response_type": {"code id_token"},
		"scope":         {"openid payments"},
		"redirect_uri":  {redirectURI},
	}
	request := object{
		"iss": c.tpp.ClientID, "aud": c.Issuer, "nbf": now - 5, "iat": now, "exp": now + 300,
		"state": random(), "nonce": random(),
		"claims": object{"id_token": intent},
	}
	for name := range parameters {
		request[name] = parameters.Get(name)
	}
	header := object{"alg": "PS256", "kid": c.tpp.Signing.Kid, "typ": "JWT"}
	protected, payload := encoded(header), encoded(request)
	parameters.Set("request", protected+"."+payload+"."+c.sign(protected+"."+payload))
	return c.Issuer + "/auth?" + parameters.Encode()
}

// The sandbox plays the customer; otherwise you redirect the customer's browser to the URL.
func (c *client) approve(authorizationURL string) url.Values {
	body, _ := json.Marshal(object{
		"authorizationUrl": authorizationURL, "customer": customer, "decision": "approve",
	})
	header := http.Header{"Content-Type": {"application/json"}}
	answer := c.send("POST", c.PublicURL+"/sandbox/v1/authorisations", header, body)
	cameBack, err := url.Parse(answer["redirectUrl"].(string))
	must(err)
	fragment, err := url.ParseQuery(cameBack.Fragment)
	must(err)
	return fragment
}

const api = "/api/open-banking/v4.0/pisp"

// Sends a signed request, and returns the data of the answer.
func (c *client) post(path string, token string, body object) object {
	text, err := json.Marshal(body)
	must(err)
	const claim = "http://openbanking.org.uk/"
	protected := encoded(object{
		"alg":         "PS256",
		"kid":         c.tpp.Signing.Kid,
		claim + "iat": time.Now().Unix(),
		claim + "iss": c.tpp.OrganisationID + "/" + c.tpp.SoftwareID,
		claim + "tan": "openbanking.org.uk",
		"crit":        []string{claim + "iat", claim + "iss", claim + "tan"},
	})
	signature := c.sign(protected + "." + base64.RawURLEncoding.EncodeToString(text))
	header := http.Header{
		"Authorization":     {"Bearer " + token},
		"Content-Type":      {"application/json"},
		"X-Idempotency-Key": {random()},
		"X-Jws-Signature":   {protected + ".." + signature}, // of exactly the bytes that are sent
	}
	return dataOf(c.send("POST", c.MtlsURL+api+path, header, text))
}

func (c *client) get(path string, token string) object {
	header := http.Header{"Authorization": {"Bearer " + token}, "Accept": {"application/json"}}
	return dataOf(c.send("GET", c.MtlsURL+api+path, header, nil))
}

func dataOf(answer object) object { return answer["Data"].(map[string]any) }

func (c *client) send(method string, address string, header http.Header, body []byte) object {
	request, err := http.NewRequest(method, address, bytes.NewReader(body))
	must(err)
	request.Header = header
	response, err := c.http.Do(request)
	must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(err)
	if response.StatusCode >= 300 {
		log.Fatalf("%s %s was answered with %d: %s", method, address, response.StatusCode, text)
	}
	var answer object
	must(json.Unmarshal(text, &answer))
	return answer
}

func (c *client) sign(input string) string {
	digest := sha256.Sum256([]byte(input))
	options := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}
	signature, err := rsa.SignPSS(rand.Reader, c.key, crypto.SHA256, digest[:], options)
	must(err)
	return base64.RawURLEncoding.EncodeToString(signature)
}

func encoded(value object) string {
	text, err := json.Marshal(value)
	must(err)
	return base64.RawURLEncoding.EncodeToString(text)
}

func random() string { return strings.ToLower(rand.Text()) }

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
