import { REASON_CHARACTERS_MAX } from '../../../src/operations/fields.ts';
import { amountMinorFrom } from '../../elements/typed-amount.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import { ROLES } from '../../members/permissions.ts';
import { PATHS } from '../desk/paths.ts';
import type { ActionCommand, ActionField, OperatorAction } from './action.ts';

const MERCHANT = '/merchants/:merchantId';
const METHOD = `${MERCHANT}/:environment/methods/:method` as const;
const MERCHANT_PAGE = `${PATHS.merchants}/:merchantId` as const;

export const REASON: ActionField = {
  option: {
    value: 'TEXT',
    about: "reason; the merchant's owners see it in their audit log",
    isRequired: true,
  },
  input: {
    label: ({ desk }) => desk.pages.why,
    hint: ({ desk }) => desk.pages.reasonHint,
    lengthMax: REASON_CHARACTERS_MAX,
  },
};

const MERCHANT_NAME: ActionField = {
  option: { value: 'TEXT', about: 'new name', isRequired: true },
};

export function changed(isChanged: boolean, content?: unknown) {
  return { message: isChanged ? 'Changed' : 'No change', content };
}

const CREATE_MERCHANT: OperatorAction = {
  path: '/merchants',
  answers: 'new_merchant',
  run: async ({ payments, actor }, target, fields) => {
    const merchantId = await payments.operations.createMerchant(actor, target, fields);
    return { message: 'Merchant created', target: { merchantId } };
  },
  fields: {
    name: {
      option: {
        value: 'TEXT',
        about: 'name that customers see on the checkout page',
        isRequired: true,
      },
    },
    id: {
      option: { value: 'ID', about: 'letters, digits, hyphens and underscores (default: random)' },
    },
    methods: {
      kind: 'methods',
      option: {
        value: 'all|none|A,B',
        about: 'methods offered and enabled in both environments (default: all)',
      },
    },
    commissions: {
      kind: 'commission',
      option: {
        name: 'commission',
        value: 'METHOD=PERCENT[+FIXED]',
        about: 'commission in both environments; can be repeated',
        isRepeatable: true,
      },
    },
  },
  commands: [
    {
      name: 'merchant create',
      about: 'create a merchant with a webhook secret for each environment',
      examples: [
        'merchant create --name "Abebe Coffee" --id abebe',
        'merchant create --name "Abebe Coffee" --methods TELE_BIRR,CBE --commission TELE_BIRR=2.5+1.00',
      ],
    },
  ],
};

const RENAME_MERCHANT: OperatorAction = {
  path: `${MERCHANT}/rename`,
  answers: 'merchant',
  run: async ({ payments, actor }, target, fields) =>
    changed(await payments.operations.renameMerchant(actor, target, fields)),
  fields: { name: MERCHANT_NAME },
  commands: [
    {
      name: 'merchant rename',
      about: 'change the name that new payments show',
      examples: ['merchant rename abebe --name "Abebe & Sons"'],
    },
  ],
};

const CHANGE_APP_SCHEMES: OperatorAction = {
  path: `${MERCHANT}/app-schemes`,
  answers: 'merchant',
  run: async ({ payments, actor }, target, fields) =>
    changed(await payments.operations.changeAppSchemes(actor, target, fields)),
  fields: {
    schemes: {
      kind: 'schemes',
      option: {
        name: 'set',
        value: 'SCHEME,…|none',
        about: 'all of them, without "://"; a returnUrl may then be myshop://paid',
        isRequired: true,
      },
    },
  },
  commands: [
    {
      name: 'merchant app-schemes',
      about: 'set the schemes of its apps, to which customers may return',
      examples: ['merchant app-schemes abebe --set myshop,com.example.shop'],
    },
  ],
};

