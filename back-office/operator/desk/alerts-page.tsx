import type { AlertsState, ChannelState } from '../../../src/control/rpc/alerts.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { ALERT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import {
  Badge,
  type BadgeTone,
  Facts,
  Message,
  Section,
  Table,
  Untrusted,
  When,
} from '../../ui/elements.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame, NO_HEADER, readHeader } from './frame.tsx';
import { merchantPath, PATHS } from './paths.ts';

const GUIDE = '/docs/night/';
const SETUP = '/docs/operator/';

/** POST /operator/alerts/{channel}/test */
export async function testFromDesk({ payments, actor, params }: DeskCall): Promise<Response> {
  const { isSent } = await payments.alerts.test(actor, params);
  return redirectTo(PATHS.alerts, { done: isSent ? 'alert_sent' : 'alert_not_sent' });
}

/** GET /operator/alerts: what is open, and whether anybody would hear of it. Needs no D1. */
export async function showAlertsPage(call: DeskCall): Promise<Response> {
  const state = await call.payments.alerts.state();
  const header = readHeader(call).catch(() => NO_HEADER);
  return answerDesk(call, <AlertsPage {...state} />, header);
}

function AlertsPage(state: AlertsState) {
  const { lead } = useTexts(DESK_TEXTS).alerts;
  return (
    <Frame active="alerts" title={useTexts(DESK_TEXTS).pages.nav.alerts} head={{ lead }}>
      <Open {...state} />
      <Channels {...state} />
      <Watch {...state} />
    </Frame>
  );
}

function Open({ open, channels }: AlertsState) {
  const text = useTexts(DESK_TEXTS).alerts;
  const { subjects } = useTexts(ALERT_TEXTS);
  return (
    <Section id="open" title={text.open} class="part">
      {channels.every(({ isSetUp }) => !isSetUp) && (
        <Message tone="warning">
          <p>{text.noChannel}</p>
        </Message>
      )}
      <Table
        caption={text.open}
        columns={[text.what, text.since, text.merchants, text.todo]}
        rows={open.map(({ subject, count, details, sinceAtMs, merchantIds, merchants }) => [
          <b>{sentence(subjects[subject].title(count, details.join(', ')))}</b>,
          <When atMs={sinceAtMs} />,
          <Merchants ids={merchantIds} count={merchants} />,
          <span>
            {sentence(subjects[subject].todo)} <a href={`${GUIDE}#${subject}`}>{text.guide}</a>
          </span>,
        ])}
        empty={text.nothing}
      />
    </Section>
  );
}

/** Messages put the texts behind other words. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Merchants({ ids, count }: { readonly ids: readonly string[]; readonly count: number }) {
  return count === 0 ? (
    <span class="quiet">—</span>
  ) : (
    <span>
      {ids.map((id, index) => (
        <>
          {index > 0 && ', '}
          <a href={merchantPath(id)}>{id}</a>
        </>
      ))}
      {count > ids.length && ` +${count - ids.length}`}
    </span>
  );
}

function Channels({ channels }: AlertsState) {
  const text = useTexts(DESK_TEXTS).alerts;
  return (
    <Section id="channels" title={text.channels} class="part">
      <Table
        caption={text.channels}
        columns={[text.channel, text.state, text.lastSent, text.waiting, text.test]}
        rows={channels.map((channel) => [
          text.names[channel.name],
          <State
            state={channelState(channel)}
            why={channel.problem ?? channel.error}
            anchor={`alert-${channel.name}`}
          />,
          <Last atMs={channel.sentAtMs} />,
          channel.waiting,
          <TestButton {...channel} />,
        ])}
        empty={text.noChannel}
      />
    </Section>
  );
}

const TONES = {
  ready: 'good',
  failing: 'bad',
  wrong: 'bad',
  missing: 'plain',
} as const satisfies Readonly<Record<string, BadgeTone>>;

function channelState({ isSetUp, problem, error }: ChannelState): keyof typeof TONES {
  if (problem !== null) {
    return 'wrong';
  }
  if (!isSetUp) {
    return 'missing';
  }
  return error === null ? 'ready' : 'failing';
}

function State(props: {
  readonly state: keyof typeof TONES;
  readonly why: string | null;
  /** Of the steps to set it up. */
  readonly anchor: string;
}) {
  const { state, why, anchor } = props;
  const text = useTexts(DESK_TEXTS).alerts;
  return (
    <span>
      <Badge tone={TONES[state]}>{text.states[state]}</Badge>{' '}
      {state !== 'missing' && why !== null && (
        <span class="small" lang="en">
          <Untrusted text={why} />{' '}
        </span>
      )}
      {state !== 'ready' && <a href={`${SETUP}#${anchor}`}>{text.setUp}</a>}
    </span>
  );
}

function Last({ atMs }: { readonly atMs: number | null }) {
  const { never } = useTexts(DESK_TEXTS).alerts;
  return atMs === null ? <span class="quiet">{never}</span> : <When atMs={atMs} />;
}

function TestButton({ name, isSetUp }: ChannelState) {
  const { test, names } = useTexts(DESK_TEXTS).alerts;
  return isSetUp ? (
    <form method="post" action={`${PATHS.alerts}/${name}/test`} data-once="">
      <input type="hidden" name="csrf" value={useDesk().token} />
      <button type="submit" aria-label={`${test}: ${names[name]}`}>
        {test}
      </button>
    </form>
  ) : (
    <span class="quiet">—</span>
  );
}

function Watch({ lookedAtMs, beatAtMs, heartbeat: { isSetUp, problem } }: AlertsState) {
  const text = useTexts(DESK_TEXTS).alerts;
  return (
    <Section id="watch" title={text.watch}>
      <Facts
        rows={[
          [text.looked, <Last atMs={lookedAtMs} />],
          [
            text.beat,
            isSetUp && problem === null ? (
              <Last atMs={beatAtMs} />
            ) : (
              <State state={isSetUp ? 'wrong' : 'missing'} why={problem} anchor="alert-heartbeat" />
            ),
          ],
        ]}
      />
    </Section>
  );
}
