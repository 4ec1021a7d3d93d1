import type { TestState, WebhookSettings } from '../../../src/control/rpc/webhooks.ts';
import { ENDPOINTS_MAX } from '../../../src/engine/webhooks/endpoints.ts';
import type { FailingEndpoint } from '../../../src/engine/webhooks/failing-endpoints.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DeliveryError } from '../../elements/delivery-error.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Badge, CopyText, Message, Table, When } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { actorOf, type DashboardCall, may, tenantOf, useCall } from '../call.ts';
import { DeveloperFrame } from '../developers.tsx';
import { ButtonForm, PostForm, Submit } from '../forms.tsx';
import { type Refusal, showPage } from '../frame.tsx';
import { endpointPath, webhooksPath } from '../paths.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import { SignatureHeaderField, shownAddress, useDoneTexts } from './elements.tsx';
import { EndpointState, EventTypes } from './endpoint-page.tsx';
import { secretRoutes } from './secrets.ts';
import { SecretsSection, type SecretsState } from './secrets-section.tsx';
import { TestSection, testRefusal } from './test-section.tsx';

const WEBHOOKS = '/dashboard/:environment/webhooks';

export const SETTINGS_ROUTES: readonly DashboardRoute[] = [
  get(WEBHOOKS, 'view', (call) => answerSettings(call)),
  post(`${WEBHOOKS}/test`, 'develop', sendTest),
  post(`${WEBHOOKS}/callbacks`, 'develop', changeCallbackHeader),
  post(`${WEBHOOKS}/failing/resume`, 'develop', resumePaused),
  ...secretRoutes(WEBHOOKS, (call, secrets, refusal) =>
    answerSettings(call, { secrets, ...refusal }),
  ),
];

/** What a form has just done, or why it was rejected. It lives in this one answer only. */
interface SettingsState extends Refusal {
  readonly test?: TestState;
  /** The name of the signature header as it was typed. */
  readonly header?: string;
  readonly secrets?: SecretsState;
}

/** The settings as they are now, with what a form has to say. */
async function answerSettings(
  call: DashboardCall,
  { problems, status, ...state }: SettingsState = {},
): Promise<Response> {
  const model = await call.payments.webhooks.settings(tenantOf(call));
  return showPage(call, <SettingsPage model={model} state={state} />, {
    at: webhooksPath(call.environment),
    problems,
    status,
  });
}

/** POST …/webhooks/failing/resume: a server of callbackUrls. */
async function resumePaused(call: DashboardCall): Promise<Response> {
  const origin = call.form.text('origin');
  await call.payments.webhooks.resume(tenantOf(call), actorOf(call), origin);
  return redirectTo(webhooksPath(call.environment), { done: 'resumed' });
}

/** POST …/webhooks/callbacks: the extra signature header of webhooks to callbackUrls. */
async function changeCallbackHeader(call: DashboardCall): Promise<Response> {
  const header = call.form.text('signatureHeader');
  const { webhooks } = call.payments;
  const problem = await webhooks.setCallbackHeader(tenantOf(call), actorOf(call), header);
  if (problem === null) {
    return redirectTo(webhooksPath(call.environment), { done: 'saved' });
  }
  const text = DASHBOARD_TEXTS[call.language].webhooks.signatureHeaderProblem[problem];
  return answerSettings(call, { header, problems: [['signatureHeader', text]] });
}

/** POST …/webhooks/test: sends a signed test webhook now, as to a callbackUrl. */
async function sendTest(call: DashboardCall): Promise<Response> {
  const asked = { typed: call.form.text('url'), endpoint: '' };
  const { webhooks } = call.payments;
  const test = await webhooks.sendTest(tenantOf(call), actorOf(call), asked, call.url.origin);
  return answerSettings(call, { test, ...testRefusal(call, test, 'test-url') });
}

interface Props {
  readonly model: WebhookSettings;
  readonly state: SettingsState;
}

function SettingsPage({ model, state }: Props) {
  const call = useCall();
  const { webhooks: text, frame } = useTexts(DASHBOARD_TEXTS);
  const all = [...model.endpoints, ...model.failing];
  const paused = all.filter(({ pausedAtMs }) => pausedAtMs !== null).length;
  const mayDevelop = may(call, 'develop');
  const done = useDoneTexts();
  const resendLink = (
    <>
      {' '}
      <a href={webhooksPath(call.environment, '/resend')}>{text.resendLink}</a>
    </>
  );
  return (
    <DeveloperFrame
      title={text.title}
      part="webhooks"
      done={{ ...done, resumed: [done.resumed, mayDevelop && resendLink] }}
    >
      {paused > 0 && (
        <Message tone="bad">{text.pausedAlert(paused, countText(paused, frame.locale))}</Message>
      )}
      <EndpointsSection
        endpoints={model.endpoints.filter(({ language }) => language === null)}
        isFull={model.endpoints.length >= ENDPOINTS_MAX}
      />
      {model.failing.length > 0 && <FailingSection failing={model.failing} />}
      <Advanced model={model} state={state} />
    </DeveloperFrame>
  );
}

