import { DurableObject } from 'cloudflare:workers';

/** A typical payment's expiry, so that no alarm runs during the measurement. */
const ALARM_AFTER_MS = 3_600_000;

interface BareEnv {
  readonly BARE_OBJECT: DurableObjectNamespace<BareObject>;
}

/** The minimum of a create: one row and one alarm in one commit of a new object. */
export class BareObject extends DurableObject<BareEnv> {
  write(text: string): number {
    const { sql } = this.ctx.storage;
    return this.ctx.storage.transactionSync(() => {
      sql.exec('CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
      sql.exec('INSERT INTO row (id, text) VALUES (1, ?)', text);
      void this.ctx.storage.setAlarm(Date.now() + ALARM_AFTER_MS);
      return text.length;
    });
  }

  override async alarm(): Promise<void> {}
}

/** Makes one RPC to the object in the path, without API key, validation or signature. */
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const object = env.BARE_OBJECT.get(env.BARE_OBJECT.idFromName(pathname));
    const length = await object.write(await request.text());
    return Response.json({ status: 200, length });
  },
} satisfies ExportedHandler<BareEnv>;
