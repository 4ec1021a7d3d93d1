import { BASIS_POINTS_MAX } from '../../../src/control/operator/fields.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import { amountMinorFrom } from '../../../src/kit/typed-amount.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import {
  type ActionCommand,
  type ActionForm,
  by,
  changed,
  type OperatorAction,
  type Outcome,
  optional,
  required,
} from './action.ts';
import { CLOSING_ACTIONS } from './closing.ts';
import { MEMBER_ACTIONS } from './members.ts';
import { MERCHANT, REASON } from './merchant.ts';

const METHOD = `${MERCHANT}/:environment/methods/:method` as const;

/** The typed percentage for all methods. */
function commissionsFrom(typed: string): unknown {
  const basisPoints = amountMinorFrom(typed);
  if (typed === '') {
    return [];
  }
  return basisPoints === null || basisPoints > BASIS_POINTS_MAX
    ? typed
    : METHODS.map((method) => ({ method, basisPoints }));
}

const CREATE_MERCHANT: OperatorAction = {
  path: '/merchants',
  answers: 'new_merchant',
  run: by(
    ({ createMerchant }) => createMerchant,
    (merchantId) => ({
      message: 'Merchant created',
      target: { merchantId },
      done: 'merchant_created',
    }),
  ),
  fields: {
    name: required('TEXT', 'name that customers see on the checkout page', {
      input: { label: 'pages.name', hint: 'pages.merchantNameHint', lengthMax: NAME_LENGTH_MAX },
    }),
    id: optional('ID', 'letters, digits, hyphens and underscores (default: random)', {
      input: { label: 'pages.id', hint: 'pages.merchantIdHint', lengthMax: 64 },
    }),
    methods: optional(
      'all|none|A,B',
      'methods offered, in production those whose rail has a secret (default: all)',
      { kind: 'methods' },
    ),
    commissions: {
      name: 'commission',
      kind: 'commission',
      option: {
        value: 'METHOD=PERCENT[+FIXED]',
        about: 'commission in both environments; can be repeated',
        isRepeatable: true,
      },
      input: {
        label: 'pages.commission',
        hint: 'pages.commissionHint',
        isOptional: true,
        read: commissionsFrom,
      },
    },
  },
  forms: [
    {
      subject: 'new_merchant',
      path: '',
      title: 'pages.addMerchant',
      lead: 'pages.addMerchantLead',
      fields: ['name', 'id', 'commissions'],
    },
  ],
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
  run: by(({ renameMerchant }) => renameMerchant, changed),
  fields: { name: required('TEXT', 'new name') },
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
  run: by(({ changeAppSchemes }) => changeAppSchemes, changed),
  fields: {
    schemes: required(
      'SCHEME,…|none',
      'all of them, without "://"; a returnUrl may then be myshop://paid',
      { name: 'set', kind: 'schemes' },
    ),
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
  run: by(
    ({ changeRefundLimits }) => changeRefundLimits,
    (change) => ({ ...changed(change), done: 'refunds_limited' }),
  ),
  fields: {
    refundAgeDaysMax: required('DAYS', 'age of the payment, 1 to 400', {
      name: 'days',
      kind: 'days',
      input: {
        label: 'pages.refundAgeDays',
        lengthMax: 3,
        read: (typed) => (/^\d{1,3}$/.test(typed) ? Number(typed) : typed),
      },
    }),
    refundDailyMaxMinor: required('AMOUNT|none', 'sum of a day, in each environment and currency', {
      name: 'daily',
      kind: 'amount_or_none',
      input: {
        label: 'pages.refundDaily',
        hint: 'pages.refundDailyHint',
        isOptional: true,
        read: (typed) => (typed === '' ? null : (amountMinorFrom(typed) ?? typed)),
      },
    }),
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
      subject: 'merchant',
      path: '/refund-limits',
      title: 'pages.refundLimits',
      lead: 'pages.refundLimitsLead',
      fields: ['refundAgeDaysMax', 'refundDailyMaxMinor'],
    },
  ],
};

