import type { MethodStanding } from '../../../src/control/rpc/methods.ts';
import { AMOUNT_MINOR_MAX, type CommissionRate } from '../../../src/engine/domain/money.ts';
import type { AmountLimits } from '../../../src/engine/merchants/access.ts';
import { moneyText } from '../../../src/kit/i18n/money-text.ts';
import { CURRENCIES, majorText } from '../../../src/kit/money.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Badge, type BadgeTone, Facts, Message, Section } from '../../ui/elements.tsx';
import { actorOf, type DashboardCall, mayChange, tenantOf, useCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { Frame, showPage } from '../frame.tsx';
import { List } from '../list.tsx';
import { methodsPath } from '../paths.ts';
import { type DashboardRoute, get, post } from '../route.ts';

const METHODS = '/dashboard/:environment/methods';

/** Disabling is for new payments only; existing ones keep the method. */
export const METHOD_ROUTES: readonly DashboardRoute[] = [
  get(METHODS, 'view', async (call) => {
    const standings = await call.payments.methods.standings(tenantOf(call));
    return showPage(call, <MethodsPage {...standings} />);
  }),
  post(`${METHODS}/:method/enable`, 'manage', (call) => switchMethod(call, true)),
  post(`${METHODS}/:method/disable`, 'manage', (call) => switchMethod(call, false)),
];

async function switchMethod(call: DashboardCall, enabled: boolean): Promise<Response> {
  const { methods } = call.payments;
  await methods.setEnabled(tenantOf(call), actorOf(call), call.params.method ?? '', enabled);
  return redirectTo(methodsPath(call.environment), { done: enabled ? 'enabled' : 'disabled' });
}

function MethodsPage(props: {
  readonly methods: readonly MethodStanding[];
  readonly limits: AmountLimits;
}) {
  const { methods, limits } = props;
  const text = useTexts(DASHBOARD_TEXTS).methods;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  return (
    <Frame title={text.title} active="methods" done={text.done}>
      {methods.every(({ standing }) => standing !== 'on') && (
        <Message tone="bad">{text.noneOn}</Message>
      )}
      <p>{text.lead}</p>
      <div class="compact-list method-list">
        <List
          title={text.title}
          rows={methods}
          columns={[
            [
              text.method,
              ({ method }) => (
                <span>
                  <strong>{methodName[method]}</strong> <code class="quiet small">{method}</code>
                </span>
              ),
            ],
            [
              text.state,
              ({ standing }) => <Badge tone={TONES[standing]}>{text.standing[standing]}</Badge>,
            ],
            [
              text.paidBy,
              ({ rail }) => (
                <span class={SELF_EVIDENT.includes(rail) ? 'on-desktop' : undefined}>
                  {text.rail[rail]}
                </span>
              ),
            ],
            [text.currencies, ({ currencies }) => <span>{currencies.join(', ') || '—'}</span>],
            [
              text.commission,
              ({ rate }) => <span class="number">{rateText(rate) ?? text.free}</span>,
            ],
            mayChange(useCall(), 'manage')
              ? [text.actions, (method) => <Switch method={method} />]
              : null,
          ]}
        />
      </div>
      <p class="small quiet">{text.commissionNote}</p>
      <Section id="limits" title={text.limitsTitle}>
        <Facts
          rows={CURRENCIES.map((currency) => [
            currency,
            <span class="number">
              {moneyText(limits[currency] ?? AMOUNT_MINOR_MAX, currency, locale)}
              {limits[currency] === undefined && <span class="quiet"> ({text.generalLimit})</span>}
            </span>,
          ])}
        />
        <p class="small quiet">{text.limitsNote}</p>
      </Section>
    </Frame>
  );
}

const TONES: Readonly<Record<MethodStanding['standing'], BadgeTone>> = {
  on: 'good',
  off: 'plain',
  not_offered: 'plain',
  not_connected: 'wait',
};

/** What a phone need not say beside the state. */
const SELF_EVIDENT: readonly MethodStanding['rail'][] = ['simulated', 'connected'];

function Switch({ method }: { readonly method: MethodStanding }) {
  const { environment } = useCall();
  const name = useTexts(CHECKOUT_TEXTS).methodName[method.method];
  const text = useTexts(DASHBOARD_TEXTS).methods;
  if (!method.offered) {
    return <span class="quiet">{text.askOperator}</span>;
  }
  const [form, label] = method.enabled ? ['disable', text.disable] : ['enable', text.enable];
  return (
    <ButtonForm
      action={methodsPath(environment, `/${method.method}/${form}`)}
      label={label}
      describedAs={`${label}: ${name}`}
      confirm={method.enabled ? `${name}: ${text.disableConfirm}` : undefined}
    />
  );
}

/** "2.5% + 1.00"; null for a method without commission. */
function rateText({ basisPoints, fixedMinor }: CommissionRate): string | null {
  const percent = majorText(basisPoints).replace(/\.?0+$/, '');
  const parts = [basisPoints > 0 && `${percent}%`, fixedMinor > 0 && majorText(fixedMinor)];
  const text = parts.filter(Boolean).join(' + ');
  return text === '' ? null : text;
}
