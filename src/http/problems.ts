/** The details of a problem replace the names in braces. */
interface Entry {
  readonly status: number;
  readonly message: string;
}

/** Every answer of the APIs that is not success. */
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
  unsupported_content_type: { status: 415, message: 'Content-Type must be application/json' },
  unsupported_charset: { status: 415, message: 'The body must be UTF-8, not {charset}' },
  unsupported_content_encoding: { status: 415, message: 'Send the body uncompressed' },
  too_many_requests: { status: 429, message: 'Too many requests' },
  internal_error: { status: 500, message: 'Internal server error' },
  // Only on a developer's machine.
  not_set_up: { status: 500, message: 'The gateway is not set up: {missing}. Run: {command}' },
  unavailable: { status: 503, message: 'Temporarily unavailable' },

  // The merchants' API.
  api_key_missing: { status: 401, message: 'The apiKey header is missing' },
  api_key_invalid: { status: 401, message: 'Invalid API key' },
  api_key_of_other_environment: {
    status: 403,
    message: 'This API key is not for the {environment} environment',
  },
  idempotency_key_malformed: {
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
  duplicate_payment: {
    status: 409,
    message: 'Duplicate key: paymentIntentUniqueId "{uniqueId}" already exists',
  },
  payment_not_found: {
    status: 404,
    message: 'There is no such payment in this environment',
  },
  payment_in_progress: {
    status: 409,
    message: 'A payment is in progress; it cannot be canceled now',
  },
  payment_ended: {
    status: 409,
    message: 'The payment has ended ({status}); it cannot be canceled',
  },

  // The operator's API.
  credentials_missing: { status: 401, message: '{schemes} authorization is missing' },
  operator_secret_invalid: { status: 401, message: 'Invalid secret' },
  access_token_invalid: {
    status: 401,
    message: 'The token of Cloudflare Access is missing or not valid',
  },
  access_keys_unavailable: {
    status: 503,
    message: 'The keys of Cloudflare Access are temporarily unavailable',
  },
  operator_name_invalid: {
    status: 400,
    message: "The operator's name (x-operator) must be 1 to {charactersMax} printable characters",
  },
  payment_unreachable: { status: 503, message: 'The payment is temporarily unreachable' },
  attempt_not_found: { status: 404, message: 'The payment has no such attempt' },
  window_open: {
    status: 409,
    message:
      'The provider may still accept the payment until {deadline}, so a failure is not certain. Nothing was changed',
  },
  query_due: {
    status: 409,
    message:
      'The window has passed, and the gateway is asking the provider once more. Try again in a minute. Nothing was changed',
  },
  attempt_not_pending: {
    status: 409,
    message: 'The attempt is already {status}. Nothing was changed',
  },
  malformed_resolution: {
    status: 409,
    message: "The note, the receipt or the operator's name is not valid. Nothing was changed",
  },
  resolution_rejected: {
    status: 409,
    message: 'The payment rejected the resolution: {rejection}. Nothing was changed',
  },
  merchant_exists: { status: 409, message: 'The merchant {id} already exists' },
  merchant_suspended: {
    status: 409,
    message: 'The merchant is suspended, so the link would not work. Reactivate the merchant first',
  },
  bank_exists: { status: 409, message: 'The bank {code} already exists' },
  bank_unchanged: {
    status: 400,
    message: 'Nothing to change: give name, supportsWithdrawal or both',
  },
  republish_ambiguous: {
    status: 400,
    message: 'Give objectIds, or afterUuid and limit, not both',
  },
} as const satisfies Record<string, Entry>;

export type ProblemReason = keyof typeof PROBLEMS;
