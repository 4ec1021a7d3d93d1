import type { IntentTerms } from './terms.ts';

/** Faults of webhook delivery that a merchant can order for a sandbox payment. */
export const WEBHOOK_FAULTS = [
  'drop',
  'delay',
  'duplicate',
  'wrong_signature',
  'out_of_order',
] as const;

export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

/** The key of the payment's metadata that names the fault. */
export const WEBHOOK_FAULT_KEY = 'kefel_webhook';

/**
 * The fault of a delivery's first try. `overtaken`: hold the payment's first event back, so that a
 * later one arrives before it. `overtakes`: send the event that was held back once this one has
 * arrived.
 */
export type TryFault = Exclude<WebhookFault, 'out_of_order'> | 'overtaken' | 'overtakes';

export function isWebhookFault(text: string | undefined): text is WebhookFault {
  return WEBHOOK_FAULTS.some((fault) => fault === text);
}

/** The fault of the next try; null for none, as for every retry and every production payment. */
export function faultOfTry(
  { environment, metadata }: Pick<IntentTerms, 'environment' | 'metadata'>,
  { isFirstTry, isFirstEvent }: { readonly isFirstTry: boolean; readonly isFirstEvent: boolean },
): TryFault | null {
  const ordered = metadata[WEBHOOK_FAULT_KEY];
  if (environment !== 'sandbox' || !isFirstTry || !isWebhookFault(ordered)) {
    return null;
  }
  if (ordered !== 'out_of_order') {
    return ordered;
  }
  return isFirstEvent ? 'overtaken' : 'overtakes';
}
