import { type Account, newId } from './account.ts';
import { Answer, ApiError, type Handlers, jsonOf, partsOf } from './api.ts';

const WORKERS = '/accounts/{account}/workers';

type Manifest = Readonly<Record<string, { readonly hash: string; readonly size: number }>>;

interface Session {
  readonly manifest: Manifest;
  /** Hashes that the account does not have yet. */
  readonly missing: Set<string>;
}

/** The sessions in which wrangler uploads files before it uploads the Worker. */
export class AssetSessions {
  readonly #sessions = new Map<string, Session>();
  readonly account: Account;

  constructor(account: Account) {
    this.account = account;
  }

  /** Uploads carry the session's token instead of the account's. */
  has(token: string): boolean {
    return this.#sessions.has(token);
  }

  /** The hashes of the files, by path. Throws for a session that has not got all of them. */
  manifestOf(token: string): Readonly<Record<string, string>> {
    const session = this.#sessions.get(token);
    if (session === undefined || session.missing.size > 0) {
      throw new ApiError(10021, 'The assets were not uploaded completely');
    }
    const entries = Object.entries(session.manifest);
    return Object.fromEntries(entries.map(([path, { hash }]) => [path, hash]));
  }

  readonly handlers: Handlers = {
    [`POST ${WORKERS}/scripts/{script}/assets-upload-session`]: (call) => {
      const { manifest } = jsonOf<{ manifest: Manifest }>(call);
      const hashes = Object.values(manifest).map(({ hash }) => hash);
      const missing = new Set(hashes.filter((hash) => !this.account.files.has(hash)));
      // Wrangler reads the middle part.
      const payload = Buffer.from(JSON.stringify({ id: newId() })).toString('base64url');
      const jwt = `e30.${payload}.signature`;
      this.#sessions.set(jwt, { manifest, missing });
      return { jwt, buckets: missing.size === 0 ? [] : [[...missing]] };
    },
    [`POST ${WORKERS}/assets/upload`]: (call) => {
      const session = this.#sessions.get(call.token ?? '');
      if (session === undefined) {
        throw new ApiError(10000, 'Authentication error', 403);
      }
      for (const { name, content } of partsOf(call)) {
        this.account.files.set(name, Buffer.from(content.toString(), 'base64'));
        session.missing.delete(name);
      }
      return session.missing.size === 0
        ? new Answer({ jwt: call.token }, { status: 201 })
        : new Answer({ jwt: null }, { status: 202 });
    },
  };
}
