import { type Mutant, mutantsOf } from './mutant.ts';

/** Mistakes in the payment's object: commits, outbox, alarm, deliveries. */
export const INTENT_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('src/intent/payment-intent.ts', [
    [
      'return stored.intent?.terms.uuid === request.terms.uuid',
      'return stored.intent?.terms.uniqueId === request.terms.uuid',
      'a repeated call finds its own payment taken',
    ],
    [
      '    if (lateMs > ALARM_OVERDUE_MS && !this.#isWorking) {',
      '    if (lateMs < 0 && !this.#isWorking) {',
      'a lost alarm is never made up for',
    ],
    ['        this.#record.requeueDue(nowMs);\n', '', 'lost messages are never sent again'],
    [
      "if (decide(intent, [{ type: 'tick' }], Date.now()).steps.length === 0) {",
      "if (decide(intent, [{ type: 'tick' }], 0).steps.length === 0) {",
      'an expired payment reads as open',
    ],
    [
      'const isNewest = this.#record.projectedVersion() === version;',
      'const isNewest = version > 0;',
      'an old row of the read model counts as the newest',
    ],
    [
      'const deliveries = [...event.deliveries.with(position, claim), ...others];',
      'const deliveries = [...event.deliveries.with(position, claim)];',
      'only the first endpoint gets the event',
    ],
    [
      "delivery?.deliveryStatus === 'queued' ? { event, delivery } : null",
      'delivery !== undefined ? { event, delivery } : null',
      'an outdated event is sent after its successor',
    ],
  ]),
  ...mutantsOf('src/intent/record.ts', [
    [
      '        const value = change();\n',
      '        const value = change();\n        this.#sendOutgoing();\n',
      'messages leave before the commit',
    ],
    [
      '      this.#stored = undefined;\n      this.#events = undefined;',
      '      this.#events = undefined;',
      'memory keeps what the storage has refused',
    ],
    [
      '      this.#stored = undefined;\n      this.#events = undefined;',
      '      this.#stored = undefined;',
      'memory keeps events that the storage has refused',
    ],
    [
      '    for (const earlier of this.#allEvents().filter((event) => event.refundId === refundId)) {',
      '    for (const earlier of this.#allEvents()) {',
      'news of a refund replaces the news of the payment',
    ],
    [
      "    const isFailed = attempts.every(({ status }) => status === 'failed');",
      "    const isFailed = attempts.every(({ status }) => status !== 'succeeded');",
      'the merchant is told FAILURE about a pending payment, and charges again',
    ],
    [
      '      this.save({ projectionSends: 0, projectionDueAtMs: leaseEndsAtMs });\n',
      '',
      'a row that got lost on its way to the read model is never sent again',
    ],
    [
      '    if (earlier.length === 0) {',
      '    if (earlier.length >= 0) {',
      'a second event replaces the first, which is then never delivered',
    ],
    [
      '    if (this.stored()?.firstEvent?.sequence === event.sequence) {',
      '    if (this.stored()?.firstEvent?.sequence !== event.sequence) {',
      'what became of a delivery is lost when the object leaves memory',
    ],
    [
      "    this.#outgoing.push({ queue: 'webhooks', sequence: intent.version, position: 0 });\n",
      '',
      'the first try of an event waits for a lease',
    ],
  ]),
  ...mutantsOf('src/intent/alarm.ts', [
    [
      '      // A refund waits for a person. The safety alarm of a running alarm would repeat forever.\n      this.clear();\n',
      '',
      'the alarm of a waiting refund fires forever',
    ],
  ]),
  ...mutantsOf('src/intent/taken.ts', [
    [
      'stored.idempotencyKeyDigest !== claim.keyDigest',
      'stored.idempotencyKeyDigest === null',
      'any key replays the answer',
    ],
    [
      'if (stored.bodyDigest !== claim.bodyDigest) {',
      'if (stored.bodyDigest === null) {',
      'another order gets the answer of the first',
    ],
  ]),
  ...mutantsOf('src/intent/delivery.ts', [
    [
      "if (delivery.deliveryStatus !== 'claimed' || delivery.claimId !== report.claimId) {",
      "if (delivery.deliveryStatus !== 'claimed') {",
      'a late report of an old try counts for the new one',
    ],
    [
      "return { ...logged, deliveryStatus: 'delivered', claimId: null, dueAtMs: null };",
      "return { ...logged, deliveryStatus: 'delivered', claimId: null };",
      'a delivered event is sent again and again',
    ],
    [
      "    : { ...tried, deliveryStatus: 'dead', dueAtMs: null };",
      "    : { ...tried, deliveryStatus: 'delivered', dueAtMs: null };",
      'an event that never arrived counts as delivered',
    ],
    [
      "return { ...tried, deliveryStatus: 'dead', dueAtMs: null };\n    case 'no_destination'",
      "return { ...tried, deliveryStatus: 'waiting', dueAtMs: null };\n    case 'no_destination'",
      'an event that the merchant refuses waits forever',
    ],
  ]),
  ...mutantsOf('src/intent/ask-rails.ts', [
    [
      '  if (refund?.claimId === claimId) {',
      '  if (refund !== undefined) {',
      'a refund that another alarm has claimed is requested again',
    ],
    [
      '    const outcome = (await ports.attempts.query(env, objectId, intent, attempt)) ?? unknown;',
      "    const outcome = (await ports.attempts.query(env, objectId, intent, attempt)) ?? { type: 'failed', reason: 'timed_out' };",
      'a rail without settings fails its attempts',
    ],
    [
      "    if (attempt.startClaim === 'free') {",
      "    if (attempt.startClaim === 'not_needed' && attempt.checks < 0) {",
      'a lost start message is never sent again',
    ],
  ]),
];

