import { by, changed, type OperatorAction } from './action.ts';
import { MERCHANT, REASON } from './merchant.ts';

/** For a key that leaked. */
const REVOKE_KEY: OperatorAction = {
  path: `${MERCHANT}/:environment/keys/:digest/revoke`,
  answers: 'merchant',
  run: by(
    ({ revokeMerchantKey }) => revokeMerchantKey,
    (change) => ({ ...changed(change), done: 'key_revoked' }),
  ),
  fields: { reason: REASON },
  commands: [
    {
      name: 'key revoke',
      about: 'reject an API key with 401 within 10 s; its digest is in "key list"',
      positionals: ['merchantId', 'digest'],
      examples: [
        `key revoke abebe ${'0123456789abcdef'.repeat(4)} --environment production --reason "Leaked"`,
      ],
    },
  ],
  forms: [
    {
      subject: 'api_key',
      path: '/revoke',
      title: 'pages.revokeKey',
      lead: 'pages.revokeKeyLead',
      fields: ['reason'],
    },
  ],
};

/** Two databases: the merchant first, then its members, whom a repeated request removes as well. */
const CLOSE_MERCHANT: OperatorAction = {
  path: `${MERCHANT}/close`,
  answers: 'merchant',
  run: async (call, target, fields) => {
    const { closeMerchant, knownMerchant } = call.payments.operator;
    const change = await closeMerchant(call.actor, target, fields);
    const { removeAll } = await import('../members.ts');
    const { id } = await knownMerchant(target);
    await removeAll(call, id, String(fields.reason));
    return { ...changed(change), done: 'merchant_closed' };
  },
  fields: { reason: REASON },
  commands: [
    {
      name: 'merchant close',
      about:
        'end its keys, members and endpoints, which cannot be undone; suspend it and export first',
      examples: ['merchant close abebe --reason "Contract ended"'],
    },
  ],
  forms: [
    {
      subject: 'merchant',
      path: '/close',
      title: 'pages.closeMerchant',
      lead: 'pages.closeMerchantLead',
      fields: ['reason'],
    },
  ],
};

/** How a key, or a whole merchant, ends. */
export const CLOSING_ACTIONS = [REVOKE_KEY, CLOSE_MERCHANT];
