import { NAME_LENGTH_MAX } from '../../members/members.ts';
import { ROLES } from '../../members/permissions.ts';
import { changed, type OperatorAction, required } from './action.ts';
import { MERCHANT, REASON } from './merchant.ts';

const LINK_MESSAGE = 'Link created. It is shown only once';

/** A one-time link for a new member. The merchant's page shows it once, to this operator only. */
const INVITE_MEMBER: OperatorAction = {
  path: `${MERCHANT}/invitations`,
  answers: 'link',
  run: async (call, target, fields) => {
    const { invite } = await import('../members.ts');
    return { message: LINK_MESSAGE, content: await invite(call, target, fields), done: 'invited' };
  },
  fields: {
    name: required('TEXT', 'name of the person', {
      input: { label: 'pages.name', lengthMax: NAME_LENGTH_MAX },
    }),
    role: required(ROLES.join('|'), 'role of the member', {
      kind: 'role',
      input: {
        label: 'pages.role',
        options: ({ roles }) => ROLES.map((role) => [role, roles[role]]),
      },
    }),
  },
  commands: [
    {
      name: 'owner invite',
      about: 'create a one-time link for an owner, usually the first one',
      examples: ['owner invite abebe --name "Abebe Kebede"'],
      preset: { role: 'owner' },
    },
    {
      name: 'member invite',
      about: 'create a one-time link for a member; owners can also do this in the dashboard',
      examples: ['member invite abebe --name "Sara" --role developer'],
    },
  ],
  forms: [
    {
      subject: 'merchant',
      path: '/invite',
      title: 'pages.invite',
      lead: 'pages.inviteLead',
      fields: ['name', 'role'],
    },
  ],
};

/** A one-time link to a new passkey for a member who lost theirs. */
const RECOVER_MEMBER: OperatorAction = {
  path: `${MERCHANT}/members/:memberId/recovery`,
  answers: 'link',
  run: async (call, target, fields) => {
    const { recover } = await import('../members.ts');
    const content = await recover(call, target, fields);
    return { message: LINK_MESSAGE, content, done: 'link_created' };
  },
  fields: {},
  commands: [
    {
      name: 'member recover',
      about: 'create a one-time link for a member who lost their passkey',
      examples: ['member recover abebe mem_0123'],
    },
  ],
  forms: [
    {
      subject: 'member',
      path: '/recovery',
      title: 'pages.recoverMember',
      lead: 'pages.recoverMemberLead',
      fields: [],
    },
  ],
};

/** Ends a link that was sent to a wrong person. */
const REVOKE_LINK: OperatorAction = {
  path: `${MERCHANT}/invitations/:invitationId/revoke`,
  answers: 'merchant',
  run: async (call, target, fields) => {
    const { revokeLink } = await import('../members.ts');
    return { ...changed(await revokeLink(call, target, fields)), done: 'link_revoked' };
  },
  fields: {},
  commands: [
    {
      name: 'member revoke-link',
      about: 'end an open link at once; "member list" shows its id',
      examples: ['member revoke-link abebe inv_0123'],
    },
  ],
  forms: [
    {
      subject: 'invitation',
      path: '/revoke',
      title: 'pages.revokeLink',
      lead: 'pages.revokeLinkLead',
      fields: [],
    },
  ],
};

/** The operator may remove the last owner, too, and then invite another one. */
const REMOVE_MEMBER: OperatorAction = {
  path: `${MERCHANT}/members/:memberId/remove`,
  answers: 'merchant',
  run: async (call, target, fields) => {
    const { remove } = await import('../members.ts');
    return { ...changed(await remove(call, target, fields)), done: 'member_removed' };
  },
  fields: { reason: REASON },
  commands: [
    {
      name: 'member remove',
      about: 'end a member’s passkeys and sessions at once; also of the last owner',
      examples: ['member remove abebe mem_0123 --reason "Has left the company"'],
    },
  ],
  forms: [
    {
      subject: 'member',
      path: '/remove',
      title: 'pages.removeMember',
      lead: 'pages.removeMemberLead',
      fields: ['reason'],
    },
  ],
};

/** What operators change about a merchant's members. */
export const MEMBER_ACTIONS = [INVITE_MEMBER, RECOVER_MEMBER, REVOKE_LINK, REMOVE_MEMBER];