/** What most merchants need once or never. Open while it has to say something. */
function Advanced({ model, state }: Props) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const { test, header, secrets } = state;
  const mayDevelop = may(call, 'develop');
  return (
    <details class="panel" open={[test, header, secrets].some((one) => one !== undefined)}>
      <summary>{text.advanced}</summary>
      <div class="column">
        <MerchantIdSection />
        <KeysSection model={model} />
        <h2>{text.callbackTitle}</h2>
        <p class="hint">{text.callbackHint}</p>
        {mayDevelop && (
          <TestSection
            path={webhooksPath(call.environment, '/test')}
            title={text.testUrlTitle}
            state={test}
          >
            <TextField
              id="test-url"
              type="url"
              name="url"
              label={text.url}
              value={test?.typed ?? ''}
              required={false}
            />
          </TestSection>
        )}
        {mayDevelop && <HeaderSection name={header ?? model.signatureHeader ?? ''} />}
        <SecretsSection
          secrets={model.secrets}
          state={secrets}
          path={webhooksPath(call.environment, '/secrets')}
        />
      </div>
    </details>
  );
}

/** The merchant's servers, each with its page. */
function EndpointsSection({
  endpoints,
  isFull,
}: Pick<WebhookSettings, 'endpoints'> & { readonly isFull: boolean }) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const addLink = (looks: string) =>
    may(call, 'develop') && !isFull ? (
      <a class={looks} href={endpointPath(call.environment, 'new')}>
        {text.add}
      </a>
    ) : null;
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
              ? shownAddress(endpoint.url)
              : `${endpoint.description} · ${shownAddress(endpoint.url)}`}
          </a>,
          <EndpointState endpoint={endpoint} />,
          <EventTypes endpoint={endpoint} />,
        ])}
        empty={
          <EmptyState title={text.noEndpoints} action={addLink('button primary')}>
            {text.noEndpointsLead}
          </EmptyState>
        }
      />
      {endpoints.length > 0 && <div class="buttons">{addLink('button')}</div>}
    </section>
  );
}

/** The failing servers of callbackUrls. A paused one has a button to resume it. */
function FailingSection({ failing }: Pick<WebhookSettings, 'failing'>) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <section class="card">
      <h2>{text.endpoints}</h2>
      <p class="hint">{text.endpointsHint}</p>
      <Table
        caption={text.endpoints}
        columns={[text.endpoint, text.endpointState, text.failingSince, text.lastError]}
        rows={failing.map((server) => [
          <strong>
            <bdi>{server.endpoint}</bdi>
          </strong>,
          <FailingState server={server} />,
          <When atMs={server.failingSinceMs} />,
          <DeliveryError error={server.lastError} />,
        ])}
        empty=""
      />
    </section>
  );
}

function FailingState(props: { readonly server: FailingEndpoint }) {
  const call = useCall();
  const { server } = props;
  const { endpoint: origin, pausedAtMs } = server;
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  if (pausedAtMs === null) {
    return <Badge tone="wait">{text.failing}</Badge>;
  }
  return (
    <div class="stack">
      <Badge tone="bad">{text.paused}</Badge>
      <span class="small">
        {text.pausedSince} <When atMs={pausedAtMs} />
      </span>
      {may(call, 'develop') && (
        <ButtonForm
          action={webhooksPath(call.environment, '/failing/resume')}
          label={text.resume}
          describedAs={text.resumeOf(origin)}
          fields={{ origin }}
        />
      )}
    </div>
  );
}

/** The extra signature header of webhooks to callbackUrls, which developers change. */
function HeaderSection({ name }: { readonly name: string }) {
  const { environment } = useCall();
  const action = webhooksPath(environment, '/callbacks#signatureHeader');
  return (
    <section class="card">
      <PostForm class="form" action={action} novalidate={true}>
        <SignatureHeaderField value={name} />
        <Submit label={useTexts(DASHBOARD_TEXTS).webhooks.save} isPlain />
      </PostForm>
    </section>
  );
}

/** What a receiver compares in each event, because all merchants share the keys below. */
function MerchantIdSection() {
  const { merchantId } = useCall().session;
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <section class="card">
      <h2>{text.merchantIdTitle}</h2>
      <p class="hint">{text.merchantIdHint}</p>
      <CopyText id="merchant-id" label={text.merchantId} value={merchantId} />
    </section>
  );
}

function KeysSection({ model }: { readonly model: WebhookSettings }) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
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
          id={`key-${keyId}`}
          label={retired === null ? text.key(keyId) : text.retiredKey(keyId)}
          value={publicKey}
          isLong={true}
        />
      ))}
    </section>
  );
}
