import type {
  EndpointWithSecrets,
  TestState,
  TypedEndpoint,
} from '../../../src/control/rpc/webhooks.ts';
import type { EndpointEntry } from '../../../src/engine/webhooks/endpoint-store.ts';
import {
  DESCRIPTION_CHARACTERS_MAX,
  WIRE_EVENT_TYPES,
} from '../../../src/engine/webhooks/endpoints.ts';
import { LANGUAGE_NAMES } from '../../../src/kit/i18n/language.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DeliveryError } from '../../elements/delivery-error.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Badge, Facts, Message, When } from '../../ui/elements.tsx';
import { Choice, FieldError, TextField, useProblem } from '../../ui/fields.tsx';
import { may, useCall } from '../call.ts';
import { DeveloperFrame } from '../developers.tsx';
import { ButtonForm, Submit } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { endpointPath, notificationsPath, webhooksPath } from '../paths.ts';
import { FormConfirmedInProduction } from '../people/passkey-form.tsx';
import { SignatureHeaderField, shownAddress, useDoneTexts } from './elements.tsx';
import { PersonsEvents, personsName } from './person.tsx';
import { SecretsSection, type SecretsState } from './secrets-section.tsx';
import { TestSection } from './test-section.tsx';

export function NewEndpointPage({ typed }: { readonly typed: TypedEndpoint }) {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const action = webhooksPath(environment, '/endpoints');
  return (
    <DeveloperFrame title={text.addTitle} part="webhooks">
      <section class="card">
        <EndpointForm action={action} typed={typed} button={text.add} once={true} />
      </section>
      <BackLink />
    </DeveloperFrame>
  );
}

/** The page of a person's endpoint: it has no secret and no other address. */
function PersonPage({ endpoint, test }: EndpointProps & { readonly test: TestState | undefined }) {
  const call = useCall();
  const { notifications } = useTexts(DASHBOARD_TEXTS);
  const path = endpointPath(call.environment, endpoint.endpointId);
  return (
    <Frame
      title={personsName(notifications, endpoint)}
      active="notifications"
      done={{ ...useDoneTexts(), connected: notifications.connected }}
      head={{ back: { to: notificationsPath(call.environment), text: notifications.back } }}
    >
      <EndpointFacts endpoint={endpoint} />
      {may(call, 'develop') && (
        <>
          <TestSection
            path={`${path}/test`}
            title={notifications.testTitle}
            hint={notifications.testHint}
            state={test}
          />
          <DeleteButton path={path} />
        </>
      )}
    </Frame>
  );
}

function DeleteButton({ path }: { readonly path: string }) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <div class="buttons">
      <ButtonForm
        action={`${path}/delete`}
        label={text.delete}
        tone="bad"
        confirm={text.deleteConfirm}
      />
    </div>
  );
}

export function EndpointPage(
  props: EndpointWithSecrets & {
    /** What a rejected form had. */
    readonly typed: TypedEndpoint | undefined;
    readonly isCreated: boolean;
    readonly state: SecretsState | undefined;
    readonly test: TestState | undefined;
  },
) {
  const { endpoint, secrets, typed, isCreated, state, test } = props;
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  if (endpoint.language !== null) {
    return <PersonPage endpoint={endpoint} test={test} />;
  }
  const path = endpointPath(call.environment, endpoint.endpointId);
  const ofSecrets = { secrets, state, path: `${path}/secrets` };
  return (
    <DeveloperFrame title={text.endpointTitle} part="webhooks" done={useDoneTexts()}>
      {isCreated ? (
        <>
          <Message tone="good">{text.endpointCreated}</Message>
          <SecretsSection {...ofSecrets} />
        </>
      ) : (
        <EndpointFacts endpoint={endpoint} />
      )}
      {may(call, 'develop') && (
        <TestSection path={`${path}/test`} title={text.testTitle} state={test} />
      )}
      {isCreated ? <EndpointFacts endpoint={endpoint} /> : <SecretsSection {...ofSecrets} />}
      {may(call, 'develop') && (
        <>
          <details class="card panel" open={typed !== undefined}>
            <summary>{text.edit}</summary>
            <EndpointForm
              action={path}
              typed={typed ?? { ...endpoint, signatureHeader: endpoint.signatureHeader ?? '' }}
              button={text.save}
            />
          </details>
          <DeleteButton path={path} />
        </>
      )}
      <BackLink />
    </DeveloperFrame>
  );
}

function BackLink() {
  const call = useCall();
  return (
    <p>
      <a href={webhooksPath(call.environment)}>
        {useTexts(DASHBOARD_TEXTS).webhooks.backToEndpoints}
      </a>
    </p>
  );
}

interface EndpointProps {
  readonly endpoint: EndpointEntry;
}

