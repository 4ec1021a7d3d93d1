import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { AUDIT_FILE_PAGE_ROWS } from '../../../src/control/audit/read.ts';
import { cursorText } from '../../../src/kit/platform/paging.ts';
import { auditLog } from '../dashboard/support.ts';
import { ALPHA, useGateway } from '../support.ts';
import { content, deskOf, operateApi } from './support.ts';

/**
 * Goal: an auditor gets every entry of a month of Addis Ababa from both logs, once, in order, in a file
 * that a spreadsheet opens without harm. Method: entries in both databases, and files as the desk and
 * the API send them.
 */

useGateway();

/** The month begins and ends three hours before that of UTC. */
const BEGINS = Date.parse('2026-09-30T21:00:00Z');
const ENDS = Date.parse('2026-10-31T21:00:00Z');
const PATH = '/operator/audit/audit.csv';
const HEAD =
  'at,at_eat,entry,action,actor_kind,actor_name,name_proved,address,environment,merchant_id,target,detail';

const { open, pageOf } = deskOf('Hana');

/** `count` entries of one log, the first at `atMs`, the others a millisecond later each. */
async function insert(
  db: D1Database,
  action: string,
  atMs: number,
  { name = 'Sara', detail = {}, count = 1 } = {},
): Promise<void> {
  await db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?6)
        INSERT INTO audit_log (at_ms, merchant_id, environment, actor_kind, actor_id, actor_name,
          address, action, target, detail)
        SELECT ?1 + i, ?2, 'production', 'member', 'mem_1', ?3, '192.0.2.1', ?4, 'one', ?5 FROM n`,
    )
    .bind(atMs, ALPHA.id, name, action, JSON.stringify(detail), count)
    .run();
}

async function linesOf(month: string): Promise<readonly string[]> {
  const response = await open(`${PATH}?month=${month}`);
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="audit-${month}.csv"`,
  );
  return (await response.text()).trimEnd().split('\r\n');
}

const entries = async () =>
  (await auditLog())
    .filter(({ action }) => action === 'audit.exported')
    .map(({ actor_id, target, detail }) => [actor_id, target, JSON.parse(detail)]);

test('has the entries of both logs from midnight to midnight in Addis Ababa, newest first', async () => {
  const [members, payments] = [env.BACK_OFFICE_DB, env.DB];
  await insert(payments, 'too.early', BEGINS - 1);
  await insert(payments, 'api_key.created', BEGINS, { detail: { name: '=1+1;=2' } });
  await insert(members, 'member.invited', BEGINS + 1, { name: '=cmd()' });
  await insert(payments, 'refund.requested', ENDS - 1);
  await insert(members, 'member.removed', ENDS - 1);
  await insert(members, 'too.late', ENDS);
  const [head, ...lines] = await linesOf('2026-10');
  expect(head).toBe(HEAD);
  const last = '2026-10-31T20:59:59.999Z,2026-10-31 23:59:59';
  const member = `192.0.2.1\t,production,${ALPHA.id},one`;
  // Ids go on from other tests.
  const shown = lines.map((line) => line.replace(/\/\d+/, '/N').replaceAll('"', ''));
  expect(shown).toEqual([
    `${last},payments/N,refund.requested,member,Sara,,${member},{}`,
    `${last},back_office/N,member.removed,member,Sara,,${member},{}`,
    `2026-09-30T21:00:00.001Z,2026-10-01 00:00:00,back_office/N,member.invited,member,'=cmd(),,${member},{}`,
    `2026-09-30T21:00:00.000Z,2026-10-01 00:00:00,payments/N,api_key.created,member,Sara,,${member},{name:=1+1;'=2}`,
  ]);
  expect(await entries()).toEqual([
    ['Hana', null, { month: '2026-10' }],
    ['Hana', null, { month: '2026-10', complete: true }],
  ]);
});

test('has each entry once over several pages, also those of one millisecond', async () => {
  const rows = AUDIT_FILE_PAGE_ROWS + 200;
  await insert(env.DB, 'api_key.created', BEGINS, { count: rows });
  await insert(env.BACK_OFFICE_DB, 'session.started', BEGINS + 100, { count: rows });
  const [, ...lines] = await linesOf('2026-10');
  expect(lines).toHaveLength(2 * rows);
  expect(new Set(lines).size).toBe(2 * rows);
  const times = lines.map((line) => line.slice(0, 24));
  expect(times).toEqual(times.toSorted().toReversed());
  expect(await entries()).toHaveLength(2);
});

type Page = { rows: unknown[]; next: string | null };
const ask = (body: object) => operateApi('/audit/export', body);

test('gives no later page without the first one, which is recorded, and none of another month', async () => {
  await insert(env.DB, 'api_key.created', BEGINS, { count: AUDIT_FILE_PAGE_ROWS + 1 });
  for (const after of ['', 'by4xLjE', 'by4xLjE.t1.AAAA']) {
    expect((await ask({ month: '2026-10', after })).status).toBe(400);
  }
  expect(await entries()).toEqual([]);
  const { rows, next } = await content<Page>(ask({ month: '2026-10' }));
  expect(rows).toHaveLength(AUDIT_FILE_PAGE_ROWS);
  expect((await ask({ month: '2026-09', after: next })).status).toBe(400);
  // An auditor's file that leaves entries out must not end as a complete one.
  const last = cursorText({ atMs: BEGINS, id: 'p0', direction: 'older' });
  for (const after of [`${last}.${next?.slice(next.indexOf('.') + 1)}`, `${next}A`]) {
    expect((await ask({ month: '2026-10', after })).status).toBe(400);
  }
  const rest = await content<Page>(ask({ month: '2026-10', after: next }));
  expect([rest.rows.length, rest.next]).toEqual([1, null]);
});

test.each(['2026-13', '2026', ''])(
  'is refused without an entry for the month "%s"',
  async (month) => {
    expect((await open(`${PATH}?month=${month}`)).status).toBe(400);
    expect((await ask({ month })).status).toBe(400);
    expect(await entries()).toEqual([]);
  },
);

test('is found on the page of the audit log', async () => {
  expect(await pageOf('/operator/audit')).toContain(`action="${PATH}"`);
});
