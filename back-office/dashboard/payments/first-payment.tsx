import type { ComponentChildren } from 'preact';
import type { Environment } from '../../../src/kit/tenant.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { membersOf } from '../../members/members.ts';
import { Untrusted } from '../../ui/elements.tsx';
import { type DashboardCall, may, mayChange, tenantOf, useCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { endpointPath, keysPath, methodsPath, TEAM_PATH, webhooksPath } from '../paths.ts';

/** Where a merchant's server creates a payment (docs/api.md#calls). */
const CREATE_PATH: Readonly<Record<Environment, string>> = {
  sandbox: '/api/v1/payment/sandbox/intent',
  production: '/api/v1/payment/intent',
};

/** A payment with nothing but what the API requires. */
const BODY = `{
  "paymentIntentUniqueId": "first-1", "currency": "ETB", "amount": 10,
  "methods": [], "items": null, "expireIn": 3600,
  "commissionPaidByCustomer": false, "returnUrl": "https://example.com/"}`;

/** Which steps are done. */
export interface FirstSteps {
  readonly hasTeam: boolean;
  readonly hasKey: boolean;
  /** The first endpoint, to which a test event can go. */
  readonly endpoint: { readonly id: string; readonly url: string } | null;
}

export async function firstSteps(call: DashboardCall): Promise<FirstSteps> {
  const tenant = tenantOf(call);
  const [members, keys, { endpoints }] = await Promise.all([
    membersOf(call.env.BACK_OFFICE_DB, call.session.merchantId),
    call.payments.settings.keys(tenant),
    call.payments.webhooks.settings(tenant),
  ]);
  const [endpoint] = endpoints;
  return {
    hasTeam: members.length > 1,
    hasKey: keys.some(({ revokedAtMs }) => revokedAtMs === null),
    endpoint: endpoint === undefined ? null : { id: endpoint.endpointId, url: endpoint.url },
  };
}

/** Shown instead of an empty list: the steps to the first payment. */
export function FirstPayment(props: {
  readonly apiOrigin: string | null;
  /** Null where the page does not know them. */
  readonly steps: FirstSteps | null;
}) {
  const call = useCall();
  const { apiOrigin, steps } = props;
  const { environment, url } = call;
  const { payments: text, webhooks, frame } = useTexts(DASHBOARD_TEXTS);
  const address = `${apiOrigin ?? url.origin}${CREATE_PATH[environment]}`;
  const curl = `curl ${address} \\\n  -H "apiKey: $KEY" -H 'content-type: application/json' -d '${BODY}'`;
  const endpoint = steps?.endpoint ?? null;
  return (
    <section class="card first-payment" aria-labelledby="first-payment">
      <h2 id="first-payment">{text.noneTitle}</h2>
      <p>{environment === 'sandbox' ? text.noneSandbox : text.noneProduction}</p>
      <ol>
        {may(call, 'manage') && (
          <Step to={TEAM_PATH} name={text.stepTeam} isDone={steps?.hasTeam}>
            {text.stepTeamHint}
          </Step>
        )}
        <Step to={keysPath(environment)} name={text.stepKey} isDone={steps?.hasKey}>
          {text.stepKeyHint}
        </Step>
        <Step
          to={endpoint === null ? endpointPath(environment, 'new') : webhooksPath(environment)}
          name={text.stepWebhook}
          isDone={steps && endpoint !== null}
        >
          {endpoint === null ? (
            text.stepWebhookHint
          ) : (
            <>
              <Untrusted text={endpoint.url} />
              {mayChange(call, 'develop') && (
                <ButtonForm
                  action={webhooksPath(environment, '/test#test')}
                  label={webhooks.testSend}
                  fields={{ endpoint: endpoint.id, url: '' }}
                />
              )}
            </>
          )}
        </Step>
        <li>
          <strong>{text.stepCreate}</strong>
          <p class="quiet small">{text.stepCreateHint}</p>
          <pre class="command" id="first-curl" tabindex={0}>
            {curl}
          </pre>
          <button
            type="button"
            hidden
            data-copy="first-curl"
            data-value={curl}
            data-copied={frame.copied}
          >
            {frame.copy}
          </button>
        </li>
      </ol>
      <p class="small">
        <a href={methodsPath(environment)}>{text.stepMethods}</a>
      </p>
      {!may(call, 'develop') && <p class="quiet">{text.askDeveloper}</p>}
    </section>
  );
}

/** A step with the page that does it. */
function Step(props: {
  readonly to: string;
  readonly name: string;
  readonly isDone: boolean | null | undefined;
  readonly children: ComponentChildren;
}) {
  const { to, name, isDone, children } = props;
  const text = useTexts(DASHBOARD_TEXTS).payments;
  return (
    <li>
      <a href={to}>{name}</a>
      {isDone && <span class="badge badge-good">{text.stepDone}</span>}
      <div class="quiet small">{children}</div>
    </li>
  );
}
