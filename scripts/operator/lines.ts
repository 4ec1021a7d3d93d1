import type { Answers } from '../../back-office/operator/actions/action.ts';
import { ENVIRONMENTS, type Environment } from '../../src/domain/method.ts';
import type { ProbeResult } from '../../src/rails/rail.ts';
import { probeLines } from '../check-rail/probe-text.ts';
import { paymentLines } from './payment-lines.ts';
import { facts, money, plain, rate, table, time } from './text.ts';

/** What the answers of several commands look like. */

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

export interface Merchant {
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

export function merchantLines(merchant: MerchantDetails): readonly string[] {
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

interface Bank {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: boolean;
}

export const bankLines = (banks: readonly Bank[]) =>
  table(
    ['CODE', 'WITHDRAWAL', 'NAME'],
    banks.map(({ code, name, supportsWithdrawal }) => [
      code,
      supportsWithdrawal ? 'yes' : 'no',
      name,
    ]),
    'No banks.',
  );

interface Outcomes {
  readonly outcomes: Readonly<Record<string, string>>;
}

const outcomeLines = ({ outcomes }: Outcomes) =>
  table(['DEAD LETTER', 'OUTCOME'], Object.entries(outcomes), 'No dead letters changed.');

interface Republished {
  readonly republished: number;
  readonly missing: number;
  readonly failed: number;
  readonly nextUuid: string | null;
}

/** The lines for each kind of answer of an action. */
export const LINES: Readonly<Record<Answers, (content: never) => readonly string[]>> = {
  payment: paymentLines,
  merchant: merchantLines,
  new_merchant: (merchant: MerchantDetails) => [
    ...merchantLines(merchant),
    '',
    `Next: npm run operator -- owner invite ${merchant.id} --name "…"`,
  ],
  settings: settingsLines,
  link: linkLines,
  bank: (bank: Bank) => bankLines([bank]),
  letters: outcomeLines,
  probe: (result: ProbeResult) => probeLines(result),
  review: ({ note }: { readonly note: string }) => [`Reviewed: ${plain(note)}`],
  republished: ({ republished, missing, failed, nextUuid }: Republished) => [
    `${republished} sent, ${missing} missing, ${failed} failed.`,
    ...(nextUuid === null ? [] : [`More payments remain: --after ${nextUuid}`]),
  ],
};
