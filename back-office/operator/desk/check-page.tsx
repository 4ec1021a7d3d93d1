import type { SelfCheck } from '../../../src/control/rpc/operator.ts';
import { Problem } from '../../../src/kit/http/problem.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { SELF_CHECK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Badge, type BadgeTone, Facts, Message, Section, When } from '../../ui/elements.tsx';
import { checkOf, checkTexts } from '../check.ts';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame, NO_HEADER, readHeader } from './frame.tsx';
import { PATHS } from './paths.ts';

/** How often the page asks for what is missing. The check ends within a minute. */
const REFRESH_SECONDS = 2;

const TONES: Readonly<Record<SelfCheck['checks'][number]['state'], BadgeTone>> = {
  ok: 'good',
  wrong: 'bad',
  waiting: 'wait',
};

/** POST /operator/check */
export async function startFromDesk(call: DeskCall): Promise<Response> {
  try {
    const check = await checkOf(call, (operator) =>
      operator.startSelfCheck(call.actor, call.url.origin),
    );
    // Nothing is stored, so reloading could not show it.
    return check.checks.some(({ finding }) => finding === 'not_stored')
      ? showCheck(call, check)
      : redirectTo(PATHS.check);
  } catch (error) {
    if (error instanceof Problem && error.status === 429) {
      return redirectTo(`${PATHS.check}?soon=yes`);
    }
    throw error;
  }
}

/** GET /operator/check: what the latest check has found so far. */
export async function showCheckPage(call: DeskCall): Promise<Response> {
  return showCheck(call, await checkOf(call, (operator) => operator.readSelfCheck()));
}

function showCheck(call: DeskCall, check: SelfCheck): Promise<Response> {
  const header = readHeader(call).catch(() => NO_HEADER);
  return answerDesk(call, <CheckPage {...check} />, header);
}

function CheckPage({ checks, startedAtMs, finishedAtMs }: SelfCheck) {
  const { url, token } = useDesk();
  const text = useTexts(SELF_CHECK_TEXTS);
  const isWaiting = startedAtMs !== null && finishedAtMs === null;
  return (
    <Frame
      active="check"
      title={text.title}
      refreshSeconds={isWaiting ? REFRESH_SECONDS : undefined}
      head={{
        lead: text.lead,
        actions: (
          <form method="post" action={PATHS.check} data-once="">
            <input type="hidden" name="csrf" value={token} />
            <button type="submit" class="primary">
              {text.start}
            </button>
          </form>
        ),
      }}
    >
      {url.searchParams.has('soon') && (
        <Message tone="warning">
          <p>{text.tooSoon}</p>
        </Message>
      )}
      {startedAtMs !== null && (
        <Summary checks={checks} isWaiting={isWaiting} startedAtMs={startedAtMs} />
      )}
      {checks.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Section id="checks" title={text.checked}>
          {isWaiting && <div hidden data-live={String(checks.filter(isKnown).length)} />}
          <Facts
            rows={mostUrgentFirst(checks).map((check) => [
              checkTexts(text, check).title,
              <Result check={check} />,
            ])}
          />
        </Section>
      )}
    </Frame>
  );
}

function isKnown({ state }: SelfCheck['checks'][number]): boolean {
  return state !== 'waiting';
}

const ORDER = ['wrong', 'waiting', 'ok'] as const;

/** What needs the operator stands at the top of a phone's page. */
function mostUrgentFirst(checks: SelfCheck['checks']): SelfCheck['checks'] {
  return ORDER.flatMap((wanted) => checks.filter(({ state }) => state === wanted));
}

function Summary(props: {
  readonly checks: SelfCheck['checks'];
  readonly isWaiting: boolean;
  readonly startedAtMs: number;
}) {
  const { checks, isWaiting, startedAtMs } = props;
  const text = useTexts(SELF_CHECK_TEXTS);
  const isWrong = checks.some(({ state }) => state === 'wrong');
  const tone = isWrong ? 'bad' : isWaiting ? 'warning' : 'good';
  return (
    <Message tone={tone}>
      {isWrong && <p>{text.summary.wrong}</p>}
      {isWaiting ? <p>{text.summary.waiting}</p> : !isWrong && <p>{text.summary.ok}</p>}
      <p class="small">
        {text.started} <When atMs={startedAtMs} />
      </p>
    </Message>
  );
}

function Result({ check }: { readonly check: SelfCheck['checks'][number] }) {
  const text = useTexts(SELF_CHECK_TEXTS);
  const { detail, remedy } = checkTexts(text, check);
  return (
    <span>
      <Badge tone={TONES[check.state]}>{text.states[check.state]}</Badge> <span>{detail}</span>
      {remedy !== null && (
        <span class="small">
          <br />
          {text.toDo} {remedy}
        </span>
      )}
    </span>
  );
}
