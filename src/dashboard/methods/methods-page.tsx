import { CURRENCIES } from '../../domain/method.ts';
import { AMOUNT_MINOR_MAX } from '../../domain/money.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { moneyText } from '../../i18n/money-text.ts';
import { isAllowed } from '../../members/permissions.ts';
import { type AmountLimits, methodSettings } from '../../merchants/methods.ts';
import { answerPage } from '../../ui/answer.ts';
import { Badge, type BadgeTone, Facts, Message, Table } from '../../ui/elements.tsx';
import { type DashboardCall, tenantOf } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { type MethodStanding, methodStanding, rateText } from './standing.ts';

/** GET …/methods. */
export async function showMethods(call: DashboardCall): Promise<Response> {
  const { methods, limits } = await methodSettings(call.env.DB, tenantOf(call));
  const standings = methods.map((state) => methodStanding(call.env, call.environment, state));
  return answerPage(call, <MethodsPage call={call} methods={standings} limits={limits} />);
}

function MethodsPage(props: {
  readonly call: DashboardCall;
  readonly methods: readonly MethodStanding[];
  readonly limits: AmountLimits;
}) {
  const { call, methods, limits } = props;
  const text = DASHBOARD_TEXTS[call.language].methods;
  const canChange = isAllowed(call.session.role, 'manage') && !call.session.isSuspended;
  const columns = [text.method, text.state, text.paidBy, text.currencies, text.commission];
  return (
    <Frame call={call} title={text.title} active="methods">
      <Done call={call} />
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
      <section class="card" aria-labelledby="limits">
        <h2 id="limits">{text.limitsTitle}</h2>
        <Facts
          rows={CURRENCIES.map((currency) => [
            currency,
            <span class="number">
              {moneyText(
                limits[currency] ?? AMOUNT_MINOR_MAX,
                currency,
                CHECKOUT_TEXTS[call.language].locale,
              )}
              {limits[currency] === undefined && <span class="quiet"> ({text.generalLimit})</span>}
            </span>,
          ])}
        />
        <p class="small quiet">{text.limitsNote}</p>
      </section>
    </Frame>
  );
}

function Done({ call }: { readonly call: DashboardCall }) {
  const { done } = DASHBOARD_TEXTS[call.language].methods;
  const word = call.url.searchParams.get('done');
  if (word !== 'enabled' && word !== 'disabled') {
    return null;
  }
  return <Message tone="good">{done[word]}</Message>;
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
  const path = `/dashboard/${call.environment}/methods/${method.method}`;
  return method.enabled ? (
    <ButtonForm
      call={call}
      action={`${path}/disable`}
      label={text.disable}
      describedAs={`${text.disable}: ${name}`}
      confirm={`${name}: ${text.disableConfirm}`}
    />
  ) : (
    <ButtonForm
      call={call}
      action={`${path}/enable`}
      label={text.enable}
      describedAs={`${text.enable}: ${name}`}
    />
  );
}
