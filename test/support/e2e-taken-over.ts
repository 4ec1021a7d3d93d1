import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { bundleOf } from '../../scripts/gateway/built-workers.ts';
import { type OwnScene, startScene } from './e2e-scene.ts';

/** An intruder's code in the place of the back office: it has the same bindings and sends any call. */
const INTRUDER = `export default {
  async fetch(request, { PAYMENTS }) {
    const { path, args } = await request.json();
    try {
      return Response.json({ answer: await PAYMENTS.call(path, args) });
    } catch (error) {
      return Response.json({ thrown: String(error) });
    }
  },
};`;

/** What the entrypoint answered, or the text of what it threw. */
export interface Reply {
  readonly answer?: { readonly type: string; readonly value?: unknown };
  readonly thrown?: string;
}

export interface TakenOverScene extends OwnScene {
  /** Calls the entrypoint of the built payments Worker. */
  call(path: unknown, args: unknown): Promise<Reply>;
}

/** What the interface throws at an intruder. */
const REFUSALS = ['the interface has no such function', 'the arguments do not fit the function'];

/** A gateway of the built Workers whose back office is an intruder's. */
export async function startTakenOver(name: string): Promise<TakenOverScene> {
  const builtDirectory = await mkdtemp(join(tmpdir(), 'kefel-taken-over-'));
  await cp(inject('sandbox').builtDirectory, builtDirectory, { recursive: true });
  await writeFile(bundleOf(builtDirectory, 'kefel-back-office'), INTRUDER);
  const scene = await startScene({ name, builtDirectory }, REFUSALS);
  return {
    ...scene,
    call: async (path, args) => {
      const body = JSON.stringify({ path, args });
      const url = `${scene.gateway.baseUrl}/dashboard`;
      return (await (await fetch(url, { method: 'POST', body })).json()) as Reply;
    },
    close: async () => {
      await scene.close();
      await rm(builtDirectory, { recursive: true });
    },
  };
}
