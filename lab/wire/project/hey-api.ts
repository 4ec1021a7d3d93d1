import { createClient } from './generated/hey-api/client/index.ts';
import * as kefel from './generated/hey-api/sdk.gen.ts';
import type { Payment } from './generated/hey-api/types.gen.ts';
import type { NewShop } from './shop.ts';

/** A client of @hey-api/openapi-ts. */
export const newShop: NewShop = (baseUrl, apiKey) => {
  const common = { client: createClient({ baseUrl, auth: apiKey }), throwOnError: true } as const;
  return {
    create: async (body) => (await kefel.createHostedPayment({ ...common, body })).data.content,
    charge: async (body) =>
      (await kefel.createExpressPayment({ ...common, body })).data.content.status,
    paymentStatus: async (id) =>
      (await kefel.readPayment({ ...common, path: { id } })).data.content.status,
    refund: async (body) => (await kefel.createRefund({ ...common, body })).data.content.status,
    refundStatus: async (id) =>
      (await kefel.readRefund({ ...common, path: { id } })).data.content.status,
  };
};

/** Compiles only while the enumeration is open. */
export const LATER_REASON: Payment['reason'] = 'added_later';
