import { setTimeout as wait } from 'node:timers/promises';
import type { Gateway } from '../../scripts/gateway/gateway.ts';
import {
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  NoAnswer,
} from '../../scripts/gateway/http.ts';
import type { Environment } from '../../src/domain/method.ts';
import type { Observations } from './observations.ts';

/** A wrong answer of the gateway, which ends the journey with a violation. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

export const TRIES_MAX = 60;
const LOST_PAUSE_MS = 50;

/** Calls a gateway that may be killed at any time. */
export class Caller {
  readonly #gateway: Gateway;
  readonly #client: HttpClient;
  readonly #observed: Observations;

  constructor(gateway: Gateway, client: HttpClient, observed: Observations) {
    this.#gateway = gateway;
    this.#client = client;
    this.#observed = observed;
  }

  /** Sends a repeatable request until an answer arrives. */
  async insist(request: HttpRequest): Promise<HttpAnswer> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const answer = await this.try(request);
      if (answer !== null) {
        return answer;
      }
      this.#observed.count('other answers lost');
    }
    throw new Unexpected(`${request.method} ${new URL(request.url).pathname} was never answered`);
  }

  /** Null when no answer arrived, or only that the gateway could not answer. */
  async try(request: HttpRequest): Promise<HttpAnswer | null> {
    await this.#gateway.whenServing();
    try {
      const answer = await this.#client.send(request);
      if (answer.status !== 503) {
        return answer;
      }
      this.#observed.count('503 answers');
    } catch (error) {
      if (!(error instanceof NoAnswer)) {
        throw error;
      }
    }
    await wait(LOST_PAUSE_MS);
    return null;
  }

  expect(answer: HttpAnswer, status: number): void {
    if (answer.status !== status) {
      throw new Unexpected(`expected ${status}, got ${answer.status} ${answer.body.slice(0, 300)}`);
    }
  }

  whenServing(): Promise<void> {
    return this.#gateway.whenServing();
  }

  /** `path` is that of production; the sandbox has its own. */
  apiUrl(environment: Environment, path: string): string {
    const prefix = environment === 'sandbox' ? 'sandbox/' : '';
    const [area = '', rest] = path.split('express/');
    const own = rest === undefined ? `${prefix}${area}` : `express/${prefix}${rest}`;
    return `${this.#gateway.merchant.baseUrl}/api/v1/payment/${own}`;
  }

  apiKey(environment: Environment): Readonly<Record<string, string>> {
    const { sandboxApiKey, productionApiKey } = this.#gateway.merchant;
    return { apiKey: environment === 'sandbox' ? sandboxApiKey : productionApiKey };
  }
}
