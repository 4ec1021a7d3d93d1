import { jsonObject } from '../members.ts';
import type { Seal } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';
import { callbackReport, type StateReport } from './state-report.ts';

export type OpenedCallback =
  | { readonly type: 'report'; readonly report: StateReport }
  | { readonly type: 'refused'; readonly suspicion: 'unreadable' | 'not_authentic' };

/** Reads and authenticates the body of a callback. */
export async function openCallback(
  settings: CbeBirrSettings,
  seal: Seal,
  body: string,
): Promise<OpenedCallback> {
  const sealed = sealedValueOf(body);
  if (sealed === null) {
    return { type: 'refused', suspicion: 'unreadable' };
  }
  const report = await callbackReport(settings, seal, sealed);
  return report === null
    ? { type: 'refused', suspicion: 'not_authentic' }
    : { type: 'report', report };
}

/**
 * `EncVal` in the body. Published integrations read JSON, but their frameworks also accept forms, so
 * we read both. In a badly encoded form, a `+` arrives as a space, which base64 never contains.
 */
function sealedValueOf(body: string): string | null {
  const inForm = () => new URLSearchParams(body).get('EncVal')?.replaceAll(' ', '+');
  const value = jsonObject(body)?.EncVal ?? inForm();
  return typeof value === 'string' ? value : null;
}
