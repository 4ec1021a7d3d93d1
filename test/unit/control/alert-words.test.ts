import { describe, expect, test } from 'vitest';
import { PATHS } from '../../../back-office/operator/desk/paths.ts';
import { linksOf, wordsOf } from '../../../src/control/alerts/message.ts';
import {
  MESSAGE_CHARACTERS_MAX,
  type Notice,
  type NoticeSubject,
} from '../../../src/control/alerts/notice.ts';
import { SUBJECT_IDS } from '../../../src/engine/alerts/subjects.ts';

/**
 * Goal: what an operator reads at night: what happened, what it means for money, what to do, where
 * it is explained. Method: every subject, kind and language.
 */

const LINKS = { backOffice: 'https://desk.example.com' };

const subjectOf = (changes: Partial<NoticeSubject>): NoticeSubject => ({
  subject: 'unresolved_attempts',
  count: 3,
  sinceAtMs: Date.UTC(2026, 10, 27, 23, 14),
  merchantIds: ['abebe', 'selam'],
  merchants: 6,
  details: [],
  ...changes,
});

const noticeOf = (kind: Notice['kind'], subjects: readonly NoticeSubject[]): Notice => ({
  id: 'a1b2',
  kind,
  atMs: Date.UTC(2026, 10, 28),
  subjects,
});

test.each([
  ['https://desk.example.com', 'https://pay.example.com', 'https://desk.example.com'],
  ['', 'https://pay.example.com/', 'https://pay.example.com'],
  ['', '', null],
])('links with BACK_OFFICE_BASE_URL "%s" and PUBLIC_BASE_URL "%s" lead to %s', (desk, pay, to) => {
  const variables = { BACK_OFFICE_BASE_URL: desk, PUBLIC_BASE_URL: pay };
  expect(linksOf(variables)).toEqual({ backOffice: to });
});

describe.each([['en'], ['am']] as const)('in %s', (language) => {
  const textOf = (notice: Notice) => wordsOf(notice, [language], LINKS);

  test.each(SUBJECT_IDS)('%s', (subject) => {
    const shown = subjectOf({ subject, details: ['M_PESA', 'kefel-webhooks'] });
    for (const kind of ['new', 'repeat', 'resolved'] as const) {
      const { title, text } = textOf(noticeOf(kind, [shown]));
      expect(title).toMatch(/^Kefel: \S/);
      expect(text.startsWith(title)).toBe(true);
      expect(text).not.toMatch(/undefined|null|NaN|\[object/);
      expect(text.length).toBeLessThan(MESSAGE_CHARACTERS_MAX / 2);
      const pages = [...text.matchAll(/https:\/\/desk\.example\.com(\S+)/g)].map(
        ([, page]) => page,
      );
      const links = [`/docs/night#${subject}`, expect.toBeOneOf(Object.values(PATHS))];
      expect(pages).toEqual(kind === 'resolved' ? [] : links);
    }
  });

  test.each(SUBJECT_IDS)('%s says one thing in the singular', (subject) => {
    const title = (count: number) => textOf(noticeOf('new', [subjectOf({ subject, count })])).title;
    // Some subjects are not counted.
    const plural = title(2).replace('2', '1');
    expect(title(2) === plural || title(1) !== plural).toBe(true);
  });

  test('a digest lists what is open, or says that all is well', () => {
    const open = SUBJECT_IDS.map((subject) => subjectOf({ subject }));
    expect(textOf(noticeOf('digest', open)).text.match(/•/g)).toHaveLength(open.length);
    expect(textOf(noticeOf('digest', [])).text).not.toContain('•');
  });
});

test('a message says what, since when, whose, what it means and what to do', () => {
  expect(wordsOf(noticeOf('new', [subjectOf({})]), ['en'], LINKS).text).toBe(
    `Kefel: 3 payments without an outcome
Since 2026-11-28 02:14 EAT
Merchants: abebe, selam and 4 others
Money: customers may have paid. Do not charge them again before it is known.
Do: look each attempt up at its provider, then record the outcome.
Guide: https://desk.example.com/docs/night#unresolved_attempts
Desk: https://desk.example.com/operator`,
  );
});

test.each([
  ['dead_letters', [], '3 messages given up by a queue', 'dead-letters'],
  ['database_failing', ['no_answer'], 'the database does not answer', 'health'],
  ['database_failing', ['nearly_full'], 'the database is nearly full', 'health'],
] as const)(
  '%s %j says what is so, and where the operator begins',
  (subject, details, title, page) => {
    const { text } = wordsOf(noticeOf('new', [subjectOf({ subject, details })]), ['en'], LINKS);
    expect(text).toContain(`Kefel: ${title}\n`);
    expect(text).toContain(`Desk: https://desk.example.com/operator/${page}`);
  },
);

test('both languages go in one message', () => {
  const { title, text } = wordsOf(noticeOf('test', []), ['am', 'en'], LINKS);
  expect(title).toBe('Kefel: የሙከራ መልእክት');
  expect(text).toContain('\n\nKefel: A test message\n');
});

test('without an address of the back office, the guide is named by its file', () => {
  const { text } = wordsOf(noticeOf('new', [subjectOf({})]), ['en'], { backOffice: null });
  expect(text).toContain('docs/night.md#unresolved_attempts');
});
