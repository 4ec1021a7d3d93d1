import { CURRENCIES } from '../../../src/domain/method.ts';
import { AMOUNT_MINOR_MAX, type CommissionRate, majorText } from '../../../src/domain/money.ts';
import { moneyText } from '../../../src/i18n/money-text.ts';
import type { MethodStanding } from '../../../src/interface/methods.ts';
import type { AmountLimits } from '../../../src/merchants/methods.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import {
  Badge,
  type BadgeTone,
  DoneMessage,
  Facts,
  Message,
  Section,
  Table,
} from '../../ui/elements.tsx';
import { actorOf, type DashboardCall, mayChange, tenantOf } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { methodsPath } from '../paths.ts';

/** GET …/methods. */
export async function showMethods(call: DashboardCall): Promise<Response> {
  const standings = await call.payments.methods.standings(tenantOf(call));
  return answerPage(call, <MethodsPage call={call} {...standings} />);
}

/** POST …/methods/:method/enable */
export function enableMethod(call: DashboardCall): Promise<Response> {
  return switchMethod(call, true);
}

/** POST …/methods/:method/disable: for new payments only; existing ones keep the method. */
export function disableMethod(call: DashboardCall): Promise<Response> {
  return switchMethod(call, false);
}

async function switchMethod(call: DashboardCall, enabled: boolean): Promise<Response> {
  const name = call.params.method ?? '';
  await call.payments.methods.setEnabled(tenantOf(call), actorOf(call), name, enabled);
  return redirectTo(methodsPath(call.environment), {
    done: enabled ? 'enabled' : 'disabled',
  });
}

function MethodsPage(props: {
  readonly call: DashboardCall;
  readonly methods: readonly MethodStanding[];
  readonly limits: AmountLimits;
}) {
  const { call, methods, limits } = props;
  const text = DASHBOARD_TEXTS[call.language].methods;
  const { locale } = CHECKOUT_TEXTS[call.language];
  const canChange = mayChange(call, 'manage');
  const columns = [text.method, text.state, text.paidBy, text.currencies, text.commission];
  return (
    <Frame call={call} title={text.title} active="methods">
      <DoneMessage call={call} texts={text.done} />
      {methods.every(({ standing }) => standing !== 'on') && (
        <Message tone="bad">{text.noneOn}</Message>
      )}
      <p>{text.lead}</p>
      <Table
        caption={text.title}
        columns={canChange ? [...columns, text.actions] : columns}
        rows={methods.map((method) => methodCells(call, method, canChange))}
        empty=""
      />
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

function methodCells(call: DashboardCall, method: MethodStanding, canChange: boolean) {
  const text = DASHBOARD_TEXTS[call.language].methods;
  const name = CHECKOUT_TEXTS[call.language].methodName[method.method];
  const cells = [
    <span>
      <strong>{name}</strong> <code class="quiet small">{method.method}</code>
    </span>,
    <Badge tone={TONES[method.standing]}>{text.standing[method.standing]}</Badge>,
    <span>{text.rail[method.rail]}</span>,
    <span>{method.currencies.length === 0 ? '—' : method.currencies.join(', ')}</span>,
    <span class="number">{rateText(method.rate) ?? text.free}</span>,
  ];
  return canChange ? [...cells, <Switch call={call} method={method} name={name} />] : cells;
}

function Switch(props: {
  readonly call: DashboardCall;
  readonly method: MethodStanding;
  readonly name: string;
}) {
  const { call, method, name } = props;
  const text = DASHBOARD_TEXTS[call.language].methods;
  if (!method.offered) {
    return <span class="quiet">{text.askOperator}</span>;
  }
  const [form, label] = method.enabled ? ['disable', text.disable] : ['enable', text.enable];
  return (
    <ButtonForm
      call={call}
      action={methodsPath(call.environment, `/${method.method}/${form}`)}
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