/** Mistakes in webhooks, attempts and the read model. */
export const CONSUMER_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('src/webhooks/consume.ts', [
    [
      "return result.httpStatus === HTTP_GONE\n    ? { type: 'gone' }",
      "return result.httpStatus !== null && result.httpStatus >= 400\n    ? { type: 'gone' }",
      'one error gives an event up',
    ],
    [
      '    await owner.reportDelivery({ sequence, position, claimId, ...result });\n',
      '    void claimId;\n    void result;\n',
      'events are sent again and again',
    ],
    [
      "        return unsent({ type: 'not_sent' }, null);",
      "        return unsent({ type: 'delivered' }, null);",
      'a failure of ours counts as delivered',
    ],
    [
      'return origin !== null && takesEvent(endpoint, eventType)',
      'return origin !== null',
      'an endpoint gets events that it has not chosen',
    ],
  ]),
  ...mutantsOf('src/webhooks/send.ts', [
    [
      'httpStatus >= 200 && httpStatus < 300',
      'httpStatus >= 200 && httpStatus < 400',
      'a redirect counts as delivered',
    ],
  ]),
  ...mutantsOf('src/webhooks/sign.ts', [
    [
      '    environment: parts.environment,\n',
      '    environment: parts.environment,\n    sentAt: Date.now(),\n',
      'the bytes of an event differ from try to try',
    ],
  ]),
  ...mutantsOf('src/webhooks/payload.ts', [
    ['sequence: intent.version,', 'sequence: intent.attempts.length,', 'events cannot be ordered'],
    [
      "return hasEnded(intent.status) ? 'EXPIRED' : 'PROCESSING';",
      "return hasEnded(intent.status) ? 'FAILED' : 'PROCESSING';",
      'the merchant is told FAILED about an unknown outcome',
    ],
  ]),
  ...mutantsOf('src/attempts/store-result.ts', [
    [
      '    await env.RAIL_STARTS.send(message);\n',
      '    void message;\n',
      'a report is confirmed to the provider and lost',
    ],
  ]),
  ...mutantsOf('src/attempts/start-consumer.ts', [
    [
      "    if (claimed.type !== 'done' || claimed.rejection !== null) {",
      "    if (claimed.type !== 'done') {",
      'two consumers call the provider',
    ],
    [
      'message.retry({ delaySeconds: steps * STORE_RETRY_SECONDS });',
      'message.ack();',
      'an answer of the provider is lost with one failed call',
    ],
  ]),
  ...mutantsOf('src/attempts/start.ts', [
    [
      "outcome: { type: 'unknown', checkAtMs, providerCode },",
      "outcome: { type: 'failed', reason: 'rail_unavailable', providerCode },",
      'a time-out counts as a failure, and the customer is charged twice',
    ],
  ]),
  ...mutantsOf('src/attempts/callback.ts', [
    [
      "  if (reading.type === 'refused') {\n    await reportRefused(target, reading.suspicion);",
      "  if (reading.type === 'refused') {\n    if (reading.suspicion === 'unreadable') await reportRefused(target, reading.suspicion);",
      'refused callbacks are not visible',
    ],
    [
      "  const executed = await storeResult(env, target.client, [\n    { type: 'resolve_attempt', attemptId, outcome },\n  ]);\n  return executed?.type === 'not_found' ? null : reading.reply;",
      "  void storeResult(env, target.client, [{ type: 'resolve_attempt', attemptId, outcome }]);\n  return reading.reply;",
      'the provider gets its confirmation before the commit',
    ],
  ]),
  ...mutantsOf('src/attempts/plan.ts', [
    [
      '? { checkAtMs: nowMs + START_MESSAGE_LEASE_MS }',
      '? { checkAtMs: null }',
      'a lost start message leaves the customer without a prompt',
    ],
  ]),
  ...mutantsOf('src/refunds/ask-rail.ts', [
    [
      "isProof ? answer : { type: 'unknown', providerCode }, refund);",
      'answer, refund);',
      'a refusal of the second call frees what the first one may have returned',
    ],
    [
      "return { type: 'requires_action', reason: 'not_enabled' };",
      "return { type: 'failed', reason: 'misconfigured' };",
      'a refund fails because settings are missing',
    ],
  ]),
  ...mutantsOf('src/refunds/callback.ts', [
    [
      "    await client.execute([{ type: 'report_callback', attemptId: refund.attemptId }]);\n",
      '',
      'forged reports about a refund are not visible',
    ],
    [
      "  const stored = await storeResult(env, client, [\n    { type: 'resolve_refund', refundId: refund.id, outcome },\n  ]);\n  return stored?.type === 'not_found' ? null : reading.reply;",
      '  void outcome;\n  return reading.reply;',
      'a report about a refund is confirmed to the provider and lost',
    ],
  ]),
  ...mutantsOf('src/read-model/upsert.ts', [
    [
      "PAYMENT_KEY, PAYMENT_COLUMNS, 'version')",
      "PAYMENT_KEY, PAYMENT_COLUMNS, 'number')",
      'an old row replaces a new one',
    ],
  ]),
  ...mutantsOf('src/read-model/consume.ts', [
    [
      'const reports = [...written]\n',
      'const reports = [...newest.values()]\n',
      'a row that was not written is confirmed',
    ],
    [
      '    one.version - other.version ||',
      '    other.version - one.version ||',
      'the oldest message of a batch wins',
    ],
  ]),
];
