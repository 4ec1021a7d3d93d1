import { setTimeout as wait } from 'node:timers/promises';
import type { Gateway } from '../../scripts/gateway/gateway.ts';
import {
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  NoAnswer,
} from '../../scripts/gateway/http.ts';
import type { Environment } from '../../src/kit/tenant.ts';
import { MerchantApi } from '../harness/merchant-api.ts';
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

  api(environment: Environment): MerchantApi {
    return new MerchantApi(this.#gateway.merchant, environment);
  }

  whenServing(): Promise<void> {
    return this.#gateway.whenServing();
  }

  /** Null when no answer arrived, or only that the gateway could not answer. */
  async try(request: HttpRequest): Promise<HttpAnswer | null> {
    await this.whenServing();
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

  /** Sends a repeatable request until an answer arrives, which must have one of the statuses. */
  async expect(request: HttpRequest, ...statuses: readonly number[]): Promise<HttpAnswer> {
    const name = `${request.method} ${new URL(request.url).pathname}`;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const answer = await this.try(request);
      if (answer !== null && !statuses.includes(answer.status)) {
        throw new Unexpected(`${name} answered ${answer.status} ${answer.body.slice(0, 300)}`);
      }
      if (answer !== null) {
        return answer;
      }
      this.#observed.count('other answers lost');
    }
    throw new Unexpected(`${name} was never answered`);
  }

  /** The content of an answer of the merchant's API. */
  async content<Content>(request: HttpRequest): Promise<Content> {
    return contentOf(await this.expect(request, 200));
  }
}

export function contentOf<Content>({ body }: Pick<HttpAnswer, 'body'>): Content {
  return JSON.parse(body).content;
}
