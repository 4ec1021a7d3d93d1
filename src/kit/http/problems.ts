/** An error: its HTTP status, and its message, in which details replace the names in braces. */
export interface ProblemEntry {
  readonly status: number;
  readonly message: string;
}

/**
 * Every error of the merchants' API, by its code. Codes never change: clients compare them. What
 * each means to a developer is in scripts/error-docs, outside the Worker's bundle.
 */
export const PROBLEMS = {
  validation_failed: { status: 400, message: '{summary}' },
  invalid_json: { status: 400, message: 'The body is not valid JSON' },
  https_required: {
    status: 403,
    message: 'Use https: plain http exposes your key. Replace a key that was sent this way',
  },
  not_found: { status: 404, message: 'Not found' },
  path_not_found: { status: 404, message: 'There is nothing at this path' },
  method_not_allowed: { status: 405, message: 'Method {method} is not allowed here' },
  body_too_large: { status: 413, message: 'The body is larger than {bytesMax} bytes' },
  unsupported_content_type: {
    status: 415,
    message: 'Content-Type must be application/json{times}',
  },
  unsupported_charset: { status: 415, message: 'The body must be UTF-8, not {charset}' },
  unsupported_content_encoding: { status: 415, message: 'Send the body uncompressed' },
  too_many_requests: { status: 429, message: 'Too many requests' },
  internal_error: { status: 500, message: 'Internal server error' },
  // Only a developer's machine answers this.
  not_set_up: { status: 500, message: 'The gateway is not set up: {missing}. Run: {command}' },
  service_unavailable: { status: 503, message: 'Temporarily unavailable' },
  maintenance: {
    status: 503,
    message: 'The gateway takes no new payments and refunds during maintenance. Retry later',
  },

  api_key_missing: { status: 401, message: 'The apiKey header is missing' },
  api_key_invalid: { status: 401, message: 'Invalid API key' },
  api_key_wrong_environment: {
    status: 403,
    message: 'This API key is not for the {environment} environment',
  },
  permission_missing: {
    status: 403,
    message:
      'This API key lacks the permission {permission}. Use another key, or replace this one in the dashboard',
  },
  idempotency_key_invalid: {
    status: 400,
    message: 'Idempotency-Key must be 1 to {charactersMax} printable ASCII characters',
  },
  idempotency_key_in_use: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still in progress',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with another request: its endpoint or body differs',
  },
  duplicate_payment_id: {
    status: 409,
    message: 'Duplicate key: paymentIntentUniqueId "{uniqueId}" already exists',
  },
  payment_not_found: { status: 404, message: 'There is no such payment in this environment' },
  webhook_endpoint_not_found: {
    status: 404,
    message: 'There is no such webhook endpoint in this environment',
  },
  webhook_endpoint_limit: {
    status: 409,
    message: 'There are already {endpointsMax} webhook endpoints; delete one first',
  },
  webhook_secret_limit: {
    status: 409,
    message:
      'There are already {secretsMax} secrets in force; revoke one in the dashboard, or rotate with overlapHours 0',
  },
  payment_link_not_found: {
    status: 404,
    message: 'There is no such payment link in this environment',
  },
  payment_link_limit: {
    status: 409,
    message:
      'There are already {linksMax} payment links, which are never deleted; change one of them',
  },
  duplicate_payment_link_id: {
    status: 409,
    message: 'Duplicate key: paymentLinkUniqueId "{linkUniqueId}" already exists',
  },
  payment_in_progress: {
    status: 409,
    message: 'A payment is in progress; it cannot be canceled now',
  },
  payment_ended: {
    status: 409,
    message: 'The payment has ended ({status}); it cannot be canceled',
  },
  duplicate_refund_id: {
    status: 409,
    message: 'Duplicate key: refundUniqueId "{refundUniqueId}" already exists',
  },
  refund_not_found: { status: 404, message: 'There is no such refund in this environment' },
  payment_not_paid: {
    status: 409,
    message: 'Nothing to refund: the payment, or the transaction that you named, is not paid',
  },
  refund_too_large: {
    status: 409,
    message: 'Only {left} {currency} of the payment is left to refund',
  },
  refund_needs_review: {
    status: 409,
    message:
      'More was returned of this transaction than was paid. The operator must review that before another refund',
  },
  too_many_refunds: {
    status: 409,
    message:
      'The payment has as many refunds as it can have: {refundsMax}, or {requestsMax} with the failed and canceled ones',
  },
  refund_too_late: {
    status: 409,
    message: 'The payment is older than {daysMax} days, so it can no longer be refunded',
  },
  refund_daily_limit: {
    status: 409,
    message: 'Only {left} of your {max} a day is left for refunds today',
  },
  refund_not_cancelable: {
    status: 409,
    message: 'The refund is {status}; only a pending one can be canceled',
  },
  event_not_found: { status: 404, message: 'There is no such event in this environment' },
  event_superseded: {
    status: 409,
    message: 'A later event of the payment replaces this one, so it is not sent again',
  },
} as const satisfies Record<string, ProblemEntry>;

export type ProblemCode = keyof typeof PROBLEMS;
