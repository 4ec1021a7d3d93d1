import type { ProblemCode } from '../../src/kit/http/problems.ts';
import type { ErrorText } from './error-text.ts';

/** The errors of the merchants' API, which other APIs share. */
export const API_ERRORS: Readonly<Record<ProblemCode, ErrorText>> = {
  validation_failed: {
    meaning: 'One or more fields break a rule. Nothing was created or changed.',
    remedy:
      '`validationErrors` has a sentence for each failing field, and `validationErrorCodes` a [code](#field-codes). Show the sentence to the developer, and let your program decide by the code. A `warnings` entry may name the misspelled field.',
  },
  invalid_json: {
    meaning: 'The body is empty, cut off, not JSON, or not UTF-8.',
    remedy: 'Encode the body with a JSON library instead of building it from strings.',
  },
  https_required: {
    meaning: 'The request came over plain http, so others may have read the key that it carried.',
    remedy: 'Call the https address, and replace the key in the dashboard.',
  },
  not_found: {
    meaning: "The thing that the path names does not exist. Only the operator's API answers this.",
    remedy: 'Check the ids in the path.',
  },
  path_not_found: {
    meaning: 'The API has nothing at this path. It is not about a payment.',
    remedy: 'Compare the path with the [list of calls](reference.md#calls), `sandbox` included.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not for this HTTP method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  body_too_large: {
    meaning: 'The body is larger than 64 KiB. It was not read.',
    remedy: 'Shorten descriptions, or send fewer items.',
  },
  unsupported_content_type: {
    meaning: 'The `Content-Type` header names another type than JSON.',
    remedy: 'Send `Content-Type: application/json`. curl sends a form unless told otherwise.',
  },
  unsupported_charset: {
    meaning: 'The `Content-Type` header names another charset than UTF-8.',
    remedy: 'Send the body in UTF-8.',
  },
  unsupported_content_encoding: {
    meaning: 'The body is compressed.',
    remedy: 'Send it without `Content-Encoding`.',
  },
  too_many_requests: {
    meaning:
      'More requests came than the limit allows. `RateLimit-Policy` names the limits: `q` requests in `w` seconds, for each key and, without a valid key, for each network.',
    remedy: 'Wait as long as `Retry-After` says. Wait for webhooks instead of polling.',
    retry: 'after_wait',
  },
  internal_error: {
    meaning:
      'The gateway has a fault. A payment may or may not have been created, or a charge started.',
    remedy:
      'Repeat the request with the same `paymentIntentUniqueId`: it cannot create or charge twice, and [`duplicate_payment_id`](#duplicate_payment_id) shows the payment if there is one. If the error persists, report the `requestId` to the operator.',
    retry: 'with_backoff',
  },
  not_set_up: {
    meaning: 'The gateway on your own machine has no database or no secrets yet.',
    remedy: 'Run the command that the message names. A deployed gateway never answers this.',
  },
  service_unavailable: {
    meaning:
      'A part of the gateway is out of reach. A payment may or may not have been created, or a charge started.',
    remedy:
      'Repeat the request with the same `paymentIntentUniqueId`: it cannot create or charge twice, and [`duplicate_payment_id`](#duplicate_payment_id) shows the payment if there is one.',
    retry: 'after_wait',
  },
  maintenance: {
    meaning:
      'The operator maintains the gateway, so it takes no new payments and refunds for a while. Nothing was created. Reading, canceling, checkout pages, payments that customers have begun and webhooks go on, and a repeated request for a payment that exists gets its first answer.',
    remedy: 'Repeat the request after `Retry-After` seconds, until it succeeds.',
    retry: 'after_wait',
  },
  api_key_missing: {
    meaning: 'The request has no `apiKey` header.',
    remedy: 'Send your key in the header `apiKey`.',
  },
  api_key_invalid: {
    meaning:
      'The key is malformed, unknown, revoked or expired, or the merchant is suspended. The answer does not say which.',
    remedy: 'Compare the key with the list in the dashboard, and create a new one if needed.',
  },
  api_key_wrong_environment: {
    meaning: 'A sandbox key was sent to a production path, or the other way round.',
    remedy: 'Use `kfl_test_…` with paths that contain `sandbox`, and `kfl_live_…` with the others.',
  },
  permission_missing: {
    meaning:
      'The key is valid, but [restricted](api.md#key-permissions), and this call needs the permission that the message names.',
    remedy:
      'Use a key that has the permission, or replace the key in the dashboard by one that has it.',
  },
  idempotency_key_invalid: {
    meaning: 'The `Idempotency-Key` header is empty, too long, or not printable ASCII.',
    remedy: 'Send a UUID.',
  },
  idempotency_key_in_use: {
    meaning: 'The first request with this key is still waiting for the provider.',
    remedy: 'Repeat the request: you get the answer of the first one as soon as there is one.',
    retry: 'after_wait',
  },
  idempotency_key_reused: {
    meaning:
      'This payment, refund, endpoint or payment link was created with the same `Idempotency-Key`, but by another body or at another endpoint. Kefel compares bytes, so a new order of fields counts as another body. Another refund of the same payment with the key gets this error too.',
    remedy:
      'Repeat the stored bytes of the first request. For a new payment or refund, use a new id and a new key.',
  },
  duplicate_payment_id: {
    meaning:
      'A payment with this `paymentIntentUniqueId` exists in this environment. Nothing was created or charged again.',
    remedy:
      'After a lost answer, continue with `payment` in this error: it is what the [status call](api.md#read-and-cancel) answers, with the `checkoutUrl` of the page and the `transactionId` of an express payment. It is missing if the key may not read payments. For another payment use another id.',
    retry: 'never',
  },
  payment_not_found: {
    meaning: 'You have no payment of this id in this environment.',
    remedy:
      'Percent-encode the id, and check the environment. A `uuid` or `paymentIntentId` is found a few seconds after creation.',
  },
  webhook_endpoint_not_found: {
    meaning: "The key's environment has no webhook endpoint with this id.",
    remedy: 'List the endpoints and compare the ids.',
  },
  webhook_endpoint_limit: {
    meaning: 'The environment has as many webhook endpoints as it can have.',
    remedy: 'Delete one that you no longer need, or change its URL.',
  },
  webhook_secret_limit: {
    meaning: 'The endpoint has as many valid secrets as it can have.',
    remedy:
      'Wait until an old one expires, revoke one in the dashboard, or send `overlapHours: 0`.',
  },
  payment_link_not_found: {
    meaning: "The key's environment has no payment link with this id.",
    remedy: 'List the links and compare the ids, and percent-encode the id in the path.',
  },
  payment_link_limit: {
    meaning: 'The environment has as many payment links as it can have. Links are never deleted.',
    remedy: 'Change a link that you no longer need instead of creating another one.',
  },
  duplicate_payment_link_id: {
    meaning:
      'A payment link with this `paymentLinkUniqueId` exists in this environment. Nothing was created.',
    remedy:
      'After a lost answer, read the link by its id. For another link use another id, or send none: Kefel makes one.',
    retry: 'never',
  },
  payment_in_progress: {
    meaning: 'The customer is paying right now, so the payment cannot be canceled.',
    remedy: 'Wait for the webhook. If the attempt fails, the payment can be canceled.',
    retry: 'with_backoff',
  },
  payment_ended: {
    meaning: 'The payment is paid, failed or expired, so it cannot be canceled.',
    remedy: 'Read the payment. A paid one can be [refunded](refunds.md).',
    retry: 'never',
  },
  duplicate_refund_id: {
    meaning:
      'A refund with this `refundUniqueId` exists in this environment, of this payment or of another one. Nothing was refunded again.',
    remedy:
      'After a lost answer, [read the refund](refunds.md#follow) to see its outcome. For another refund use another id.',
    retry: 'never',
  },
  refund_not_found: {
    meaning: 'You have no refund of this id in this environment.',
    remedy: 'Percent-encode the id, and check the environment.',
  },
  payment_not_paid: {
    meaning: 'The payment, or the transaction that you named, is not paid.',
    remedy: 'Read the payment. One that is open can be [canceled](api.md#read-and-cancel).',
  },
  refund_too_large: {
    meaning:
      'The payment has less left than you want to return. Amounts that were returned, or that other refunds reserve, are not left.',
    remedy: 'Read the payment with its `refunds`, and ask for at most what the message says.',
  },
  refund_needs_review: {
    meaning:
      'A refund that had failed was executed after all, and with it more of this transaction was returned than the customer paid. The anomaly `excess_refund` of the payment says how much more.',
    remedy: 'Ask the operator of the gateway to review the payment. Then read what is left of it.',
  },
  too_many_refunds: {
    meaning:
      'The payment has as many refunds as it can have. Failed and canceled ones count only towards the larger number in the message.',
    remedy: 'Ask the operator of the gateway to return the rest.',
    retry: 'never',
  },
  refund_too_late: {
    meaning: 'The payment is older than the operator of the gateway lets you refund.',
    remedy: 'Return the money in another way, or ask the operator.',
    retry: 'never',
  },
  refund_daily_limit: {
    meaning: 'The operator of the gateway limits what you can return on one day in Addis Ababa.',
    remedy: 'Ask for less, wait until tomorrow, or ask the operator for a higher limit.',
  },
  refund_not_cancelable: {
    meaning:
      'Kefel has asked the provider for the refund, or the refund has ended. It can no longer be canceled.',
    remedy: 'Read the refund, and wait for its event.',
    retry: 'never',
  },
  event_not_found: {
    meaning: 'You have no event of this id in this environment.',
    remedy:
      'Take the id from the header `webhook-id` or from the list of events. A new event is found a few seconds after it happened. Test events are in no list.',
  },
  event_superseded: {
    meaning:
      'The payment went on, and a later event was sent instead: after a late payment, for example, it is no longer true that the payment expired.',
    remedy: 'Read the payment, or send its latest event again.',
    retry: 'never',
  },
};
