/** Fastify and PostgreSQL as many services are written: a pool, a transaction, an outbox, a poll. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import fastify from 'fastify';
import pg from 'pg';
import { deliver, digestOf, eventOf, PAYMENT_SCHEMA } from './common.mjs';

const POLL_MS = 100;
const BATCH = 10;
const RETRY_SECONDS = 60;
const UNIQUE_VIOLATION = '23505';

const pool = new pg.Pool();

async function serve() {
  const app = fastify();
  app.post('/payments', { schema: PAYMENT_SCHEMA }, async (request, reply) => {
    const key = await pool.query('SELECT merchant_id FROM api_keys WHERE digest = $1', [
      digestOf(String(request.headers.apikey)),
    ]);
    if (key.rowCount === 0) {
      return reply.code(401).send({ status: 401, message: 'invalid API key' });
    }
    const id = randomUUID();
    try {
      await create(key.rows[0].merchant_id, id, request.body);
    } catch (error) {
      if (error.code === UNIQUE_VIOLATION) {
        return reply.code(409).send({ status: 409, message: 'id taken' });
      }
      throw error;
    }
    return { status: 200, message: 'saved', content: { id } };
  });
  process.send({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
}

async function create(merchantId, id, payment) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO payments
         (merchant_id, unique_id, id, status, amount_minor, currency, terms, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 second')`,
      [
        merchantId,
        payment.paymentIntentUniqueId,
        id,
        payment.callbackUrl ? 'SUCCESS' : 'OPEN',
        Math.round(payment.amount * 100),
        payment.currency,
        payment,
        payment.expireIn,
      ],
    );
    if (payment.callbackUrl) {
      await client.query('INSERT INTO outbox (url, body) VALUES ($1, $2)', [
        payment.callbackUrl,
        eventOf(payment, id),
      ]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function work() {
  process.send({ url: '' });
  for (;;) {
    if ((await deliverBatch()) === 0) {
      await wait(POLL_MS);
    }
  }
}

async function deliverBatch() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query(
      `SELECT id, url, body FROM outbox WHERE delivered_at IS NULL AND due_at <= now()
       ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [BATCH],
    );
    const results = await Promise.allSettled(rows.map((row) => deliver(row)));
    for (const [index, { id }] of rows.entries()) {
      await client.query(
        results[index].value === true
          ? 'UPDATE outbox SET delivered_at = now(), tries = tries + 1 WHERE id = $1'
          : `UPDATE outbox SET due_at = now() + ${RETRY_SECONDS} * interval '1 second',
             tries = tries + 1 WHERE id = $1`,
        [id],
      );
    }
    await client.query('COMMIT');
    return rows.length;
  } finally {
    client.release();
  }
}

await (process.argv[2] === 'worker' ? work() : serve());
