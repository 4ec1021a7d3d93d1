import { runBatch } from '../../../src/database.ts';
import { CURRENCIES, METHODS } from '../../../src/domain/method.ts';
import { AMOUNT_MINOR_MAX } from '../../../src/domain/money.ts';
import { moneyText } from '../../../src/i18n/money-text.ts';
import {
  type AmountLimits,
  methodSettings,
  setMethodEnabled,
} from '../../../src/merchants/methods.ts';
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
import { auditedIfChanged } from '../audited.ts';
import { type DashboardCall, mayChange, tenantOf } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { noticePage } from '../notices.tsx';
import { methodsPath } from '../paths.ts';
import { type MethodStanding, methodStanding, rateText } from './standing.ts';

/** GET …/methods. */
export async function showMethods(call: DashboardCall): Promise<Response> {
  const { methods, limits } = await methodSettings(call.env.DB, tenantOf(call));
  const standings = methods.map((state) => methodStanding(call.env, call.environment, state));
  return answerPage(call, <MethodsPage call={call} methods={standings} limits={limits} />);
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
  const tenant = tenantOf(call);
  const method = METHODS.find((known) => known === call.params.method);
  const { methods } = await methodSettings(call.env.DB, tenant);
  const offered = methods.some((state) => state.method === method && state.offered);
  if (method === undefined || !offered) {
    return noticePage(call, 'not_found');
  }
  const action = enabled ? 'method.enabled' : 'method.disabled';
  await runBatch(call.env.DB, [
    setMethodEnabled(tenant, method, enabled),
    auditedIfChanged(call, { action, target: method }),
  ]);
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
