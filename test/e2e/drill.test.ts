import { expect, test } from 'vitest';
import { runDrill } from '../../lab/drill/run.ts';
import { freePort } from '../../scripts/gateway/own-gateway.ts';

/** `npm run lab -- drill` in small: everything is lost but the fetched copy, with a kill in each half. */

const PAYMENTS = 20;
/** A kill leaves the backup leased for half a minute. */
const TIMEOUT_MS = 300_000;

test(
  'decisions.md#49: a gateway that is destroyed comes back from its backup, field by field',
  async () => {
    const said: string[] = [];
    const port = await freePort();
    const say = (text: string) => said.push(text);
    const result = await runDrill({ payments: PAYMENTS, kills: 2, seed: 7, port, say });
    expect([said, result.differences]).toEqual([said, []]);
    const counted = new Map(result.proof.lines.map(({ what, inGateway }) => [what, inGateway]));
    expect(counted.get('payments of sandbox/demo/0')).toBeGreaterThan(0);
    expect(counted.get('payments of production/demo/0')).toBeGreaterThan(0);
    expect(counted.get('refunds')).toBeGreaterThan(0);
    expect(counted.get('back office: passkeys')).toBe(1);
    expect(said.filter((text) => text.startsWith('kill'))).toHaveLength(2);
  },
  TIMEOUT_MS,
);
