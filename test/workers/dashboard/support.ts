import { env } from 'cloudflare:workers';
import { backOfficeConfigOf } from '../../../back-office/config.ts';
import type { Role } from '../../../back-office/members/permissions.ts';
import {
  insertSession,
  type MembersCall,
  newSessionToken,
  sessionOf,
} from '../../../back-office/members/sessions.ts';
import { paymentsPlane } from '../../../back-office/payments-plane.ts';
import { sha256Hex } from '../../../src/kit/crypto/encoding.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { ALPHA, call, type TestMerchant } from '../support.ts';

/**
 * Signed-in members for tests of the dashboard. Their sessions are written to D1 directly; signing
 * in has its own tests.
 */
export interface SignedIn {
  readonly memberId: string;
  readonly sessionId: string;
  readonly digest: string;
  readonly cookie: string;
  /** The CSRF token of this session's forms. */
  readonly csrf: string;
}

let members = 0;

/** A new member of the merchant who has just signed in. */
export async function signedIn(
  role: Role = 'owner',
  merchant: TestMerchant = ALPHA,
): Promise<SignedIn> {
  members += 1;
  const memberId = `mem_${members}`;
  await runBatch(env.BACK_OFFICE_DB, [
    {
      sql: `INSERT INTO members (id, merchant_id, name, role, created_at_ms)
        VALUES (?1, ?2, ?3, ?4, ?5)`,
      params: [memberId, merchant.id, `${role} ${members}`, role, Date.now()],
    },
  ]);
  return sessionFor(memberId);
}

/** One more session of a member. */
export async function sessionFor(memberId: string): Promise<SignedIn> {
  const token = await newSessionToken(backOfficeConfigOf(env).backOfficeKeys);
  const digest = await sha256Hex(token);
  const sessionId = `ses_${digest.slice(0, 12)}`;
  await runBatch(env.BACK_OFFICE_DB, [
    insertSession({
      id: sessionId,
      digest,
      memberId,
      credentialId: 'test',
      createdAtMs: Date.now(),
      address: null,
      userAgent: 'vitest',
    }),
  ]);
  const cookie = `__Host-kefel_session=${token}`;
  const session = await sessionOf({ token, digest }, membersCall());
  return { memberId, sessionId, digest, cookie, csrf: session?.csrfToken ?? '' };
}

/** What the dashboard reads a session with. */
export function membersCall(): MembersCall {
  const ctx = { waitUntil: () => undefined };
  return { env, ctx, payments: paymentsPlane(env), nowMs: Date.now() };
}

/** GET of a dashboard page; redirects are not followed. */
export function visit(member: SignedIn | null, path: string, language = 'en'): Promise<Response> {
  return call(path, {
    apiKey: null,
    headers: { 'accept-language': language, ...(member && { cookie: member.cookie }) },
  });
}

/** Posts a form of the dashboard as the member's browser would. */
export function submit(
  member: SignedIn | null,
  path: string,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return call(path, {
    method: 'POST',
    apiKey: null,
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ ...(member && { csrf: member.csrf }), ...fields }).toString(),
    headers: {
      'sec-fetch-site': 'same-origin',
      ...(member && { cookie: member.cookie }),
      ...headers,
    },
  });
}

/** The page of what a search found: the form redirects to it. */
export async function found(member: SignedIn, path: string, search: string): Promise<Response> {
  return visit(member, (await submit(member, path, { search })).headers.get('location') ?? '');
}

/** Posts a form with one file, as the member's browser would. */
export function upload(
  member: SignedIn | null,
  path: string,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const form = new FormData();
  form.set('csrf', member?.csrf ?? '');
  form.set(name, new File([bytes], 'a-name.svg', { type: 'image/svg+xml' }));
  const request = new Response(form);
  return call(path, {
    method: 'POST',
    apiKey: null,
    contentType: request.headers.get('content-type'),
    body: request.body ?? undefined,
    headers: { 'sec-fetch-site': 'same-origin', ...(member && { cookie: member.cookie }) },
  });
}

export interface AuditRow {
  readonly merchant_id: string | null;
  readonly environment: string | null;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly action: string;
  readonly target: string | null;
  readonly detail: string;
}

/** The whole audit log of both planes, oldest first; the back office's first in a millisecond. */
export async function auditLog(): Promise<readonly AuditRow[]> {
  const logs = await Promise.all(
    [env.BACK_OFFICE_DB, env.DB].map((database) =>
      database
        .prepare(
          `SELECT at_ms, merchant_id, environment, actor_kind, actor_id, action, target, detail
           FROM audit_log ORDER BY id`,
        )
        .all<AuditRow & { readonly at_ms: number }>(),
    ),
  );
  return logs
    .flatMap(({ results }) => results)
    .sort((one, other) => one.at_ms - other.at_ms)
    .map(({ at_ms: _atMs, ...row }) => row);
}
