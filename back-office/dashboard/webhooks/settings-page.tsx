import { countText } from '../../../src/i18n/money-text.ts';
import type { TestState, WebhookSettings } from '../../../src/interface/webhooks.ts';
import { ENDPOINTS_MAX } from '../../../src/webhooks/endpoints.ts';
import type { FailingEndpoint } from '../../../src/webhooks/failing-endpoints.ts';
import type { SignatureHeaderProblem } from '../../../src/webhooks/signature-header.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import {
  Badge,
  CopyText,
  DoneMessage,
  Message,
  ProblemList,
  Table,
  When,
} from '../../ui/elements.tsx';
import { type DashboardCall, may, shownAt, tenantOf } from '../call.ts';
import { ButtonForm, PostForm } from '../forms.tsx';
import { endpointPath, webhooksPath } from '../paths.ts';
import { SignatureHeaderField, shownAddress, WebhooksFrame } from './elements.tsx';
import { EndpointState, EventTypes } from './endpoint-page.tsx';
import { SecretsSection, type SecretsState } from './secrets-section.tsx';
import { TestSection } from './test-section.tsx';

/** What a form has just done, or why it was rejected. It lives in this one answer only. */
export interface SettingsState {
  readonly test?: TestState;
  readonly header?: HeaderState;
  readonly secrets?: SecretsState;
}

interface HeaderState {
  readonly typed: string;
  readonly problem: SignatureHeaderProblem;
}

type Call = DashboardCall;

/** GET …/webhooks */
export function showSettings(call: DashboardCall): Promise<Response> {
  return answerSettings(call, {});
}

/** The settings as they are now, with what a form has to say. */
export async function answerSettings(
  call: DashboardCall,
  state: SettingsState,
  status = 200,
): Promise<Response> {
  const page = shownAt(call, webhooksPath(call.environment));
  const model = await call.payments.webhooks.settings(tenantOf(call));
  return answerPage(call, <SettingsPage call={page} model={model} state={state} />, { status });
}

interface Props {
  readonly call: DashboardCall;
  readonly model: WebhookSettings;
  readonly state: SettingsState;
}

function SettingsPage({ call, model, state }: Props) {
  const { webhooks: text, frame } = DASHBOARD_TEXTS[call.language];
  const all = [...model.endpoints, ...model.failing];
  const paused = all.filter(({ pausedAtMs }) => pausedAtMs !== null).length;
  const mayDevelop = may(call, 'develop');
  return (
    <WebhooksFrame call={call} title={text.title} active="settings">
      <ProblemList call={call} problems={problemsOf(call, state)} />
      <Done call={call} />
      {paused > 0 && (
        <Message tone="bad">{text.pausedAlert(countText(paused, frame.locale))}</Message>
      )}
      <EndpointsSection call={call} endpoints={model.endpoints} />
      {mayDevelop && <TestSection call={call} endpoints={model.endpoints} state={state.test} />}
      <h2>{text.callbackTitle}</h2>
      <p class="hint">{text.callbackHint}</p>
      {model.failing.length > 0 && <FailingSection call={call} failing={model.failing} />}
      {mayDevelop && (
        <HeaderSection call={call} name={model.signatureHeader} state={state.header} />
      )}
      <SecretsSection
        call={call}
        secrets={model.secrets}
        state={state.secrets}
        path={webhooksPath(call.environment, '/secrets')}
        hint={text.secretsHint}
      />
      <KeysSection call={call} model={model} />
    </WebhooksFrame>
  );
}

function problemsOf({ language }: DashboardCall, { test, header, secrets }: SettingsState) {
  const text = DASHBOARD_TEXTS[language].webhooks;
  return [
    test?.problem ? (['#test-url', text.urlProblem[test.problem]] as const) : null,
    header ? (['#signatureHeader', text.signatureHeaderProblem[header.problem]] as const) : null,
    secrets?.problem === 'badOverlap' ? (['#overlap', text.badOverlap] as const) : null,
  ].filter((problem) => problem !== null);
}

/** Each change takes some seconds to reach all of the gateway, which the message says. */
function Done({ call }: { readonly call: DashboardCall }) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const { deleted, ended, resumed, saved } = text.done;
  const resendLink = may(call, 'develop') && (
    <>
      {' '}
      <a href={webhooksPath(call.environment, '/resend')}>{text.resendLink}</a>
    </>
  );
  return (
    <DoneMessage
      call={call}
      texts={{
        deleted: `${deleted} ${text.lag}`,
        ended: `${ended} ${text.lag}`,
        saved: `${saved} ${text.lag}`,
        resumed: [`${resumed} ${text.lag}`, resendLink],
      }}
    />
  );
}

