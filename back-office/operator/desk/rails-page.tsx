import { seal, unseal } from '../../../src/crypto/sealed.ts';
import type { LastOutcome, ProbedRail, RailState } from '../../../src/interface/operations.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Badge, type BadgeTone, Message, Section, Table, When } from '../../ui/elements.tsx';
import type { DeskCall } from './call.ts';
import { formToken } from './form-token.ts';
import { answerDesk } from './frame.tsx';
import { PATHS } from './paths.ts';

const TONES: Readonly<Record<RailState['state'], BadgeTone>> = {
  configured: 'good',
  not_configured: 'plain',
  misconfigured: 'bad',
};

/** A sealed result shows only on this page. */
const SEAL_CONTEXT = 'desk/probe';

interface ShownProbe extends ProbedRail {
  readonly atMs: number;
}

/** POST /operator/rails/{environment}/{method}/probe */
export async function probeFromDesk(call: DeskCall): Promise<Response> {
  const { payments, actor, params, url, nowMs: atMs } = call;
  const probed = await payments.operations.probe(actor, params, url.origin);
  const probe: ShownProbe = { ...probed, atMs };
  // Sealed, because a link on another site could say "accepted".
  const sealed = await seal(call.config.backOfficeKeys, JSON.stringify(probe), SEAL_CONTEXT);
  return redirectTo(`${PATHS.rails}?probe=${sealed}`);
}

/** GET /operator/rails: each method's secret, and when a payment by it last ended. */
export async function showRailsPage(call: DeskCall): Promise<Response> {
  const { view, payments } = call;
  const text = DESK_TEXTS[view.language].pages;
  const [states, outcomes] = await Promise.all([
    payments.operations.rails(),
    payments.operations.railOutcomes(),
  ]);
  const token = await formToken(call);
  const given = view.url.searchParams.get('probe') ?? '';
  const sealed = await unseal(call.config.backOfficeKeys, given, SEAL_CONTEXT);
  const children = (
    <>
      {sealed !== null && <Probe call={call} probe={JSON.parse(sealed)} />}
      <p>{text.railsLead}</p>
      {(['production', 'sandbox'] as const).map((environment) => (
        <Section id={environment} title={text.environment[environment]} class="part">
          <Table
            caption={text.environment[environment]}
            columns={[text.method, text.secret, text.lastPaid, text.lastFailed, text.probe]}
            rows={states
              .filter((rail) => rail.environment === environment)
              .map((rail) => cells(call, rail, outcomes, token))}
            empty={text.none}
          />
        </Section>
      ))}
    </>
  );
  return answerDesk(call, { active: 'rails', title: text.nav.rails, children });
}

/** What a probe saw, and which settings it leaves open. */
function Probe({ call, probe }: { readonly call: DeskCall; readonly probe: ShownProbe }) {
  const { language } = call.view;
  const text = DESK_TEXTS[language].pages;
  const { environment, method, outcome, status, providerCode, settings } = probe;
  const isAccepted = outcome === 'accepted';
  const otherTone = outcome === 'reached' ? 'warning' : 'bad';
  const seen = [probe.call, status !== null && `HTTP ${status}`, providerCode].filter(Boolean);
  return (
    <Message tone={isAccepted ? 'good' : otherTone}>
      <p>
        <b>
          {CHECKOUT_TEXTS[language].methodName[method]} · {text.environment[environment]}
        </b>{' '}
        {text.probeOutcome[outcome]} <When call={call.view} atMs={probe.atMs} />
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

function cells(call: DeskCall, rail: RailState, outcomes: readonly LastOutcome[], token: string) {
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
    rail.state !== 'configured' ? (
      <span class="quiet">—</span>
    ) : (
      <form
        method="post"
        action={`${PATHS.rails}/${rail.environment}/${rail.method}/probe`}
        data-once=""
      >
        <input type="hidden" name="csrf" value={token} />
        <button
          type="submit"
          aria-label={`${text.probe}: ${CHECKOUT_TEXTS[language].methodName[rail.method]}`}
        >
          {text.probe}
        </button>
      </form>
    ),
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
