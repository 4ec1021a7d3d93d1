import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi-typescript.ts';
import type { NewShop } from './shop.ts';

/** A client with the types of openapi-typescript. */
export const newShop: NewShop = (baseUrl, apiKey) => {
  const client = createClient<paths>({ baseUrl, headers: { apiKey } });
  return {
    create: async (body) => content((await client.POST('/intent', { body })).data),
    charge: async (body) => content((await client.POST('/express/pay', { body })).data).status,
    paymentStatus: async (id) =>
      content((await client.GET('/intents/{id}', { params: { path: { id } } })).data).status,
    refund: async (body) => content((await client.POST('/refunds', { body })).data).status,
    refundStatus: async (id) =>
      content((await client.GET('/refunds/{id}', { params: { path: { id } } })).data).status,
  };
};

function content<Content>(answer: { readonly content: Content } | undefined): Content {
  if (answer === undefined) {
    throw new Error('the gateway refused the call');
  }
  return answer.content;
}

/** Compiles only while the enumeration is open. */
export const LATER_REASON: components['schemas']['Payment']['reason'] = 'added_later';
