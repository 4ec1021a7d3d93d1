import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { dashboard as english } from '../../../back-office/i18n/en/dashboard.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../../../src/kit/audit/actions.ts';
import { type AuditEntry, auditEntry } from '../../../src/kit/audit/log.ts';
import { cursorText } from '../../../src/kit/platform/paging.ts';
import { ALPHA, advance, BETA, runSql, useGateway } from '../support.ts';
import { signedIn, visit } from './support.ts';

/**
 * Goal: an owner reads all that was done to the merchant, and nothing of other merchants, page by
 * page. Method: entries as the dashboard and the operator write them, then the page.
 */

useGateway();

const PATH = '/dashboard/audit';
const PAGE_SIZE = 50;

function entry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    actor: { kind: 'member', id: 'mem_x', name: 'Almaz', address: '192.0.2.7' },
    merchantId: ALPHA.id,
    environment: 'sandbox',
    action: 'api_key.created',
    target: '…abcd',
    atMs: Date.now(),
    ...changes,
  };
}

const OPERATOR = { kind: 'operator', id: 'desk', name: 'Desk', address: null } as const;

function write(...entries: readonly AuditEntry[]): Promise<void> {
  return runSql(entries.map(auditEntry));
}

async function read(path = PATH, language = 'en') {
  const response = await visit(await signedIn(), path, language);
  const html = await response.text();
  const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) =>
      cell
        .replaceAll(/<\/li>/g, ';')
        .replaceAll(/<[^>]*>/g, '')
        .trim(),
    ),
  );
  const wayOf = (rel: string) =>
    new RegExp(`rel="${rel}" href="([^"]+)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? null;
  return {
    status: response.status,
    html,
    rows: rows.filter((cells) => cells.length > 0),
    newer: wayOf('prev'),
    older: wayOf('next'),
  };
}

test('shows who did what to what, when and from where', async () => {
  await write(
    entry({ detail: { name: 'Web shop', oldKeyEndsAtMs: Date.UTC(2090, 0, 2) } }),
    entry({
      actor: OPERATOR,
      environment: null,
      action: 'commission.changed',
      target: 'CBE',
      detail: { basisPoints: 250, fixedMinor: 100, somethingNew: true },
    }),
  );
  const { rows } = await read();
  expect(rows).toHaveLength(2);
  const [newest = [], oldest = []] = rows;
  expect(newest[1]).toBe('Desk (Operator)');
  expect(newest[2]).toBe('Commission changed CBE Birr');
  expect(newest[3]).toBe('percentage: 2.50%;fixed sum: 1.00;something new: yes;');
  expect(newest[4]).toBe('—');
  expect(oldest[0]).toMatch(/^\d+ \w+ 209\d, \d\d:\d\d EAT$/);
  expect(oldest.slice(1, 3)).toEqual(['Almaz', 'API key created (Sandbox) …abcd']);
  expect(oldest[3]).toBe('name: Web shop;old key ends: 2 Jan 2090, 03:00 EAT;');
  expect(oldest[4]).toBe('192.0.2.7');
});

test.each(['en', 'am'])('has a text for every action: %s', async (language) => {
  const descriptions = new Set<string>();
  // More than a page shows.
  for (const actions of [AUDIT_ACTIONS.slice(0, 40), AUDIT_ACTIONS.slice(40)]) {
    await write(...actions.map((action) => entry({ action, target: null })));
    for (const cells of (await read(PATH, language)).rows) {
      descriptions.add(cells[2] ?? '');
    }
  }
  expect(descriptions.size).toBe(AUDIT_ACTIONS.length);
  for (const text of descriptions) {
    expect(text).toMatch(language === 'en' ? /^[A-Z]/ : /^[\u1200-\u137f]/);
    expect(text).not.toContain('_');
  }
});

test.each<[AuditAction, NonNullable<AuditEntry['detail']>, string]>([
  [
    'member.role_changed',
    { name: 'owner', from: 'owner', to: 'viewer' },
    'name: owner;before: Owner;after: Viewer;',
  ],
  ['api_key.renamed', { from: 'owner', to: 'till' }, 'before: owner;after: till;'],
  [
    'events.resend_requested',
    { from: '2090-01-01', to: '2090-01-02', resent: 3 },
    'from date: 2090-01-01;to date: 2090-01-02;resent: 3;',
  ],
  ['session.revoked', { which: 'others' }, 'sessions: all others;'],
  ['limit.changed', { amountMinorMax: 5_000_000 }, 'maximum payment: 50000.00;'],
  ['limit.changed', { amountMinorMax: null }, 'maximum payment: none;'],
  ['payments.exported', { method: 'CBE', status: 'SUCCESS' }, 'method: CBE Birr;status: SUCCESS;'],
])('shows the details of %s %j readably', async (action, detail, text) => {
  await write(entry({ action, detail }));
  expect((await read()).rows[0]?.[3]).toBe(text);
});

test('shows an unknown action by its name', async () => {
  await write(entry({ action: 'rocket.launched' as AuditAction }));
  expect((await read()).rows[0]?.[2]).toContain('rocket.launched');
});

test('pages down and up without gap or repetition', async () => {
  const count = 2 * PAGE_SIZE + 20;
  for (let index = 0; index < count; index++) {
    await write(entry({ target: `n${index}` }), entry({ merchantId: BETA.id }));
  }
  const numbers = (rows: readonly string[][]) =>
    rows.map((cells) => Number(/n(\d+)$/.exec(cells[2] ?? '')?.[1]));
  const first = await read();
  const second = await read(first.older ?? '');
  const third = await read(second.older ?? '');
  const seen = [first, second, third].flatMap(({ rows }) => numbers(rows));
  expect(seen).toEqual(Array.from({ length: count }, (_, index) => count - 1 - index));
  expect([first.newer, third.older]).toEqual([null, null]);

  // New entries move no page.
  await write(entry({ target: 'n999' }));
  const back = await read(third.newer ?? '');
  expect(numbers(back.rows)).toEqual(numbers(second.rows));
  const backAgain = await read(back.newer ?? '');
  expect(numbers(backAgain.rows)).toEqual(numbers(first.rows));
  const top = await read(backAgain.newer ?? '');
  expect(numbers(top.rows)).toEqual([999]);
  expect([top.newer, top.older === null]).toEqual([null, false]);
});

test('pages through the logs of both planes as through one, also within a millisecond', async () => {
  const written: string[] = [];
  for (let index = 0; index < PAGE_SIZE; index++) {
    const entries = [entry({ target: `b${index}` }), entry({ target: `p${index}` })] as const;
    await runSql([auditEntry(entries[0])], env.BACK_OFFICE_DB);
    await write(entries[1]);
    written.push(`b${index}`, `p${index}`);
    // Half of the entries share a millisecond with others.
    advance(index % 4 === 0 ? 1 : 0);
  }
  const targetsOf = ({ rows }: { readonly rows: readonly string[][] }) =>
    rows.map((cells) => cells[2]?.split(' ').at(-1) ?? '');
  const first = await read();
  const second = await read(first.older ?? '');
  const down = [...targetsOf(first), ...targetsOf(second)];
  expect(down.toSorted()).toEqual(written.toSorted());
  expect([first.newer, second.older]).toEqual([null, null]);
  expect(targetsOf(await read(second.newer ?? ''))).toEqual(targetsOf(first));
});

test('filters by action and actor, across pages too', async () => {
  const almaz = await signedIn('developer');
  const actor = { kind: 'member', id: almaz.memberId, name: 'Almaz', address: null } as const;
  for (let index = 0; index <= PAGE_SIZE; index++) {
    await write(
      entry({ actor, target: 'hers' }),
      entry({ action: 'method.enabled', target: 'CBE' }),
      entry({ actor: OPERATOR, action: 'merchant.renamed', target: 'desk' }),
    );
  }
  const whatOf = (rows: readonly string[][]) => new Set(rows.map((cells) => cells[2]));
  const methods = await read(`${PATH}?group=methods`);
  expect(whatOf(methods.rows)).toEqual(new Set(['Method turned on (Sandbox) CBE Birr']));
  expect(methods.html).toContain('<option value="methods" selected');
  const older = await read(methods.older ?? '');
  expect([older.rows.length, whatOf(older.rows)]).toEqual([1, whatOf(methods.rows)]);

  expect(whatOf((await read(`${PATH}?who=${almaz.memberId}`)).rows)).toEqual(
    new Set(['API key created (Sandbox) hers']),
  );
  expect(whatOf((await read(`${PATH}?who=operator`)).rows)).toEqual(
    new Set(['Merchant renamed (Sandbox) desk']),
  );
  const both = await read(`${PATH}?who=operator&group=keys`);
  expect(both.rows).toEqual([]);
  expect(both.html).toContain(english.audit.empty);
});

test.each([
  ['cursor=x', 400],
  ['cursor=-1', 400],
  [`cursor=${'9'.repeat(400)}`, 400],
  ['cursor=1e9', 400],
  ['group=nothing', 200],
  [`cursor=%27%20OR%201=1`, 400],
])('shows the newest entries for an invalid address: %s', async (query, expected) => {
  await write(entry());
  const { status, rows } = await read(`${PATH}?${query}`);
  expect([status, rows.length]).toEqual([expected, 1]);
});

test('shows nothing of another merchant or of none, for any address', async () => {
  const stranger = await signedIn('owner', BETA);
  const actor = { kind: 'member', id: stranger.memberId, name: 'Beta', address: null } as const;
  await write(
    entry({ merchantId: BETA.id, actor }),
    entry({ merchantId: null, actor: OPERATOR, action: 'bank.changed' }),
  );
  for (const query of [
    '',
    '?who=operator',
    `?who=${stranger.memberId}`,
    `?cursor=${cursorText({ direction: 'newer', atMs: 0, id: '0' })}`,
    `?cursor=${cursorText({ direction: 'older', atMs: Date.now() * 2, id: '99' })}`,
  ]) {
    const { rows, html } = await read(`${PATH}${query}`);
    expect(rows).toEqual([]);
    expect(html).not.toContain('Beta<');
  }
});

test('escapes the text of an entry', async () => {
  const nasty = '<img src=x onerror=alert(1)>';
  await write(
    entry({ target: nasty, detail: { name: nasty, [nasty]: nasty } }),
    entry({ actor: { kind: 'member', id: 'm', name: nasty, address: nasty } }),
  );
  expect((await read()).html).not.toContain('<img');
});
