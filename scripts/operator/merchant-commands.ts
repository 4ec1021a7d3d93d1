import { ROLES } from '../../back-office/members/permissions.ts';
import { ENVIRONMENTS, type Environment } from '../../src/domain/method.ts';
import type { Command, Given } from './command.ts';
import { facts, money, plain, rate, table, time } from './text.ts';
import * as values from './values.ts';

interface Settings {
  readonly methods: readonly {
    readonly method: string;
    readonly offered: boolean;
    readonly enabled: boolean;
    readonly basisPoints: number;
    readonly fixedMinor: number;
  }[];
  readonly limitsMinor: Readonly<Record<string, number>>;
}

interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly createdAtMs: number;
  readonly members: number;
}

type MerchantDetails = Merchant & {
  readonly appSchemes: readonly string[];
  readonly refundAgeDaysMax: number;
  readonly refundDailyMaxMinor: number | null;
} & Readonly<Record<Environment, Settings & { readonly apiKeys: number }>>;

const ENVIRONMENT = {
  value: 'sandbox|production',
  about: 'environment to change',
  isRequired: true,
} as const;
const REASON = {
  value: 'TEXT',
  about: "reason; the merchant's owners see it in their audit log",
  isRequired: true,
} as const;

const merchantPath = (given: Given) => `/merchants/${given.segment('MERCHANT')}`;

function settingsPath(given: Given): string {
  return `${merchantPath(given)}/${values.environment(given.option('environment') ?? '')}`;
}

function methodPath(given: Given): string {
  return `${settingsPath(given)}/methods/${values.method(given.at('METHOD'))}`;
}

function merchantLines(merchant: MerchantDetails): readonly string[] {
  return [
    ...facts([
      ['Merchant', merchant.id],
      ['Name', merchant.name],
      ['Status', merchant.status],
      ['Created', time(merchant.createdAtMs)],
      ['Members', merchant.members],
      ['App schemes', merchant.appSchemes.join(', ') || 'none'],
      ['Refunds', `up to ${merchant.refundAgeDaysMax} days after payment`],
      ['Refunds a day', dailyText(merchant.refundDailyMaxMinor)],
    ]),
    ...ENVIRONMENTS.flatMap((environment) => [
      '',
      `${environment}, ${merchant[environment].apiKeys} API keys`,
      ...settingsLines(merchant[environment]),
    ]),
  ];
}

function dailyText(maxMinor: number | null): string {
  return maxMinor === null ? 'any amount' : `at most ${money(maxMinor, 'of each currency')}`;
}

function settingsLines({ methods, limitsMinor }: Settings): readonly string[] {
  const limits = Object.entries(limitsMinor);
  return [
    ...table(
      ['METHOD', 'OFFERED', 'ENABLED', 'COMMISSION'],
      methods.map(({ method, offered, enabled, basisPoints, fixedMinor }) => [
        method,
        offered ? 'yes' : 'no',
        enabled ? 'yes' : 'no',
        rate(basisPoints, fixedMinor),
      ]),
      'No methods.',
    ),
    ...limits.map(([currency, minor]) => `Maximum payment: ${money(minor, currency)}`),
  ];
}

function linkLines(link: {
  readonly url: string;
  readonly name: string;
  readonly role: string;
  readonly expiresAtMs: number;
}): readonly string[] {
  return [
    `Link for ${plain(link.name)} (${link.role}). It is not shown again. It works once, until ${time(link.expiresAtMs)}:`,
    '',
    `  ${link.url}`,
    '',
    'Send it to that person only: the first person to use it joins.',
  ];
}

const invite = (given: Given, role: string) => ({
  path: `${merchantPath(given)}/invitations`,
  body: { name: given.option('name'), role },
});

const PERSON = { value: 'TEXT', about: 'name of the person', isRequired: true } as const;

function changeOfStatus(verb: 'suspend' | 'reactivate', about: string): Command {
  return {
    name: `merchant ${verb}`,
    about,
    positionals: ['MERCHANT'],
    options: { reason: REASON },
    examples: [`merchant ${verb} abebe --reason "As agreed by phone"`],
    request: (given) => ({
      path: `${merchantPath(given)}/${verb}`,
      body: { reason: given.option('reason') },
    }),
    lines: merchantLines,
  };
}

function changeOfOffer(verb: 'offer' | 'withdraw', about: string): Command {
  return {
    name: `method ${verb}`,
    about,
    positionals: ['MERCHANT', 'METHOD'],
    options: { environment: ENVIRONMENT },
    examples: [`method ${verb} abebe M_PESA --environment production`],
    request: (given) => ({
      path: `${methodPath(given)}/offer`,
      body: { offered: verb === 'offer' },
    }),
    lines: settingsLines,
  };
}

