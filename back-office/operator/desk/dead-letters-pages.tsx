import type { DeadLetter, LetterDetails } from '../../../src/interface/operations.ts';
import type { ItemPage } from '../../../src/operations/page-query.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { ButtonLink, type FactRow, Facts, Section, Untrusted, When } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import type { DeskCall } from './call.ts';
import { answerDesk, cursorIn, Frame, ListPage } from './frame.tsx';
import { letterPath, paymentPath } from './paths.ts';

/** GET /operator/dead-letters: those that wait, oldest first. */
export async function showLettersPage(call: DeskCall): Promise<Response> {
  const page = await call.payments.operations.deadLetters(cursorIn(call));
  return answerDesk(call, <LettersPage {...page} />);
}

function LettersPage({ items, nextCursor }: ItemPage<DeadLetter>) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <ListPage
      active="deadLetters"
      title={text.deadLetters}
      columns={[text.id, text.kind, text.queue, text.when]}
      rows={items.map(({ id, kind, queue, storedAtMs }) => [
        <a class="id" href={letterPath(id)}>
          <Untrusted text={id} />
        </a>,
        useKindText(kind),
        <code class="small">{queue}</code>,
        <When atMs={storedAtMs} />,
      ])}
      empty={text.lettersEmpty}
      nextCursor={nextCursor}
    >
      <p>{text.lettersLead}</p>
    </ListPage>
  );
}

function useKindText(kind: string): string {
  const { letterKinds } = useTexts(DESK_TEXTS).pages;
  return Object.entries(letterKinds).find(([known]) => known === kind)?.[1] ?? kind;
}

/** GET …/dead-letters/:id with its message, and the payment that it is about. */
export async function showLetterPage(call: DeskCall): Promise<Response> {
  const details = await call.payments.operations.readDeadLetter(call.params);
  return answerDesk(call, <LetterPage {...details} />);
}

function LetterPage(details: LetterDetails) {
  const { letter, body } = details;
  const { attention, pages: text } = useTexts(DESK_TEXTS);
  const advice = letter.kind === 'result' ? attention.dead_result : attention.dead_message;
  return (
    <Frame active="deadLetters" title={text.deadLetter}>
      {letter.status === 'waiting' && (
        <p>
          {advice.what} {advice.todo}
        </p>
      )}
      {letter.status === 'expired' && <p>{text.letterExpired}</p>}
      <Section id="facts" title={text.deadLetter}>
        <Facts rows={useLetterFacts(details)} />
        <div class="buttons">
          {(letter.status === 'waiting' || letter.status === 'retried') && (
            <ButtonLink to={letterPath(letter.id, '/retry')}>{text.retryLetter}</ButtonLink>
          )}
          {letter.status === 'waiting' && (
            <ButtonLink to={letterPath(letter.id, '/discard')}>{text.discardLetter}</ButtonLink>
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
    </Frame>
  );
}

export function useLetterFacts({ letter, payment }: LetterDetails): readonly FactRow[] {
  const text = useTexts(DESK_TEXTS).pages;
  const { id, kind, queue, status, timesGivenUp, retries, handledAtMs, handledBy } = letter;
  return [
    [text.id, <Untrusted text={id} />],
    [text.kind, useKindText(kind)],
    [text.queue, <code>{queue}</code>],
    [text.state, text.letterStates[status]],
    payment && [
      text.payment,
      <a href={paymentPath(payment)}>
        <Untrusted text={payment.uniqueId} />
      </a>,
    ],
    [text.sent, <When atMs={letter.sentAtMs} />],
    [text.gaveUp, <When atMs={letter.givenUpAtMs} />],
    timesGivenUp === 1 ? null : [text.timesGivenUp, timesGivenUp],
    retries === 0 ? null : [text.retries, retries],
    handledAtMs === null || handledBy === null
      ? null
      : [
          text.handled,
          <>
            <bdi>{handledBy}</bdi>, <When atMs={handledAtMs} />
          </>,
        ],
  ];
}
