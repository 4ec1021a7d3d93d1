import type { Answers } from '../../back-office/operator/actions/action.ts';
import type { MemberLink } from '../../back-office/operator/members.ts';
import { ENVIRONMENTS } from '../../src/domain/method.ts';
import type {
  Bank,
  LetterOutcomes,
  MerchantDetails,
  MerchantRow,
  ProbedRail,
  RepublishedPage,
  Settings,
} from '../../src/interface/operations.ts';
import { probeLines } from '../check-rail/probe-text.ts';
import { paymentLines } from './payment-lines.ts';
import { facts, money, plain, rate, table, time } from './text.ts';

/** What the answers of several commands look like. */

export type Merchant = MerchantRow & { readonly members: number };
type CountedMerchant = Merchant & MerchantDetails;

export function merchantLines(merchant: CountedMerchant): readonly string[] {
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

function linkLines(link: MemberLink): readonly string[] {
  return [
    `Link for ${plain(link.name)} (${link.role}). It is not shown again. It works once, until ${time(link.expiresAtMs)}:`,
    '',
    `  ${link.url}`,
    '',
    'Send it to that person only: the first person to use it joins.',
  ];
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

const outcomeLines = ({ outcomes }: LetterOutcomes) =>
  table(['DEAD LETTER', 'OUTCOME'], Object.entries(outcomes), 'No dead letters changed.');

/** The lines for each kind of answer of an action. */
export const LINES: Readonly<Record<Answers, (content: never) => readonly string[]>> = {
  payment: paymentLines,
  merchant: merchantLines,
  new_merchant: (merchant: CountedMerchant) => [
    ...merchantLines(merchant),
    '',
    `Next: npm run operator -- owner invite ${merchant.id} --name "…"`,
  ],
  settings: settingsLines,
  link: linkLines,
  bank: (bank: Bank) => bankLines([bank]),
  letters: outcomeLines,
  probe: (result: ProbedRail) => probeLines(result),
  review: ({ note }: { readonly note: string }) => [`Reviewed: ${plain(note)}`],
  republished: ({ republished, missing, failed, nextUuid }: RepublishedPage) => [
    `${republished} sent, ${missing} missing, ${failed} failed.`,
    ...(nextUuid === null ? [] : [`More payments remain: --after ${nextUuid}`]),
  ],
};
