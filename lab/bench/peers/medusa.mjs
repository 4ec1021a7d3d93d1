/**
 * The payment module of Medusa behind Fastify: a payment collection and its session for each create.
 * It keeps no unique id of the merchant's, has no outbox and sends no webhooks.
 */
import { MedusaModule } from '@medusajs/framework/modules-sdk';
import fastify from 'fastify';
import { PAYMENT_SCHEMA } from './common.mjs';

const MODULE = '@medusajs/payment';
const PROVIDER = 'pp_system_default';

const { PGHOST, PGPORT, PGUSER, PGDATABASE } = process.env;
const clientUrl = `postgres://${PGUSER}@${PGHOST}:${PGPORT}/${PGDATABASE}`;
const options = { database: { clientUrl } };
await MedusaModule.migrateUp({ moduleKey: 'payment', modulePath: MODULE, options });
const { payment: payments } = await MedusaModule.bootstrap({
  moduleKey: 'payment',
  defaultPath: MODULE,
  declaration: { scope: 'internal', options },
});

const app = fastify();
app.post('/payments', { schema: PAYMENT_SCHEMA }, async (request) => {
  const { amount, currency, paymentIntentUniqueId } = request.body;
  const currency_code = currency.toLowerCase();
  const collection = await payments.createPaymentCollections({
    amount,
    currency_code,
    metadata: { paymentIntentUniqueId },
  });
  const { id } = await payments.createPaymentSession(collection.id, {
    provider_id: PROVIDER,
    currency_code,
    amount,
    data: {},
  });
  return { status: 200, message: 'saved', content: { id } };
});
process.send({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
