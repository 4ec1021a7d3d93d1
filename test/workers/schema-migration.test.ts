import { abortAllDurableObjects } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/intent/schema.ts';
import {
  advance,
  allRows,
  claim,
  clientOf,
  consume,
  createHosted,
  DAY_MS,
  execute,
  fireAlarm,
  intentOf,
  lastEvent,
  MINUTE_MS,
  objectSql,
  report,
  settle,
  startRedirect,
  useGateway,
} from './support.ts';

/**
 * Goal: an object that an older release stored goes on working when a newer one loads it, and looks
 * like a new one from then on. Method: its tables are brought back to what the older release made,
 * its memory is dropped, and it is asked, changed and delivered from.
 */

const caught = useGateway();

const BACK_TO_VERSION_1 = [
  'ALTER TABLE history DROP COLUMN detail',
  'UPDATE intent SET schema_version = 1',
];
const EVENT_BACK_TO_VERSION_1 = 'ALTER TABLE event DROP COLUMN revision';

/** As the older release left it, and nobody remembers anything. */
async function makeOld(...statements: string[]): Promise<void> {
  for (const statement of statements) {
    await objectSql(statement);
  }
  await abortAllDurableObjects();
}

async function columnsOf(table: string): Promise<string[]> {
  const rows = await objectSql<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`);
  return rows.map(({ name }) => name);
}

async function schemaVersion(): Promise<number | undefined> {
  const rows = await objectSql<{ schema_version: number }>('SELECT schema_version FROM intent');
  return rows[0]?.schema_version;
}

test('migration: an open payment of version 1 is read, paid and delivered', async () => {
  await createHosted();
  const before = await intentOf();
  await makeOld(...BACK_TO_VERSION_1);
  expect(await columnsOf('history')).not.toContain('detail');

  expect(await intentOf()).toEqual(before);
  expect(await schemaVersion()).toBe(SCHEMA_VERSION);
  await execute(startRedirect('a0'), settle('a0', 'succeeded'));
  const details = (await clientOf().history()).map(({ detail }) => detail);
  // Only what was stored since says who and why.
  expect(details).toMatchObject([null, { actor: 'customer' }, { actor: 'rail' }]);
  const { sequence } = await lastEvent();
  await report(sequence, (await claim(sequence)).claimId, { type: 'delivered' });
  expect((await lastEvent()).deliveryStatus).toBe('delivered');
});

test('migration: a paid payment of version 1 keeps its event, whose delivery goes on', async () => {
  await createHosted();
  await execute(startRedirect('a0'), settle('a0', 'succeeded'));
  const event = await lastEvent();
  const { history, intent } = await allRows();
  await makeOld(...BACK_TO_VERSION_1, EVENT_BACK_TO_VERSION_1);

  // The first to come by is the alarm: the message of the delivery was lost.
  advance(DAY_MS);
  await fireAlarm();
  const after = await allRows();
  expect(await schemaVersion()).toBe(SCHEMA_VERSION);
  // The old release had no details; everything else is as it was.
  expect(after.history).toEqual(history?.map((row) => Object.assign({}, row, { detail: null })));
  expect(after.intent).toHaveLength(intent?.length ?? 0);
  const { sequence } = event;
  await report(sequence, (await claim(sequence)).claimId, { type: 'delivered' });
  expect(await lastEvent()).toMatchObject({ eventId: event.eventId, deliveryStatus: 'delivered' });
});

test('migration: a tombstone of version 1 keeps its id taken', async () => {
  await createHosted();
  await execute({ type: 'cancel' });
  await consume('kefel-projections', caught.projections.splice(0));
  advance(400 * DAY_MS);
  await fireAlarm();
  await makeOld('UPDATE intent SET schema_version = 1');
  expect(await clientOf().probe(null)).toEqual({ type: 'duplicate' });
  expect(await schemaVersion()).toBe(SCHEMA_VERSION);
});

test('migration: new tables are made as migrated ones are', async () => {
  await createHosted();
  await execute(startRedirect('a0'), settle('a0', 'succeeded'));
  const fresh = [await columnsOf('history'), await columnsOf('event')];
  await makeOld(...BACK_TO_VERSION_1, EVENT_BACK_TO_VERSION_1);
  await intentOf();
  expect([await columnsOf('history'), await columnsOf('event')]).toEqual(fresh);
});

test('migration: an event table that a release before made in a new object goes on', async () => {
  await createHosted();
  await execute(startRedirect('a0', Date.now() + MINUTE_MS));
  await consume('kefel-projections', caught.projections.splice(0));
  await execute(settle('a0', 'succeeded'));
  const event = await lastEvent();
  // Rolled back before the first event: it made its own table, and left the version as it was.
  await makeOld(EVENT_BACK_TO_VERSION_1);
  expect(await schemaVersion()).toBe(SCHEMA_VERSION);

  advance(DAY_MS);
  await fireAlarm();
  expect(caught.projections.at(-1)).toMatchObject({ version: 3, events: [{ revision: 0 }] });
  const { sequence } = event;
  await report(sequence, (await claim(sequence)).claimId, { type: 'delivered' });
  expect(await lastEvent()).toMatchObject({ eventId: event.eventId, deliveryStatus: 'delivered' });
  await expect.poll(() => caught.projections.at(-1)?.version).toBe(4);
});
