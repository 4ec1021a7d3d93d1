import { expect } from 'vitest';
import type { CallbackAnswer } from '../../scripts/stand-ins/stand-in.ts';
import type { CallbackSuspicion } from '../../src/engine/rails/callback.ts';
import type { RailPayment } from './e2e-rails-payment.ts';
import { eventually } from './e2e-scene.ts';
import { FACTS } from './method-facts.ts';

/** The gateway's answers to callbacks, and its log lines about refused ones. */

export function expectAccepted(payment: RailPayment, answer: CallbackAnswer | null): void {
  const text = expect.stringMatching(FACTS[payment.cell.method].acknowledgement);
  expect(answer).toEqual({ status: 200, text });
}

/** The same address with one letter of its token changed. */
export function strayed(callbackUrl: string): string {
  const at = callbackUrl.length - 20;
  const changed = callbackUrl[at] === 'A' ? 'B' : 'A';
  return callbackUrl.slice(0, at) + changed + callbackUrl.slice(at + 1);
}

/** A log line reports it, without secrets and phone numbers (docs/promises.md#10). */
export async function expectRefusalLogged(
  payment: RailPayment,
  suspicion: CallbackSuspicion,
): Promise<void> {
  const { uuid } = await payment.status();
  const rail = payment.standIn.railId;
  const line = JSON.stringify({ event: 'rail_callback_refused', uuid, rail, suspicion });
  const logs = await eventually(
    () => payment.scene.gateway.logs(),
    (text) => text.includes(line),
  );
  const lines = logs.split('\n').filter((text) => text.includes('rail_callback_refused'));
  const leaked = [...secretsIn(payment.standIn.settings), payment.phone].filter((secret) =>
    lines.some((text) => text.includes(secret)),
  );
  expect(leaked).toEqual([]);
}

/** Every text among the settings that is not an address and too long to appear by chance. */
function secretsIn(settings: unknown): readonly string[] {
  if (typeof settings === 'string') {
    // An outcome in a table of codes, which every refusal of an unknown state would repeat.
    const isWord = settings === 'unknown';
    return settings.length >= 6 && !settings.startsWith('http') && !isWord ? [settings] : [];
  }
  return typeof settings === 'object' && settings !== null
    ? Object.values(settings).flatMap(secretsIn)
    : [];
}
