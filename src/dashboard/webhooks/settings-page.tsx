import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import { isAllowed } from '../../members/permissions.ts';
import { answerPage } from '../../ui/answer.ts';
import { CopyText, Field, Message } from '../../ui/elements.tsx';
import { type Endpoint, listEndpoints } from '../../webhooks/endpoints.ts';
import { type PublicKey, publicKeyPems } from '../../webhooks/sign.ts';
import { type DashboardCall, shownAt, tenantOf } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { webhooksPath } from '../paths.ts';
import type { AddressProblem } from './address.ts';
import { defaultUrl } from './default-url.ts';
import { EndpointsSection } from './endpoints-section.tsx';
import { Parts } from './parts.tsx';
import { type SecretEntry, secretsInForce } from './secrets.ts';
import { SecretsSection, type SecretsState } from './secrets-section.tsx';
import { TestSection, type TestState } from './test-section.tsx';

/** What a form has just done or been refused; nothing of it is kept. */
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

/** GET /dashboard/:environment/webhooks */
export function showSettings(call: DashboardCall): Promise<Response> {
  return answerSettings(call, {});
}

/** The settings' page as it is now, with what a form has to say. */
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

interface SectionProps {
  readonly call: DashboardCall;
  readonly model: SettingsModel;
  readonly state: SettingsState;
}

function SettingsPage({ call, model, state }: SectionProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const done = call.request.method === 'POST' ? null : call.url.searchParams.get('done');
  const paused = model.endpoints.filter(({ pausedAtMs }) => pausedAtMs !== null).length;
  const mayDevelop = isAllowed(call.session.role, 'develop');
  return (
    <Frame call={call} title={text.title} active="webhooks">
      <Parts call={call} active="settings" />
      <ProblemList call={call} state={state} />
      {(done === 'url' || done === 'ended' || done === 'resumed') && (
        <Message tone="good">
          {text.done[done]} {text.lag}
          {done === 'resumed' && mayDevelop && (
            <>
              {' '}
              <a href={webhooksPath(call.environment, '/resend')}>{text.resendLink}</a>
            </>
          )}
        </Message>
      )}
      {paused > 0 && (
        <Message tone="bad">
          {text.pausedAlert(countText(paused, DASHBOARD_TEXTS[call.language].frame.locale))}
        </Message>
      )}
      {model.endpoints.length > 0 && <EndpointsSection call={call} endpoints={model.endpoints} />}
      <UrlSection call={call} model={model} state={state} />
      {mayDevelop && <TestSection call={call} url={model.url} state={state.test} />}
      <SecretsSection call={call} secrets={model.secrets} state={state.secrets} />
      <KeysSection call={call} model={model} state={state} />
    </Frame>
  );
}

/** What is wrong with a form, on top, with the way to the field. */
function ProblemList({ call, state }: Pick<SectionProps, 'call' | 'state'>) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const problems: (readonly [href: string, problem: string])[] = [];
  if (state.url !== undefined) {
    problems.push(['#url', text.urlProblem[state.url.problem]]);
  }
  if (state.test?.problem !== undefined) {
    problems.push(['#test-url', text.urlProblem[state.test.problem]]);
  }
  if (state.secrets?.problem === 'badOverlap') {
    problems.push(['#overlap', text.badOverlap]);
  }
  return problems.length === 0 ? null : (
    <Message tone="bad">
      <p>{DASHBOARD_TEXTS[call.language].frame.problemTitle}</p>
      <ul>
        {problems.map(([href, problem]) => (
          <li>
            <a href={href}>{problem}</a>
          </li>
        ))}
      </ul>
    </Message>
  );
}

function UrlSection({ call, model, state }: SectionProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  if (!isAllowed(call.session.role, 'develop')) {
    return (
      <section class="card">
        <h2>{text.urlTitle}</h2>
        <p>{model.url === null ? text.urlNone : originOf(model.url)}</p>
      </section>
    );
  }
  const error = state.url && text.urlProblem[state.url.problem];
  return (
    <section class="card">
      <h2>{text.urlTitle}</h2>
      <form
        class="form"
        method="post"
        action={webhooksPath(call.environment, '/url')}
        novalidate={true}
      >
        <CsrfField session={call.session} />
        <Field id="url" label={text.url} hint={text.urlHint} error={error}>
          {(attributes) => (
            <input
              {...attributes}
              type="url"
              name="url"
              autocomplete="off"
              value={state.url?.typed ?? model.url ?? ''}
            />
          )}
        </Field>
        <div class="buttons">
          <button class="primary" type="submit">
            {text.save}
          </button>
        </div>
      </form>
    </section>
  );
}

/** Path and query may hold a secret of the merchant's, which a viewer has no use for. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? '';
}

function KeysSection({ call, model }: SectionProps) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const prefix = call.environment === 'sandbox' ? '/api/v1/payment/sandbox' : '/api/v1/payment';
  return (
    <section class="card">
      <h2>{text.keysTitle}</h2>
      <p class="hint">
        {text.keysHint} <a href={`${prefix}/webhook-keys`}>{`${prefix}/webhook-keys`}</a>
      </p>
      {model.keys.map(({ keyId, publicKey }) => (
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
