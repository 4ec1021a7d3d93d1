import { DurableObject } from 'cloudflare:workers';
export class PaymentIntent extends DurableObject<Env> {}
export default {
  async fetch() {
    return new Response('ok');
  },
  async queue() {},
} satisfies ExportedHandler<Env>;
