import type { Bank } from '../../../src/control/merchants/banks.ts';
import type {
  LastOutcome,
  ProbedRail,
  RailStanding,
  SwitchedOffMethod,
} from '../../../src/control/rpc/operator.ts';
import { seal, unseal } from '../../../src/kit/crypto/sealed.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import {
  Badge,
  type BadgeTone,
  ButtonLink,
  Fold,
  Message,
  Section,
  Table,
  Untrusted,
  When,
} from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { ADD_BANK_PATH, BANKS_PATH, PATHS } from './paths.ts';

const TONES: Readonly<Record<RailStanding['state'], BadgeTone>> = {
  configured: 'good',
  not_configured: 'plain',
  misconfigured: 'bad',
  simulated: 'plain',
};

/** A sealed result shows only on this page. */
const SEAL_CONTEXT = 'desk/probe';

interface ShownProbe extends ProbedRail {
  readonly atMs: number;
}

/** POST /operator/rails/{environment}/{method}/probe */
export async function probeFromDesk(call: DeskCall): Promise<Response> {
  const { payments, actor, params, url, nowMs: atMs } = call;
  const probed = await payments.operator.probe(actor, params, url.origin);
  const probe: ShownProbe = { ...probed, atMs };
  // Sealed, because a link on another site could say "accepted".
  const sealed = await seal(call.config.backOfficeKeys, JSON.stringify(probe), SEAL_CONTEXT);
  return redirectTo(`${PATHS.rails}?probe=${sealed}`);
}

/** GET /operator/rails: each method's secret, and when a payment by it last ended. */
export async function showRailsPage(call: DeskCall): Promise<Response> {
  const { payments, url, config } = call;
  const given = url.searchParams.get('probe') ?? '';
  const [states, outcomes, switchedOff, banks, sealed] = await Promise.all([
    payments.operator.rails(),
    payments.operator.railOutcomes(),
    payments.operator.readSwitchedOff(),
    payments.operator.listBanks(),
    unseal(config.backOfficeKeys, given, SEAL_CONTEXT),
  ]);
  const probe = sealed === null ? null : JSON.parse(sealed);
  return answerDesk(call, <RailsPage {...{ states, outcomes, switchedOff, banks, probe }} />);
}

function RailsPage(props: {
  readonly states: readonly RailStanding[];
  readonly outcomes: readonly LastOutcome[];
  readonly switchedOff: readonly SwitchedOffMethod[];
  readonly banks: readonly Bank[];
  readonly probe: ShownProbe | null;
}) {
  const { states, outcomes, switchedOff, banks, probe } = props;
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Frame active="rails" title={text.nav.rails}>
      {probe !== null && <Probe {...probe} />}
      <p>{text.railsLead}</p>
      {(['production', 'sandbox'] as const).map((environment) => (
        <Section id={environment} title={text.environment[environment]} class="part">
          <Table
            caption={text.environment[environment]}
            columns={[
              text.method,
              text.secret,
              text.lastPaid,
              text.lastFailed,
              text.probe,
              text.customers,
            ]}
            rows={states
              .filter((rail) => rail.environment === environment)
              .map((rail) => useCells(rail, outcomes, switchedOff))}
            empty={text.none}
          />
        </Section>
      ))}
      <Banks banks={banks} />
    </Frame>
  );
}

/** The banks that a split of a payment can name. */
function Banks({ banks }: { readonly banks: readonly Bank[] }) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Section id="banks" title={text.banks} class="part">
      <p>{text.banksLead}</p>
      <Fold summary={text.showBanks(banks.length)}>
        <Table
          caption={text.banks}
          columns={[text.name, text.bankCode, text.bankPayouts, text.actions]}
          rows={banks.map(({ code, name, supportsWithdrawal }) => [
            <Untrusted text={name} />,
            <code class="small">{code}</code>,
            supportsWithdrawal ? text.yes : <Badge tone="plain">{text.no}</Badge>,
            <a
              href={`${BANKS_PATH}/${code}/change`}
              aria-label={`${text.change}: ${shownText(name)}`}
            >
              {text.change}
            </a>,
          ])}
          empty={text.none}
        />
      </Fold>
      <div class="buttons">
        <ButtonLink to={ADD_BANK_PATH}>{text.addBank}</ButtonLink>
      </div>
    </Section>
  );
}