/** How old payments may be when they are refunded, and how much is returned in a day. */
const CHANGE_REFUND_LIMITS: OperatorAction = {
  path: `${MERCHANT}/refund-limits`,
  answers: 'merchant',
  run: async ({ payments, actor }, target, fields) => ({
    ...changed(await payments.operations.changeRefundLimits(actor, target, fields)),
    done: 'refunds_limited',
  }),
  fields: {
    refundAgeDaysMax: {
      kind: 'days',
      option: {
        name: 'days',
        value: 'DAYS',
        about: 'age of the payment, 1 to 400',
        isRequired: true,
      },
      input: {
        label: ({ desk }) => desk.pages.refundAgeDays,
        lengthMax: 3,
        read: (typed) => (/^\d{1,3}$/.test(typed) ? Number(typed) : typed),
      },
    },
    refundDailyMaxMinor: {
      kind: 'amount_or_none',
      option: {
        name: 'daily',
        value: 'AMOUNT|none',
        about: 'sum of a day, in each environment and currency',
        isRequired: true,
      },
      input: {
        label: ({ desk }) => desk.pages.refundDaily,
        hint: ({ desk }) => desk.pages.refundDailyHint,
        isOptional: true,
        read: (typed) => (typed === '' ? null : (amountMinorFrom(typed) ?? typed)),
      },
    },
  },
  commands: [
    {
      name: 'merchant refund-limits',
      about: 'limit how old payments may be when refunded, and how much is refunded in a day',
      examples: [
        'merchant refund-limits abebe --days 180 --daily 50000.00',
        'merchant refund-limits abebe --days 90 --daily none',
      ],
    },
  ],
  forms: [
    {
      path: `${MERCHANT_PAGE}/refund-limits`,
      subject: 'merchant',
      title: ({ desk }) => desk.pages.refundLimits,
      lead: ({ desk }) => desk.pages.refundLimitsLead,
      fields: ['refundAgeDaysMax', 'refundDailyMaxMinor'],
    },
  ],
};

const SUSPEND_MERCHANT: OperatorAction = {
  path: `${MERCHANT}/suspend`,
  answers: 'merchant',
  run: async ({ payments, actor }, target, fields) => ({
    ...changed(await payments.operations.suspendMerchant(actor, target, fields)),
    done: 'suspended',
  }),
  fields: { reason: REASON },
  commands: [
    {
      name: 'merchant suspend',
      about: 'reject its API keys with 401 within 10 s; payments in progress continue',
      examples: ['merchant suspend abebe --reason "As agreed by phone"'],
    },
  ],
  forms: [
    {
      path: `${MERCHANT_PAGE}/suspend`,
      subject: 'merchant',
      title: ({ desk }) => desk.pages.suspend,
      lead: ({ desk }) => desk.pages.suspendLead,
      fields: ['reason'],
    },
  ],
};

const REACTIVATE_MERCHANT: OperatorAction = {
  path: `${MERCHANT}/reactivate`,
  answers: 'merchant',
  run: async ({ payments, actor }, target, fields) => ({
    ...changed(await payments.operations.reactivateMerchant(actor, target, fields)),
    done: 'active',
  }),
  fields: { reason: REASON },
  commands: [
    {
      name: 'merchant reactivate',
      about: 'lift a suspension; its API keys work again within 10 s',
      examples: ['merchant reactivate abebe --reason "As agreed by phone"'],
    },
  ],
  forms: [
    {
      path: `${MERCHANT_PAGE}/reactivate`,
      subject: 'merchant',
      title: ({ desk }) => desk.pages.reactivate,
      lead: ({ desk }) => desk.pages.reactivateLead,
      fields: ['reason'],
    },
  ],
};

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
    name: {
      option: { value: 'TEXT', about: 'name of the person', isRequired: true },
      input: { label: ({ desk }) => desk.pages.name, lengthMax: NAME_LENGTH_MAX },
    },
    role: {
      kind: 'role',
      option: { value: ROLES.join('|'), about: 'role of the member', isRequired: true },
      input: {
        label: ({ desk }) => desk.pages.role,
        options: ({ dashboard }) =>
          ROLES.map((role) => [role, dashboard.frame.role[role]] as const),
      },
    },
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
      path: `${MERCHANT_PAGE}/invite`,
      subject: 'merchant',
      title: ({ desk }) => desk.pages.invite,
      lead: ({ desk }) => desk.pages.inviteLead,
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
    return { message: LINK_MESSAGE, content: await recover(call, target, fields) };
  },
  fields: {},
  commands: [
    {
      name: 'member recover',
      about: 'create a one-time link for a member who lost their passkey',
      examples: ['member recover abebe mem_0123'],
    },
  ],
};

