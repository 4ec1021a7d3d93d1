import { type HttpRequest, jsonPost } from '../../scripts/gateway/http.ts';
import type { Environment } from '../../src/kit/tenant.ts';

interface Keys {
  readonly baseUrl: string;
  readonly sandboxApiKey: string;
  readonly productionApiKey: string;
}

/** The requests of a merchant's server in one environment, to send and to send again. */
export class MerchantApi {
  readonly #root: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ baseUrl, sandboxApiKey, productionApiKey }: Keys, environment: Environment) {
    const isSandbox = environment === 'sandbox';
    this.#root = `${baseUrl}/api/v1/payment/${isSandbox ? 'sandbox/' : ''}`;
    this.#headers = { apiKey: isSandbox ? sandboxApiKey : productionApiKey };
  }

  get(path: string): HttpRequest {
    return { method: 'GET', url: this.#root + path, headers: this.#headers };
  }

  /** Without a body, such as a cancellation. */
  post(path: string): HttpRequest {
    return { method: 'POST', url: this.#root + path, headers: this.#headers };
  }

  /** `body`: of JSON, or its text. */
  postJson(path: string, body: object | string, idempotencyKey: string | null = null): HttpRequest {
    const headers = {
      ...this.#headers,
      ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
    };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return jsonPost(this.#root + path, headers, text);
  }
}
