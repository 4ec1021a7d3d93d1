import { newAttempt } from '../../src/engine/attempts/start.ts';
import type { Outcome } from '../../src/engine/domain/attempt.ts';
import { decide, openIntent } from '../../src/engine/domain/decide.ts';
import type { Method } from '../../src/engine/domain/method.ts';
import { plainTerms } from '../../src/engine/domain/plain-terms.ts';
import type { IntentTerms } from '../../src/engine/domain/terms.ts';
import type { ProbeResult, Rail } from '../../src/engine/rails/rail.ts';
import { ORDER_ID_CHARACTERS, type RailOrder } from '../../src/engine/rails/rail-order.ts';
import { ConfigError } from '../../src/kit/config-error.ts';
import type { Environment } from '../../src/kit/tenant.ts';
import { probeLines } from './probe-text.ts';
import { redacted } from './redact.ts';

/** Where a provider that answers later posts its result, which gets lost: a reserved name (RFC 2606). */
export const NO_ADDRESS = 'https://kefel.invalid/rails/check';

/** Which payment to ask the provider about. */
export interface LiveQuery {
  readonly method: Method;
  readonly environment: Environment;
  /** Our reference, which the merchant knows as `transactionId`. */
  readonly reference: string | undefined;
  /** The provider's own id of the payment. */
  readonly railReference: string | undefined;
  readonly amountMinor: number;
  /** Where a provider that answers later posts its result. */
  readonly resultUrl: string;
}

/**
 * Probes the rail, and returns the result with all that came back as lines for a terminal, redacted by
 * the secret's own `settings`. `resultUrl`: where a provider that answers later posts its result.
 */
export async function probeLive(
  { probe }: Rail,
  resultUrl: string,
  settings: unknown,
): Promise<{ readonly result: ProbeResult; readonly lines: readonly string[] }> {
  if (probe === undefined) {
    throw new ConfigError('This rail has no probe');
  }
  const exchanges: string[] = [];
  const result = await recorded(exchanges, () => probe(resultUrl));
  const seen = exchanges.map((exchange) => redacted(exchange, settings));
  return { result, lines: [...seen, ...probeLines(result)] };
}

/**
 * Makes one status query, which moves no money, and returns what came back as lines for a terminal,
 * redacted by the secret's own `settings`.
 */
export async function queryLive(
  rail: Rail,
  query: LiveQuery,
  settings: unknown,
): Promise<readonly string[]> {
  if (rail.query === undefined) {
    throw new ConfigError(`${query.method} has no status query, or "statusQuery" is not set`);
  }
  const exchanges: string[] = [];
  const { query: ask } = rail;
  const outcome = await recorded(exchanges, () => ask(orderOf(rail, query), Date.now()));
  return [
    ...(exchanges.length === 0
      ? ['No request was sent: this rail asks by the provider’s own id, see --provider-id.']
      : exchanges.map((exchange) => redacted(exchange, settings))),
    `Kefel understands: ${meaningOf(outcome)}`,
  ];
}

function meaningOf(outcome: Outcome): string {
  switch (outcome.type) {
    case 'succeeded':
      return 'paid';
    case 'failed':
      return `not paid: ${outcome.reason}`;
    default:
      return 'nothing that would change a payment';
  }
}

/** Runs `act` and adds each of its requests and answers to `exchanges`. */
async function recorded<Result>(exchanges: string[], act: () => Promise<Result>): Promise<Result> {
  const send = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const { url, method } = new Request(input, init);
    // Without the query, which may carry credentials.
    const { origin, pathname } = new URL(url);
    const line = `${method} ${origin}${pathname}`;
    try {
      const response = await send(input, init);
      exchanges.push(`${line} answered ${response.status}:\n${await response.clone().text()}`);
      return response;
    } catch (error) {
      const cause = error instanceof Error ? `${error.message} ${error.cause ?? ''}` : `${error}`;
      exchanges.push(`${line} did not answer: ${cause.trim()}`);
      throw error;
    }
  };
  try {
    return await act();
  } finally {
    globalThis.fetch = send;
  }
}

/** The order of a payment that is just being made. */
function orderOf(rail: Rail, query: LiveQuery): RailOrder {
  const { method, environment, amountMinor, resultUrl } = query;
  const nowMs = Date.now();
  const terms = termsOf(environment, method, amountMinor, rail, nowMs);
  const planned = newAttempt(terms, method, null, rail, nowMs);
  const start = { ...planned, reference: query.reference ?? planned.reference };
  const { intent } = decide(openIntent(terms), [{ type: 'start_attempt', attempt: start }], nowMs);
  const [attempt] = intent.attempts;
  if (attempt === undefined) {
    throw new Error('A new payment accepts an attempt');
  }
  return {
    terms,
    attempt: { ...attempt, railReference: query.railReference ?? null },
    chargedMinor: amountMinor,
    attemptToken: 'rail-check',
    callbackUrl: resultUrl,
    orderId: start.reference.repeat(ORDER_ID_CHARACTERS).slice(0, ORDER_ID_CHARACTERS),
    checkoutUrl: resultUrl,
    returnUrl: resultUrl,
  };
}

const PAYMENT_MS = 60 * 60 * 1_000;

function termsOf(
  environment: Environment,
  method: Method,
  amountMinor: number,
  { currencies }: Rail,
  nowMs: number,
): IntentTerms {
  return plainTerms({
    environment,
    merchantId: 'rail-check',
    merchantName: 'Rail check',
    uniqueId: 'rail-check',
    uuid: crypto.randomUUID(),
    kind: 'express',
    amountMinor,
    currency: currencies[0] ?? 'ETB',
    methods: [{ method, commissionMinor: 0 }],
    baseUrl: 'https://kefel.invalid',
    createdAtMs: nowMs,
    expiresAtMs: nowMs + PAYMENT_MS,
  });
}