const ON_METHOD = { positionals: ['merchantId', 'method'] } as const;

function offerCommand(verb: 'offer' | 'withdraw', about: string): ActionCommand {
  const examples = [`method ${verb} abebe M_PESA --environment production`];
  return {
    ...ON_METHOD,
    name: `method ${verb}`,
    about,
    examples,
    preset: { offered: verb === 'offer' },
  };
}

const CHANGE_OFFER: OperatorAction = {
  path: `${METHOD}/offer`,
  answers: 'settings',
  run: async ({ payments, actor }, target, fields) => {
    const { isChanged, content } = await payments.operations.changeOffer(actor, target, fields);
    return changed(isChanged, content);
  },
  fields: { offered: {} },
  commands: [
    offerCommand('offer', 'offer a method to a merchant'),
    offerCommand('withdraw', 'withdraw a method; existing payments keep it'),
  ],
};

const CHANGE_COMMISSION: OperatorAction = {
  path: `${METHOD}/commission`,
  answers: 'settings',
  run: async ({ payments, actor }, target, fields) => {
    const { isChanged, content } = await payments.operations.changeCommission(
      actor,
      target,
      fields,
    );
    return changed(isChanged, content);
  },
  fields: {
    basisPoints: {
      kind: 'percent',
      option: {
        name: 'percent',
        value: 'PERCENT',
        about: 'percentage of the amount, at most two decimals',
        isRequired: true,
      },
    },
    fixedMinor: {
      kind: 'amount',
      option: {
        name: 'fixed',
        value: 'AMOUNT',
        about: 'fixed sum on top, in the currency of the payment (default: 0)',
        default: '0',
      },
    },
  },
  commands: [
    {
      ...ON_METHOD,
      name: 'commission set',
      about: 'set the commission of a method for new payments',
      examples: [
        'commission set abebe TELE_BIRR --environment production --percent 2.5 --fixed 1.00',
      ],
    },
  ],
};

const CHANGE_LIMIT: OperatorAction = {
  path: `${MERCHANT}/:environment/limits/:currency`,
  answers: 'settings',
  run: async ({ payments, actor }, target, fields) => {
    const { isChanged, content } = await payments.operations.changeLimit(actor, target, fields);
    return changed(isChanged, content);
  },
  fields: {
    amountMinorMax: {
      kind: 'amount_or_none',
      option: {
        name: 'amount',
        value: 'AMOUNT|none',
        about: 'maximum, excluding commission',
        isRequired: true,
      },
    },
  },
  commands: [
    {
      name: 'limit set',
      about: 'set the maximum payment of a merchant',
      positionals: ['merchantId', 'currency'],
      examples: ['limit set abebe ETB --environment production --amount 50000.00'],
    },
  ],
};

/** What operators change about merchants, their members and their settings. */
export const MERCHANT_ACTIONS = [
  CREATE_MERCHANT,
  RENAME_MERCHANT,
  CHANGE_APP_SCHEMES,
  CHANGE_REFUND_LIMITS,
  SUSPEND_MERCHANT,
  REACTIVATE_MERCHANT,
  INVITE_MEMBER,
  RECOVER_MEMBER,
  CHANGE_OFFER,
  CHANGE_COMMISSION,
  CHANGE_LIMIT,
];
