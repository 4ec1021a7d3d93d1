import { jsonObject } from '../call-rail.ts';
import type { Seal } from './seal.ts';
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
 * `EncVal` out of the body. JSON in the published code's reading; a form is understood too, for
 * that code runs on frameworks which take either without saying. A `+` in a form that was not
 * encoded well is read as a space, which base64 has none of.
 */
function sealedValueOf(body: string): string | null {
  const inForm = () => new URLSearchParams(body).get('EncVal')?.replaceAll(' ', '+');
  const value = jsonObject(body)?.EncVal ?? inForm();
  return typeof value === 'string' ? value : null;
}