function EndpointFacts({ endpoint }: EndpointProps) {
  const call = useCall();
  const { webhooks: text, notifications } = useTexts(DASHBOARD_TEXTS);
  const { endpointId, failingSinceMs, lastError } = endpoint;
  const isPersons = endpoint.language !== null;
  const log = webhooksPath(call.environment, `/events?endpoint=${endpointId}`);
  return (
    <section class="card">
      <Facts
        rows={[
          isPersons ? null : [text.url, shownAddress(endpoint.url)],
          isPersons || endpoint.description === ''
            ? null
            : [text.description, endpoint.description],
          [text.state, <EndpointState endpoint={endpoint} />],
          failingSinceMs === null ? null : [text.failingSince, <When atMs={failingSinceMs} />],
          lastError === null ? null : [text.lastError, <DeliveryError error={lastError} />],
          isPersons
            ? [notifications.what, <PersonsEvents endpoint={endpoint} />]
            : [text.eventTypes, <EventTypes endpoint={endpoint} />],
          endpoint.language === null
            ? null
            : [notifications.language, LANGUAGE_NAMES[endpoint.language]],
          endpoint.signatureHeader === null
            ? null
            : [text.signatureHeader, <code>{endpoint.signatureHeader}</code>],
          [text.created, <When atMs={endpoint.createdAtMs} />],
          ['id', <code>{endpointId}</code>],
        ]}
      />
      <p>
        <a href={log}>{text.log}</a>
      </p>
      {may(call, 'develop') && <Switches endpoint={endpoint} />}
    </section>
  );
}

/** Disabled, paused, failing or enabled: what matters most. */
export function EndpointState({ endpoint }: EndpointProps) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  if (!endpoint.isEnabled) {
    return <Badge tone="plain">{text.disabled}</Badge>;
  }
  if (endpoint.pausedAtMs !== null) {
    return <Badge tone="bad">{text.paused}</Badge>;
  }
  return endpoint.failingSinceMs === null ? (
    <Badge tone="good">{text.enabled}</Badge>
  ) : (
    <Badge tone="wait">{text.failing}</Badge>
  );
}

export function EventTypes({ endpoint: { eventTypes } }: EndpointProps) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return eventTypes.length === 0 ? (
    <span>{text.allTypes}</span>
  ) : (
    <span>
      {eventTypes.map((type, index) => (
        <>
          {index > 0 && ', '}
          <code>{type}</code>
        </>
      ))}
    </span>
  );
}

function Switches({ endpoint }: EndpointProps) {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const path = endpointPath(environment, endpoint.endpointId);
  return (
    <div class="buttons">
      {endpoint.pausedAtMs !== null && <ButtonForm action={`${path}/resume`} label={text.resume} />}
      {endpoint.isEnabled ? (
        <ButtonForm action={`${path}/disable`} label={text.disable} confirm={text.disableConfirm} />
      ) : (
        <div class="stack">
          <FormConfirmedInProduction
            ceremony="webhook-enable"
            path={`${path}/enable`}
            hint={text.endpointConfirmHint}
          >
            <button type="submit">{text.enable}</button>
          </FormConfirmedInProduction>
        </div>
      )}
    </div>
  );
}

function EndpointForm(props: {
  readonly action: string;
  readonly typed: TypedEndpoint;
  readonly button: string;
  readonly once?: boolean;
}) {
  const { action, typed, button, once = false } = props;
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <FormConfirmedInProduction
      ceremony="webhook-endpoint"
      path={action}
      hint={text.endpointConfirmHint}
      novalidate={true}
      once={once}
    >
      <TextField
        id="url"
        type="url"
        label={text.url}
        hint={text.urlHint}
        value={typed.url}
        required={false}
      />
      <TypeBoxes chosen={typed.eventTypes} />
      <TextField
        id="description"
        label={text.description}
        hint={text.descriptionHint}
        value={typed.description}
        maxlength={DESCRIPTION_CHARACTERS_MAX}
        required={false}
      />
      <SignatureHeaderField value={typed.signatureHeader} />
      <Submit label={button} />
    </FormConfirmedInProduction>
  );
}

function TypeBoxes({ chosen }: { readonly chosen: readonly string[] }) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <fieldset id="eventTypes" class="field" aria-describedby="eventTypes-hint">
      <legend>{text.eventTypes}</legend>
      <p class="hint" id="eventTypes-hint">
        {text.eventTypesHint}
      </p>
      <FieldError id="eventTypes" error={useProblem('eventTypes')} />
      {WIRE_EVENT_TYPES.map((type) => (
        <Choice type="checkbox" name="eventType" value={type} checked={chosen.includes(type)}>
          <code>{type}</code>
        </Choice>
      ))}
    </fieldset>
  );
}
