import { BoundedCache } from '../../kit/platform/bounded-cache.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Cursor, Page } from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { bookOf } from './client.ts';
import { type AskPage, readMergedPage } from './merged-page.ts';
import type { Answer, QuestionArguments, QuestionName } from './questions.ts';

/** A key's access knows the newest volume, so that its lists need no D1. */
export interface KnownVolume {
  readonly bookVolume?: number;
}

export async function volumesOf(env: Env, tenant: Tenant & KnownVolume): Promise<BookVolumes> {
  const { environment, merchantId } = tenant;
  const newest = tenant.bookVolume ?? (await newestVolume(env, tenant));
  return new BookVolumes(env, { environment, merchantId }, newest);
}

/** Volumes open months apart, and a new one is empty at first. */
const VOLUME_AGE_MS_MAX = 60_000;
const TENANTS_MAX = 2_000;
const volumes = new BoundedCache<number>({ sizeMax: TENANTS_MAX, ageMsMax: VOLUME_AGE_MS_MAX });

async function newestVolume(env: Env, { environment, merchantId }: Tenant): Promise<number> {
  const nowMs = Date.now();
  const name = `${environment}/${merchantId}`;
  const known = volumes.get(name, nowMs);
  if (known !== undefined) {
    return known.value;
  }
  const sql = `SELECT COALESCE(MAX(volume), 0) AS newest FROM book_volumes
    WHERE merchant_id = ? AND environment = ?`;
  const statement = prepare(env.DB, { sql, params: [merchantId, environment] });
  const newest = (await statement.first<number>('newest')) ?? 0;
  volumes.set(name, newest, nowMs);
  return newest;
}

/**
 * Asks all volumes of a tenant's book at once. Throws Unavailable when one is out of reach, because a
 * list without it would be wrong.
 */
export class BookVolumes {
  readonly env: Env;
  readonly tenant: Tenant;
  readonly newest: number;

  constructor(env: Env, tenant: Tenant, newest: number) {
    this.env = env;
    this.tenant = tenant;
    this.newest = newest;
  }

  ask<Name extends QuestionName>(volume: number, name: Name, ...args: QuestionArguments<Name>) {
    return bookOf(this.env, this.tenant, volume).ask(name, ...args);
  }

  /** Asks the volumes, the newest first. */
  async askEach<Result>(ask: (volume: number) => Promise<Result>) {
    const found = this.#numbers().map(async (volume) => [volume, await ask(volume)] as const);
    return new Map(await Promise.all(found));
  }

  /** The answers of the volumes that have payments, the newest first. */
  async askAll<Name extends QuestionName>(
    name: Name,
    ...args: QuestionArguments<Name>
  ): Promise<Answer<Name>[]> {
    const found = await this.askEach((volume) => this.ask(volume, name, ...args));
    return [...found.values()].filter(
      (one): one is Awaited<Answer<Name>> & Answer<Name> => one !== null,
    );
  }

  /** One page of a list, newest first unless `isOldestFirst`. */
  async page<Row>(
    cursor: Cursor | null,
    limit: number,
    ask: AskPage<Row>,
    isOldestFirst = false,
  ): Promise<Page<Row & Tenant>> {
    const page = await readMergedPage(this.#numbers(), cursor, limit, isOldestFirst, ask);
    return { ...page, rows: page.rows.map((row) => ({ ...row, ...this.tenant })) };
  }

  /** The newest first. */
  #numbers(): readonly number[] {
    return Array.from({ length: this.newest + 1 }, (_, index) => this.newest - index);
  }
}