/** The merchant's endpoints, each with its page. */
function EndpointsSection({
  call,
  endpoints,
}: Pick<WebhookSettings, 'endpoints'> & { readonly call: Call }) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <section class="card">
      <h2>{text.endpointsTitle}</h2>
      <p class="hint">{text.endpointsLead}</p>
      <Table
        caption={text.endpointsTitle}
        columns={[text.endpoint, text.state, text.eventTypes]}
        rows={endpoints.map((endpoint) => [
          <a href={endpointPath(call.environment, endpoint.endpointId)}>
            {endpoint.description === ''
              ? shownAddress(call, endpoint.url)
              : `${endpoint.description} · ${shownAddress(call, endpoint.url)}`}
          </a>,
          <EndpointState call={call} endpoint={endpoint} />,
          <EventTypes call={call} endpoint={endpoint} />,
        ])}
        empty={text.noEndpoints}
      />
      {may(call, 'develop') && endpoints.length < ENDPOINTS_MAX && (
        <div class="buttons">
          <a class="button" href={endpointPath(call.environment, 'new')}>
            {text.add}
          </a>
        </div>
      )}
    </section>
  );
}

/** The failing servers of callbackUrls. A paused one has a button to resume it. */
function FailingSection({
  call,
  failing,
}: Pick<WebhookSettings, 'failing'> & { readonly call: Call }) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <section class="card">
      <h2>{text.endpoints}</h2>
      <p class="hint">{text.endpointsHint}</p>
      <Table
        caption={text.endpoints}
        columns={[text.endpoint, text.endpointState, text.failingSince, text.lastError]}
        rows={failing.map((server) => [
          <strong>{server.endpoint}</strong>,
          <FailingState call={call} server={server} />,
          <When call={call} atMs={server.failingSinceMs} />,
          <code lang="en">{server.lastError}</code>,
        ])}
        empty=""
      />
    </section>
  );
}

function FailingState(props: { readonly call: Call; readonly server: FailingEndpoint }) {
  const { call, server } = props;
  const { endpoint: origin, pausedAtMs } = server;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  if (pausedAtMs === null) {
    return <Badge tone="wait">{text.failing}</Badge>;
  }
  return (
    <div class="stack">
      <Badge tone="bad">{text.paused}</Badge>
      <span class="small">
        {text.pausedSince} <When call={call} atMs={pausedAtMs} />
      </span>
      {may(call, 'develop') && (
        <ButtonForm
          call={call}
          action={webhooksPath(call.environment, '/failing/resume')}
          label={text.resume}
          describedAs={text.resumeOf(origin)}
          fields={{ origin }}
        />
      )}
    </div>
  );
}

interface HeaderProps {
  readonly call: DashboardCall;
  readonly name: string | null;
  readonly state: HeaderState | undefined;
}

/** The extra signature header of webhooks to callbackUrls, which developers change. */
function HeaderSection({ call, name, state }: HeaderProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <section class="card">
      <PostForm
        call={call}
        class="form"
        action={webhooksPath(call.environment, '/callbacks#signatureHeader')}
        novalidate={true}
      >
        <SignatureHeaderField
          call={call}
          value={state?.typed ?? name ?? ''}
          problem={state?.problem ?? null}
        />
        <div class="buttons">
          <button type="submit">{text.save}</button>
        </div>
      </PostForm>
    </section>
  );
}

interface KeysProps {
  readonly call: DashboardCall;
  readonly model: WebhookSettings;
}

function KeysSection({ call, model }: KeysProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const prefix = call.environment === 'sandbox' ? '/api/v1/payment/sandbox' : '/api/v1/payment';
  return (
    <section class="card">
      <h2>{text.keysTitle}</h2>
      <p class="hint">
        {text.keysHint}{' '}
        <a href={`${model.apiOrigin ?? ''}${prefix}/webhook-keys`}>{`${prefix}/webhook-keys`}</a>
      </p>
      {model.keys.map(({ keyId, publicKey, retired }) => (
        <CopyText
          call={call}
          id={`key-${keyId}`}
          label={retired === null ? text.key(keyId) : text.retiredKey(keyId)}
          value={publicKey}
          isLong={true}
        />
      ))}
    </section>
  );
}
