import { type Mutant, mutantsOf } from './mutant.ts';

/** Mistakes in the state machine. */
export const DOMAIN_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('src/domain/transition.ts', [
    [
      "    case 'processing':\n      return reject(step, 'attempt_in_flight');\n    default:",
      "    case 'processing':\n      return end(step, 'canceled', null, nowMs);\n    default:",
      'a merchant cancels while the customer is paying',
    ],
    [
      "  if (intent.status === 'processing') {\n    return reject(step, 'attempt_in_flight');",
      "  if (intent.status === 'expired') {\n    return reject(step, 'attempt_in_flight');",
      'two attempts in flight',
    ],
    [
      "if (intent.status !== 'open' || intent.attempts.length >= ATTEMPTS_MAX) {",
      'if (intent.attempts.length >= ATTEMPTS_MAX) {',
      'an attempt starts on a payment that has ended',
    ],
    [
      'if (expectedAttempts !== undefined && expectedAttempts !== intent.attempts.length) {',
      'if (expectedAttempts !== undefined && expectedAttempts > intent.attempts.length) {',
      'a form that is sent twice starts two attempts',
    ],
    [
      "    attempt.startClaim === 'free' &&\n",
      '',
      'two consumers call the provider for one attempt',
    ],
    [
      "return { ...attempt, status: 'unresolved', failureReason: 'abandoned', updatedAtMs: nowMs };",
      "return { ...attempt, status: 'failed', failureReason: 'abandoned', updatedAtMs: nowMs };",
      'an abandoned attempt counts as unpaid although the page is still open',
    ],
    [
      'before.anomalies !== after.anomalies ||',
      'before.anomalies.length > after.anomalies.length ||',
      'an anomaly is stored and never shown',
    ],
    [
      'version: before.version + 1,',
      'version: before.version + step.events.length,',
      'two states have one version',
    ],
    [
      'const due = applyRefundTime(applyTime(start(before), nowMs), nowMs);',
      'const due = applyTime(start(before), nowMs);',
      'a refund whose caller died stays in process',
    ],
  ]),
  ...mutantsOf('src/domain/time.ts', [
    [
      'if (!wasNeverCalled && (!attempt.windowIsFinal || attempt.checkAtMs !== null)) {',
      'if (!wasNeverCalled && attempt.checkAtMs !== null) {',
      'an attempt that may still be paid counts as certainly unpaid',
    ],
    [
      "if (isOver && (attempt.startClaim === 'free' || !isCheckDue(attempt, nowMs))) {",
      'if (isOver) {',
      'the window closes before the query that is due',
    ],
    [
      "status === 'open' || attemptInFlight(next.intent)?.status === 'unresolved';",
      "status === 'open';",
      'a payment with an unresolved attempt never ends',
    ],
    [
      "status === 'open' || attemptInFlight(next.intent)?.status === 'unresolved';",
      "status === 'open' || status === 'processing';",
      'a payment expires under the customer who is paying',
    ],
    [
      "const wasNeverCalled = attempt.startClaim === 'free';",
      "const wasNeverCalled = attempt.startClaim !== 'not_needed';",
      'a prompt that was sent counts as never sent',
    ],
    ['if (nowMs < terms.expiresAtMs) {', 'if (nowMs < 2 * terms.expiresAtMs) {', 'no expiry'],
  ]),
  ...mutantsOf('src/domain/resolve.ts', [
    [
      "if (step.intent.status === 'succeeded') {",
      "if (step.intent.status === 'canceled') {",
      'a second payment is announced as the first',
    ],
    [
      'hasEnded(step.intent.status) || isPaidAfterExpiry(step, outcome, nowMs)',
      'isPaidAfterExpiry(step, outcome, nowMs)',
      'a payment after its end does not say that it is late',
    ],
    [
      'hasEnded(step.intent.status) || isPaidAfterExpiry(step, outcome, nowMs)',
      'hasEnded(step.intent.status)',
      'a payment after the expiry, which an attempt held up, does not say that it is late',
    ],
    [
      '  if (!isPending(attempt)) {\n    return step;\n  }\n  const isCurrent',
      '  const isCurrent',
      'an expired attempt fails again',
    ],
    [
      "  if (attempt.status === 'succeeded') {\n    // This answers",
      "  if (attempt.status === 'expired') {\n    // This answers",
      'a paid attempt fails',
    ],
    [
      '  if (!isCurrent) {\n    return failed;\n  }\n',
      '',
      'the failure of an old attempt reopens a payment that another attempt is paying',
    ],
    [
      'const nextAtMs = isOutdated ? earlier(attempt.checkAtMs, checkAtMs) : checkAtMs;',
      'const nextAtMs = checkAtMs;',
      'an old answer puts off a query',
    ],
    [
      'if (command.onlyPending === true && !isPending(attempt)) {',
      "if (command.onlyPending === true && attempt.status === 'succeeded') {",
      'a simulated attempt changes its outcome',
    ],
    [
      "return ranOut ? end(failed, 'expired'",
      "return false ? end(failed, 'expired'",
      'FAILED for EXPIRED',
    ],
  ]),
  ...mutantsOf('src/domain/step.ts', [
    ['  canceled: null,', "  canceled: 'payment_failed',", 'a cancellation sends PAYMENT_FAILED'],
    [
      "if (terms.kind === 'express' || attempts.length >= ATTEMPTS_MAX) {",
      'if (attempts.length >= ATTEMPTS_MAX) {',
      'an express payment that failed stays open',
    ],
    [
      "return nowMs >= terms.expiresAtMs ? end(reopened, 'expired', null, nowMs) : reopened;",
      'return reopened;',
      'a payment reopens after its time',
    ],
    [
      'endedAtMs: intent.endedAtMs ?? nowMs',
      'endedAtMs: nowMs',
      'a late payment moves the time of the end',
    ],
  ]),
  ...mutantsOf('src/domain/manual-resolution.ts', [
    [
      '  if (nowMs < attempt.deadlineAtMs) {\n',
      '  if (nowMs < attempt.startedAtMs) {\n',
      'an operator fails an attempt that can still be paid',
    ],
    [
      "return attempt.status === 'processing'\n    ? reject(step, 'query_due')\n    : ",
      'return ',
      'an operator overtakes the last query',
    ],
  ]),
  ...mutantsOf('src/domain/schedule.ts', [
    [
      'if (nowMs - startedAtMs >= CHECKS_STOP_AFTER_MS) {',
      'if (checks >= 3) {',
      'Kefel stops asking the provider',
    ],
  ]),
];

