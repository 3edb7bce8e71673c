<#import "template.ftl" as layout>
<#import "buttons.ftl" as buttons>
<@layout.registrationLayout displayMessage=false; section>
  <#if section = "header">
    Confirm for ${clientName}
  <#elseif section = "form">
    <dl>
      <#list shown as row>
        <dt><b>${row.label}</b></dt>
        <dd>${row.value}</dd>
      </#list>
    </dl>
    <form action="${url.loginAction}" method="post">
      <@buttons.actionGroup horizontal=true>
        <@buttons.button name="confirm" id="confirm" label="Confirm"/>
        <@buttons.button name="decline" id="decline" label="Decline" type="secondary"/>
      </@buttons.actionGroup>
    </form>
  </#if>
</@layout.registrationLayout>
