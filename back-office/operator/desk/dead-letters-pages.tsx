import {
  bodyOf,
  type DeadLetter,
  deadLetters,
  isGone,
  readStored,
} from '../../../src/dead-letters/store.ts';
import { found } from '../../../src/http/problem.ts';
import { intentByObjectId } from '../../../src/intent/client.ts';
import { readPage } from '../../../src/paging.ts';
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
import { discardLetter, type LetterOutcome, retryLetter } from '../dead-letters.ts';
import { REASON_CHARACTERS_MAX, reasonFields } from '../merchants.ts';
import { cursorFrom, PAGE_ROWS_DEFAULT } from '../page-query.ts';
import { checked } from '../schema.ts';
import type { DeskCall } from './call.ts';
import type { Change, Question } from './change.tsx';
import { answerDesk, Pager } from './frame.tsx';
import { letterPath, PATHS, paymentPath } from './paths.ts';

const LETTER = `${PATHS.deadLetters}/:id` as const;

/** GET /operator/dead-letters: those that wait, oldest first. */
export async function showLettersPage(call: DeskCall): Promise<Response> {
  const { view, env } = call;
  const text = DESK_TEXTS[view.language].pages;
  const cursor = cursorFrom(view.url.searchParams.get('cursor'));
  const list = deadLetters('waiting', null);
  const { rows, nextCursor } = await readPage(env.DB, list, cursor, PAGE_ROWS_DEFAULT);
  const children = (
    <>
      <DoneMessage call={view} texts={text.done} />
      <p>{text.lettersLead}</p>
      <Table
        caption={text.deadLetters}
        columns={[text.id, text.kind, text.queue, text.when]}
        rows={rows.map(({ id, kind, queue, storedAtMs }) => [
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
  const { view, env, config, params } = call;
  const { attention, pages: text } = DESK_TEXTS[view.language];
  const letter = found(await readStored(env.DB, params.id ?? ''));
  const body = isGone(letter) ? null : await bodyOf(config.dataEncryptionKeys, letter);
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
        <Facts rows={await letterFacts(call, letter)} />
        <div class="buttons">
          {!isGone(letter) && (
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

async function letterFacts(call: DeskCall, letter: DeadLetter): Promise<readonly FactRow[]> {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { id, kind, queue, status, timesGivenUp, retries, handledAtMs, handledBy } = letter;
  const payment = await paymentBehind(call, letter);
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

/** Null for a letter about no payment, and for a payment whose details were deleted. */
async function paymentBehind({ env }: DeskCall, { objectId }: DeadLetter) {
  const read = objectId === null ? null : await intentByObjectId(env, objectId).read();
  return read === null || read.type === 'not_found' ? null : read.intent.terms;
}

/** Sends the message to its queue again. */
export const RETRY_LETTER: Change = {
  path: `${LETTER}/retry`,
  ask: async (call) => {
    const text = DESK_TEXTS[call.view.language].pages;
    return question(call, { title: text.retryLetter, lead: text.retryLead, fields: [] });
  },
  run: async (call) => doneAs(call, await retryLetter(call, call.params.id ?? '')),
};

/** Deletes the message. */
export const DISCARD_LETTER: Change = {
  path: `${LETTER}/discard`,
  ask: async (call) => {
    const text = DESK_TEXTS[call.view.language].pages;
    const { why: label, reasonHint: hint } = text;
    const reason = { name: 'reason', label, hint, lengthMax: REASON_CHARACTERS_MAX } as const;
    const lead = text.discardLead;
    return question(call, { title: text.discardLetter, lead, fields: [reason] });
  },
  run: async (call) => {
    const fields = checked(reasonFields, { reason: call.form.text('reason') });
    return doneAs(call, await discardLetter(call, call.params.id ?? '', fields));
  },
};

async function question(
  call: DeskCall,
  { title, lead, fields }: Pick<Question, 'title' | 'lead' | 'fields'>,
): Promise<Question> {
  const letter = found(await readStored(call.env.DB, call.params.id ?? ''));
  const facts = await letterFacts(call, letter);
  const back = letterPath(letter.id);
  return { active: 'deadLetters', title, lead, facts, fields, button: title, back };
}

/** The letter's page says what became of it. A letter discarded twice stays discarded. */
function doneAs({ params }: DeskCall, outcome: LetterOutcome) {
  return { path: letterPath(found(params.id)), done: `letter_${outcome}` };
}
