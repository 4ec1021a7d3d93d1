import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/back-office.ts';
import { type LastOutcome, lastOutcomes } from '../../read-model/rail-outcomes.ts';
import { Badge, type BadgeTone, Section, Table, When } from '../../ui/elements.tsx';
import { type RailState, railStates } from '../rails.ts';
import type { DeskCall } from './call.ts';
import { answerDesk } from './frame.tsx';

const TONES: Readonly<Record<RailState['state'], BadgeTone>> = {
  configured: 'good',
  not_configured: 'plain',
  misconfigured: 'bad',
};

/** GET /operator/rails: each method's secret, and when a payment by it last ended. */
export async function showRailsPage(call: DeskCall): Promise<Response> {
  const { view, env } = call;
  const text = DESK_TEXTS[view.language].pages;
  const outcomes = await lastOutcomes(env.DB);
  const states = railStates(env);
  const children = (
    <>
      <p>{text.railsLead}</p>
      {(['production', 'sandbox'] as const).map((environment) => (
        <Section id={environment} title={text.environment[environment]} class="part">
          <Table
            caption={text.environment[environment]}
            columns={[text.method, text.secret, text.lastPaid, text.lastFailed]}
            rows={states
              .filter((rail) => rail.environment === environment)
              .map((rail) => cells(call, rail, outcomes))}
            empty={text.none}
          />
        </Section>
      ))}
    </>
  );
  return answerDesk(call, { active: 'rails', title: text.nav.rails, children });
}

function cells(call: DeskCall, rail: RailState, outcomes: readonly LastOutcome[]) {
  const { language } = call.view;
  const text = DESK_TEXTS[language].pages;
  const last = (status: LastOutcome['status']) =>
    outcomes.find(
      (outcome) =>
        outcome.environment === rail.environment &&
        outcome.method === rail.method &&
        outcome.status === status,
    );
  return [
    CHECKOUT_TEXTS[language].methodName[rail.method],
    <span>
      <Badge tone={TONES[rail.state]}>
        {rail.state === 'not_configured' && rail.environment === 'sandbox'
          ? text.simulated
          : text.railStates[rail.state]}
      </Badge>{' '}
      {rail.problem !== null && (
        <span class="small" lang="en">
          {rail.secret}: {rail.problem}
        </span>
      )}
    </span>,
    <Last call={call} outcome={last('succeeded')} />,
    <Last call={call} outcome={last('failed')} />,
  ];
}

function Last(props: { readonly call: DeskCall; readonly outcome: LastOutcome | undefined }) {
  const { call, outcome } = props;
  const { reasons } = DESK_TEXTS[call.view.language].pages;
  return outcome === undefined ? (
    <span class="quiet">—</span>
  ) : (
    <span>
      <When call={call.view} atMs={outcome.atMs} />{' '}
      {outcome.failureReason !== null && (
        <span class="quiet small">{reasons[outcome.failureReason]}</span>
      )}
    </span>
  );
}
