import { countText } from '../../../src/i18n/money-text.ts';
import type {
  EndpointProblems,
  EndpointWithSecrets,
  TypedEndpoint,
} from '../../../src/interface/webhooks.ts';
import type { EndpointEntry } from '../../../src/webhooks/endpoint-store.ts';
import {
  DESCRIPTION_CHARACTERS_MAX,
  ENDPOINTS_MAX,
  WIRE_EVENT_TYPES,
} from '../../../src/webhooks/endpoints.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import {
  Badge,
  DoneMessage,
  Facts,
  Field,
  Message,
  ProblemList,
  TextField,
  When,
} from '../../ui/elements.tsx';
import { type DashboardCall, may, shownAt, tenantOf } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { noticePage } from '../notices.tsx';
import { endpointPath, webhooksPath } from '../paths.ts';
import { FormConfirmedInProduction } from '../people/passkey-form.tsx';
import { SignatureHeaderField, shownAddress, WebhooksFrame } from './elements.tsx';
import { SecretsSection, type SecretsState } from './secrets-section.tsx';

/** A rejected form. It lives in this one answer only. */
export interface EditedEndpoint {
  readonly typed: TypedEndpoint;
  readonly problems?: EndpointProblems;
  /** The tenant has ENDPOINTS_MAX. */
  readonly isFull?: boolean;
  /** Production needs the member's passkey, which did not confirm this. */
  readonly isUnconfirmed?: boolean;
}

export interface EndpointState {
  readonly edited?: EditedEndpoint;
  readonly isCreated?: boolean;
  readonly secrets?: SecretsState;
}

const NEW_ENDPOINT: TypedEndpoint = {
  url: '',
  description: '',
  eventTypes: [],
  signatureHeader: '',
};

/** An endpoint as its form shows it. */
export function typedOf({ signatureHeader, ...endpoint }: EndpointEntry): TypedEndpoint {
  return { ...endpoint, signatureHeader: signatureHeader ?? '' };
}

/** GET …/webhooks/endpoints/new */
export function showNewEndpoint(call: DashboardCall): Promise<Response> {
  return answerNewEndpoint(call, { typed: NEW_ENDPOINT });
}

export async function answerNewEndpoint(
  call: DashboardCall,
  edited: EditedEndpoint,
  status = 200,
): Promise<Response> {
  const page = shownAt(call, endpointPath(call.environment, 'new'));
  return answerPage(page, <NewEndpointPage call={page} edited={edited} />, { status });
}

/** GET …/webhooks/endpoints/:endpoint */
export function showEndpoint(call: DashboardCall): Promise<Response> {
  return answerEndpoint(call, call.params.endpoint ?? '', {});
}

/** The endpoint as it is now, with what a form has to say. */
export async function answerEndpoint(
  call: DashboardCall,
  endpointId: string,
  state: EndpointState,
  status = 200,
): Promise<Response> {
  const page = shownAt(call, endpointPath(call.environment, endpointId));
  const found = await call.payments.webhooks.endpoint(tenantOf(call), endpointId);
  return found === null
    ? noticePage(call, 'not_found')
    : answerPage(page, <EndpointPage call={page} {...found} state={state} />, { status });
}

interface Call {
  readonly call: DashboardCall;
}

function NewEndpointPage({ call, edited }: Call & { readonly edited: EditedEndpoint }) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <WebhooksFrame call={call} title={text.addTitle} active="settings">
      <ProblemList call={call} problems={problemsOf(call, edited)} />
      <section class="card">
        <EndpointForm
          call={call}
          action={webhooksPath(call.environment, '/endpoints')}
          edited={edited}
          button={text.add}
          once={true}
        />
      </section>
      <BackLink call={call} />
    </WebhooksFrame>
  );
}

interface PageProps extends Call, EndpointWithSecrets {
  readonly state: EndpointState;
}

function EndpointPage({ call, endpoint, secrets, state }: PageProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const { endpointId } = endpoint;
  const path = endpointPath(call.environment, endpointId);
  const { saved, ended, resumed } = text.done;
  const edited = state.edited ?? { typed: typedOf(endpoint) };
  const mayDevelop = may(call, 'develop');
  return (
    <WebhooksFrame call={call} title={text.endpointTitle} active="settings">
      <ProblemList call={call} problems={problemsOf(call, edited)} />
      {state.isCreated && <Message tone="good">{text.endpointCreated}</Message>}
      <DoneMessage
        call={call}
        texts={{
          saved: `${saved} ${text.lag}`,
          ended: `${ended} ${text.lag}`,
          resumed: `${resumed} ${text.lag}`,
        }}
      />
      <EndpointFacts call={call} endpoint={endpoint} />
      <SecretsSection
        call={call}
        secrets={secrets}
        state={state.secrets}
        path={`${path}/secrets`}
        hint={text.secretsHint}
      />
      {mayDevelop && (
        <section class="card">
          <h2>{text.edit}</h2>
          <EndpointForm call={call} action={path} edited={edited} button={text.save} />
        </section>
      )}
      {mayDevelop && (
        <div class="buttons">
          <ButtonForm
            call={call}
            action={`${path}/delete`}
            label={text.delete}
            tone="bad"
            confirm={text.deleteConfirm}
          />
        </div>
      )}
      <BackLink call={call} />
    </WebhooksFrame>
  );
}

function BackLink({ call }: Call) {
  return (
    <p>
      <a href={webhooksPath(call.environment)}>
        {DASHBOARD_TEXTS[call.language].webhooks.backToEndpoints}
      </a>
    </p>
  );
}

