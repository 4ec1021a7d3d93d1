import { setTimeout as wait } from 'node:timers/promises';
import type { Gateway } from '../../scripts/gateway/gateway.ts';
import {
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  NoAnswer,
} from '../../scripts/gateway/http.ts';
import type { Environment } from '../../src/domain/method.ts';
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

  whenServing(): Promise<void> {
    return this.#gateway.whenServing();
  }

  /** The answer, which must have this status, of a repeatable request. */
  async expect(request: HttpRequest, status: number): Promise<HttpAnswer> {
    const answer = await this.insist(request);
    if (answer.status !== status) {
      throw new Unexpected(
        `${request.method} ${new URL(request.url).pathname}: expected ${status}, got ${answer.status} ${answer.body.slice(0, 300)}`,
      );
    }
    return answer;
  }

  api(environment: Environment): MerchantApi {
    return new MerchantApi(this.#gateway.merchant, environment);
  }
}
