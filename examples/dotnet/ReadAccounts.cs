// Reads a customer's accounts, as a TPP with mutual TLS (FAPI 2.0). Standard library only.
//
//     ./aldgate worlds open --json | dotnet run examples/dotnet/ReadAccounts.cs

#:property PublishAot=false

using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json.Nodes;

const string Customer = "amara";
const string RedirectUri = "https://tpp.example/callback";

var world = JsonNode.Parse(await Console.In.ReadToEndAsync())!;
if (world["error"] is JsonNode refusal)
{
    Console.Error.WriteLine(Text(refusal, "message"));
    Environment.Exit(1);
}
var bank = new Bank(world);
var tpp = await bank.Sandbox("/tpps", new JsonObject
{
    ["name"] = ".NET example",
    ["roles"] = new JsonArray("AISP"),
    ["redirectUris"] = new JsonArray(RedirectUri),
    ["profile"] = "fapi2",
    ["tokenEndpointAuthMethod"] = "tls_client_auth",
});
bank.UseCertificate(tpp["transport"]!);
var clientId = Text(tpp, "clientId");

// the consent
var token = await bank.Token(new()
{
    ["client_id"] = clientId,
    ["grant_type"] = "client_credentials",
    ["scope"] = "accounts",
});
var consent = await bank.Call(HttpMethod.Post, "/account-access-consents", token, new JsonObject
{
    ["Data"] = new JsonObject { ["Permissions"] = new JsonArray("ReadAccountsDetail", "ReadBalances") },
    ["Risk"] = new JsonObject(),
});

// the customer's approval: a pushed request, and the customer in a browser
var verifier = Base64Url(RandomNumberGenerator.GetBytes(48));
var intent = new JsonObject { ["value"] = Text(consent["Data"]!, "ConsentId"), ["essential"] = true };
var claims = new JsonObject { ["id_token"] = new JsonObject { ["openbanking_intent_id"] = intent } };
var pushed = await bank.Form("/request", new()
{
    ["client_id"] = clientId,
    ["response_type"] = "code",
    ["redirect_uri"] = RedirectUri,
    ["scope"] = "openid accounts",
    ["state"] = Base64Url(RandomNumberGenerator.GetBytes(32)),
    ["nonce"] = Base64Url(RandomNumberGenerator.GetBytes(32)),
    ["code_challenge"] = Base64Url(SHA256.HashData(Encoding.ASCII.GetBytes(verifier))),
    ["code_challenge_method"] = "S256",
    ["claims"] = claims.ToJsonString(),
});
// the sandbox plays the customer; otherwise you redirect the customer's browser to this URL
var requestUri = Uri.EscapeDataString(Text(pushed, "request_uri"));
var cameBack = await bank.Sandbox("/authorisations", new JsonObject
{
    ["authorizationUrl"] =
        $"{bank.Issuer}/auth?client_id={Uri.EscapeDataString(clientId)}&request_uri={requestUri}",
    ["customer"] = Customer,
    ["decision"] = "approve",
});
var query = new Uri(Text(cameBack, "redirectUrl")).Query.TrimStart('?').Split('&');
var code = Uri.UnescapeDataString(query.Single(one => one.StartsWith("code="))["code=".Length..]);

// the accounts
var access = await bank.Token(new()
{
    ["client_id"] = clientId,
    ["grant_type"] = "authorization_code",
    ["code"] = code,
    ["redirect_uri"] = RedirectUri,
    ["code_verifier"] = verifier,
});
var accounts = (await bank.Call(HttpMethod.Get, "/accounts", access))["Data"]!["Account"]!.AsArray();
var balances = (await bank.Call(HttpMethod.Get, "/balances", access))["Data"]!["Balance"]!.AsArray();
foreach (var account in accounts)
{
    var id = Text(account!, "AccountId");
    var balance = balances.First(one => Text(one!, "AccountId") == id)!;
    var amount = balance["Amount"]!;
    Console.WriteLine(
        $"{id} {Text(account!, "Nickname")} {Text(amount, "Amount")} {Text(amount, "Currency")} "
            + Text(balance, "CreditDebitIndicator"));
}

static string Text(JsonNode node, string name) => node[name]!.GetValue<string>();

static string Base64Url(byte[] bytes) =>
    Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');

/// <summary>A world, with the connection of a TPP.</summary>
sealed class Bank
{
    private readonly string publicUrl;
    private readonly string mtlsUrl;
    private readonly X509Certificate2 root;
    private HttpClient client;

    public string Issuer { get; }

    public Bank(JsonNode world)
    {
        Issuer = world["issuer"]!.GetValue<string>();
        publicUrl = world["publicUrl"]!.GetValue<string>();
        mtlsUrl = world["mtlsUrl"]!.GetValue<string>();
        root = X509Certificate2.CreateFromPem(world["caPem"]!.GetValue<string>());
        client = Connect(null);
    }

    public void UseCertificate(JsonNode transport)
    {
        using var made = X509Certificate2.CreateFromPem(
            transport["certificatePem"]!.GetValue<string>(),
            transport["privateKeyPem"]!.GetValue<string>());
        // Windows wants a key that it has loaded itself
        var file = made.Export(X509ContentType.Pkcs12);
        client = Connect(X509CertificateLoader.LoadPkcs12(file, null));
    }

    private HttpClient Connect(X509Certificate2? own)
    {
        var handler = new SocketsHttpHandler();
        handler.SslOptions.CertificateChainPolicy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            CustomTrustStore = { root },
            RevocationMode = X509RevocationMode.NoCheck,
        };
        if (own is not null) handler.SslOptions.ClientCertificates = new() { own };
        return new HttpClient(handler);
    }

    private async Task<JsonNode> Send(HttpRequestMessage request)
    {
        using var answer = await client.SendAsync(request);
        var text = await answer.Content.ReadAsStringAsync();
        if (answer.IsSuccessStatusCode) return JsonNode.Parse(text)!;
        throw new HttpRequestException(
            $"{request.Method} {request.RequestUri} was answered with {(int)answer.StatusCode}: {text}");
    }

    private static StringContent Json(JsonNode body)
    {
        var content = new StringContent(body.ToJsonString(), Encoding.UTF8);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        return content;
    }

    public Task<JsonNode> Sandbox(string path, JsonObject body) =>
        Send(new(HttpMethod.Post, $"{publicUrl}/sandbox/v1{path}") { Content = Json(body) });

    public Task<JsonNode> Form(string path, Dictionary<string, string> fields) =>
        Send(new(HttpMethod.Post, mtlsUrl + path) { Content = new FormUrlEncodedContent(fields) });

    public async Task<string> Token(Dictionary<string, string> fields) =>
        (await Form("/token", fields))["access_token"]!.GetValue<string>();

    public Task<JsonNode> Call(HttpMethod method, string path, string token, JsonObject? body = null)
    {
        var request = new HttpRequestMessage(method, $"{mtlsUrl}/api/open-banking/v4.0/aisp{path}");
        request.Headers.Authorization = new("Bearer", token);
        request.Headers.Accept.Add(new("application/json"));
        if (body is not null) request.Content = Json(body);
        return Send(request);
    }
}
