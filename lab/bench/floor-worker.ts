import { DurableObject } from 'cloudflare:workers';

/**
 * The least that each case needs of the platform, without keys, validation, signatures, history or
 * retries. Kefel's cost above it is Kefel's own.
 */
interface FloorEnv {
  readonly FLOOR_OBJECT: DurableObjectNamespace<FloorObject>;
  readonly DB: D1Database;
  readonly MESSAGES: Queue<Message>;
  readonly CHANGES: Queue<Change>;
}

interface Message {
  readonly url: string;
  readonly body: string;
}

interface Change {
  readonly id: string;
  readonly body: string;
}

/** No alarm runs during a measurement unless a case asks for it. */
const ALARM_AFTER_MS = 3_600_000;
const PAGE_ROWS = 20;

export class FloorObject extends DurableObject<FloorEnv> {
  /** One row and one alarm in one commit of a new object, and a message if there is a receiver. */
  async write(body: string, alarmAtMs: number | null, receiverUrl: string | null): Promise<number> {
    const { sql } = this.ctx.storage;
    this.ctx.storage.transactionSync(() => {
      sql.exec('CREATE TABLE row (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
      sql.exec('INSERT INTO row (id, body) VALUES (1, ?)', body);
      void this.ctx.storage.setAlarm(alarmAtMs ?? Date.now() + ALARM_AFTER_MS);
    });
    if (receiverUrl !== null) {
      await this.env.MESSAGES.send({ url: receiverUrl, body });
    }
    return body.length;
  }

  /** One row in one commit, and a message. */
  async change(body: string, receiverUrl: string): Promise<number> {
    this.ctx.storage.sql.exec('UPDATE row SET body = ? WHERE id = 1', body);
    await this.env.MESSAGES.send({ url: receiverUrl, body });
    return body.length;
  }

  read(): string {
    return this.ctx.storage.sql.exec<{ body: string }>('SELECT body FROM row').one().body;
  }

  /** Whether a new object holds nothing. */
  isEmpty(): boolean {
    const { sql } = this.ctx.storage;
    return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'row'").toArray().length === 0;
  }

  override async alarm(): Promise<void> {
    const body = this.read();
    const { receiver }: { receiver: string } = JSON.parse(body);
    await this.change(body, receiver);
  }
}

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const [, action, id = ''] = pathname.split('/');
    const object = () => env.FLOOR_OBJECT.get(env.FLOOR_OBJECT.idFromName(id));
    const receiverUrl = searchParams.get('receiver');
    switch (action) {
      case 'echo':
        return answer((await request.text()).length);
      case 'write': {
        const alarmAt = searchParams.get('alarmAt');
        const alarmAtMs = alarmAt === null ? null : Number(alarmAt);
        return answer(await object().write(await request.text(), alarmAtMs, receiverUrl));
      }
      case 'write-and-project': {
        const body = await request.text();
        await env.CHANGES.send({ id, body });
        return answer(await object().write(body, null, null));
      }
      case 'change-all': {
        const { ids, body }: { ids: string[]; body: string } = await request.json();
        const change = (name: string) =>
          env.FLOOR_OBJECT.get(env.FLOOR_OBJECT.idFromName(name)).change(body, receiverUrl ?? '');
        return answer((await Promise.all(ids.map(change))).length);
      }
      case 'read':
        return answer(await object().read());
      case 'is-empty':
        return answer(await object().isEmpty());
      case 'list': {
        const statement = env.DB.prepare('SELECT id, body FROM changes ORDER BY id DESC LIMIT ?1');
        return answer((await statement.bind(PAGE_ROWS).all()).results);
      }
      default:
        return Response.json({ status: 404 }, { status: 404 });
    }
  },
  async queue(batch, env, ctx) {
    if (batch.queue === 'floor-changes') {
      await project(batch as MessageBatch<Change>, env);
    } else {
      ctx.waitUntil(deliver(batch as MessageBatch<Message>));
    }
  },
} satisfies ExportedHandler<FloorEnv>;

function answer(content: unknown): Response {
  return Response.json({ status: 200, content });
}

async function project({ messages }: MessageBatch<Change>, env: FloorEnv): Promise<void> {
  const statement = env.DB.prepare('INSERT INTO changes (id, body) VALUES (?1, ?2)');
  await env.DB.batch(messages.map(({ body: { id, body } }) => statement.bind(id, body)));
}

async function deliver({ messages }: MessageBatch<Message>): Promise<void> {
  await Promise.all(
    messages.map(async ({ body: { url, body } }) => {
      const response = await fetch(url, { method: 'POST', body });
      await response.body?.cancel();
    }),
  );
}
