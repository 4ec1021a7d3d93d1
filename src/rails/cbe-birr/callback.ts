import { jsonObject } from '../call-rail.ts';
import { type Seal, sealOf } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';
import { callbackReport, type StateReport } from './state-report.ts';

export type OpenedCallback =
  | { readonly type: 'report'; readonly report: StateReport }
  | { readonly type: 'refused'; readonly suspicion: 'unreadable' | 'not_authentic' };

/** What the body of a callback proves. */
export function openCallback(settings: CbeBirrSettings, seal: Seal, body: string): OpenedCallback {
  const sealed = sealedValueOf(body);
  if (sealed === null) {
    return { type: 'refused', suspicion: 'unreadable' };
  }
  const report = callbackReport(settings, seal, sealed);
  return report === null
    ? { type: 'refused', suspicion: 'not_authentic' }
    : { type: 'report', report };
}

/**
 * The transaction id that an authentic callback speaks of, or null. CBE sends all callbacks to the
 * one address registered with it, so the body alone must lead to the order.
 */
export async function transactionIdOf(
  settings: CbeBirrSettings,
  body: string,
): Promise<string | null> {
  const opened = openCallback(settings, sealOf(settings.secret), body);
  return opened.type === 'report' ? opened.report.transactionId : null;
}

/**
 * `EncVal` out of the body. JSON in the published code's reading; a form is understood too, for
 * that code runs on frameworks which take either without saying. A `+` in a form that was not
 * encoded well is read as a space, which base64 has none of.
 */
function sealedValueOf(body: string): string | null {
  const inForm = () => new URLSearchParams(body).get('EncVal')?.replaceAll(' ', '+');
  const value = jsonObject(body)?.EncVal ?? inForm();
  return typeof value === 'string' ? value : null;
}
