import type { SubjectId } from '../../engine/alerts/subjects.ts';
import { ethiopianTimestamp } from '../../kit/ethiopian-time.ts';
import type { AlertLanguage } from './config.ts';
import { MESSAGE_CHARACTERS_MAX, type Notice, type NoticeSubject } from './notice.ts';
import { am } from './words/am.ts';
import { en } from './words/en.ts';
import type { AlertWords } from './words/words.ts';

/** What a person reads of a notice. It has the ids of merchants, and no person's name or number. */

const WORDS: Readonly<Record<AlertLanguage, AlertWords>> = { en, am };

/** Where messages lead. */
export interface Links {
  /** The origin of the back office; null: the operator has not named it. */
  readonly backOffice: string | null;
}

/**
 * The back office may share the payments' host. Not from the parsed configuration: alerts must leave
 * although another variable is malformed.
 */
export function linksOf(env: Pick<Env, 'BACK_OFFICE_BASE_URL' | 'PUBLIC_BASE_URL'>): Links {
  const url = URL.parse(env.BACK_OFFICE_BASE_URL || env.PUBLIC_BASE_URL);
  return { backOffice: url?.origin ?? null };
}

/** The page of the desk on which the operator begins. */
const DESK_PAGES: Readonly<Record<SubjectId, string>> = {
  unresolved_attempts: '/operator',
  refunds_by_hand: '/operator',
  money_conflicts: '/operator',
  provider_money_missing: '/operator',
  method_failing: '/operator/rails',
  starts_waiting: '/operator/check',
  messages_waiting: '/operator/health',
  dead_letters: '/operator/dead-letters',
  database_failing: '/operator/health',
  daily_run_late: '/operator/check',
  keys_ending: '/operator/rails',
  self_check_failed: '/operator/check',
  sign_ins_refused: '/operator/audit',
};
const ALERTS_PAGE = '/operator/alerts';

/** The subject's section of the guide of the night. */
export function guideUrl({ backOffice }: Links, subject: SubjectId): string {
  return backOffice === null ? `docs/night.md#${subject}` : `${backOffice}/docs/night#${subject}`;
}

export interface Message {
  /** One line, in the first language. */
  readonly title: string;
  /** All languages after one another, each with its title. */
  readonly text: string;
}

export function wordsOf(
  notice: Notice,
  languages: readonly AlertLanguage[],
  links: Links,
): Message {
  const versions = languages.map((language) => linesOf(notice, WORDS[language], links));
  return {
    title: versions[0]?.[0] ?? '',
    text: versions
      .map((lines) => lines.join('\n'))
      .join('\n\n')
      .slice(0, MESSAGE_CHARACTERS_MAX),
  };
}

function linesOf({ kind, subjects }: Notice, words: AlertWords, links: Links): readonly string[] {
  const [first] = subjects;
  if (kind === 'test' || (kind !== 'digest' && first === undefined)) {
    return [named(words.test), words.testText];
  }
  if (kind === 'digest' || first === undefined) {
    return subjects.length === 0
      ? [named(words.allIsWell)]
      : [
          named(words.digest(subjects.length)),
          ...subjects.map((one) => `• ${titleOf(one, words)}`),
          ...deskLine(words, links, ALERTS_PAGE),
        ];
  }
  const { name, money, todo } = words.subjects[first.subject];
  if (kind === 'resolved') {
    return [named(words.kinds.resolved(name)), words.resolved];
  }
  return [
    named(words.kinds[kind](titleOf(first, words))),
    words.since(`${ethiopianTimestamp(first.sinceAtMs).slice(0, 'YYYY-MM-DD HH:MM'.length)} EAT`),
    ...merchantsLine(first, words),
    `${words.money}: ${money}`,
    `${words.todo}: ${todo}`,
    `${words.guide}: ${guideUrl(links, first.subject)}`,
    ...deskLine(words, links, DESK_PAGES[first.subject]),
  ];
}

function named(line: string): string {
  return `Kefel: ${line}`;
}

function titleOf({ subject, count, details }: NoticeSubject, words: AlertWords): string {
  return words.subjects[subject].title(count, details.join(', '));
}

function merchantsLine(
  { merchantIds, merchants }: NoticeSubject,
  words: AlertWords,
): readonly string[] {
  return merchants === 0
    ? []
    : [words.merchants(merchantIds.join(', '), merchants - merchantIds.length)];
}

function deskLine(words: AlertWords, { backOffice }: Links, page: string): readonly string[] {
  return backOffice === null ? [] : [`${words.desk}: ${backOffice}${page}`];
}
