import { expect } from 'vitest';
import type { CallbackAnswer, CallbackVariant } from '../../scripts/stand-ins/stand-in.ts';
import type { Method } from '../../src/domain/method.ts';
import type { CallbackSuspicion } from '../../src/rails/callback.ts';
import type { RailPayment } from './e2e-rails-payment.ts';
import { eventually } from './e2e-scene.ts';

/** The gateway's answers to callbacks, and its log lines about refused ones. */

/** The acknowledgement that each provider expects. */
const ACKNOWLEDGEMENT: Readonly<Record<Method, RegExp>> = {
  TELE_BIRR: /^\{"code":0,"msg":"success"\}$/,
  TELE_BIRR_USSD: /<res:ResponseCode>0<\/res:ResponseCode>/,
  CBE: /^OK$/,
  ETS_SWITCH: /^\{"code":"SUCCESS"\}$/,
  M_PESA: /^\{"ResultCode":0,"ResultDesc":"Accepted"\}$/,
  E_BIRR: /^\{"received":true\}$/,
};

export function expectAccepted(payment: RailPayment, answer: CallbackAnswer | null): void {
  const text = expect.stringMatching(ACKNOWLEDGEMENT[payment.cell.method]);
  expect(answer).toEqual({ status: 200, text });
}

export interface Refusal {
  readonly variant: CallbackVariant;
  readonly status: number;
  readonly suspicion: Suspicion;
}

/** `unknown_order`: at a shared address, a reference that names no payment. */
type Suspicion = CallbackSuspicion | 'unknown_order';

/**
 * The callback of a forger who knows the address and the whole order, but no secret of the rail.
 */
export const FORGERY: Readonly<Record<Method, Refusal>> = {
  TELE_BIRR: { variant: 'forged', status: 403, suspicion: 'not_authentic' },
  TELE_BIRR_USSD: { variant: 'forged', status: 401, suspicion: 'not_authentic' },
  CBE: { variant: 'forged', status: 401, suspicion: 'not_authentic' },
  // No signature: these are recognized by ids that a forger does not know.
  ETS_SWITCH: { variant: 'forged', status: 400, suspicion: 'other_order' },
  M_PESA: { variant: 'forged', status: 400, suspicion: 'other_order' },
  E_BIRR: { variant: 'other_order', status: 403, suspicion: 'other_order' },
};

/** Genuine except for the amount. */
export const WRONG_AMOUNT: Readonly<Record<Method, Refusal>> = {
  TELE_BIRR: { variant: 'wrong_amount', status: 409, suspicion: 'wrong_amount' },
  // Contains no amount.
  TELE_BIRR_USSD: { variant: 'wrong_amount', status: 400, suspicion: 'other_order' },
  // Contains no amount: sealed, but not hashed, by a forger without the secret.
  CBE: { variant: 'wrong_amount', status: 401, suspicion: 'not_authentic' },
  ETS_SWITCH: { variant: 'wrong_amount', status: 400, suspicion: 'wrong_amount' },
  M_PESA: { variant: 'wrong_amount', status: 400, suspicion: 'wrong_amount' },
  E_BIRR: { variant: 'wrong_amount', status: 403, suspicion: 'wrong_amount' },
};

/** Genuine except for the order. */
export const OTHER_ORDER: Readonly<Record<Method, Refusal>> = {
  TELE_BIRR: { variant: 'other_order', status: 409, suspicion: 'other_order' },
  TELE_BIRR_USSD: { variant: 'other_order', status: 400, suspicion: 'other_order' },
  // We choose its orders' ids at random, so another id names no order.
  CBE: { variant: 'other_order', status: 503, suspicion: 'unknown_order' },
  ETS_SWITCH: { variant: 'other_order', status: 400, suspicion: 'other_order' },
  M_PESA: { variant: 'other_order', status: 400, suspicion: 'other_order' },
  E_BIRR: { variant: 'other_order', status: 403, suspicion: 'other_order' },
};

/** CBE's callbacks share one address, so a forged one belongs to no payment. */
export function anomaliesOfRefusal({ cell }: RailPayment): readonly string[] {
  return cell.method === 'CBE' ? [] : ['refused_callback'];
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
  suspicion: Suspicion,
): Promise<void> {
  const { uuid } = await payment.status();
  const rail = payment.standIn.railId;
  const about = payment.cell.method === 'CBE' ? { rail, suspicion } : { uuid, rail, suspicion };
  const line = JSON.stringify({ event: 'rail_callback_refused', ...about });
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
