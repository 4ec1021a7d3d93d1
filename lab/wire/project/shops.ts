import createClient from 'openapi-fetch';
import { createClient as createHeyApi } from './generated/hey-api/client/index.ts';
import * as heyApi from './generated/hey-api/sdk.gen.ts';
import type { Payment } from './generated/hey-api/types.gen.ts';
import type { components, paths } from './generated/openapi-typescript.ts';
import * as orval from './generated/orval.ts';
import { connection } from './orval-fetch.ts';
import type { NewShop } from './shop.ts';

export const SHOPS: Readonly<Record<string, NewShop>> = {
  'openapi-typescript': (baseUrl, apiKey) => {
    const client = createClient<paths>({ baseUrl, headers: { apiKey } });
    const ofId = (id: string) => ({ params: { path: { id } } });
    return {
      create: async (body) => content(await client.POST('/intent', { body })),
      charge: async (body) => content(await client.POST('/express/pay', { body })).status,
      paymentStatus: async (id) => content(await client.GET('/intents/{id}', ofId(id))).status,
      refund: async (body) => content(await client.POST('/refunds', { body })).status,
      refundStatus: async (id) => content(await client.GET('/refunds/{id}', ofId(id))).status,
    };
  },
  '@hey-api/openapi-ts': (baseUrl, apiKey) => {
    const client = createHeyApi({ baseUrl, auth: apiKey });
    const common = { client, throwOnError: true } as const;
    const ofId = (id: string) => ({ ...common, path: { id } });
    return {
      create: async (body) => content(await heyApi.createHostedPayment({ ...common, body })),
      charge: async (body) =>
        content(await heyApi.createExpressPayment({ ...common, body })).status,
      paymentStatus: async (id) => content(await heyApi.readPayment(ofId(id))).status,
      refund: async (body) => content(await heyApi.createRefund({ ...common, body })).status,
      refundStatus: async (id) => content(await heyApi.readRefund(ofId(id))).status,
    };
  },
  orval: (baseUrl, apiKey) => {
    Object.assign(connection, { baseUrl, apiKey });
    return {
      create: async (body) => content(successful(await orval.createHostedPayment(body))),
      charge: async (body) => content(successful(await orval.createExpressPayment(body))).status,
      paymentStatus: async (id) => content(successful(await orval.readPayment(id))).status,
      refund: async (body) => content(successful(await orval.createRefund(body))).status,
      refundStatus: async (id) => content(successful(await orval.readRefund(id))).status,
    };
  },
};

function content<Content>(answer: { readonly data?: { readonly content: Content } }): Content {
  if (answer.data === undefined) {
    throw new Error('the gateway refused the call');
  }
  return answer.data.content;
}

/** orval's answers are a union by status. */
function successful<Answer extends { readonly status: number }>(answer: Answer) {
  if (answer.status !== 200) {
    throw new Error(`the gateway answered ${answer.status}`);
  }
  return answer as Extract<Answer, { readonly status: 200 }>;
}

/** These compile only while the enumeration is open. */
const laterReason = 'added_later';
export const LATER_REASONS: readonly [
  components['schemas']['Payment']['reason'],
  Payment['reason'],
  orval.Payment['reason'],
] = [laterReason, laterReason, laterReason];