function statusChange(
  verb: 'suspend' | 'reactivate',
  about: string,
  done: 'suspended' | 'active',
): OperatorAction {
  return {
    path: `${MERCHANT}/${verb}`,
    answers: 'merchant',
    run: by(
      (operator) => operator[`${verb}Merchant`],
      (change) => ({ ...changed(change), done }),
    ),
    fields: { reason: REASON },
    commands: [
      {
        name: `merchant ${verb}`,
        about,
        examples: [`merchant ${verb} abebe --reason "As agreed by phone"`],
      },
    ],
    forms: [
      {
        subject: 'merchant',
        path: `/${verb}`,
        title: `pages.${verb}`,
        lead: `pages.${verb}Lead`,
        fields: ['reason'],
      },
    ],
  };
}

const ON_METHOD = { positionals: ['merchantId', 'method'] } as const;

function offerCommand(verb: 'offer' | 'withdraw', about: string): ActionCommand {
  const examples = [`method ${verb} abebe M_PESA --environment production`];
  const preset = { offered: verb === 'offer' };
  return { ...ON_METHOD, name: `method ${verb}`, about, examples, preset };
}

function offerForm(verb: 'offer' | 'withdraw'): ActionForm {
  return {
    subject: 'merchant_method',
    path: `/${verb}`,
    title: `pages.${verb}`,
    lead: `pages.${verb}Lead`,
    fields: [],
    preset: () => ({ offered: verb === 'offer' }),
  };
}

function methodChanged(change: Parameters<typeof changed>[0]): Outcome {
  return { ...changed(change), done: 'method_changed' };
}

const CHANGE_OFFER: OperatorAction = {
  path: `${METHOD}/offer`,
  answers: 'settings',
  run: by(({ changeOffer }) => changeOffer, methodChanged),
  fields: { offered: {} },
  commands: [
    offerCommand('offer', 'offer a method to a merchant'),
    offerCommand('withdraw', 'withdraw a method; existing payments keep it'),
  ],
  forms: [offerForm('offer'), offerForm('withdraw')],
};

const CHANGE_COMMISSION: OperatorAction = {
  path: `${METHOD}/commission`,
  answers: 'settings',
  run: by(({ changeCommission }) => changeCommission, methodChanged),
  fields: {
    basisPoints: required('PERCENT', 'percentage of the amount, at most two decimals', {
      name: 'percent',
      kind: 'percent',
      input: {
        label: 'pages.percentage',
        hint: 'pages.percentageHint',
        lengthMax: 6,
        read: (typed) => amountMinorFrom(typed) ?? typed,
      },
    }),
    fixedMinor: optional(
      'AMOUNT',
      'fixed sum on top, in the currency of the payment (default: 0)',
      {
        name: 'fixed',
        kind: 'amount',
        otherwise: '0',
        input: {
          label: 'pages.fixedSum',
          hint: 'pages.fixedSumHint',
          isOptional: true,
          read: (typed) => (typed === '' ? 0 : (amountMinorFrom(typed) ?? typed)),
        },
      },
    ),
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
  forms: [
    {
      subject: 'merchant_method',
      path: '/commission',
      title: 'pages.setCommission',
      lead: 'pages.setCommissionLead',
      fields: ['basisPoints', 'fixedMinor'],
    },
  ],
};

const CHANGE_LIMIT: OperatorAction = {
  path: `${MERCHANT}/:environment/limits/:currency`,
  answers: 'settings',
  run: by(({ changeLimit }) => changeLimit, changed),
  fields: {
    amountMinorMax: required('AMOUNT|none', 'maximum, excluding commission', {
      name: 'amount',
      kind: 'amount_or_none',
    }),
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
  statusChange(
    'suspend',
    'reject its API keys with 401 within 10 s; payments in progress continue',
    'suspended',
  ),
  statusChange('reactivate', 'lift a suspension; its API keys work again within 10 s', 'active'),
  ...MEMBER_ACTIONS,
  ...CLOSING_ACTIONS,
  CHANGE_OFFER,
  CHANGE_COMMISSION,
  CHANGE_LIMIT,
];