/** Merchants, their members, and their methods, commissions and limits. */
export const MERCHANT_COMMANDS: readonly Command[] = [
  {
    name: 'merchant create',
    about: 'create a merchant with a webhook secret for each environment',
    positionals: [],
    options: {
      name: {
        value: 'TEXT',
        about: 'name that customers see on the checkout page',
        isRequired: true,
      },
      id: { value: 'ID', about: 'letters, digits, hyphens and underscores (default: random)' },
      methods: {
        value: 'all|none|A,B',
        about: 'methods offered and enabled in both environments (default: all)',
      },
      commission: {
        value: 'METHOD=PERCENT[+FIXED]',
        about: 'commission in both environments; can be repeated',
        isRepeatable: true,
      },
    },
    examples: [
      'merchant create --name "Abebe Coffee" --id abebe',
      'merchant create --name "Abebe Coffee" --methods TELE_BIRR,CBE --commission TELE_BIRR=2.5+1.00',
    ],
    request: (given) => {
      const id = given.option('id');
      const methods = given.option('methods');
      return {
        path: '/merchants',
        body: {
          name: given.option('name'),
          ...(id !== undefined && { id }),
          ...(methods !== undefined && { methods: values.methodList(methods) }),
          commissions: given.options('commission').map(values.commission),
        },
      };
    },
    lines: (merchant: MerchantDetails) => [
      ...merchantLines(merchant),
      '',
      `Next: npm run operator -- owner invite ${merchant.id} --name "…"`,
    ],
  },
  {
    name: 'merchant list',
    about: 'list merchants, newest first',
    positionals: [],
    options: { status: { value: 'active|suspended', about: 'only this status' } },
    examples: ['merchant list', 'merchant list --status suspended --all --json'],
    request: (given) => {
      const status = given.option('status');
      return {
        path:
          status === undefined ? '/merchants' : `/merchants?status=${encodeURIComponent(status)}`,
      };
    },
    lines: ({ items }: { readonly items: readonly Merchant[] }) =>
      table(
        ['ID', 'NAME', 'STATUS', 'MEMBERS', 'CREATED'],
        items.map(({ id, name, status, members, createdAtMs }) => [
          id,
          name,
          status,
          members,
          time(createdAtMs),
        ]),
        'No merchants.',
      ),
    pages: 'nextCursor',
  },
  {
    name: 'merchant show',
    about: 'show a merchant with its methods, commissions and limits',
    positionals: ['MERCHANT'],
    options: {},
    examples: ['merchant show abebe'],
    request: (given) => ({ path: merchantPath(given) }),
    lines: merchantLines,
  },
  {
    name: 'merchant rename',
    about: 'change the name that new payments show',
    positionals: ['MERCHANT'],
    options: { name: { value: 'TEXT', about: 'new name', isRequired: true } },
    examples: ['merchant rename abebe --name "Abebe & Sons"'],
    request: (given) => ({
      path: `${merchantPath(given)}/rename`,
      body: { name: given.option('name') },
    }),
    lines: merchantLines,
  },
  {
    name: 'merchant app-schemes',
    about: 'set the schemes of its apps, to which customers may return',
    positionals: ['MERCHANT'],
    options: {
      set: {
        value: 'SCHEME,…|none',
        about: 'all of them, without "://"; a returnUrl may then be myshop://paid',
        isRequired: true,
      },
    },
    examples: ['merchant app-schemes abebe --set myshop,com.example.shop'],
    request: (given) => {
      const text = given.option('set') ?? '';
      return {
        path: `${merchantPath(given)}/app-schemes`,
        body: { schemes: text === 'none' ? [] : text.split(',') },
      };
    },
    lines: merchantLines,
  },
  {
    name: 'merchant refund-limits',
    about: 'limit how old payments may be when refunded, and how much is refunded in a day',
    positionals: ['MERCHANT'],
    options: {
      days: { value: 'DAYS', about: 'age of the payment, 1 to 400', isRequired: true },
      daily: {
        value: 'AMOUNT|none',
        about: 'sum of a day, in each environment and currency',
        isRequired: true,
      },
    },
    examples: [
      'merchant refund-limits abebe --days 180 --daily 50000.00',
      'merchant refund-limits abebe --days 90 --daily none',
    ],
    request: (given) => {
      const daily = given.option('daily') ?? '';
      return {
        path: `${merchantPath(given)}/refund-limits`,
        body: {
          refundAgeDaysMax: values.days(given.option('days') ?? ''),
          refundDailyMaxMinor: daily === 'none' ? null : values.minorUnits(daily),
        },
      };
    },
    lines: merchantLines,
  },
  changeOfStatus(
    'suspend',
    'reject its API keys with 401 within 10 s; payments in progress continue',
  ),
  changeOfStatus('reactivate', 'lift a suspension; its API keys work again within 10 s'),
  {
    name: 'owner invite',
    about: 'create a one-time link for an owner, usually the first one',
    positionals: ['MERCHANT'],
    options: { name: PERSON },
    examples: ['owner invite abebe --name "Abebe Kebede"'],
    request: (given) => invite(given, 'owner'),
    lines: linkLines,
  },
  {
    name: 'member invite',
    about: 'create a one-time link for a member; owners can also do this in the dashboard',
    positionals: ['MERCHANT'],
    options: {
      name: PERSON,
      role: { value: ROLES.join('|'), about: 'role of the member', isRequired: true },
    },
    examples: ['member invite abebe --name "Sara" --role developer'],
    request: (given) => invite(given, values.oneOf('the role', ROLES, given.option('role') ?? '')),
    lines: linkLines,
  },
  {
    name: 'member list',
    about: 'list members and pending links',
    positionals: ['MERCHANT'],
    options: {},
    examples: ['member list abebe'],
    request: (given) => ({ path: `${merchantPath(given)}/members` }),
    lines: memberLines,
  },
  {
    name: 'member recover',
    about: 'create a one-time link for a member who lost their passkey',
    positionals: ['MERCHANT', 'MEMBER'],
    options: {},
    examples: ['member recover abebe mem_0123'],
    request: (given) => ({
      path: `${merchantPath(given)}/members/${given.segment('MEMBER')}/recovery`,
      body: {},
    }),
    lines: linkLines,
  },
  changeOfOffer('offer', 'offer a method to a merchant'),
  changeOfOffer('withdraw', 'withdraw a method; existing payments keep it'),
  {
    name: 'commission set',
    about: 'set the commission of a method for new payments',
    positionals: ['MERCHANT', 'METHOD'],
    options: {
      environment: ENVIRONMENT,
      percent: {
        value: 'PERCENT',
        about: 'percentage of the amount, at most two decimals',
        isRequired: true,
      },
      fixed: {
        value: 'AMOUNT',
        about: 'fixed sum on top, in the currency of the payment (default: 0)',
      },
    },
    examples: [
      'commission set abebe TELE_BIRR --environment production --percent 2.5 --fixed 1.00',
    ],
    request: (given) => ({
      path: `${methodPath(given)}/commission`,
      body: {
        basisPoints: values.basisPoints(given.option('percent') ?? ''),
        fixedMinor: values.minorUnits(given.option('fixed') ?? '0'),
      },
    }),
    lines: settingsLines,
  },
  {
    name: 'limit set',
    about: 'set the maximum payment of a merchant',
    positionals: ['MERCHANT', 'CURRENCY'],
    options: {
      environment: ENVIRONMENT,
      amount: { value: 'AMOUNT|none', about: 'maximum, excluding commission', isRequired: true },
    },
    examples: ['limit set abebe ETB --environment production --amount 50000.00'],
    request: (given) => {
      const amount = given.option('amount') ?? '';
      return {
        path: `${settingsPath(given)}/limits/${values.currency(given.at('CURRENCY'))}`,
        body: { amountMinorMax: amount === 'none' ? null : values.minorUnits(amount) },
      };
    },
    lines: settingsLines,
  },
];

function memberLines(content: {
  readonly members: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly passkeys: number;
    readonly createdAtMs: number;
  }[];
  readonly invitations: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly expiresAtMs: number;
  }[];
}): readonly string[] {
  return [
    ...table(
      ['MEMBER', 'NAME', 'ROLE', 'PASSKEYS', 'JOINED'],
      content.members.map(({ id, name, role, passkeys, createdAtMs }) => [
        id,
        name,
        role,
        passkeys,
        time(createdAtMs),
      ]),
      'No member has joined yet.',
    ),
    '',
    ...table(
      ['LINK', 'FOR', 'ROLE', 'EXPIRES'],
      content.invitations.map(({ id, name, role, expiresAtMs }) => [
        id,
        name,
        role,
        time(expiresAtMs),
      ]),
      'No pending links.',
    ),
  ];
}
