import { beforeAll, expect, test } from 'vitest';
import { codeOf, type VersionCode } from '../../lab/compatibility/bundles.ts';
import { notSaid } from '../../lab/compatibility/covered.ts';
import { PARTS, type Version } from '../../lab/compatibility/host/choose.ts';
import { PLANTED, renamed } from '../../lab/compatibility/planted.ts';
import {
  MIXED,
  runCompatibility,
  type Verdict,
  WORKER_AND_OBJECTS,
} from '../../lab/compatibility/run.ts';
import { freePort } from '../../scripts/gateway/own-gateway.ts';

/**
 * Goal: during a gradual deployment, old and new Workers, objects and back offices understand each
 * other, and each reads what the other stored. Method: two bundles side by side in one runtime, with a
 * merchant's life over every call between them. `npm run lab -- compatibility` mixes more, and plants more.
 */

let code: VersionCode;
let same: Verdict;

beforeAll(async () => {
  code = await codeOf();
  const mixed = WORKER_AND_OBJECTS;
  same = await runCompatibility({ old: code, new: code, mixed, port: await freePort() });
}, 600_000);

test('decisions.md#50 two bundles of the same source pay, refund and answer together', () => {
  expect(same.faults).toEqual([]);
});

test('calls every method of the objects, every question of the book and the whole interface', async () => {
  expect(await notSaid(same.own.new)).toEqual([]);
});

test.each([
  ['a member of a request', 'no [].answerWithinMs that is a number'],
  [
    'a member of an answer to the back office',
    'an owner handles payments: /dashboard/sandbox/overview',
  ],
] as const)(
  'fails when one side renames %s',
  async (what, fault) => {
    const { faults } = await runCompatibility({
      old: renamed(code, PLANTED[what]),
      new: code,
      // New objects with an old Worker: what the new side gets from its own version is known.
      mixed: WORKER_AND_OBJECTS.slice(1),
      known: same.own,
      port: await freePort(),
    });
    expect(faults.join('\n')).toContain(fault);
  },
  300_000,
);

test('mixes every two parts in both directions', () => {
  const lacking = PARTS.flatMap((one) =>
    PARTS.filter((other) => other !== one)
      .filter((other) => !MIXED.some((mix) => isOlder(mix[one]) && !isOlder(mix[other])))
      .map((other) => `${one} old, ${other} new`),
  );
  expect(lacking).toEqual([]);
});

function isOlder(version: Version): boolean {
  return version === 'old';
}
