import { PLANTED_KEEPING } from './planted-keeping.ts';

/** One small mistake that a programmer could make. */
export interface Mutant {
  /** Within the repository. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** What would go wrong. */
  readonly breaks: string;
}

/**
 * By file: text that occurs once in it, in which `«this→that»` is the mistake, and what the mistake
 * would break. What Kefel stores and what it shows agree in many mistakes of amounts, so that only the
 * simulation's own books (`lab/simulation/books.ts`) tell.
 */
const PLANTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/engine/domain/transition.ts': {
    "    case 'processing':\n      return «reject(step, 'attempt_in_flight'→end(step, 'canceled'»);\n    default:":
      'a merchant cancels while the customer is paying',
    "  if (intent.status === «'processing'→'expired'» || isHeldOpen(step)) {":
      'two attempts in flight',
    "if («intent.status !== 'open' || →»countedAttempts(intent.attempts) >= ATTEMPTS_MAX) {":
      'an attempt starts on a payment that has ended',
    'if (expectedAttempts !== undefined && expectedAttempts «!==→>» intent.attempts.length) {':
      'a form that is sent twice starts two attempts',
    "«    attempt.startClaim === 'free' &&\n→»":
      'two calls of the provider are claimed for one attempt',
    "return { ...attempt, status: «'unresolved'→'failed'», failureReason: 'abandoned', updatedAtMs: nowMs };":
      'an abandoned attempt counts as unpaid although the page is still open',
    '«before.anomalies !== after.anomalies→before.anomalies.length > after.anomalies.length» ||':
      'an anomaly is stored and never shown',
    'version: before.version + «1→step.events.length»,': 'two states have one version',
    'const due = «applyRefundTime(applyTime(start(before, nowMs))→applyTime(start(before, nowMs)»);':
      'a refund whose caller died stays in process',
    'withAttempt(next, { ...attempt, «checks: 0, →»checkAtMs });':
      "a customer's return does not bring back the short intervals of queries",
    '.slice(-«RETURN_ATTEMPTS_MAX→ATTEMPTS_MAX»)': 'each return of a customer queries all attempts',
    'if (queriedAtMs !== null && nowMs - queriedAtMs < «RETURN_QUERY_WAIT_MS→0») {':
      'returns flood the provider with queries',
    'if (checkAtMs === null« || (checkAtMs <= nowMs && nowMs >= deadlineAtMs)→») {':
      'a customer who returns delays the end of the window',
    'step.nowMs < «Math.min(attempt.deadlineAtMs, step.intent.terms.expiresAtMs)→attempt.deadlineAtMs + 1»;':
      'a phone rings for a payment that is over',
    '«    attemptInFlight(step.intent)?.id === attempt.id &&\n→»':
      'a phone rings although the customer has paid the attempt before',
    'if («attempt.startClaimId === claimId→false») {\n':
      'a claim whose answer was lost is refused, and nobody calls the provider',
  },
  'src/engine/links/places.ts': {
    'const isCommitted = isHeld ? «others.committed < maxOf(others)→true» :':
      'a maximum that was lowered is exceeded by what was reserved before',
    'const isHeld = own !== null« && own.untilMs > nowMs→»;':
      'a success after its window takes a place that another customer has reserved',
    '«if (!isAnyLeft(others)) {\n    return null;\n  }\n→»':
      'any number of customers may pay for the last place',
    'return others.committed« + others.reserved→» < maxOf(others);':
      'what others are paying does not count as taken',
    'return own !== null && «own.attempt > report.attempts→false» ? own : null;':
      'a late report gives back the place of the next attempt',
    "«      attempt.status === 'processing' ||\n→»":
      'an attempt whose last query is under way gives its place back',
    "return { type: isCommitted« && !report.isSurplus→» ? 'committed' : 'surplus' };":
      'a restore counts a payment that was one too many',
  },
  'src/engine/register/link-table.ts': {
    '...[window, «opened→0», openedBefore, code],': 'any number of submissions make payments',
    "reserved' AND «until_ms > ?→until_ms >= 0 * ?») AS reserved": 'a place is never free again',
    'FROM link_places WHERE code = ?« AND payment_unique_id <> ?→ AND ? IS NOT NULL»`;':
      'the second attempt of a payment needs a second place',
  },
  'src/engine/intent/report-place.ts': {
    "execute({ type: «'report_surplus'→'tick'» });":
      'a payment that is one too many looks like the others',
  },
  'src/control/rpc/till.ts': {
    'soldAt !== undefined && «(tillId ?? soldAt) === soldAt→true» ? found':
      'a till sees, prompts and cancels the sales of another',
    'type: «known && hasEnded(known.status)→false» ?':
      'the form of a paid sale shows its paid to the next customer',
  },
  'src/control/till/sale.ts': {
    'merchantId, «seller.id, →»nonce': 'two tills with one form share a payment',
    'nonce, «amountMinor, →»note': 'a second amount finds the payment of the first',
  },
  'src/engine/webhooks/people/connections.ts': {
    'WHERE code_digest = ?1 AND «expires_at_ms > ?2→expires_at_ms >= 0 * ?2» AND endpoint_id IS NULL`,':
      'a code that lies in a chat connects for ever',
    'AND address IS NOT NULL AND «tries < ${CODE_TRIES_MAX}→tries >= 0»\n':
      'a program tries all codes of an address',
  },
  'src/engine/webhooks/people/chats.ts': {
    'error, atMs, hasLeft: «true→false» });': 'a chat that removed the bot is not paused',
  },
  'src/engine/webhooks/people/telegram.ts': {
    'const hasLeft = «movedTo === null && CHAT_REFUSES.includes(httpStatus)→false»;':
      'a chat that blocked the bot is not paused',
  },
  'src/engine/webhooks/people/tell-person.ts': {
    'customer?.phone)?.slice(«-4→0») ?? null;': "a message has the payer's whole number",
    'text.about(«withoutPhoneNumbers(description)→description»),':
      'a message has the phone number of a description',
  },
  'src/engine/webhooks/endpoints.ts': {
    '(paymentLinkUniqueId === null || «paymentLinkUniqueId === link→true»)':
      "a person of one link hears of another link's payment",
    '(tillId === null || «tillId === till→true»)':
      "a person of one till hears of another till's sale",
  },
  'src/control/rpc/notifications.ts': {
    'typed.isToldNeeds && link === null« && till === undefined→»,':
      "a person of one till hears of the merchant's keys",
  },
  'src/control/watch/tell-merchants.ts': {
    'subject, atMs, «rank→row_number»() OVER (ORDER BY atMs) AS place':
      'news of the millisecond at which a message is full are lost',
    'merchant_id = ?1 AND «at_ms > ?3→at_ms >= ?3» AND at_ms <= ?4':
      'the last news is told again and again',
    'if (isAccepted(sent)«→ || newest.atMs > 0») {':
      'news of a message that did not arrive are lost',
  },
  'src/lists/book/queries/sold-at.ts': {
    "AND «status = 'succeeded'→TRUE»": 'unpaid sales count into the sum of the day',
  },
  'src/engine/links/slug.ts': {
    'if («!macs.some((mac) => areEqual(mac, given)) || →»environment === undefined) {':
      "anyone can name any merchant's link",
  },
  'src/engine/links/form-token.ts': {
    'return «token?.code === code→token !== null» && nowMs':
      'the form of one link works for another',
    '&& «nowMs - token.issuedAtMs < AGE_MS_MAX→true» ? token':
      'a page that lay open for months makes a payment',
    'return «token.waitsFor === choiceDigest && →»nowMs':
      'a visitor who waited once submits any number of choices',
    '&& «nowMs - token.issuedAtMs >= SLOW_WAIT_MS→true»;': 'a program need not wait',
    'code, nonce«, choiceDigest→»].join': 'a second choice finds the payment of the first',
    'code, «nonce, →»choiceDigest].join': 'two customers with one choice share a payment',
  },
  'src/engine/links/openings.ts': {
    'opened: «opened + 1→opened»,': 'no submission counts',
    'opened: 0, openedBefore: «openings.opened→0» };': 'payments of the window before do not count',
  },
  'src/engine/links/choice.ts': {
    'return «→amountMinorWritten(form.text("amount")) ?? »price.amountMinor;':
      'the customer names the price of a fixed amount',
    "const suggested = «suggestionsMinor.find((minor) => String(minor) === form.text('suggestion'))→Number(form.text('suggestion')) || undefined»;":
      'the customer suggests an amount',
  },
  'src/engine/checkout/link-page.ts': {
    'if (token === null« || token.version !== link.version→») {':
      'a customer pays a price that the page did not show',
    'if (intent === null« || intent.terms.paymentLinkUniqueId !== link.id→») {':
      "a link thanks for another link's payment",
  },
  'src/engine/domain/time.ts': {
    'if (!wasNeverCalled && «(!attempt.windowIsFinal || attempt.checkAtMs !== null)→attempt.checkAtMs !== null») {':
      'an attempt that may still be paid counts as certainly unpaid',
    "if (isOver« && (attempt.startClaim === 'free' || !isCheckDue(attempt, step.nowMs))→») {":
      'the window closes before the query that is due',
    "status === 'open'« || attemptInFlight(next.intent)?.status === 'unresolved'→»;":
      'a payment with an unresolved attempt never ends',
    "status === 'open' || «attemptInFlight(next.intent)?.status === 'unresolved'→status === 'processing'»;":
      'a payment expires under the customer who is paying',
    "const wasNeverCalled = attempt.startClaim «=== 'free'→!== 'not_needed'»;":
      'a prompt that was sent counts as never sent',
    'if (step.nowMs < «→2 * »expiryAtMs(next.intent)) {': 'no expiry',
    'failureReason: «attempt.failureReason ?? →»reason,':
      'an abandoned attempt counts as timed out when its window closes',
  },
  'src/engine/domain/resolve.ts': {
    "if (step.intent.status === «'succeeded'→'canceled'») {":
      'a second payment is announced as the first',
    '«hasEnded(step.intent.status) || →»isPaidAfterExpiry(step, outcome)':
      'a payment after its end does not say that it is late',
    'hasEnded(step.intent.status)« || isPaidAfterExpiry(step, outcome)→»':
      'a payment after the expiry, which an attempt held up, does not say that it is late',
    '  «if (!isPending(attempt)) {\n    return step;\n  }\n  →»const isCurrent':
      'an expired attempt fails again',
    "  if (attempt.status === «'succeeded'→'expired'») {\n    // This answers":
      'a paid attempt fails',
    '«  if (!isCurrent) {\n    return failed;\n  }\n→»':
      'the failure of an old attempt reopens a payment that another attempt is paying',
    'const nextAtMs = «isOutdated ? earlier(attempt.checkAtMs, checkAtMs) : →»checkAtMs;':
      'an old answer puts off a query',
    "if (command.onlyPending === true && «!isPending(attempt)→attempt.status === 'succeeded'») {":
      'a simulated attempt changes its outcome',
    "return «ranOut→false» ? end(failed, 'expired'": 'FAILED for EXPIRED',
    'paidAtMs != null && paidAtMs «>→>=» intent.terms.expiresAtMs':
      'a payment at its expiry counts as late',
  },
  'src/engine/domain/step.ts': {
    "  canceled: «null→'payment_failed'»,": 'a cancellation sends PAYMENT_FAILED',
    "if («terms.kind === 'express' || →»countedAttempts(attempts) >= ATTEMPTS_MAX) {":
      'an express payment that failed stays open',
    "return «step.nowMs >= expiryAtMs(step.intent) ? end(reopened, 'expired') : →»reopened;":
      'a payment reopens after its time',
    'endedAtMs: «intent.endedAtMs ?? →»step.nowMs': 'a late payment moves the time of the end',
    'const ended = { ...intent, status, «failureReason→failureReason: failureReason ?? intent.failureReason», endedAtMs:':
      'a late success keeps the reason of the failure before it',
  },
  'src/engine/domain/manual-resolution.ts': {
    '  if (step.nowMs < «attempt.deadlineAtMs→attempt.startedAtMs») {\n':
      'an operator fails an attempt that can still be paid',
    "return «attempt.status === 'processing'\n    ? reject(step, 'query_due')\n    : →»":
      'an operator overtakes the last query',
    'if («[attempt.manualResolutionId, attempt.proposal?.resolutionId].includes(resolutionId)→false») {':
      "an operator's form that is sent twice is refused, although it is recorded",
    'if («isSameOperator(operator, proposal.operator)→operator === proposal.operator») {':
      'one person confirms a payment by another spelling of the name',
    'if (proposal === null« || !isSameReceipt(receipt, proposal.receipt)→») {':
      'two operators record a payment by two receipts',
    'if («hasSameReceipt(intent, { id: attempt.id, receipt, issuerReceipt: null })→false») {':
      'one receipt pays two attempts',
    'aboveMinor !== null && sumMinor «>→>=» aboveMinor;':
      'a payment of the limit itself needs two operators',
  },
  'src/engine/domain/schedule.ts': {
    'if («nowMs - startedAtMs >= CHECKS_STOP_AFTER_MS→checks >= 3») {':
      'Kefel stops asking the provider',
  },
  'src/engine/domain/refund-transition.ts': {
    "return refund.status «=== 'pending'→!== 'succeeded'»\n    ? withRefund(step, { ...refund, status: 'canceled'":
      'a refund is canceled while the provider executes it',
    "return «known.requestId === request.requestId ? step : reject(step, 'refund_exists')→step»;":
      'another refund with the same id is accepted',
    '  if («!fits(intent, attempt, amounts)→amounts.amountMinor < 0») {':
      'more is refunded than was paid',
    "  if (attempt.status «!== 'succeeded'→=== 'failed'») {\n    return reject(step, 'not_paid');":
      'a refund of an attempt that was not paid',
    'if («!→»takesParts && returnedMinor !== chargedMinor(intent.terms, attempt.method)) {':
      'a provider is asked for a part that it cannot return',
    "«  if (needsReview(intent, attempt)) {\n    return reject(step, 'refund_needs_review');\n  }\n→»":
      'an attempt takes refunds although more was returned than paid',
    'if («holding >= REFUNDS_MAX || requests >= REFUND_REQUESTS_MAX→requests >= REFUNDS_MAX») {':
      'failed and canceled refunds use up the places of a payment',
    'nowMs - attempt.«updatedAtMs→startedAtMs» > windowMs':
      "a provider's time for refunds begins before the payment",
  },
  'src/engine/domain/refund-resolve.ts': {
    "return «applyRefundTime(recordUnknown(step, refund, outcome, command.answersCheckAtMs))→failRefund(step, refund, { type: 'failed', reason: 'declined' })»;":
      'an unknown outcome counts as failed, and the amount is free again',
    'return excess «=→!»== 0 ? step : withAnomaly(':
      'no anomaly shows that more was returned than paid',
    '? «Math.min(refund.commissionReturnedMinor, commissionLeftMinor(step.intent, attempt))→refund.commissionReturnedMinor»':
      'a late refund returns commission that others have returned',
    "    case 'succeeded':\n      return «withRefundAnomaly(step, refund)→step»;":
      'a contradiction about a refund is not visible',
    "if (refund.status !== 'requires_action' && refund.status !== 'unresolved'«→ && refund.status !== 'processing'») {":
      'an operator decides while the answer of the provider is on its way',
    '  if (mustAgree && isConfirmed && «→!»isSameOperator(operator, proposal.operator)) {':
      'one operator confirms their own decision',
    '      return «withRefund(step, { ...refund, checkAtMs: null }→failRefund(step, refund, outcome»);\n':
      'the provider fails a refund that an operator is returning by hand',
    'railReference: «refund.railReference ?? outcome.railReference ?? null→outcome.railReference ?? refund.railReference»,':
      "an inconclusive answer replaces the provider's id of a refund",
    'railReference: outcome.railReference« ?? refund.railReference→»,':
      "a success without an id deletes the provider's id of a refund",
    'const isConfirmed = proposal !== null && «isSame(proposal.outcome, outcome)→true»;':
      "a second operator confirms another finding than the first one's",
    'if («refund.manualResolutionId === resolutionId || proposal?.resolutionId === resolutionId→false») {':
      'a decision about a refund that is sent twice is refused, although it is recorded',
  },
  'src/engine/domain/refund-repeat.ts': {
    "  if («refund.status !== 'unresolved' || refund.claimId→refund.claimId» === null || isShared) {":
      'a refund is sent again while its first call may be under way',
    "refund.status === 'processing' && refund.repeat«?.claimId =→ !»== null && maySend(":
      'a repeat is sent twice',
    'refund.claimId === null« || isShared→») {':
      'a refund is sent again although another payment has its receipt',
    "  if («step.intent.terms.environment === 'production' && !isVerified→false») {":
      'an operator without a proved name sends money again',
    "    // The call may make an operator's proposal wrong.\n«    proposal: null,\n→»":
      'a second operator confirms what was found before the refund was sent again',
  },
  'src/engine/domain/refund-time.ts': {
    'return nowMs «>→>=» refundableUntilMs(': 'a refund within the limit is refused as too old',
    '    stopReason(intent, refund) === null« &&\n    !refundsOf(intent, refund.attemptId).some(isInFlight)→»\n':
      'two refunds of one attempt at the provider',
    "  return (\n    refund.status === «'pending'→'unresolved' ||\n    refund.status === 'pending'» &&\n":
      'a refund with an unknown outcome is requested again',
    'if («!stillFits(intent, attempt, refund)→attempt === null») {':
      'the provider is asked for more than is left since a failed refund succeeded',
    "return refund.status === 'pending' && «isReceiptShared(intent, attempt)→attempt === null»\n":
      'a refund that waits is sent although another payment has its receipt',
    'if (isClosed« && !(checkAtMs !== null && checkAtMs <= step.nowMs)→») {':
      'the window of a refund closes before its query',
    "refund.status === 'pending' ? «'refund_requires_action' : null→null : 'refund_requires_action'»":
      'the merchant gets no event when an operator must return the money',
    'const stopsAtMs = «stopReason(intent, refund) === null ? null : refund.updatedAtMs→null»;':
      'no alarm stops the only waiting refund that became too large',
  },
  'src/engine/domain/refund-amounts.ts': {
    "return sumOf(refundsOf(intent, attempt.id).filter(«holdsMoney→({ status }) => status === 'succeeded'»));":
      'refunds in process reserve nothing',
    'const isRest = «held.amountMinor + amountMinor === terms.amountMinor→false»;':
      'cents of the commission are never returned',
    'held.returnedMinor + returnedMinor <= «chargedMinor(terms, attempt.method)→Number.MAX_SAFE_INTEGER»':
      'more commission is returned than was paid',
    'return «Number((BigInt(whole) * BigInt(part)) / BigInt(of)→Math.round((whole * part) / of»);':
      'shares are rounded up',
    'const commissionReturnedMinor = keepsCommission ? 0 : «givenUpMinor→Math.min(leftMinor, 2 * givenUpMinor)»;':
      'a part returns the double commission, until all of it is returned',
    'returnedMinor: amountMinor + «(terms.commissionPaidByCustomer ? commissionReturnedMinor : 0)→commissionReturnedMinor»,':
      'a refund returns a commission that the customer never paid',
    'return Math.max(0, «Math.min(leftMinor, chargeLeftMinor)→chargeLeftMinor > 0 ? leftMinor : 0»);':
      'a refund of all that is left exceeds what the customer paid',
    '(«index < position || →»!isWaiting(other)),':
      'two waiting refunds that no longer fit together are both sent',
    'sumOf([refund, ...before]).returnedMinor «>→>=» aboveMinor;':
      'a refund of the limit itself needs two operators',
    'sumOf([refund«, ...before→»]).returnedMinor':
      'one operator returns a large sum in small parts',
  },
  'src/engine/domain/refund.ts': {
    "return status !== 'failed' && status !== 'canceled'«→ && status !== 'unresolved'»;":
      'an unresolved refund frees its amount',
  },
  'src/engine/domain/money.ts': {
    "roundedShare(amountMinor, rate.basisPoints, «'half_up'→'down'»)":
      'the commission is rounded down',
  },
  'src/engine/intent/deliveries.ts': {
    'const deliveries = [...event.deliveries.with(position, claim)«, ...others→»];':
      'only the first endpoint gets the event',
    "delivery«?.deliveryStatus === 'queued'→ !== undefined» ? { event, delivery } : null":
      'an outdated event is sent after its successor',
    '      for (const known of «positions→positions.slice(0, 1)») {\n':
      'a resent event reaches only its first endpoint at once',
  },
  'src/engine/intent/payment-intent.ts': {
    'return stored.intent?«.terms.uuid→.terms.uniqueId» === request.terms.uuid':
      'a repeated call finds its own payment taken',
    '«      this.#record.requeueDue(nowMs);\n→»': 'lost messages are never sent again',
    "if (decide(intent, [{ type: 'tick' }], «Date.now()→0»).steps.length === 0) {":
      'an expired payment reads as open',
    'if (isLeased && «this.#record.projectedVersion() === version→version > 0») {':
      'the confirmation of an old version ends the lease of the newest',
  },
  'src/engine/intent/record.ts': {
    '        const value = change();\n«→        this.#sendOutgoing();\n»':
      'messages leave before the commit',
    '      «this.#stored = undefined;\n      this.#events→this.#events» = undefined;':
      'memory keeps what the storage has refused',
    '      this.#stored = undefined;«\n      this.#events = undefined;→»':
      'memory keeps events that the storage has refused',
    '    for (const earlier of this.#allEvents()«.filter((event) => event.refundId === refundId)→») {':
      'news of a refund replaces the news of the payment',
    '    if (earlier.length «==→>»= 0) {':
      'a second event replaces the first, which is then never delivered',
    '    if (this.stored()?.firstEvent?.sequence «=→!»== event.sequence) {':
      'the outcome of a delivery is lost when the object leaves memory',
    "«    this.#outgoing.push({ queue: 'webhooks', sequence: intent.version, position: 0 });\n→»":
      'the first try of an event waits for a lease',
  },
  'src/engine/intent/projection-schedule.ts': {
    '«      this.#payment.save({ projectionDueAtMs: shownByMs });\n→»':
      'a new payment whose outcome does not come in time is shown half a minute later',
    '«      this.#payment.save({ projectionSends: 0, projectionDueAtMs: leaseEndsAtMs });\n→»':
      'a row that got lost on its way to the book is never sent again',
  },
  'src/engine/intent/taken.ts': {
    'stored.idempotencyKeyDigest «!== claim.keyDigest→=== null»': 'any key replays the answer',
    'if (stored.bodyDigest «!== claim.bodyDigest→=== null») {':
      'another order gets the answer of the first',
  },
  'src/engine/intent/delivery.ts': {
    "if (delivery.deliveryStatus !== 'claimed'« || delivery.claimId !== report.claimId→») {":
      'a late report of an old try counts for the new one',
    "return { ...logged, deliveryStatus: 'delivered', claimId: null«, dueAtMs: null→» };":
      'a delivered event is sent again and again',
    "    : { ...tried, deliveryStatus: «'dead'→'delivered'», dueAtMs: null };":
      'an event that never arrived counts as delivered',
    "return { ...tried, deliveryStatus: «'dead'→'waiting'», dueAtMs: null };\n    case 'no_destination'":
      'an event that the merchant refuses waits forever',
  },
  'src/engine/intent/ask-rails.ts': {
    '  if (refund !== undefined« && claimOf(refund) === claimId→») {':
      'a refund that another alarm has claimed is requested again',
    "    const outcome = (await ports.attempts.query(env, intent, attempt)) ?? «unknown→{ type: 'failed', reason: 'timed_out' }»;":
      'a rail without settings fails its attempts',
    "    if (attempt.startClaim === «'free'→'not_needed' && attempt.checks < 0») {":
      'an unclaimed start is never repeated',
    "asker.execute({ type: 'resolve_attempt', attemptId, outcome«, answersCheckAtMs→» });":
      "an answer that is older than the customer's return puts off the next query",
  },
  'src/engine/intent/store.ts': {
    'DELETE FROM record WHERE id «>→<» ': 'later events stay in the object after the retention',
  },
  'src/engine/intent/projected-view.ts': {
    'commissionMinor: method === null ? 0 : commissionOf(terms, «→terms.methods[0]?.method ?? »method),':
      "a row has the commission of the payment's first method",
    'refundedMinor: refundedOf(intent)«.amountMinor→.returnedMinor»,':
      "the lists' refunded sums include commission",
  },
  'src/engine/domain/intent.ts': {
    'paidAttempt(intent)?.«updatedAtMs→startedAtMs» ?? null;':
      'a payment counts on the day on which its attempt began',
    'const atMs = «paidAtMs(intent)→intent.updatedAtMs»;':
      'a receipt that cannot be opened is linked after a refund',
  },
  'src/lists/book/apply.ts': {
    'if (before !== null && message.intentVersion «<→>» before.version) {':
      'an old message replaces a newer row',
    'before !== undefined && before.version «>→<» intentVersion) {':
      'an old message replaces a newer refund',
    'before !== undefined && before.revision «>→<» revision) {':
      'an old report replaces a newer delivery',
    'nowMs - createdAtMs < «UNTRIED_SHOWN_AFTER_MS→0») {':
      'each event is written before its first try, and once more after it',
    "confirmed: «!events.includes('left_out')→true»,":
      'a message is confirmed whose event the book has left out',
    'moveTotals(sql, «partsOfPayment(before)→[]», partsOfPayment(after));':
      'a payment that changes after its end counts twice',
    'merged<string>(«known?.search_keys→undefined», message.searchKeys':
      'a payment is no longer found by an id of an earlier message',
    'if («!taken.has(id)→id > 0») {': 'two payments of one millisecond have one id',
  },
  'src/lists/book/day-totals.ts': {
    'businessDay(«row.paid_at_ms ?? →»row.ended_at_ms)':
      'a payment that is paid late counts on the day on which it expired',
    "row.status !== 'succeeded'« || row.transaction_id !== paidTransactionId→»":
      'the refund of a second attempt lowers the totals of what was paid',
    'row.commission_paid_by_customer === 1 ? «0→row.commission_minor» : row.commission_minor;':
      'the merchant bears the commission that customers paid on top',
    'netShareMinor(shareMinor, netMinor, «refunded→sumOf([])»);':
      'a refund takes nothing of what beneficiaries get',
  },
  'src/lists/book/purge.ts': {
    'SET sealed_details = NULL, «shares = NULL, →»search_keys':
      'the account of a beneficiary stays after the purge',
    'const dueAtMs = «Math.max(updatedAtMs, endedAtMs ?? nowMs)→(endedAtMs ?? nowMs)» + retentionMs;':
      'personal data of a payment that changed yesterday is deleted',
    "search_keys: «'[]'→payment.search_keys» };": 'a phone number finds a payment after the purge',
  },
  'src/engine/register/refund-claims.ts': {
    'const isOfOther = «owner !== null && owner→refund !== null && refund».paymentUniqueId !== paymentUniqueId;':
      'two payments claim one id',
    'dayMinor + amountMinor > «→1000 * »maxMinor) {': 'refunds exceed the limit of a day',
    'amountMinor: «Math.max(amountMinor, known?.amountMinor ?? 0)→amountMinor»,':
      "a repeated claim with less lowers the day's sum",
    'WHERE day = ? AND «currency = ?→(currency = ? OR true)»':
      'refunds in dollars count towards the limit in birr',
    'AND claim_id = ? AND «(is_shared = 0 OR ?)→(true OR ?)»':
      'a rejected request deletes the claim of another',
    'paymentUniqueId && «stage > known.stage→stage !== known.stage») {':
      'an old report undoes a newer one',
    '- («known?.day === day ? known.amountMinor : 0→known?.amountMinor ?? 0»);':
      'an open claim of yesterday lowers the sum of today',
    'const day = «claim?.day ?? →»businessDay(refund.createdAtMs);':
      'a refund that was claimed before midnight counts tomorrow',
  },
  'src/engine/refunds/request.ts': {
    'refund.idempotencyKeyDigest «!== idempotency.keyDigest→=== null») {':
      'another key replays a refund',
    'return refund.bodyDigest «=== idempotency.bodyDigest→!== null»\n    ? ':
      'another body replays a refund',
    "if («mode === 'maintenance'→mode === null») {": 'payments are refunded during maintenance',
    'if («→!»isRejected(result)) {':
      "the claim of a refused refund counts in the merchant's limit of the day for a minute",
  },
  'src/engine/refunds/ask-rail.ts': {
    "«isProof ? answer : { type: 'unknown', providerCode }→answer», refund);":
      'a refusal of the second call frees what the first one may have returned',
    "return { type: «'requires_action', reason: 'not_enabled'→'failed', reason: 'misconfigured'» };":
      'a refund fails because settings are missing',
    "isFirst: others.«every→filter(({ status }) => status !== 'failed').every»(({ claimId }) =>":
      "the provider's answer about a failed refund decides the next one",
  },
  'src/engine/callbacks/refund.ts': {
    '    «await reportRefused(target, reading.suspicion)→void reportRefused»;\n':
      'forged reports about a refund are not visible',
    "  «const stored = await storeResult(env, client, [\n    { type: 'resolve_refund', refundId: refund.id, outcome },\n  ]);\n  return stored?.type === 'not_found' ? null :→void outcome;\n  return» reading.reply;":
      'a report about a refund is confirmed to the provider and lost',
  },
  'src/engine/webhooks/consume.ts': {
    "return result.httpStatus «=== HTTP_GONE→!== null && result.httpStatus >= 400»\n    ? { type: 'gone' }":
      'one error gives an event up',
    '    «await owner.reportDelivery({ sequence, position, claimId, ...result })→void claimId;\n    void result»;\n':
      'events are sent again and again',
    "        return unsent({ type: «'not_sent'→'delivered'» }, null);":
      'a failure of the gateway counts as delivered',
    'origin && mayTake« && takesEvent(endpoint, eventType, paymentLinkUniqueId, tillId)→»':
      'an endpoint gets events that it has not chosen',
  },
  'src/engine/webhooks/send.ts': {
    'httpStatus >= 200 && httpStatus < «300→400»': 'a redirect counts as delivered',
    "  if («refusal !== null→refusal === 'URL is not https'») {\n    return { log: unsentTry":
      'an address that was stored before a check of it existed is called',
  },
  'src/engine/webhooks/sign.ts': {
    '    environment: parts.environment,\n«→    sentAt: Date.now(),\n»':
      'the bytes of an event differ from try to try',
    'await signingKey(key), utf8(«body→body.normalize()»));':
      'the RSA signature of an event is over other bytes than its body',
  },
  'src/engine/webhooks/payload.ts': {
    'sequence: «intent.version→intent.attempts.length»,': 'events cannot be ordered',
    "return hasEnded(intent.status) ? «'EXPIRED'→'FAILED'» : 'PROCESSING';":
      'the merchant gets FAILED about an unknown outcome',
    'totalAmount: terms.amountMinor«→ + commission»,':
      'an event names an amount with the commission',
    'chargedAmount: terms.amountMinor + «(terms.commissionPaidByCustomer ? commission : 0)→commission»,':
      'an event adds a commission that the merchant pays',
    '      refundedAmount: «refundedOf(intent).amountMinor→refund.amountMinor»,\n      refund:':
      "the event of a refund names its own amount as the payment's refunded sum",
    'updatedAt: isoTime(«attempt→intent».updatedAtMs),':
      "an event dates the attempt by its payment's last refund",
  },
  'src/engine/webhooks/secret-store.ts': {
    '(SELECT COUNT(*) FROM webhook_secrets WHERE «→merchant_id = ?1 OR »':
      'the secrets of all endpoints of a merchant have one limit',
  },
  'src/engine/webhooks/settings.ts': {
    '«PARTITION BY endpoint_id →»ORDER BY':
      'an endpoint signs with no secret when others have many',
    'secrets: secrets.get(«endpointId→null») ?? [] }':
      "an endpoint signs with its environment's secret",
  },
  'src/engine/webhooks/refund-payload.ts': {
    'returnedMinor: «refund.returnedMinor→refund.amountMinor»,':
      'the commission is missing in what a refund returned',
  },
  'src/engine/attempts/provider-reports.ts': {
    '    «await env.PROVIDER_REPORTS.send(message)→void message»;\n':
      'a report is confirmed to the provider and lost',
    '«retryLater(message→message.ack(»);': 'an answer of the provider is lost with one failed call',
  },
  'src/engine/attempts/slow-start.ts': {
    "  return claimed.type === 'done'« && claimed.rejection === null→» ? startAtRail(rail, order) : null;":
      'a request and an alarm call the provider for one attempt',
    '...(rail.query «!==→===» undefined && { checkAtMs: deadlineAtMs }),':
      'a prompt whose caller died is never queried',
  },
  'src/engine/attempts/start.ts': {
    "«  if (!(await reservePlace(env, terms, choice, rail))) {\n    return { type: 'no_place' };\n  }\n→»":
      'attempts start without a place',
    '«...(isNeverReached(result.reason, attempt.startClaim) && { neverReached: true }),→»':
      'an outage uses up the attempts of a payment, although the machine would not count them',
    "outcome: { type: «'unknown', checkAtMs→'failed', reason: 'rail_unavailable'», providerCode },":
      'a time-out counts as a failure, and the customer is charged twice',
    '? { checkAtMs: «nowMs + START_AGAIN_AFTER_MS→null» }':
      'an object that dies before its claim leaves the customer without a prompt',
  },
  'src/engine/attempts/method-outages.ts': {
    "return reason === 'rail_unavailable'« && startClaim === 'not_needed'→»;":
      'an attempt whose phone has rung uses up none of the ten',
    "    case 'unknown':\n      return «null→false»;": 'a lost answer counts as an outage',
    "    case 'misconfigured':\n    case 'timed_out':\n      return «null→false»;":
      'wrong credentials show as an outage to customers',
    "environment !== 'production' || «Math.abs(nowMs - askedAtMs)→askedAtMs - nowMs» < ASKED_EVERY_MS":
      'no isolate ever asks the operator’s object',
    '«  askedAtMs = nowMs;\n→»': 'each page and each express payment calls the operator’s object',
    "const known = «environment === 'production' && →»told.find(":
      'the sandbox shows the outages of production',
  },
  'src/engine/domain/method-outage.ts': {
    'total - Math.max(0, ...numbers) >= «OTHERS_MIN→0»;':
      'one merchant’s orders mark a method for all merchants',
    'return { ...NO_STARTS, «reachedAtMs: nowMs→...known» };': 'no start ends an outage',
    'filter((one) => «one.paymentUuid !== paymentUuid→true»);':
      'one customer who tries again and again marks a method',
    'const isOver = «!isRecent(known.failed.at(-1)?.atMs ?? null, nowMs)→false»;':
      'failures of yesterday mark a method today',
    '|| sinceMs === null« || !isRecent(last.atMs, nowMs)→») {': 'an outage never ends by itself',
    'ownOutage.atMs > «(succeededAtMs ?? 0)→0» ?': 'a success elsewhere does not end an outage',
    'outage.sinceMs > «(own.reachedAtMs ?? 0)→0»\n':
      'an isolate that reaches the provider believes old failures',
  },
  'src/engine/domain/attempt.ts': {
    'return attempts.length - «Math.min(neverReached, UNCOUNTED_ATTEMPTS_MAX)→neverReached»;':
      'a payment takes attempts without end',
    'return attempts.length« - Math.min(neverReached, UNCOUNTED_ATTEMPTS_MAX)→ + 0 * neverReached»;':
      'an outage uses up the attempts of a payment',
  },
  'src/engine/rails/bearer-tokens.ts': {
    'if (isRefused« || isUnanswered(answer)→») {':
      'an outage stays a row of unknown outcomes while a token lasts',
  },
  'src/control/alerts/method-health.ts': {
    'succeededAtMs >= «(before?.sinceMs ?? 0)→nowMs»;': 'a success does not end an outage',
    'const succeededAtMs = succeeded > 0 ? «(tally.succeededAtMs ?? nowMs)→nowMs» : 0;':
      'a success of before the outage ends it',
    'if (neverReached <= 0 || «succeededAtMs >= fromMs→false») {':
      'failures of before a success mark a method',
  },
  'src/engine/callbacks/attempt.ts': {
    "isWithinLimit(configOf(env), env.CALLBACK_RATE_LIMIT, «key→'link'»)":
      "one attempt's reports use up the limit of another's",
    "  if (reading.type === 'refused') {\n    «→if (reading.suspicion === 'unreadable') »await reportRefused(target, reading.suspicion);":
      'refused callbacks are not visible',
    "  «const executed = await storeResult(env, target.client, [\n    { type: 'resolve_attempt', attemptId, outcome },\n  ]);\n  return executed?.type === 'not_found' ? null :→void storeResult(env, target.client, [{ type: 'resolve_attempt', attemptId, outcome }]);\n  return» reading.reply;":
      'the provider gets its confirmation before the commit',
  },
  'src/lists/book/queries/search.ts': {
    'parts.some((part) => id.startsWith(part)« || id.endsWith(part)→»);':
      'an id is not found by its end',
  },
  'src/engine/rails/telebirr-h5/signature.ts': {
    'values.set(name, «text→text.trim()»);':
      "the RSA signature of telebirr's order is over trimmed text",
    'values.set(name, «text→text.normalize()»);':
      "the RSA signature of telebirr's order is over normalized text",
  },
  'src/engine/rails/ethswitch/nbg-callback.ts': {
    '    «levels.every→[bill].every»(({ currency }) =>':
      'a report in another currency than the order counts as paid',
  },
  'src/engine/checkout/choice.ts': {
    'env.PHONE_PROMPT_RATE_LIMIT, «key→phone»)':
      'prompts of the sandbox use up the limit of production',
  },
  'src/engine/checkout/open-link.ts': {
    "isWithinLimit(config, env.CHECKOUT_RATE_LIMIT, «token→'link'»)":
      'one busy link closes the pages of all',
  },
  'src/engine/api/call.ts': {
    "limitCalls(config, env.API_RATE_LIMIT, «digest→'key'», KEY_POLICY)":
      'one busy key uses up the limit of all',
  },
  'src/engine/domain/receipt.ts': {
    "const text = receipt«.normalize('NFKC')→».toUpperCase();":
      'a receipt in full-width letters is another receipt',
    '(anomaly) =>\n«      anomaly.attemptId === attemptId &&\n→»':
      'the second attempt with a receipt of another payment is not marked',
  },
  'src/engine/rails/ebirr/answer.ts': {
    'minorOf(txAmount) === order.«chargedMinor→terms.amountMinor») &&':
      "eBirr's report of what the customer paid is refused when that includes a commission",
  },
  'src/engine/rails/ethswitch/cards-status.ts': {
    'const isFinal = nowMs >= order.«attempt.deadlineAtMs→terms.expiresAtMs» ||':
      'a declined card ends an attempt whose page takes another card',
  },
  'src/engine/rails/mpesa/reversal.ts': {
    'amountMinor !== refund.«returnedMinor→amountMinor») {':
      'a report of a returned commission is refused',
  },
  'back-office/elements/csv.ts': {
    'return isChanged(text) ? `${guarded}«\\t→»` : guarded;':
      'a spreadsheet drops the zero before an id',
  },
  'src/kit/platform/object-alarm.ts': {
    '    if (lateMs «> ALARM_OVERDUE_MS→< 0» && !this.#isRunning) {':
      'a lost alarm is never made up for',
    '    if (lateMs > ALARM_OVERDUE_MS« && !this.#isRunning→») {':
      'a call runs an alarm that is running',
    '«      await this.#ctx.storage.setAlarm(safeAtMs);\n→»':
      'an alarm that fails never comes again',
    'this.set(«hasWorked ? this.#sleeper.wakeAtMs() : safeAtMs→this.#sleeper.wakeAtMs()»);':
      'an alarm that fails is repeated at once, forever',
    '    if (this.#isRunning || «→atMs === null || »(isArmed':
      'the alarm of a waiting refund fires forever',
    'const isEarlier = keepsEarlier« && armedAtMs !== null && atMs !== null && armedAtMs < atMs→»;':
      'no claim of a dead request is settled once an alarm is set for references',
    'const isArmed = armedAtMs !== null« && armedAtMs > Date.now()→»;':
      'a change does not set a lost alarm again',
    '      // The rollback undid the alarm too.\n«      this.#atMs = null;\n→»':
      'an object takes an alarm for set that a rollback undid',
  },
  'src/engine/refunds/refusal.ts': {
    'attemptToRefund(intent, «transactionId→null»);':
      'a refusal names what is left of another transaction',
  },
  'src/lists/book/queries/statement.ts': {
    'refundId: id, method, currency },\n    atMs: row.«updatedAtMs→createdAtMs»,':
      'a statement dates a refund by its request',
  },
  'back-office/members/invitations.ts': {
    "WHERE id = ?1 AND «merchant_id = ?2→?2 <> ''» AND used_at_ms":
      "an owner revokes another merchant's invitation",
  },
  'back-office/dashboard/overview/statement.ts': {
    'dayText(«businessDay(atMs)→Math.floor(atMs / 86_400_000)»)),':
      'the days of a statement begin in UTC',
  },
  'src/engine/intent/receipt-conflicts.ts': {
    '=> «other?.merchantId === merchantId && other→other?».uniqueId === uniqueId,':
      'a conflict with the payment of another merchant that has the same id is not marked',
  },
  'src/lists/book/digest.ts': {
    'FROM payment_day WHERE day «>→>=» ?1':
      "the operator's page has one day more of successes than of failures",
  },
  'src/lists/book/attention.ts': {
    'nextOverdueAtMs(this.#storage.sql, «this.#lookedAtMs→Date.now()»);':
      'an attempt that needs a person while the alarm works is listed a day late',
  },
  'src/lists/book/open-book.ts': {
    '«      this.#digestDueAtMs = nowMs + DIGEST_AGAIN_MS;\n→»      throw error;':
      'a digest that D1 did not take is not written before another change',
  },
  'src/lists/book/attention-items.ts': {
    'WHERE other.payment_id = refund.payment_id« AND other.transaction_id = refund.transaction_id→»\n':
      'an overdue refund is hidden by one of another attempt',
  },
  'src/lists/book/queries/ended-payments.ts': {
    '? placeOf(firstMs + «1_000→500», 0) :': 'a list by the end reads a second twice',
    ': placeOf(firstMs - «1→1_000», Number': 'a list by the end skips a second',
  },
  'src/control/rpc/payments.ts': {
    'isTooOldToRefund(«attempt.updatedAtMs→intent.terms.createdAtMs», daysMax':
      'the form refuses a refund that the gateway takes',
  },
  'src/control/rpc/events.ts': {
    'toMs: (lastAtMs ?? 0)« + 1→» };':
      'the number of events that are left misses the last millisecond',
  },
  'src/kit/audit/log.ts': {
    '«  await record(db, entry);\n→»  const result':
      'what is asked of a payment happens without an entry in the audit log',
    'const refused = «refusalIn(result)→null»;':
      'the audit log does not say that a payment refused what it was asked for',
  },
  'src/engine/webhooks/endpoint-store.ts': {
    'AND merchant_id = ?1 AND environment = ?2« AND endpoint_id IS NULL→»))`,':
      'a code that two chats send at the same time connects both',
    "WHERE own.merchant_id = ?1 AND «own.environment = ?2→?2 <> ''»":
      "a key of production reads the sandbox's endpoints",
  },
  'src/kit/http/strict-body.ts': {
    "«v.strictObject(entries, (issue) =>\n      issue.expected→v.object(entries, (issue) =>\n      String(issue.expected)» === 'never'":
      'a misspelled field is ignored',
  },
  'src/api.ts': {
    "cancelRefund: post(\n    «'refunds'→'payments_read'»,":
      'a key that only reads cancels refunds',
  },
  'src/control/payments/receipts.ts': {
    'ON CONFLICT DO «UPDATE SET recorded_at_ms = ?4→NOTHING»`,':
      'a receipt that was looked up long ago is not compared when it is recorded',
  },
  'src/engine/api/express-answer.ts': {
    "const isFailed = attempt.status «=== 'failed'→!== 'succeeded'» ||":
      'the merchant gets FAILURE about a pending payment, and charges again',
    'telebirr: «isFailed ? null : telebirr→telebirr» }':
      'a refused payment can still be paid in the app',
  },
  'src/engine/api/routes/create-payment.ts': {
    '...(rail.startWaitsForCustomer && «{ facts }→{}»),':
      "a lost answer about a prompt is replayed only when the customer's time is over",
    'answerWithinMs: rail.startTimeoutMs« + ANSWER_MARGIN_MS→»,':
      'a repeated request gets another answer than the first one is about to get',
  },
  'src/engine/api/schema/express.ts': {
    "if (context.environment === «'production'→'sandbox'») {\n    problems.add('telebirrForm',":
      'a form that the operator has not switched on reaches the provider',
  },
  'src/engine/rails/registry.ts': {
    'const hasForm = «appForm === undefined || configured?.appForms?.includes(appForm)→true»;':
      'the test system starts a form that is off',
  },
  'src/engine/rails/telebirr-h5/answers.ts': {
    'return isNotFound« && isAbsent(message?.biz_content) && isAbsent(message?.bizContent)→»;':
      'telebirr is asked for a second order after it has made one',
    'const isNotFound = code === NO_SUCH_CALL || (answer.status === NOT_FOUND« && code === null→»);':
      'a refusal at one address is an order at the other one',
  },
  'src/engine/rails/telebirr-h5/app-order.ts': {
    'if («!hasNoSuchCall(first)→first.status !== null && !hasNoSuchCall(first)») {':
      'telebirr is asked for a second order after silence',
    'order, content, «leftMs→timeoutMs»);': 'a start takes longer than its timeout',
    '«    minorOf(groups.amount) === chargedMinor &&\n→»':
      'the customer pays the amount of another order',
    'groups«?.merchant === merchantCode→ !== undefined» &&': 'the customer pays another merchant',
    '«isOurs ? await parametersOf(client, order, content, answer.content, form) : null→await parametersOf(client, order, content, answer.content, form)»;':
      'the customer pays the order of another payment',
    '`${name}=${«value→encodeURIComponent(value)»}`': "telebirr's app refuses every mini app",
  },
  'src/engine/rails/telebirr-h5/messages.ts': {
    'timestamp: String(Math.floor(nowMs / «1_000→1»)), nonce_str };':
      'telebirr refuses orders, whose time is in milliseconds',
    'payee_identifier: settings.«merchantCode→merchantAppId»,':
      'telebirr refuses orders, which name another payee',
    'total_amount: «majorText(order.chargedMinor)→String(order.chargedMinor / 100)»,':
      'telebirr refuses amounts with one decimal',
  },
  'src/engine/rails/ebirr/purchase.ts': {
    'amount: «majorText(chargedMinor)→String(chargedMinor / 100)»,':
      'eBirr refuses amounts without cents',
    "channelName: «'WEB'→'APP'»,\n    serviceName,\n    serviceParams: { merchantUid, apiUserId, apiKey, ...params },":
      'eBirr refuses requests of another channel',
  },
  'src/engine/webhooks/url-guard.ts': {
    "if («hostname.startsWith('[') || →»IPV4.test(hostname)) {":
      'webhooks go to a private IPv6 address',
    'if («SPECIAL_USE_NAMES.some((special) => name === special ||→SPECIAL_USE_NAMES.some((special) => name === special &&» name':
      'webhooks go to hosts of private networks',
  },
};

/** Every planted bug. */
export const MUTANTS: readonly Mutant[] = [PLANTED, PLANTED_KEEPING]
  .flatMap((planted) => Object.entries(planted))
  .flatMap(([file, mistakes]) =>
    Object.entries(mistakes).map(([mistake, breaks]) => {
      const [before = '', old = '', wrong = '', after = ''] = mistake.split(/[«→»]/);
      return { file, find: before + old + after, replace: before + wrong + after, breaks };
    }),
  );

/** The file's content with the mistake. */
export function planted(original: string, { file, find, replace }: Mutant): string {
  if (original.split(find).length !== 2) {
    throw new Error(`${file} must contain this text once: ${find}`);
  }
  return original.replace(find, () => replace);
}
