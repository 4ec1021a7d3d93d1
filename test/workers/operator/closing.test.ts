import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { apiKeyDigest } from '../../../src/engine/merchants/api-key.ts';
import { auditLog, signedIn, visit } from '../dashboard/support.ts';
import {
  ALPHA,
  addEndpoint,
  advance,
  BETA,
  chooseMethod,
  createHosted,
  intentOf,
  payHosted,
  postHosted,
  simulate,
  useDeliveries,
} from '../support.ts';
import { content, operate, operateApi } from './support.ts';

/**
 * Goal: the operator ends one key, one member or a whole merchant. What a closed merchant's customers
 * began ends truthfully, and its payments stay. Method: requests to the API, and customers.
 */

const stage = useDeliveries();

const MERCHANT = `/merchants/${ALPHA.id}`;
const REASON = { reason: 'Contract ended' };

interface Key {
  readonly environment: string;
  readonly digest: string;
  readonly label: string;
  readonly revokedAtMs: number | null;
}

const keysOf = (id: string) => content<Key[]>(operateApi(`/merchants/${id}/keys`));
const suspend = () => content(operateApi(`${MERCHANT}/suspend`, REASON));
const exportAll = () =>
  content<{ rows: { uniqueId: string }[]; next: string | null }>(
    operateApi(`${MERCHANT}/production/export`, {}),
  );
const close = () => operateApi(`${MERCHANT}/close`, REASON);

async function closeAlpha(): Promise<void> {
  await suspend();
  await exportAll();
  await content(close());
}

describe('an API key', () => {
  test('is listed by its digest, never in plain text, and revoked within 10 s', async () => {
    expect((await postHosted()).status).toBe(200);
    const digest = await apiKeyDigest(ALPHA.apiKeys.sandbox);
    const listed = await keysOf(ALPHA.id);
    expect(listed.map((key) => key.digest)).toContain(digest);
    expect(JSON.stringify(listed)).not.toContain(ALPHA.apiKeys.sandbox);
    const { envelope } = await operateApi(`${MERCHANT}/sandbox/keys/${digest}/revoke`, REASON);
    expect(envelope.message).toBe('Changed');
    advance(10_000);
    expect((await postHosted({ paymentIntentUniqueId: 'order-2' })).status).toBe(401);
    const again = await operateApi(`${MERCHANT}/sandbox/keys/${digest}/revoke`, REASON);
    expect(again.envelope.message).toBe('No change');
    expect((await auditLog()).map(({ action }) => action)).toEqual(['api_key.revoked']);
  });
});

describe('a member', () => {
  test('who is the last owner is removed with their sessions', async () => {
    const owner = await signedIn('owner');
    expect((await visit(owner, '/dashboard/account')).status).toBe(200);
    const path = `/members/${owner.memberId}/remove`;
    await content(operateApi(`${MERCHANT}${path}`, REASON));
    expect((await visit(owner, '/dashboard/account')).status).toBe(303);
    expect((await operateApi(`${MERCHANT}${path}`, REASON)).status).toBe(404);
  });
});

describe('closing a merchant', () => {
  test('needs its suspension, and after that a whole export of the production payments', async () => {
    await exportAll();
    expect((await close()).envelope.code).toBe('merchant_not_suspended');
    await suspend();
    expect((await close()).envelope.code).toBe('merchant_not_exported');
    await content(operateApi(`${MERCHANT}/sandbox/export`, {}));
    expect((await close()).envelope.code).toBe('merchant_not_exported');
    await exportAll();
    expect((await close()).status).toBe(200);
  });

  test('ends keys, endpoints, members and their links, and nothing opens them again', async () => {
    const owner = await signedIn('owner');
    await addEndpoint(ALPHA, 'we_1', { url: 'https://shop.example.com/hook' });
    await content(operateApi(`${MERCHANT}/invitations`, { name: 'Sara', role: 'viewer' }));
    await closeAlpha();
    const merchant = await content<{ status: string; members: number }>(operateApi(MERCHANT));
    expect(merchant).toMatchObject({ status: 'closed', members: 0 });
    expect((await keysOf(ALPHA.id)).every(({ revokedAtMs }) => revokedAtMs !== null)).toBe(true);
    const endpoints = await env.DB.prepare('SELECT count(*) FROM webhook_endpoints').first(
      'count(*)',
    );
    expect(endpoints).toBe(0);
    expect((await visit(owner, '/dashboard/account')).status).toBe(303);
    const members = await content(operateApi(`${MERCHANT}/members`));
    expect(members).toEqual({ members: [], invitations: [] });
    const invited = { name: 'Sara', role: 'viewer' };
    expect((await operateApi(`${MERCHANT}/invitations`, invited)).envelope.code).toBe(
      'merchant_closed',
    );
    expect((await operateApi(`${MERCHANT}/reactivate`, REASON)).envelope.code).toBe(
      'merchant_closed',
    );
    expect((await keysOf(BETA.id)).some(({ revokedAtMs }) => revokedAtMs === null)).toBe(true);
  });

  test('that stopped before its members were removed goes on when it is repeated', async () => {
    await closeAlpha();
    const owner = await signedIn('owner');
    // The payments plane knows already that no session of a closed merchant counts.
    expect((await visit(owner, '/dashboard/account')).status).toBe(303);
    expect((await close()).envelope.message).toBe('No change');
    const members = await content(operateApi(`${MERCHANT}/members`));
    expect(members).toEqual({ members: [], invitations: [] });
  });

  test('leaves an open payment payable, and its own callbackUrl gets the event', async () => {
    const url = await createHosted();
    await closeAlpha();
    advance(10_000);
    expect((await postHosted({ paymentIntentUniqueId: 'order-2' })).status).toBe(401);
    await simulate(await chooseMethod(url), 'approve');
    expect((await intentOf()).status).toBe('succeeded');
    await stage.deliverAll();
    expect(stage.arrivals.map(({ event }) => event.status)).toEqual(['SUCCESS']);
  });

  test('sends no event to an endpoint that ended, queued ones included', async () => {
    await addEndpoint(ALPHA, 'we_1', { url: 'https://shop.example.com/hook' });
    await payHosted({ callbackUrl: undefined });
    await closeAlpha();
    advance(10_000);
    await stage.deliverAll();
    await stage.retry();
    expect(stage.arrivals).toEqual([]);
  });

  test('leaves its payments to the operator, who looks them up and refunds them', async () => {
    await payHosted();
    await closeAlpha();
    const payment = `/payments/sandbox/${ALPHA.id}/order-1`;
    expect(await content(operateApi(payment))).toMatchObject({ status: 'succeeded' });
    const { status } = await operateApi(`${payment}/refunds`, { reason: 'As agreed' });
    expect(status).toBe(200);
    expect((await operate('/operator/v1/merchants?status=closed')).status).toBe(200);
  });
});
