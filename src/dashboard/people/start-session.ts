import { auditEntry } from '../../audit/log.ts';
import { sha256Hex } from '../../crypto/encoding.ts';
import type { SqlStatement } from '../../database.ts';
import { newId } from '../../members/members.ts';
import { insertSession, newSessionToken, sessionCookie } from '../../members/sessions.ts';
import { addressOf, type PublicCall } from '../call.ts';

export interface SessionStart {
  readonly statements: readonly SqlStatement[];
  /** The `Set-Cookie` that signs the browser in. */
  readonly cookie: string;
}

export interface Starter {
  readonly memberId: string;
  readonly memberName: string;
  readonly merchantId: string;
  readonly credentialId: string;
  readonly passkeyName: string;
}

/** A session of the browser that makes the request; it exists once the statements have run. */
export async function startSession(
  { request, nowMs }: PublicCall,
  starter: Starter,
): Promise<SessionStart> {
  const token = newSessionToken();
  const { memberId, memberName, merchantId, credentialId } = starter;
  const id = newId('ses');
  const address = addressOf(request);
  const statements = [
    // Nobody looks at sessions that are over.
    {
      sql: 'DELETE FROM sessions WHERE member_id = ?1 AND expires_at_ms <= ?2',
      params: [memberId, nowMs],
    },
    insertSession({
      id,
      digest: await sha256Hex(token),
      memberId,
      credentialId,
      createdAtMs: nowMs,
      address,
      userAgent: request.headers.get('user-agent') ?? '',
    }),
    auditEntry({
      actor: { kind: 'member', id: memberId, name: memberName, address },
      merchantId,
      environment: null,
      action: 'session.started',
      target: id,
      detail: { passkey: starter.passkeyName },
      atMs: nowMs,
    }),
  ];
  return { statements, cookie: sessionCookie(request, token) };
}
