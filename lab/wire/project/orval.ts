import * as kefel from './generated/orval.ts';
import { connection } from './orval-fetch.ts';
import type { NewShop } from './shop.ts';

/** A client of orval. */
export const newShop: NewShop = (baseUrl, apiKey) => {
  Object.assign(connection, { baseUrl, apiKey });
  return {
    create: async (body) => content(await kefel.createHostedPayment(body)),
    charge: async (body) => content(await kefel.createExpressPayment(body)).status,
    paymentStatus: async (id) => content(await kefel.readPayment(id)).status,
    refund: async (body) => content(await kefel.createRefund(body)).status,
    refundStatus: async (id) => content(await kefel.readRefund(id)).status,
  };
};

type Answered = { readonly status: number; readonly data: object };
type ContentOf<Answer> =
  Extract<Answer, { readonly status: 200 }> extends {
    readonly data: { readonly content: infer Content };
  }
    ? Content
    : never;

function content<Answer extends Answered>(answer: Answer): ContentOf<Answer> {
  if (answer.status !== 200) {
    throw new Error(`the gateway answered ${answer.status}`);
  }
  return (answer.data as { readonly content: ContentOf<Answer> }).content;
}

/** Compiles only while the enumeration is open. */
export const LATER_REASON: kefel.Payment['reason'] = 'added_later';
