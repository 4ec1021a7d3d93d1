import { type Mutant, mutantsOf } from './mutant.ts';

/** Mistakes where a day, a tenant, an endpoint, a limit or the retention ends. */
export const BOUNDARY_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('src/refunds/claim.ts', [
    [
      'AND created_at_ms >= ?5 AND',
      'AND created_at_ms > ?5 AND',
      "a refund of the day's first millisecond counts towards no day",
    ],
    [
      'amount_minor = MAX(amount_minor, excluded.amount_minor)',
      'amount_minor = excluded.amount_minor',
      "a repeated claim with less lowers the day's sum",
    ],
    [
      'AND currency = ?6\n',
      'AND (currency = ?6 OR true)\n',
      'refunds in dollars count towards the limit in birr',
    ],
    [
      "'claimed', 'pending', 'processing', 'requires_action', 'succeeded'",
      "'claimed', 'pending', 'processing', 'succeeded'",
      'a refund that waits for a person counts towards no day',
    ],
    [
      "AND status = 'claimed' AND requests = 1`",
      "AND status = 'claimed'`",
      'a rejected request deletes the claim of another',
    ],
  ]),
  ...mutantsOf('src/read-model/upsert.ts', [
    [
      '\n    AND refunds.payment_uuid = excluded.payment_uuid`',
      '`',
      'a refund of another payment replaces the one with the same id',
    ],
  ]),
  ...mutantsOf('src/intent/payment-intent.ts', [
    [
      '      for (const known of positions) {\n',
      '      for (const known of positions.slice(0, 1)) {\n',
      'a resent event reaches only its first endpoint at once',
    ],
  ]),
  ...mutantsOf('src/intent/store.ts', [
    [
      'DELETE FROM record WHERE id > ',
      'DELETE FROM record WHERE id < ',
      'later events stay in the object after the retention',
    ],
  ]),
  ...mutantsOf('src/retention/purge.ts', [
    [
      'ended_at_ms <= ?1 AND updated_at_ms <= ?1',
      'ended_at_ms <= ?1',
      'personal data of a payment that changed yesterday is deleted',
    ],
    [
      '(merchant_id, environment, unique_id) IN (\n        SELECT merchant_id, environment, unique_id FROM old)',
      '(merchant_id, unique_id) IN (\n        SELECT merchant_id, unique_id FROM old)',
      "the purge of a payment deletes a reference of the other environment's refund",
    ],
  ]),
  ...mutantsOf('src/webhooks/secret-store.ts', [
    [
      '(SELECT COUNT(*) FROM webhook_secrets WHERE ',
      '(SELECT COUNT(*) FROM webhook_secrets WHERE merchant_id = ?1 OR ',
      'the secrets of all endpoints of a merchant have one limit',
    ],
  ]),
  ...mutantsOf('src/webhooks/settings.ts', [
    [
      'PARTITION BY endpoint_id ORDER BY',
      'ORDER BY',
      'an endpoint signs with no secret when others have many',
    ],
    [
      'secrets: secrets.get(endpointId) ?? [] }',
      'secrets: secrets.get(null) ?? [] }',
      "an endpoint signs with its environment's secret",
    ],
  ]),
  ...mutantsOf('src/webhooks/sign.ts', [
    [
      'await signingKey(key), utf8(body));',
      'await signingKey(key), utf8(body.normalize()));',
      'the RSA signature of an event is over other bytes than its body',
    ],
  ]),
  ...mutantsOf('src/rails/telebirr-h5/signature.ts', [
    [
      'values.set(name, text);',
      'values.set(name, text.trim());',
      "the RSA signature of telebirr's order is over trimmed text",
    ],
    [
      'values.set(name, text);',
      'values.set(name, text.normalize());',
      "the RSA signature of telebirr's order is over normalized text",
    ],
  ]),
  ...mutantsOf('src/rails/ethswitch/nbg-callback.ts', [
    [
      '    levels.every(({ currency }) =>',
      '    [bill].every(({ currency }) =>',
      'a report in another currency than the order counts as paid',
    ],
  ]),
  ...mutantsOf('src/read-model/refunds-list.ts', [
    [
      'WHERE environment = ? AND merchant_id = ? AND refund_unique_id = ?`,\n    params: [environment, merchantId, refundUniqueId],',
      'WHERE merchant_id = ? AND refund_unique_id = ?`,\n    params: [merchantId, refundUniqueId],',
      "the id of a refund leads to the other environment's refund",
    ],
  ]),
  ...mutantsOf('src/read-model/events-list.ts', [
    [
      'WHERE merchant_id = ? AND environment = ?`,\n    params: [JSON.stringify(wanted), merchantId, environment],',
      'WHERE merchant_id = ?`,\n    params: [JSON.stringify(wanted), merchantId],',
      'an event shows in the other environment',
    ],
    [
      "      ? 'position = 0'\n      : `",
      "      ? 'position = 0'\n      : `position = 0 AND ",
      'a list by state misses an event whose first endpoint is in another state',
    ],
  ]),
  ...mutantsOf('src/read-model/search.ts', [
    [
      'event.merchant_id = ?1 AND event.environment = ?2 AND',
      'event.merchant_id = ?1 AND',
      "an event's id finds a payment of the other environment",
    ],
  ]),
  ...mutantsOf('src/checkout/prompt-limit.ts', [
    [
      'env.PHONE_PROMPT_RATE_LIMIT, key)',
      'env.PHONE_PROMPT_RATE_LIMIT, phone)',
      'prompts of the sandbox use up the limit of production',
    ],
  ]),
  ...mutantsOf('src/checkout/open-link.ts', [
    [
      'isWithinLimit(config, env.CHECKOUT_RATE_LIMIT, token)',
      "isWithinLimit(config, env.CHECKOUT_RATE_LIMIT, 'link')",
      'one busy link closes the pages of all',
    ],
  ]),
  ...mutantsOf('src/api/call.ts', [
    [
      'limitCalls(config, env.API_RATE_LIMIT, digest, KEY_POLICY)',
      "limitCalls(config, env.API_RATE_LIMIT, 'key', KEY_POLICY)",
      'one busy key uses up the limit of all',
    ],
  ]),
];
