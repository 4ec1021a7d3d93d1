import { windowEndsByMs } from '../attempts/plan.ts';
import type { IntentTerms } from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';
import { railFor } from '../rails/registry.ts';
import { isoTime } from '../webhooks/iso-time.ts';

/** A customer takes about this long to open the page of a hosted payment and to choose a method. */
const CHOOSING_MS = 30_000;

/**
 * Warns of each method whose provider may report a payment after the expiry, because the payment is
 * shorter than the provider's own time (docs/decisions.md#1).
 */
export function heldExpiryWarnings(env: Env, terms: IntentTerms): readonly string[] {
  return terms.methods.flatMap(({ method }) => {
    const heldUntilMs = heldUntil(env, terms, method);
    return heldUntilMs === null
      ? []
      : [
          `expireIn is shorter than the time of ${method}: an attempt that is under way at the ` +
            `expiry can be reported until ${isoTime(heldUntilMs)}, and PAYMENT_EXPIRED waits for it.`,
        ];
  });
}

/** Null when an attempt ends in time, or would if the customer of a hosted payment chose soon. */
function heldUntil(env: Env, terms: IntentTerms, method: Method): number | null {
  const rail = railFor(env, terms, method);
  if (rail === null) {
    return null;
  }
  const { kind, createdAtMs, expiresAtMs } = terms;
  const isHosted = kind === 'hosted';
  const soonMs = isHosted ? Math.min(createdAtMs + CHOOSING_MS, expiresAtMs) : createdAtMs;
  return windowEndsByMs(terms, method, rail, soonMs) > expiresAtMs
    ? windowEndsByMs(terms, method, rail, isHosted ? expiresAtMs : soonMs)
    : null;
}
