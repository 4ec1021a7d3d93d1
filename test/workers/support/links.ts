import { runInDurableObject } from 'cloudflare:test';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { answerOf, type Body, type CallOptions, call } from './api.ts';
import { registerStub } from './register.ts';

/** Payment links of merchants, by the API. */

export const LINKS = '/api/v1/payment/sandbox/links';

export const LINK: Body = {
  paymentLinkUniqueId: 'link-honey',
  title: 'Honey, 1 kg',
  amount: 450,
};

export interface LinkContent {
  readonly paymentLinkUniqueId: string;
  readonly url: string;
  readonly [name: string]: unknown;
}

export async function askLinks(path = '', options: CallOptions = {}) {
  const { status, envelope, headers } = await answerOf(call(`${LINKS}${path}`, options));
  return { ...envelope, status, headers, content: envelope.content as LinkContent };
}

export function createLink(body: Body = {}, options: CallOptions = {}) {
  return askLinks('', { method: 'POST', body: { ...LINK, ...body }, ...options });
}

/** Copies the register's first link so many times: creating them one by one takes minutes. */
export async function copyLinks(tenant: Tenant, copies: number): Promise<void> {
  await runInDurableObject(registerStub(tenant), (_instance, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE copy (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < ?)
       INSERT INTO payment_links (id, code, created_at_ms, is_active, content)
       SELECT id || number, code || number, created_at_ms, is_active, content
       FROM payment_links, copy`,
      copies,
    );
  });
}