interface EndpointProps extends Call {
  readonly endpoint: EndpointEntry;
}

function EndpointFacts({ call, endpoint }: EndpointProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const { endpointId, failingSinceMs, lastError } = endpoint;
  const log = webhooksPath(call.environment, `/events?endpoint=${endpointId}`);
  return (
    <section class="card">
      <Facts
        rows={[
          [text.url, shownAddress(call, endpoint.url)],
          endpoint.description === '' ? null : [text.description, endpoint.description],
          [text.state, <EndpointState call={call} endpoint={endpoint} />],
          failingSinceMs === null
            ? null
            : [text.failingSince, <When call={call} atMs={failingSinceMs} />],
          lastError === null ? null : [text.lastError, <code lang="en">{lastError}</code>],
          [text.eventTypes, <EventTypes call={call} endpoint={endpoint} />],
          endpoint.signatureHeader === null
            ? null
            : [text.signatureHeader, <code>{endpoint.signatureHeader}</code>],
          [text.created, <When call={call} atMs={endpoint.createdAtMs} />],
          ['id', <code>{endpointId}</code>],
        ]}
      />
      <p>
        <a href={log}>{text.log}</a>
      </p>
      {may(call, 'develop') && <Switches call={call} endpoint={endpoint} />}
    </section>
  );
}

/** Disabled, paused, failing or enabled: what matters most. */
export function EndpointState({ call, endpoint }: EndpointProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
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

export function EventTypes({ call, endpoint: { eventTypes } }: EndpointProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
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

function Switches({ call, endpoint }: EndpointProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const path = endpointPath(call.environment, endpoint.endpointId);
  return (
    <div class="buttons">
      {endpoint.pausedAtMs !== null && (
        <ButtonForm call={call} action={`${path}/resume`} label={text.resume} />
      )}
      {endpoint.isEnabled ? (
        <ButtonForm
          call={call}
          action={`${path}/disable`}
          label={text.disable}
          confirm={text.disableConfirm}
        />
      ) : (
        <EnableForm call={call} path={`${path}/enable`} />
      )}
    </div>
  );
}

function EnableForm({ call, path }: Call & { readonly path: string }) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <div class="stack">
      <FormConfirmedInProduction
        call={call}
        ceremony="webhook-enable"
        path={path}
        hint={text.endpointConfirmHint}
      >
        <button type="submit">{text.enable}</button>
      </FormConfirmedInProduction>
    </div>
  );
}

interface FormProps extends Call {
  readonly action: string;
  readonly edited: EditedEndpoint;
  readonly button: string;
  readonly once?: boolean;
}

function EndpointForm({ call, action, edited, button, once = false }: FormProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const { typed, problems } = edited;
  return (
    <FormConfirmedInProduction
      call={call}
      ceremony="webhook-endpoint"
      path={action}
      hint={text.endpointConfirmHint}
      novalidate={true}
      once={once}
    >
      <Field
        id="url"
        label={text.url}
        hint={text.urlHint}
        error={problems?.url ? text.urlProblem[problems.url] : null}
      >
        {(attributes) => (
          <input {...attributes} type="url" name="url" autocomplete="off" value={typed.url} />
        )}
      </Field>
      <TypeBoxes call={call} edited={edited} />
      <TextField
        id="description"
        label={text.description}
        hint={text.descriptionHint}
        value={typed.description}
        maxlength={DESCRIPTION_CHARACTERS_MAX}
        required={false}
        error={problems?.isDescriptionTooLong ? text.descriptionTooLong : null}
      />
      <SignatureHeaderField
        call={call}
        value={typed.signatureHeader}
        problem={problems?.signatureHeader ?? null}
      />
      <div class="buttons">
        <button class="primary" type="submit">
          {button}
        </button>
      </div>
    </FormConfirmedInProduction>
  );
}

function TypeBoxes({ call, edited: { typed, problems } }: Pick<FormProps, 'call' | 'edited'>) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <fieldset id="eventTypes" class="field" aria-describedby="eventTypes-hint">
      <legend>{text.eventTypes}</legend>
      <p class="hint" id="eventTypes-hint">
        {text.eventTypesHint}
      </p>
      {problems?.hasUnknownType && <p class="error">{text.noTypes}</p>}
      {WIRE_EVENT_TYPES.map((type) => (
        <label class="choice">
          <input
            type="checkbox"
            name="eventType"
            value={type}
            checked={typed.eventTypes.includes(type)}
          />
          <code>{type}</code>
        </label>
      ))}
    </fieldset>
  );
}

function problemsOf(
  { language }: DashboardCall,
  { problems, isFull, isUnconfirmed }: EditedEndpoint,
) {
  const { webhooks: text, frame } = DASHBOARD_TEXTS[language];
  const full = text.tooManyEndpoints(countText(ENDPOINTS_MAX, frame.locale));
  return [
    isFull ? ([null, full] as const) : null,
    isUnconfirmed ? ([null, text.unconfirmed] as const) : null,
    problems?.url ? (['#url', text.urlProblem[problems.url]] as const) : null,
    problems?.hasUnknownType ? (['#eventTypes', text.noTypes] as const) : null,
    problems?.isDescriptionTooLong ? (['#description', text.descriptionTooLong] as const) : null,
    problems?.signatureHeader
      ? (['#signatureHeader', text.signatureHeaderProblem[problems.signatureHeader]] as const)
      : null,
  ].filter((problem) => problem !== null);
}
