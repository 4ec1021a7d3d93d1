import { join } from 'node:path';
import { freePort } from '../../scripts/gateway/own-gateway.ts';
import { ProcessGroup } from '../../scripts/gateway/process-group.ts';
import { until } from '../harness/until.ts';
import type { WireCall } from './calls.ts';

/** Prism, which passes calls on and says where they, or their answers, differ from the document. */
export interface DocumentProxy {
  send(call: WireCall): Promise<Judged>;
  stop(): Promise<void>;
}

/** An answer, and what Prism says of the call. */
export interface Judged {
  readonly status: number;
  readonly content: unknown;
  readonly ofRequest: readonly string[];
  readonly ofAnswer: readonly string[];
}

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

/** `upstream`: the gateway's URL with the environment. */
export async function startProxy(
  directory: string,
  upstream: string,
  apiKey: string,
): Promise<DocumentProxy> {
  const port = await freePort();
  const prism = join('node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js');
  const group = new ProcessGroup({
    command: process.execPath,
    args: [prism, 'proxy', 'openapi.json', upstream, '--port', String(port)],
    directory,
    outputFile: join(directory, 'prism.log'),
  });
  const send = async ({ method, path, body, apiKey: otherKey = apiKey }: WireCall) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(otherKey === null ? {} : { apiKey: otherKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const header = response.headers.get('sl-violations');
    const violations: readonly Violation[] = header === null ? [] : JSON.parse(header);
    const about = (part: string) =>
      violations
        .filter(({ location }) => location[0] === part)
        .map(({ location, message }) => `${location.join('.')}: ${message}`);
    return {
      status: response.status,
      content: await response.json(),
      ofRequest: about('request'),
      ofAnswer: about('response'),
    };
  };
  await until('answer of Prism', () => isReady(port));
  return { send, stop: () => group.kill() };
}

async function isReady(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/webhook-keys`);
    return true;
  } catch {
    // It still reads the document.
    return false;
  }
}

/** How a call and the document differ; empty if they agree. */
export function differences({ status, ofRequest, ofAnswer }: Judged): readonly string[] {
  const isAccepted = status < 400;
  return [...ofAnswer, ...(isAccepted ? ofRequest.map((it) => `accepted, though ${it}`) : [])];
}
