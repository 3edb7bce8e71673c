package aldgate;

import jakarta.ws.rs.core.MultivaluedMap;
import java.util.List;
import java.util.Map;
import org.keycloak.Config;
import org.keycloak.authentication.AuthenticationFlowContext;
import org.keycloak.authentication.Authenticator;
import org.keycloak.authentication.AuthenticatorFactory;
import org.keycloak.models.AuthenticationExecutionModel.Requirement;
import org.keycloak.models.ClientSessionContext;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.KeycloakSessionFactory;
import org.keycloak.models.RealmModel;
import org.keycloak.models.UserModel;
import org.keycloak.models.UserSessionModel;
import org.keycloak.protocol.oidc.rar.AuthorizationDetailsProcessor;
import org.keycloak.protocol.oidc.rar.AuthorizationDetailsProcessorFactory;
import org.keycloak.protocol.oidc.rar.InvalidAuthorizationDetailsException;
import org.keycloak.provider.ProviderConfigProperty;
import org.keycloak.representations.AuthorizationDetailsJSONRepresentation;
import org.keycloak.sessions.AuthenticationSessionModel;
import org.keycloak.util.AuthorizationDetailsParser;
import org.keycloak.util.JsonSerialization;

/**
 * Teaches Keycloak what Aldgate asks a customer to confirm: `Page` shows it on a page of the login,
 * and `Details` returns it to Aldgate if the customer has confirmed it there.
 */
public final class Approval {
  private static final String TYPE = "aldgate_approval";

  /** What the client session keeps: the hash of the subject that the customer has confirmed. */
  private static final String CONFIRMED = "aldgate_confirmed";

  private Approval() {}

  private static List<AuthorizationDetailsJSONRepresentation> read(String json) {
    try {
      var kind = AuthorizationDetailsJSONRepresentation[].class;
      return List.of(JsonSerialization.readValue(json, kind));
    } catch (java.io.IOException broken) {
      throw new InvalidAuthorizationDetailsException("authorization_details: " + broken);
    }
  }

  private static String hashOf(AuthorizationDetailsJSONRepresentation detail) {
    return String.valueOf(detail.getCustomData().get("subject_hash"));
  }

  /** A step of the login: the rows of the subject, with two buttons. */
  public static final class Page implements Authenticator, AuthenticatorFactory {
    @Override
    public void authenticate(AuthenticationFlowContext context) {
      String details = detailsOf(context.getAuthenticationSession());
      if (details == null) {
        context.success(); // a login to the bank's own pages confirms nothing
        return;
      }
      var shown = read(details).get(0).getCustomData();
      context.challenge(
          context
              .form()
              .setAttribute("clientName", shown.get("client_name"))
              .setAttribute("shown", shown.get("shown"))
              .createForm("aldgate-approval.ftl"));
    }

    @Override
    public void action(AuthenticationFlowContext context) {
      MultivaluedMap<String, String> form = context.getHttpRequest().getDecodedFormParameters();
      if (!form.containsKey("confirm")) {
        context.cancelLogin(); // Aldgate gets access_denied
        return;
      }
      AuthenticationSessionModel session = context.getAuthenticationSession();
      session.setClientNote(CONFIRMED, hashOf(read(detailsOf(session)).get(0)));
      context.success();
    }

    private static String detailsOf(AuthenticationSessionModel session) {
      return session.getClientNote("authorization_details");
    }

    @Override
    public boolean requiresUser() {
      return true;
    }

    @Override
    public boolean configuredFor(KeycloakSession session, RealmModel realm, UserModel user) {
      return true;
    }

    @Override
    public void setRequiredActions(KeycloakSession session, RealmModel realm, UserModel user) {}

    @Override
    public Authenticator create(KeycloakSession session) {
      return this;
    }

    @Override
    public String getId() {
      return "aldgate-approval";
    }

    @Override
    public String getDisplayType() {
      return "Aldgate approval";
    }

    @Override
    public String getHelpText() {
      return "Shows what the customer confirms for Aldgate.";
    }

    @Override
    public String getReferenceCategory() {
      return null;
    }

    @Override
    public boolean isConfigurable() {
      return false;
    }

    @Override
    public boolean isUserSetupAllowed() {
      return false;
    }

    @Override
    public Requirement[] getRequirementChoices() {
      return new Requirement[] {Requirement.REQUIRED, Requirement.DISABLED};
    }

    @Override
    public List<ProviderConfigProperty> getConfigProperties() {
      return List.of();
    }

    @Override
    public void init(Config.Scope config) {}

    @Override
    public void postInit(KeycloakSessionFactory factory) {}

    @Override
    public void close() {}
  }

  /** The authorization details of one subject: one for each request. */
  public static final class Details
      implements AuthorizationDetailsProcessor<AuthorizationDetailsJSONRepresentation>,
          AuthorizationDetailsProcessorFactory {
    @Override
    public AuthorizationDetailsJSONRepresentation validateAuthorizationDetail(
        AuthorizationDetailsJSONRepresentation detail) {
      Map<String, Object> given = detail.getCustomData();
      boolean isWhole =
          given.get("subject_hash") instanceof String
              && given.get("client_name") instanceof String
              && given.get("shown") instanceof List<?> rows
              && !rows.isEmpty();
      if (!isWhole) {
        throw new InvalidAuthorizationDetailsException(TYPE + " needs something to show");
      }
      return detail;
    }

    /** Returns the details with the tokens, unless the customer has not confirmed them. */
    @Override
    public AuthorizationDetailsJSONRepresentation processStoredAuthorizationDetails(
        UserSessionModel user,
        ClientSessionContext context,
        AuthorizationDetailsJSONRepresentation detail) {
      if (!hashOf(detail).equals(context.getClientSession().getNote(CONFIRMED))) {
        throw new InvalidAuthorizationDetailsException("the customer has not confirmed this");
      }
      return detail;
    }

    /** A token request that brings its own details gets none. */
    @Override
    public AuthorizationDetailsJSONRepresentation process(
        UserSessionModel user,
        ClientSessionContext context,
        AuthorizationDetailsJSONRepresentation detail) {
      return processStoredAuthorizationDetails(user, context, detail);
    }

    @Override
    public List<AuthorizationDetailsJSONRepresentation> handleMissingAuthorizationDetails(
        UserSessionModel user, ClientSessionContext context) {
      return null;
    }

    @Override
    public void afterAuthorizationDetailsProcessed(
        UserSessionModel user,
        ClientSessionContext context,
        AuthorizationDetailsJSONRepresentation detail) {}

    @Override
    public boolean isSupported() {
      return true;
    }

    @Override
    public String getSupportedType() {
      return TYPE;
    }

    @Override
    public Class<AuthorizationDetailsJSONRepresentation> getSupportedResponseJavaType() {
      return AuthorizationDetailsJSONRepresentation.class;
    }

    @Override
    public AuthorizationDetailsProcessor<?> create(KeycloakSession session) {
      return this;
    }

    @Override
    public String getId() {
      return TYPE;
    }

    @Override
    public void init(Config.Scope config) {
      AuthorizationDetailsParser.registerParser(
          TYPE,
          new AuthorizationDetailsParser() {
            @Override
            public <T extends AuthorizationDetailsJSONRepresentation> T asSubtype(
                AuthorizationDetailsJSONRepresentation detail, Class<T> wanted) {
              return wanted.cast(detail);
            }
          });
    }

    @Override
    public void postInit(KeycloakSessionFactory factory) {}

    @Override
    public void close() {}
  }
}
