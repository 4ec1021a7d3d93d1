import { attentionReasons } from '../../../src/control/attention/item.ts';
import { MESSAGE_QUEUES } from '../../../src/control/dead-letters/queues.ts';
import { LETTER_STATUSES } from '../../../src/control/dead-letters/store.ts';
import { MERCHANT_STATUSES } from '../../../src/control/merchants/merchant-status.ts';
import { OUTCOMES } from '../../../src/control/provider-files/judge.ts';
import { fieldError } from '../../../src/kit/http/field-error.ts';
import { validationProblem } from '../../../src/kit/http/problem.ts';
import { ITEM_REASONS } from '../../../src/lists/book/attention-reasons.ts';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { withMemberCounts } from '../../members/members.ts';
import type { OperatorCall, PathParts } from '../call.ts';
import { paymentContent } from '../payment-content.ts';
import type { OperatorRead, Option } from './action.ts';

/** Days of Addis Ababa. */
const DAYS: Readonly<Record<string, Option>> = {
  from: {
    value: 'DAY',
    about: 'first day, such as 2026-11-22 (default: six days before the last)',
  },
  to: { value: 'DAY', about: 'last day (default: today)' },
};

/** Everything that operators read. The help lists the commands in this order. */
export const READS: readonly OperatorRead[] = [
  {
    path: '/attention',
    message: 'Needs attention',
    run: readAttention,
    name: 'attention',
    about: 'list what needs attention, and what to do about it',
    query: {
      environment: { value: 'sandbox|production', about: 'only this environment' },
      reason: { value: 'KIND', about: `only this kind: ${ITEM_REASONS.join(', ')}` },
    },
    examples: [
      'attention --environment production --all',
      'attention --environment production --reason delivery_dead',
      'attention --quiet',
    ],
    answers: 'attention',
    pages: 'nextCursor',
  },
  {
    path: '/payments/:environment/:merchantId/:uniqueId',
    message: 'Payment',
    run: async ({ payments, params }) => {
      const details = await payments.operator.paymentDetails(params);
      return { ...paymentContent(details), claims: details.claims };
    },
    name: 'payment show',
    about: 'show a payment with its attempts, history and events',
    examples: ['payment show production abebe order-1'],
    answers: 'payment',
  },
  {
    path: '/merchants',
    message: 'Merchants',
    run: (call) => readMerchants(call, queryOf(call.url)),
    name: 'merchant list',
    about: 'list merchants, newest first',
    query: { status: { value: MERCHANT_STATUSES.join('|'), about: 'only this status' } },
    examples: ['merchant list', 'merchant list --status suspended --all --json'],
    answers: 'merchants',
    pages: 'nextCursor',
  },
  {
    path: '/merchants/:merchantId',
    message: 'Merchant',
    run: (call) => merchantContent(call, call.params),
    name: 'merchant show',
    about: 'show a merchant with its methods, commissions and limits',
    examples: ['merchant show abebe'],
    answers: 'merchant',
  },
  {
    path: '/merchants/:merchantId/members',
    message: 'Members',
    run: async (call) => {
      const { readMembers } = await import('../members.ts');
      return readMembers(call, await call.payments.operator.knownMerchant(call.params));
    },
    name: 'member list',
    about: 'list members and pending links',
    examples: ['member list abebe'],
    answers: 'members',
  },
  {
    path: '/merchants/:merchantId/keys',
    message: 'API keys',
    run: ({ payments, params }) => payments.operator.merchantKeys(params),
    name: 'key list',
    about: 'list API keys with their digest: the SHA-256 of the key',
    examples: ['key list abebe'],
    answers: 'keys',
  },
  {
    path: '/banks',
    message: 'Banks',
    run: ({ payments }) => payments.operator.listBanks(),
    name: 'bank list',
    about: 'list the banks that splits can name',
    examples: ['bank list'],
    answers: 'bank',
  },
  {
    path: '/dead-letters',
    message: 'Dead letters',
    run: ({ payments, url }) => payments.operator.deadLetters(queryOf(url)),
    name: 'dead-letter list',
    about: 'list dead letters, oldest first',
    query: {
      queue: { value: 'QUEUE', about: `only this queue: ${MESSAGE_QUEUES.join(', ')}` },
      status: { value: LETTER_STATUSES.join('|'), about: 'only this status (default: waiting)' },
    },
    examples: ['dead-letter list --queue kefel-provider-reports'],
    answers: 'letters',
    pages: 'nextCursor',
  },
  {
    path: '/dead-letters/:id',
    message: 'Dead letter',
    run: async ({ payments, params }) => {
      const { letter, body, payment } = await payments.operator.readDeadLetter(params);
      return { ...letter, payment, body };
    },
    name: 'dead-letter show',
    about: 'show a dead letter with its message',
    examples: ['dead-letter show 0123abcd'],
    answers: 'letter',
  },
  {
    path: '/customers/requests',
    message: 'Requests of customers',
    run: ({ payments, url }) => payments.operator.customerRequests(queryOf(url)),
    name: 'customer requests',
    about: 'list customers’ requests to be erased, and what is kept until when',
    examples: ['customer requests'],
    answers: 'requests',
    pages: 'nextCursor',
  },
  {
    path: '/provider-board/:environment',
    message: 'Board',
    run: ({ payments, params, url }) => payments.operator.providerBoard(params, queryOf(url)),
    name: 'provider-file board',
    about: 'show what providers say they took on each day, beside what Kefel says was paid',
    query: DAYS,
    examples: [
      'provider-file board production',
      'provider-file board production --from 2026-11-01',
    ],
    answers: 'provider_board',
  },
  {
    path: '/provider-files/:environment/:method',
    message: 'Files',
    run: ({ payments, params, url }) => payments.operator.providerFiles(params, queryOf(url)),
    name: 'provider-file list',
    about: 'list the files of a method, newest first, and how far they are compared',
    examples: ['provider-file list production TELE_BIRR'],
    answers: 'provider_files',
    pages: 'nextCursor',
  },
  {
    path: '/provider-files/:environment/:method/:fileId',
    message: 'File',
    run: ({ payments, params }) => payments.operator.providerFile(params),
  },
  {
    path: '/provider-lines/:environment/:method',
    message: 'Lines',
    run: ({ payments, params, url }) => payments.operator.providerLines(params, queryOf(url)),
    name: 'provider-file lines',
    about: 'list the lines of providers’ files by day, and the payments that have none',
    query: {
      ...DAYS,
      outcome: { value: 'OUTCOME', about: `only these: ${OUTCOMES.join(', ')}` },
      open: { value: 'yes|no', about: 'yes: only those that need a person (default: no)' },
    },
    examples: [
      'provider-file lines production TELE_BIRR --open yes',
      'provider-file lines production TELE_BIRR --outcome missing --from 2026-11-01 --all',
    ],
    answers: 'provider_lines',
    pages: 'nextCursor',
  },
  {
    path: '/provider-line/:environment/:method',
    message: 'Line',
    run: ({ payments, params, url }) =>
      payments.operator.providerLine(params, url.searchParams.get('key') ?? ''),
  },
  {
    path: '/provider-profiles/:environment/:method',
    message: 'Profiles',
    run: ({ payments, params }) => payments.operator.providerProfiles(params),
    name: 'provider-profile list',
    about: 'show the profiles of a method; with --json, as documents',
    examples: ['provider-profile list production TELE_BIRR --json'],
    answers: 'provider_profiles',
  },
  {
    path: '/rails',
    message: 'Rails',
    run: ({ payments }) => payments.operator.rails(),
    name: 'rails',
    about: 'show which methods have a rail, and what is wrong with its secret',
    examples: ['rails'],
    answers: 'rails',
  },
  {
    path: '/methods/switched-off',
    message: 'Switched-off methods',
    run: ({ payments }) => payments.operator.readSwitchedOff(),
    name: 'method list-off',
    about: 'show the methods that are switched off for all merchants',
    examples: ['method list-off'],
    answers: 'switched_off',
  },
  {
    path: '/alerts',
    message: 'Alerts',
    run: ({ payments }) => payments.alerts.state(),
    name: 'alerts',
    about: 'show what the operator was told of, and how each channel does',
    examples: ['alerts', 'alerts --quiet'],
    answers: 'alerts',
  },
  {
    path: '/backups',
    message: 'Backups',
    run: ({ payments }) => payments.operator.listBackups(),
    name: 'backup list',
    about: 'list the backups, the newest first',
    examples: ['backup list'],
    answers: 'backups',
  },
  {
    path: '/health/now',
    message: 'Health',
    run: async ({ payments }) => {
      await payments.operator.refreshHealth();
      return payments.operator.readHealth();
    },
    name: 'health now',
    about: 'show health after asking the merchants’ books, which otherwise report hourly',
    examples: ['health now'],
    answers: 'health',
  },
  {
    path: '/health',
    message: 'Health',
    run: ({ payments }) => payments.operator.readHealth(),
    name: 'health',
    about: 'show queues, undelivered events and payment outcomes',
    examples: ['health'],
    answers: 'health',
  },
  {
    path: '/check',
    message: 'Self-check',
    run: async (call) => (await import('../check.ts')).readCheck(call),
  },
  {
    path: '/backups/:run/verify',
    message: 'Verified',
    run: ({ payments, params, url }) => payments.operator.verifyBackup(params, queryOf(url)),
  },
  {
    path: '/backups/:run/parts',
    message: 'Parts',
    run: ({ payments, actor, params, url }) =>
      payments.operator.backupParts(actor, params, queryOf(url)),
  },
  {
    path: '/backup-part',
    message: 'Part',
    run: ({ payments, actor, url }) => payments.operator.backupPart(actor, {}, queryOf(url)),
  },
];

