import type { ItemPage } from '../../../src/control/operator/page-query.ts';
import type { DescribedLetter, LetterDetails } from '../../../src/control/rpc/operator.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { ButtonLink, type FactRow, Facts, Section, Untrusted, When } from '../../ui/elements.tsx';
import { shownLines } from '../../ui/untrusted-text.ts';
import { AboutPaymentLine } from './about-payment.tsx';
import { AboutAmount, LetterReference } from './attention-page.tsx';
import type { DeskCall } from './call.ts';
import { ChooseBox, ChooseForm, LeftMessage, leftIn } from './chosen.tsx';
import { answerDesk, cursorIn, Frame, ListPage } from './frame.tsx';
import { CHOSEN_LETTERS_PATH, letterPath, paymentPath } from './paths.ts';

/** One request retries or discards no more. */
const ROWS = 50;

/** GET /operator/dead-letters: those that wait, oldest first. */
export async function showLettersPage(call: DeskCall): Promise<Response> {
  const query = { ...cursorIn(call), limit: String(ROWS) };
  const [page, left] = await Promise.all([call.payments.operator.deadLetters(query), leftIn(call)]);
  return answerDesk(call, <LettersPage {...page} left={left} />);
}

function LettersPage(
  props: ItemPage<DescribedLetter> & { readonly left: Awaited<ReturnType<typeof leftIn>> },
) {
  const { items, nextCursor, left } = props;
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <ListPage
      active="deadLetters"
      title={text.deadLetters}
      columns={[
        text.chosen,
        text.id,
        { title: text.amount, kind: 'figures' },
        text.when,
        text.kind,
        text.queue,
      ]}
      rows={items.map((letter) => [
        <ChooseBox id={letter.id} name={letter.id} />,
        <LetterReference {...letter} />,
        letter.payment !== null && <AboutAmount {...letter.payment} />,
        <When atMs={letter.storedAtMs} />,
        useKindText(letter.kind),
        <code class="small">{letter.queue}</code>,
      ])}
      empty={text.lettersEmpty}
      nextCursor={nextCursor}
      listClass="compact-list chosen-list"
      around={(list) =>
        items.length === 0 ? (
          list
        ) : (
          <ChooseForm
            actions={[
              { path: `${CHOSEN_LETTERS_PATH}/retry`, text: text.retryLetter },
              { path: `${CHOSEN_LETTERS_PATH}/discard`, text: text.discardLetter },
            ]}
          >
            {list}
          </ChooseForm>
        )
      }
    >
      <LeftMessage left={left} />
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
  const details = await call.payments.operator.readDeadLetter(call.params);
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
    payment && [text.amount, <AboutAmount {...payment} />],
    payment && [text.reference, <AboutPaymentLine {...payment} />],
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
