import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { startEbirrStandIn } from '../../../scripts/stand-ins/ebirr.ts';
import { type StandIn, StandInServer } from '../../../scripts/stand-ins/stand-in.ts';
import { ebirrRail } from '../../../src/rails/ebirr/rail.ts';
import { ebirrSettingsSchema } from '../../../src/rails/ebirr/settings.ts';
import type { RailOrder } from '../../../src/rails/rail-order.ts';
import { orderFor } from './order.ts';

/** eBirr's stand-in, its configured adapter, and a receiver of callbacks. */
export interface EbirrScene {
  readonly standIn: StandIn;
  /** Plays the gateway's callback route and stores the callbacks. */
  readonly gateway: StandInServer;
  railWith(changed?: Readonly<Record<string, unknown>>): ReturnType<typeof ebirrRail>;
  /** An order of ETB 1,500.00 whose callbacks go to `gateway`. */
  order(changed?: Parameters<typeof orderFor>[2]): RailOrder;
  stop(): Promise<void>;
}

export async function ebirrScene(): Promise<EbirrScene> {
  const standIn = await startEbirrStandIn();
  const gateway = await StandInServer.start(async () => ({
    type: 'answer',
    status: 200,
    body: 'ok',
  }));
  const railWith: EbirrScene['railWith'] = (changed = {}) =>
    ebirrRail(v.parse(ebirrSettingsSchema, { ...standIn.settings, ...changed }));
  const rail = railWith();
  const callbackUrl = `${gateway.baseUrl}/rails/ebirr/test1.attempt-token`;
  return {
    standIn,
    gateway,
    railWith,
    order: (changed = {}) =>
      orderFor(rail, 'E_BIRR', { ...changed, order: { callbackUrl, ...changed.order } }),
    async stop() {
      await Promise.all([standIn.stop(), gateway.stop()]);
    },
  };
}

/** The text of one of the published samples in `test/fixtures`. */
export function ebirrSample(name: string): string {
  return readFileSync(new URL(`../../fixtures/rails/ebirr/${name}.json`, import.meta.url), 'utf8');
}

/** Bodies of the maximum size that would slow down a careless parser, each with its name. */
export function hostileBodies(reference: string): readonly (readonly [string, string])[] {
  const report = (members: object) => JSON.stringify({ referenceId: reference, ...members });
  return [
    ['nesting', '['.repeat(65_536)],
    ['nested objects', '{"params":'.repeat(6_500)],
    ['digits', report({ txAmount: '9'.repeat(65_000) })],
    ['zeros', report({ txAmount: `1.1${'0'.repeat(65_000)}1` })],
    ['time-outs', report({ errorCode: 'E10205', responseMsg: 'time '.repeat(13_000) })],
    ['blanks', report({ errorCode: '5309', responseMsg: ' '.repeat(65_000) })],
    ['reference', report({ referenceId: reference.repeat(3_000) })],
    ['members', `{${'"a":1,'.repeat(10_000)}"b":1}`],
    ['bytes that are not text', '\uFFFF'.repeat(20_000)],
  ];
}
