import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHosted, eventually } from '../support/e2e-scene.ts';
import { startTakenOver, type TakenOverScene } from '../support/e2e-taken-over.ts';

/**
 * Goal: the built payments Worker gives an intruder with the back office's bindings nothing but the
 * functions of the interface (docs/decisions.md#53). Method: calls of the entrypoint over real RPC.
 * Bundlers change what a module's namespace inherits, so the sources alone do not show it.
 */

let scene: TakenOverScene;

beforeAll(async () => {
  scene = await startTakenOver('taken-over');
});

afterAll(() => scene?.close());

const AREAS = [
  'audit',
  'backups',
  'events',
  'lists',
  'methods',
  'operator',
  'payments',
  'settings',
  'webhooks',
];

test.each([
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
  'default',
  '',
  'nothing',
])('the interface has no function and no area called %j', async (name) => {
  const tenant = { environment: 'sandbox', merchantId: scene.gateway.merchant.merchantId };
  const paths: unknown[] = [[name], [name, name], [name, 'read'], name, [[name], 'read'], null];
  for (const path of [...paths, ...AREAS.map((area) => [area, name])]) {
    for (const args of [[], [tenant], ['x']]) {
      const { answer, thrown } = await scene.call(path, args);
      expect([path, answer]).toEqual([path, undefined]);
      expect(thrown).toContain('the interface has no such function');
    }
  }
});

test.each([
  ['status', "open' OR '1'='1"],
  ['status', "open') UNION ALL SELECT id FROM payment --"],
  ['status', "open'; CREATE TABLE stolen (x); --"],
  ['method', "CBE' OR method IS NULL --"],
  ['constructor', 'x'],
])('a list refuses the filter %s = %s, and stays as it is', async (name, text) => {
  const tenant = { environment: 'sandbox', merchantId: scene.gateway.merchant.merchantId };
  const member = { kind: 'member', id: 'mem_1', name: 'M', address: null };
  const { uniqueId } = await createHosted(scene);
  const list = (filter: object) =>
    scene.call(['lists', 'paymentsWithTotals'], [tenant, filter, null, 25]);
  const before = await eventually(
    () => list({}),
    (reply) => JSON.stringify(reply).includes(uniqueId),
  );
  for (const filter of [{ [name]: text }, { [name]: text, amountMinorMin: 1 }]) {
    for (const reply of [
      await list(filter),
      await scene.call(['lists', 'exported'], [tenant, member, filter, 'masked', null]),
    ]) {
      expect(reply).toEqual({ thrown: expect.stringContaining('the arguments do not fit') });
    }
  }
  expect(await list({})).toEqual(before);
});

test('a flood of refused calls leaves few lines in the log, none with a value', async () => {
  const logs = await scene.gateway.logs();
  const lines = logs.split('\n').filter((line) => line.includes('interface_call_refused'));
  expect(lines.length).toBeGreaterThan(0);
  // Of more than 500 calls; ten lines a minute.
  expect(lines.length).toBeLessThan(100);
  expect(lines.some((line) => line.includes('"suppressesMore":true'))).toBe(true);
  expect(logs).not.toContain('stolen');
});
