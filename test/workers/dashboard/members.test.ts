import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { newInvitation, openInvitations } from '../../../back-office/members/invitations.ts';
import {
  changeRole,
  insertMember,
  removeMember,
  revokeInvitationsBy,
} from '../../../back-office/members/members.ts';
import type { Role } from '../../../back-office/members/permissions.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { ALPHA, useGateway } from '../support.ts';

/**
 * Goal: who has lost a right cannot use it, and a merchant always has an owner. Method: the
 * statements of back-office/members run in D1, as the dashboard's forms batch them.
 */

useGateway();

const merchantId = ALPHA.id;
const nowMs = Date.now();

async function addMember(id: string, role: Role): Promise<void> {
  await runBatch(env.BACK_OFFICE_DB, [
    insertMember({ id, merchantId, name: id, role, createdAtMs: nowMs }),
  ]);
}

const changeOf = (memberId: string, actorId: string) => ({ merchantId, memberId, actorId });

const demote = (memberId: string, actorId: string) =>
  runBatch(env.BACK_OFFICE_DB, [
    changeRole(changeOf(memberId, actorId), 'developer'),
    revokeInvitationsBy(memberId, nowMs),
  ]);

test("a demoted owner's open invitations end", async () => {
  await addMember('one', 'owner');
  await addMember('other', 'owner');
  const invitedBy = { kind: 'member', id: 'one', name: 'one' } as const;
  const { statement } = await newInvitation({
    merchantId,
    name: 'Back door',
    role: 'owner',
    memberId: null,
    invitedBy,
    nowMs,
  });
  await runBatch(env.BACK_OFFICE_DB, [statement]);
  expect(await openInvitations(env.BACK_OFFICE_DB, merchantId, nowMs)).toHaveLength(1);
  await demote('one', 'other');
  expect(await openInvitations(env.BACK_OFFICE_DB, merchantId, nowMs)).toEqual([]);
});

test('the last owner can neither leave nor be demoted, although another owner once left', async () => {
  await addMember('left', 'owner');
  await addMember('last', 'owner');
  expect(
    await runBatch(env.BACK_OFFICE_DB, [removeMember(changeOf('left', 'last'), nowMs)]),
  ).toEqual([1]);
  expect(
    await runBatch(env.BACK_OFFICE_DB, [removeMember(changeOf('last', 'last'), nowMs)]),
  ).toEqual([0]);
  expect(await demote('last', 'last')).toEqual([0, 0]);
});