/** What a probe saw, and which settings it leaves open. */
function Probe(probe: ShownProbe) {
  const text = useTexts(DESK_TEXTS).pages;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const { environment, method, outcome, status, providerCode, settings } = probe;
  const isAccepted = outcome === 'accepted';
  const otherTone = outcome === 'reached' ? 'warning' : 'bad';
  const way = probe.through ? `through ${probe.through}` : null;
  const seen = [probe.call, status !== null && `HTTP ${status}`, providerCode, way].filter(Boolean);
  return (
    <Message tone={isAccepted ? 'good' : otherTone}>
      <p>
        <b>
          {methodName[method]} · {text.environment[environment]}
        </b>{' '}
        {text.probeOutcome[outcome]} <When atMs={probe.atMs} />
      </p>
      <p class="small">
        <span lang="en">{seen.join(', ')}</span>
        {settings.length > 0 && (
          <>
            {` · ${isAccepted ? text.untried : text.toCheck}: `}
            <code>{settings.join(', ')}</code>
          </>
        )}
      </p>
    </Message>
  );
}

function useCells(
  rail: RailStanding,
  outcomes: readonly LastOutcome[],
  switchedOff: readonly SwitchedOffMethod[],
) {
  const { environment, method, state, secret, problem } = rail;
  const text = useTexts(DESK_TEXTS).pages;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const last = (status: LastOutcome['status']) =>
    outcomes.find(
      (outcome) =>
        outcome.environment === environment &&
        outcome.method === method &&
        outcome.status === status,
    );
  return [
    methodName[method],
    <span>
      <Badge tone={TONES[state]}>{text.railStates[state]}</Badge>{' '}
      {problem !== null && (
        <span class="small" lang="en">
          {secret}: {problem}
        </span>
      )}
    </span>,
    <Last outcome={last('succeeded')} />,
    <Last outcome={last('failed')} />,
    state !== 'configured' ? (
      <span class="quiet">—</span>
    ) : (
      <form method="post" action={`${PATHS.rails}/${environment}/${method}/probe`} data-once="">
        <input type="hidden" name="csrf" value={useDesk().token} />
        <button type="submit" aria-label={`${text.probe}: ${methodName[method]}`}>
          {text.probe}
        </button>
      </form>
    ),
    <Switch
      rail={rail}
      off={switchedOff.find((one) => one.environment === environment && one.method === method)}
    />,
  ];
}

/** Whether customers are offered the method and told that it works, and the link to the switch. */
function Switch(props: {
  readonly rail: RailStanding;
  readonly off: SwitchedOffMethod | undefined;
}) {
  const { rail, off } = props;
  const text = useTexts(DESK_TEXTS).pages;
  const path = `${PATHS.rails}/${rail.environment}/${rail.method}`;
  return off === undefined ? (
    <span>
      <Down {...rail} /> <a href={`${path}/switch-off`}>{text.switchOff}</a>
    </span>
  ) : (
    <span>
      <Badge tone="bad">{text.isOff}</Badge> <When atMs={off.startedAtMs} />{' '}
      {off.text !== null && <bdi>{shownText(off.text)}</bdi>}{' '}
      <a href={`${path}/switch-on`}>{text.switchOn}</a>
    </span>
  );
}

/** Since when customers are told that the method does not work, and whose. */
function Down({ downSinceAtMs, downFor }: RailStanding) {
  const text = useTexts(DESK_TEXTS).pages;
  return downSinceAtMs === null ? null : (
    <>
      <Badge tone="bad">{text.isDown}</Badge> <When atMs={downSinceAtMs} />
      {downFor !== null && (
        <span class="small">
          {' '}
          {text.onlyFor} <Untrusted text={downFor.join(', ')} />
        </span>
      )}
    </>
  );
}

function Last({ outcome }: { readonly outcome: LastOutcome | undefined }) {
  const { reasons } = useTexts(DESK_TEXTS).pages;
  return outcome === undefined ? (
    <span class="quiet">—</span>
  ) : (
    <span>
      <When atMs={outcome.atMs} />{' '}
      {outcome.failureReason !== null && (
        <span class="quiet small">{reasons[outcome.failureReason]}</span>
      )}
    </span>
  );
}
