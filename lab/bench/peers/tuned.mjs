/**
 * Fastify and PostgreSQL with care for speed: keys in memory, one prepared statement for each
 * create, deliveries in batches that hold no transaction open.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import fastify from 'fastify';
import pg from 'pg';
import { deliver, digestOf, eventOf, PAYMENT_SCHEMA } from './common.mjs';

/** Doubles while there is nothing to do. */
const POLL_MS_MIN = 10;
const POLL_MS_MAX = 200;
const BATCH = 100;
const LEASE_SECONDS = 60;
const KEY_FRESH_MS = 9_000;
const CONNECTIONS_MAX = 32;

const pool = new pg.Pool({ max: CONNECTIONS_MAX });
const keys = new Map();

async function serve() {
  const app = fastify();
  app.post('/payments', { schema: PAYMENT_SCHEMA }, async (request, reply) => {
    const merchantId = await merchantOf(String(request.headers.apikey));
    if (merchantId === null) {
      return reply.code(401).send({ status: 401, message: 'invalid API key' });
    }
    const payment = request.body;
    const id = randomUUID();
    const { rowCount } = await pool.query({
      name: 'create',
      text: `WITH payment AS (
               INSERT INTO payments
                 (merchant_id, unique_id, id, status, amount_minor, currency, terms, expires_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 second')
               ON CONFLICT DO NOTHING RETURNING id
             ), event AS (
               INSERT INTO outbox (url, body)
               SELECT $9::text, $10::text FROM payment WHERE $9::text IS NOT NULL
             )
             SELECT id FROM payment`,
      values: [
        merchantId,
        payment.paymentIntentUniqueId,
        id,
        payment.callbackUrl ? 'SUCCESS' : 'OPEN',
        Math.round(payment.amount * 100),
        payment.currency,
        payment,
        payment.expireIn,
        payment.callbackUrl ?? null,
        payment.callbackUrl ? eventOf(payment, id) : null,
      ],
    });
    return rowCount === 0
      ? reply.code(409).send({ status: 409, message: 'id taken' })
      : { status: 200, message: 'saved', content: { id } };
  });
  process.send({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
}

async function merchantOf(apiKey) {
  const digest = digestOf(apiKey);
  const known = keys.get(digest);
  if (known !== undefined && Date.now() - known.readAtMs < KEY_FRESH_MS) {
    return known.merchantId;
  }
  const { rows } = await pool.query('SELECT merchant_id FROM api_keys WHERE digest = $1', [digest]);
  if (rows.length === 0) {
    return null;
  }
  const merchantId = rows[0].merchant_id;
  keys.set(digest, { merchantId, readAtMs: Date.now() });
  return merchantId;
}

async function work() {
  process.send({ url: '' });
  let pollMs = POLL_MS_MIN;
  for (;;) {
    const { rows } = await pool.query({
      name: 'claim',
      text: `UPDATE outbox SET due_at = now() + $2 * interval '1 second', tries = tries + 1
             WHERE id IN (
               SELECT id FROM outbox WHERE delivered_at IS NULL AND due_at <= now()
               ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
             ) RETURNING id, url, body`,
      values: [BATCH, LEASE_SECONDS],
    });
    if (rows.length === 0) {
      await wait(pollMs);
      pollMs = Math.min(2 * pollMs, POLL_MS_MAX);
      continue;
    }
    pollMs = POLL_MS_MIN;
    const results = await Promise.allSettled(rows.map((row) => deliver(row)));
    const delivered = rows.filter((_, index) => results[index].value === true);
    await pool.query({
      name: 'delivered',
      text: 'UPDATE outbox SET delivered_at = now() WHERE id = ANY($1)',
      values: [delivered.map(({ id }) => id)],
    });
  }
}

await (process.argv[2] === 'worker' ? work() : serve());
