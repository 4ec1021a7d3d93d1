import { WorkerEntrypoint } from 'cloudflare:workers';
import type { Answer } from './answer.ts';

/** What the back office's Worker is bound to. It has no other way into the payments plane. */
export class Payments extends WorkerEntrypoint<Env> {
  async call(
    path: readonly [area: string, name: string],
    args: readonly unknown[],
  ): Promise<Answer> {
    // Loaded with its first call: no payment waits for it.
    const { answerCall } = await import('./answer.ts');
    return answerCall(this.env, this.ctx, path, args);
  }
}
