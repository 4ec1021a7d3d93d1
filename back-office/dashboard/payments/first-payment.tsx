import type { Environment } from '../../../src/kit/tenant.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { may, useCall } from '../call.ts';

/** Where a merchant's server creates a payment (docs/api.md#calls). */
const CREATE_PATH: Readonly<Record<Environment, string>> = {
  sandbox: '/api/v1/payment/sandbox/intent',
  production: '/api/v1/payment/intent',
};

/** Shown instead of an empty list: the steps to the first payment. */
export function FirstPayment(props: { readonly apiOrigin: string | null }) {
  const call = useCall();
  const { apiOrigin } = props;
  const { environment, url } = call;
  const text = useTexts(DASHBOARD_TEXTS).payments;
  const parts = `/dashboard/${environment}`;
  const address = `${apiOrigin ?? url.origin}${CREATE_PATH[environment]}`;
  return (
    <section class="card first-payment">
      <h2>{text.noneTitle}</h2>
      <p>{environment === 'sandbox' ? text.noneSandbox : text.noneProduction}</p>
      <ol>
        <li>
          <a href={`${parts}/methods`}>{text.stepMethods}</a>
        </li>
        <li>
          <a href={`${parts}/keys`}>{text.stepKey}</a>
        </li>
        <li>
          <a href={`${parts}/webhooks`}>{text.stepWebhook}</a>
        </li>
        <li>
          {text.stepCreate} <code>POST {address}</code>
        </li>
      </ol>
      {!may(call, 'develop') && <p class="quiet">{text.askDeveloper}</p>}
    </section>
  );
}
