import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { jsonPost } from '../../scripts/gateway/http.ts';
import type { CaseName } from './cases.ts';
import { expressPayment, hostedPayment } from './payments.ts';
import type { Receiver } from './receiver.ts';
import { requests, type Work } from './work.ts';

/** See KefelWork. */
const RUN = Date.now().toString(36);

/** The same load on a peer. A payment with a callbackUrl counts as paid and sends a webhook. */
export class PeerWork {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #receiver: Receiver;

  constructor(url: string, merchant: DemoMerchant, receiver: Receiver) {
    this.#url = `${url}/payments`;
    this.#headers = { apiKey: merchant.sandboxApiKey };
    this.#receiver = receiver;
  }

  prepare(name: CaseName, _units: number): Work {
    const bodyOf = (index: number) =>
      name === 'express'
        ? expressPayment(`${RUN}-${index}`, this.#receiver.url)
        : hostedPayment(`${RUN}-${index}`);
    return requests(
      200,
      (index) => jsonPost(this.#url, this.#headers, bodyOf(index)),
      name === 'express' ? 'untimed' : 'none',
    );
  }
}