/** The query's parameters. Problem 400 for a repeated one. */
function queryOf({ searchParams }: URL): Readonly<Record<string, string>> {
  const names = [...searchParams.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw validationProblem({ [twice]: fieldError('duplicate', 'Must not be given twice.') });
  }
  return Object.fromEntries(searchParams);
}

/** What needs the operator's attention, why, and what to do. */
export async function readAttention({ payments, url }: OperatorCall) {
  const { items, nextCursor } = await payments.operator.attentionPage(queryOf(url));
  const { attention, anomalyTodo } = DESK_TEXTS.en;
  const { anomalyTitle } = DASHBOARD_TEXTS.en.payment;
  return {
    items: items.map(({ reasons, ...item }) => ({
      ...item,
      reasons: attentionReasons(item, reasons).map(({ reason, anomaly }) =>
        anomaly === null
          ? { reason, ...attention[reason] }
          : {
              reason,
              anomaly,
              title: anomalyTitle[anomaly],
              what: `${attention[reason].title}: ${anomalyTitle[anomaly]}.`,
              todo: anomalyTodo[anomaly],
            },
      ),
    })),
    nextCursor,
  };
}

/** A page of the merchants, with how many members each has. */
export async function readMerchants(
  { payments, env }: OperatorCall,
  query: Readonly<Record<string, string>>,
) {
  const { items, nextCursor } = await payments.operator.merchants(query);
  return { items: await withMemberCounts(env.BACK_OFFICE_DB, items), nextCursor };
}

/** A merchant with its settings, which is the content where an action names none. */
export async function merchantContent({ payments, env }: OperatorCall, target: PathParts) {
  const merchant = await payments.operator.merchantContent(target);
  const [counted] = await withMemberCounts(env.BACK_OFFICE_DB, [merchant]);
  return counted;
}
