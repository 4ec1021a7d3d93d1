import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../../harness/local-server.ts';
import type { Envelope, ShownEvent } from '../../harness/shown.ts';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly envelope: Envelope;
  readonly event: ShownEvent;
}

/** The server of all merchants, which keeps every webhook. Paths with `/down` answer 500. */
export class MerchantHooks {
  readonly origin: string;
  readonly received: ReceivedWebhook[] = [];
  readonly #server: Server;

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.origin = origin;
  }

  static async start(): Promise<MerchantHooks> {
    const server = createServer();
    const hooks = new MerchantHooks(server, await listenLocally(server));
    server.on('request', async (request, response) => {
      const { url: path = '', headers } = request;
      const envelope: Envelope = JSON.parse((await buffer(request)).toString('utf8'));
      hooks.received.push({ path, headers, envelope, event: JSON.parse(envelope.body) });
      response.writeHead(path.includes('/down') ? 500 : 200).end('thank you');
    });
    return hooks;
  }

  /** The events that a path has got for a payment, each once, in their order. */
  eventsAt(path: string, uniqueId: string): readonly string[] {
    const events = this.received
      .filter((hook) => hook.path === path && hook.event.uniqueId === uniqueId)
      .map(({ event }) => event.event);
    return [...new Set(events)];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
