import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
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
import { type Endpoint, listEndpoints } from '../../webhooks/endpoints.ts';
import { type PublicKey, publicKeyPems } from '../../webhooks/sign.ts';
import { type DashboardCall, may, shownAt, tenantOf } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { webhooksPath } from '../paths.ts';
import { AddressForm, WebhooksFrame } from './elements.tsx';
import { type AddressProblem, defaultUrl, shownAddress } from './endpoints.ts';
import { type SecretEntry, secretsInForce } from './secrets.ts';
import { SecretsSection, type SecretsState } from './secrets-section.tsx';
import { TestSection, type TestState } from './test-section.tsx';

/** What a form has just done, or why it was rejected. It lives in this one answer only. */
export interface SettingsState {
  readonly url?: { readonly typed: string; readonly problem: AddressProblem };
  readonly test?: TestState;
  readonly secrets?: SecretsState;
}

interface SettingsModel {
  readonly url: string | null;
  readonly endpoints: readonly Endpoint[];
  readonly secrets: readonly SecretEntry[];
  readonly keys: readonly PublicKey[];
}

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
  const model = await readModel(call);
  return answerPage(call, <SettingsPage call={page} model={model} state={state} />, { status });
}

async function readModel(call: DashboardCall): Promise<SettingsModel> {
  const { env, config, environment, nowMs } = call;
  const tenant = tenantOf(call);
  const [url, endpoints, secrets, keys] = await Promise.all([
    defaultUrl(env.DB, tenant),
    listEndpoints(env.DB, tenant),
    secretsInForce(env.DB, tenant, nowMs),
    publicKeyPems(config.webhookRsaKeys[environment]),
  ]);
  return { url, endpoints, secrets, keys };
}

interface Props {
  readonly call: DashboardCall;
  readonly model: SettingsModel;
  readonly state: SettingsState;
}

function SettingsPage({ call, model, state }: Props) {
  const { webhooks: text, frame } = DASHBOARD_TEXTS[call.language];
  const paused = model.endpoints.filter(({ pausedAtMs }) => pausedAtMs !== null).length;
  const mayDevelop = may(call, 'develop');
  return (
    <WebhooksFrame call={call} title={text.title} active="settings">
      <ProblemList call={call} problems={problemsOf(call, state)} />
      <Done call={call} />
      {paused > 0 && (
        <Message tone="bad">{text.pausedAlert(countText(paused, frame.locale))}</Message>
      )}
      {model.endpoints.length > 0 && <EndpointsSection call={call} endpoints={model.endpoints} />}
      <UrlSection call={call} model={model} state={state} />
      {mayDevelop && <TestSection call={call} url={model.url} state={state.test} />}
      <SecretsSection call={call} secrets={model.secrets} state={state.secrets} />
      <KeysSection call={call} keys={model.keys} />
    </WebhooksFrame>
  );
}

function problemsOf({ language }: DashboardCall, { url, test, secrets }: SettingsState) {
  const text = DASHBOARD_TEXTS[language].webhooks;
  return [
    url === undefined ? null : (['#url', text.urlProblem[url.problem]] as const),
    test?.problem === undefined ? null : (['#test-url', text.urlProblem[test.problem]] as const),
    secrets?.problem === 'badOverlap' ? (['#overlap', text.badOverlap] as const) : null,
  ].filter((problem) => problem !== null);
}

/** Each change takes some seconds to reach all of the gateway, which the message says. */
function Done({ call }: { readonly call: DashboardCall }) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const { url, ended, resumed } = text.done;
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
        url: `${url} ${text.lag}`,
        ended: `${ended} ${text.lag}`,
        resumed: [`${resumed} ${text.lag}`, resendLink],
      }}
    />
  );
}

/** The failing endpoints. A paused one has a button to resume it. */
function EndpointsSection(props: {
  readonly call: DashboardCall;
  readonly endpoints: readonly Endpoint[];
}) {
  const { call, endpoints } = props;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <section class="card">
      <h2>{text.endpoints}</h2>
      <p class="hint">{text.endpointsHint}</p>
      <Table
        caption={text.endpoints}
        columns={[text.endpoint, text.endpointState, text.failingSince, text.lastError]}
        rows={endpoints.map((endpoint) => [
          <strong>{endpoint.origin}</strong>,
          <EndpointState call={call} endpoint={endpoint} />,
          <When call={call} atMs={endpoint.failingSinceMs} />,
          <code lang="en">{endpoint.lastError}</code>,
        ])}
        empty=""
      />
    </section>
  );
}

function EndpointState(props: { readonly call: DashboardCall; readonly endpoint: Endpoint }) {
  const { call, endpoint } = props;
  const { origin, pausedAtMs } = endpoint;
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
          action={webhooksPath(call.environment, '/endpoints/resume')}
          label={text.resume}
          describedAs={text.resumeOf(origin)}
          fields={{ origin }}
        />
      )}
    </div>
  );
}

/** The default address: a form for developers, its origin for viewers. */
function UrlSection({ call, model, state }: Props) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <section class="card">
      <h2>{text.urlTitle}</h2>
      {may(call, 'develop') ? (
        <AddressForm
          call={call}
          id="url"
          action={webhooksPath(call.environment, '/url')}
          label={text.url}
          hint={text.urlHint}
          error={state.url && text.urlProblem[state.url.problem]}
          value={state.url?.typed ?? model.url ?? ''}
        >
          <button class="primary" type="submit">
            {text.save}
          </button>
        </AddressForm>
      ) : (
        <p>{model.url === null ? text.urlNone : shownAddress(call, model.url)}</p>
      )}
    </section>
  );
}

function KeysSection(props: { readonly call: DashboardCall; readonly keys: readonly PublicKey[] }) {
  const { call, keys } = props;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const prefix = call.environment === 'sandbox' ? '/api/v1/payment/sandbox' : '/api/v1/payment';
  return (
    <section class="card">
      <h2>{text.keysTitle}</h2>
      <p class="hint">
        {text.keysHint} <a href={`${prefix}/webhook-keys`}>{`${prefix}/webhook-keys`}</a>
      </p>
      {keys.map(({ keyId, publicKey }) => (
        <CopyText
          call={call}
          id={`key-${keyId}`}
          label={text.key(keyId)}
          value={publicKey}
          isLong={true}
        />
      ))}
    </section>
  );
}