/** Mistakes with refunds. */
export const REFUND_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('src/domain/refund-transition.ts', [
    [
      "return refund.status === 'pending'\n    ? withRefund(step, { ...refund, status: 'canceled'",
      "return refund.status !== 'succeeded'\n    ? withRefund(step, { ...refund, status: 'canceled'",
      'a refund is canceled while the provider executes it',
    ],
    [
      "return known.requestId === request.requestId ? step : reject(step, 'refund_exists');",
      'return step;',
      'another refund with the same id is accepted',
    ],
    [
      '  if (!fits(intent, attempt, amounts)) {',
      '  if (amounts.amountMinor < 0) {',
      'more is refunded than was paid',
    ],
    [
      "  if (attempt.status !== 'succeeded') {\n    return reject(step, 'not_paid');",
      "  if (attempt.status === 'failed') {\n    return reject(step, 'not_paid');",
      'a refund of an attempt that was not paid',
    ],
    [
      'if (!takesParts && returnedMinor !== chargedMinor(terms, attempt.method)) {',
      'if (takesParts && returnedMinor !== chargedMinor(terms, attempt.method)) {',
      'a provider is asked for a part that it cannot return',
    ],
    [
      "  if (needsReview(intent, attempt)) {\n    return reject(step, 'refund_needs_review');\n  }\n",
      '',
      'an attempt takes refunds although more was returned than paid',
    ],
    [
      'if (holding >= REFUNDS_MAX || requests >= REFUND_REQUESTS_MAX) {',
      'if (requests >= REFUNDS_MAX) {',
      'failed and canceled refunds use up the places of a payment',
    ],
  ]),
  ...mutantsOf('src/domain/refund-resolve.ts', [
    [
      'return applyRefundTime(recordUnknown(step, refund, outcome, command.answersCheckAtMs), nowMs);',
      "return failRefund(step, refund, { type: 'failed', reason: 'declined' }, nowMs);",
      'an unknown outcome counts as failed, and the amount is free again',
    ],
    [
      'return excess === 0 ? step : withAnomaly(',
      'return excess !== 0 ? step : withAnomaly(',
      'no anomaly shows that more was returned than paid',
    ],
    [
      '? Math.min(refund.commissionReturnedMinor, commissionLeftMinor(step.intent, attempt))',
      '? refund.commissionReturnedMinor',
      'a late refund gives up commission that others have given up',
    ],
    [
      "    case 'succeeded':\n      return withRefundAnomaly(step, refund, nowMs);",
      "    case 'succeeded':\n      return step;",
      'a contradiction about a refund is not visible',
    ],
    [
      "if (refund.status !== 'requires_action' && refund.status !== 'unresolved') {",
      "if (refund.status !== 'requires_action' && refund.status !== 'unresolved' && refund.status !== 'processing') {",
      'an operator decides while the answer of the provider is on its way',
    ],
    [
      '  if (mustAgree && isConfirmed && isSameOperator(operator, proposal.operator)) {',
      '  if (mustAgree && isConfirmed && !isSameOperator(operator, proposal.operator)) {',
      'one operator confirms their own decision',
    ],
    [
      '      return withRefund(step, { ...refund, checkAtMs: null });\n',
      '      return failRefund(step, refund, outcome, nowMs);\n',
      'the provider fails what a person is returning by hand',
    ],
  ]),
  ...mutantsOf('src/domain/refund-repeat.ts', [
    [
      "  if (refund.status !== 'unresolved' || refund.claimId === null) {",
      '  if (refund.claimId === null) {',
      'a refund is sent again while its first call may be under way',
    ],
    [
      "refund.status === 'processing' && refund.repeat?.claimId === null && maySend(",
      "refund.status === 'processing' && refund.repeat !== null && maySend(",
      'a repeat is sent twice',
    ],
    [
      "  if (step.intent.terms.environment === 'production' && !isVerified) {",
      '  if (false) {',
      'an operator without a proved name sends money again',
    ],
  ]),
  ...mutantsOf('src/domain/refund-time.ts', [
    [
      '    !isTooMuch(intent, refund) &&\n    !refundsOf(intent, refund.attemptId).some(isInFlight)\n',
      '    !isTooMuch(intent, refund)\n',
      'two refunds of one attempt at the provider',
    ],
    [
      "  return (\n    refund.status === 'pending' &&\n",
      "  return (\n    refund.status === 'unresolved' ||\n    refund.status === 'pending' &&\n",
      'a refund with an unknown outcome is requested again',
    ],
    [
      'return attempt !== null && isWaiting(refund) && !stillFits(intent, attempt, refund);',
      'return attempt === null;',
      'the provider is asked for more than is left since a failed refund succeeded',
    ],
    [
      'if (isClosed && !(checkAtMs !== null && checkAtMs <= nowMs)) {',
      'if (isClosed) {',
      'the window of a refund closes before its query',
    ],
    [
      "refund.status === 'pending' ? 'refund_requires_action' : null",
      "refund.status === 'pending' ? null : 'refund_requires_action'",
      'the merchant is not told that a person must return the money',
    ],
  ]),
  ...mutantsOf('src/domain/refund-amounts.ts', [
    [
      'return sumOf(refundsOf(intent, attempt.id).filter(holdsMoney));',
      "return sumOf(refundsOf(intent, attempt.id).filter(({ status }) => status === 'succeeded'));",
      'refunds in process reserve nothing',
    ],
    [
      'const isRest = held.amountMinor + amountMinor === terms.amountMinor;',
      'const isRest = false;',
      'cents of the commission are never returned',
    ],
    [
      'held.returnedMinor + returnedMinor <= chargedMinor(terms, attempt.method)',
      'held.returnedMinor + returnedMinor <= Number.MAX_SAFE_INTEGER',
      'more commission is returned than was paid',
    ],
    [
      'return Number((BigInt(whole) * BigInt(part)) / BigInt(of));',
      'return Math.round((whole * part) / of);',
      'shares are rounded up',
    ],
  ]),
  ...mutantsOf('src/domain/refund.ts', [
    [
      "return status !== 'failed' && status !== 'canceled';",
      "return status !== 'failed' && status !== 'canceled' && status !== 'unresolved';",
      'an unresolved refund frees its amount',
    ],
  ]),
  ...mutantsOf('src/refunds/claim.ts', [
    [
      'WHERE unique_id = excluded.unique_id AND status',
      'WHERE status',
      'two payments have refunds with one id',
    ],
    [
      '<= refund_daily_max_minor)',
      '<= 1000 * refund_daily_max_minor)',
      'refunds exceed the limit of a day',
    ],
  ]),
  ...mutantsOf('src/refunds/request.ts', [
    [
      'refund.idempotencyKeyDigest !== idempotency.keyDigest) {',
      'refund.idempotencyKeyDigest === null) {',
      'another key replays a refund',
    ],
    [
      'return refund.bodyDigest === idempotency.bodyDigest\n    ? ',
      'return refund.bodyDigest !== null\n    ? ',
      'another body replays a refund',
    ],
  ]),
];
