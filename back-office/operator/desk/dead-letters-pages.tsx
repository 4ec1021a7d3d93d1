import type { LetterDetails } from '../../../src/interface/operations.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import {
  DoneMessage,
  type FactRow,
  Facts,
  Section,
  Table,
  Untrusted,
  When,
} from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import type { DeskCall } from './call.ts';
import { answerDesk, cursorIn, Pager } from './frame.tsx';
import { letterPath, PATHS, paymentPath } from './paths.ts';

/** GET /operator/dead-letters: those that wait, oldest first. */
export async function showLettersPage(call: DeskCall): Promise<Response> {
  const { view, payments } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { items, nextCursor } = await payments.operations.deadLetters(cursorIn(view));
  const children = (
    <>
      <DoneMessage call={view} texts={text.done} />
      <p>{text.lettersLead}</p>
      <Table
        caption={text.deadLetters}
        columns={[text.id, text.kind, text.queue, text.when]}
        rows={items.map(({ id, kind, queue, storedAtMs }) => [
          <a class="id" href={letterPath(id)}>
            <Untrusted text={id} />
          </a>,
          kindText(call, kind),
          <code class="small">{queue}</code>,
          <When call={view} atMs={storedAtMs} />,
        ])}
        empty={text.lettersEmpty}
      />
      <Pager view={view} path={PATHS.deadLetters} nextCursor={nextCursor} />
    </>
  );
  return answerDesk(call, { active: 'deadLetters', title: text.deadLetters, children });
}

function kindText({ view }: DeskCall, kind: string): string {
  const { letterKinds } = DESK_TEXTS[view.language].pages;
  return Object.entries(letterKinds).find(([known]) => known === kind)?.[1] ?? kind;
}

/** GET …/dead-letters/:id with its message, and the payment that it is about. */
export async function showLetterPage(call: DeskCall): Promise<Response> {
  const { view, payments, params } = call;
  const { attention, pages: text } = DESK_TEXTS[view.language];
  const details = await payments.operations.readDeadLetter(params);
  const { letter, body } = details;
  const advice = letter.kind === 'result' ? attention.dead_result : attention.dead_message;
  const children = (
    <>
      <DoneMessage call={view} texts={text.done} />
      <DoneMessage call={view} texts={text.notDone} tone="bad" />
      {letter.status === 'waiting' && (
        <p>
          {advice.what} {advice.todo}
        </p>
      )}
      {letter.status === 'expired' && <p>{text.letterExpired}</p>}
      <Section id="facts" title={text.deadLetter}>
        <Facts rows={letterFacts(call, details)} />
        <div class="buttons">
          {(letter.status === 'waiting' || letter.status === 'retried') && (
            <a class="button" href={letterPath(letter.id, '/retry')}>
              {text.retryLetter}
            </a>
          )}
          {letter.status === 'waiting' && (
            <a class="button" href={letterPath(letter.id, '/discard')}>
              {text.discardLetter}
            </a>
          )}
        </div>
      </Section>
      <Section id="message" title={text.message} class="part">
        {body === null ? (
          <p class="empty">{text.unreadable}</p>
        ) : (
          <pre class="excerpt" dir="auto">
            {shownLines(JSON.stringify(body, null, 2))}
          </pre>
        )}
      </Section>
    </>
  );
  return answerDesk(call, { active: 'deadLetters', title: text.deadLetter, children });
}

export function letterFacts(
  call: DeskCall,
  { letter, payment }: LetterDetails,
): readonly FactRow[] {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { id, kind, queue, status, timesGivenUp, retries, handledAtMs, handledBy } = letter;
  return [
    [text.id, <Untrusted text={id} />],
    [text.kind, kindText(call, kind)],
    [text.queue, <code>{queue}</code>],
    [text.state, text.letterStates[status]],
    payment && [
      text.payment,
      <a href={paymentPath(payment)}>
        <Untrusted text={payment.uniqueId} />
      </a>,
    ],
    [text.sent, <When call={view} atMs={letter.sentAtMs} />],
    [text.gaveUp, <When call={view} atMs={letter.givenUpAtMs} />],
    timesGivenUp === 1 ? null : [text.timesGivenUp, timesGivenUp],
    retries === 0 ? null : [text.retries, retries],
    handledAtMs === null || handledBy === null
      ? null
      : [
          text.handled,
          <>
            <bdi>{handledBy}</bdi>, <When call={view} atMs={handledAtMs} />
          </>,
        ],
  ];
}
