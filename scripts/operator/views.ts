import type { Answers } from '../../back-office/operator/actions/action.ts';
import type { readAttention } from '../../back-office/operator/actions/reads.ts';
import type { CheckReport } from '../../back-office/operator/check.ts';
import { paymentOf } from '../../src/control/attention/item.ts';
import type { AlertsState, TestedChannel } from '../../src/control/rpc/alerts.ts';
import type {
  AboutPayment,
  DescribedLetter,
  ItemOutcomes,
  ProbedRail,
} from '../../src/control/rpc/operator.ts';
import { majorText } from '../../src/kit/money.ts';
import { PROBE_EXIT_CODES, probeLines } from '../check-rail/probe-text.ts';
import type { Begun } from './backup.ts';
import { EXIT_FOUND } from './command.ts';
import { linesOf, plain, type Shown, time, type View } from './text.ts';

/** What the operator's commands print of each answer. */

const SETTINGS: Readonly<Record<string, View>> = {
  methods: ['method offered enabled basisPoints fixedMinor'],
  limitsMinor: ['*'],
};

const MERCHANT: View = [
  'id name status createdAtMs members appSchemes refundAgeDaysMax refundDailyMaxMinor',
  { sandbox: ['apiKeys', SETTINGS], production: ['apiKeys', SETTINGS] },
];

const PAYMENT: View = [
  'environment merchantId uniqueId merchantName status failureReason late amountMinor currency ' +
    'createdAtMs expiresAtMs uuid objectName review',
  {
    agreed: ['operator provedBy'],
    retention: ['endsAtMs', { hold: ['reason operator heldAtMs untilMs'] }],
    attempts: [
      'reference method status railReference providerCode receipt isProved failureReason startedAtMs',
    ],
    refunds: [
      'id reference transactionId status returnedMinor railReference actionReason failureReason ' +
        'secondOperatorNeeded',
    ],
    anomalies: ['kind atMs backedUpAtMs receipt other'],
    history: ['atMs command fromStatus toStatus detail'],
    events: ['type origin deliveryStatus tries createdAtMs'],
  },
];

interface Decided {
  readonly reference: string;
  readonly proposal: { readonly operator: string; readonly outcome: object } | null;
}

interface Payment {
  readonly attempts: readonly Decided[];
  readonly refunds: readonly Decided[];
}

const ENDS: View = ['method status failureReason payments'];

const MODES: View = [
  '',
  { maintenance: ['startedAtMs by reason'], membersReadOnly: ['startedAtMs by'] },
];

const HEALTH: View = [
  'd1Ms d1SizeBytes d1SizeBytesMax d1IsNearlyFull',
  {
    modes: MODES,
    queues: ['queue backlog oldestAtMs unknown'],
    deadLetters: ['*'],
    backup: ['finishedAtMs membersFinishedAtMs failingBooks'],
    lostBooks: ['environment merchantId volume lostAtMs'],
    misconfiguredRails: ['environment method problem'],
    environments: [
      'environment reportedAtMs',
      {
        eventsByStatus: ['*'],
        oldestUndelivered: ['merchantId uniqueId createdAtMs'],
        endsSinceYesterday: ENDS,
        endsSinceWeek: ENDS,
        timesToPay: ['method medianMs payments'],
      },
    ],
  },
];

const ALERTS: View = [
  'lookedAtMs beatAtMs',
  {
    open: ['subject count sinceAtMs merchants details'],
    channels: ['name isSetUp problem sentAtMs waiting error'],
    heartbeat: ['isSetUp problem'],
  },
];

/** What each answer is printed as, of a list what each item is. */
export const VIEWS: Readonly<Record<Answers, Shown>> = {
  alerts: ALERTS,
  attention: attentionLines,
  backup: backupLines,
  backups: ['run finishedAtMs'],
  bank: ['code supportsWithdrawal name'],
  check: checkLines,
  customer: ['next'],
  health: HEALTH,
  export: ['next'],
  items: ['', { outcomes: ['uniqueId outcome id'] }],
  keys: ['environment digest label name createdAtMs lastUsedAtMs expiresAtMs revokedAtMs'],
  letter: (letter: object) => [JSON.stringify(letter, null, 2)],
  letter_outcomes: ['', { outcomes: ['*'] }],
  letters: letterLines,
  link: withHint(
    ['name role expiresAtMs url'],
    () => 'It works once. Send it to that person only: the first person to use it joins.',
  ),
  members: [
    '',
    { members: ['id name role passkeys createdAtMs'], invitations: ['id name role expiresAtMs'] },
  ],
  merchant: MERCHANT,
  merchants: ['id name status members createdAtMs'],
  modes: MODES,
  new_merchant: withHint(
    MERCHANT,
    ({ id }: { readonly id: string }) => `Next: npm run operator -- owner invite ${id} --name "…"`,
  ),
  payment: paymentLines,
  probe: (result: ProbedRail) => probeLines(result),
  provider_board: [
    'day method currency arrivedMinor comparedAtMs',
    {
      expected: ['payments amountMinor'],
      missing: ['lines amountMinor'],
      different: ['lines amountMinor'],
    },
  ],
  provider_files: [
    'id name profile status lines linesDone fromDay toDay unanswered begunAtMs operator',
    { problem: ['text'] },
  ],
  provider_lines: [
    'key outcome type amountMinor expectedMinor feeMinor currency merchantId uniqueId',
    { decision: ['type reason operator'] },
  ],
  provider_preview: [
    '',
    {
      problem: ['text'],
      lines: ['line outcome type amountMinor feeMinor currency atMs receipt reference uniqueId'],
    },
  ],
  provider_profiles: ['name delimiter encoding headerRow dateFormat decimal currency'],
  rails: ['environment method state rail problem downSinceAtMs downFor'],
  rebuilt: ['rebuilt missing failed next'],
  requests: [
    'id kind requestedBy requestedAtMs searchedAtMs finishedAtMs erased reason',
    { kept: ['reason payments untilAtMs'] },
  ],
  restored: ['undoBookmark'],
  restored_gateway: ['*'],
  review: ['note'],
  settings: ['', SETTINGS],
  switched_off: ['environment method text startedAtMs by'],
  tested_channel: ({ channel, isSent, error }: TestedChannel) => [
    isSent ? `Sent a test message by ${channel}.` : `Not sent by ${channel}: ${plain(error)}`,
  ],
};

/** How a command ends whose answer may be bad news; 0 for all others. */
export const EXIT_CODES: Readonly<Partial<Record<Answers, (content: never) => number>>> = {
  alerts: alertsExitCode,
  attention: ({ items }: { readonly items: readonly unknown[] }) =>
    items.length === 0 ? 0 : EXIT_FOUND,
  check: ({ checks }: CheckReport) =>
    checks.some(({ state }) => state === 'wrong') ? EXIT_FOUND : 0,
  items: ({ outcomes }: ItemOutcomes) =>
    outcomes.every(({ outcome }) => outcome === 'done') ? 0 : EXIT_FOUND,
  probe: ({ outcome }: ProbedRail) => PROBE_EXIT_CODES[outcome],
  tested_channel: ({ isSent }: TestedChannel) => (isSent ? 0 : EXIT_FOUND),
};

function backupLines(begun: Begun): readonly string[] {
  if (begun.isFinished) {
    return linesOf(begun, ['run']);
  }
  const books = begun.booksLeft > 0 ? `${begun.booksLeft} books` : 'the tables';
  const awaited = begun.hasMembers ? books : 'the members, who are copied once a minute at most';
  return [`Not finished yet: waits for ${awaited} …`];
}

/** Which decision waits for another operator, who must record the same. */
function paymentLines(payment: Payment): readonly string[] {
  const waiting = [...payment.attempts, ...payment.refunds].flatMap(({ reference, proposal }) =>
    proposal === null
      ? []
      : `${reference} waits for another operator, who records the same as ${proposal.operator}: ${JSON.stringify(proposal.outcome)}`,
  );
  return [...linesOf(payment, PAYMENT), ...waiting.flatMap((line) => ['', plain(line)])];
}

function withHint<Content>(view: View, hint: (content: Content) => string): Shown {
  return (content: Content) => [...linesOf(content, view), '', hint(content)];
}

type Item = Awaited<ReturnType<typeof readAttention>>['items'][number];

/** The advice needs whole lines. */
function attentionLines(items: readonly Item[]): readonly string[] {
  return items.length === 0
    ? ['Nothing needs attention.']
    : items.flatMap((item) => [
        `${plain(placeOf(item))}, ${time(item.atMs)}`,
        ...aboutLines(aboutOf(item)),
        `  Id: ${item.id}`,
        ...item.reasons.flatMap(({ what, todo }) => [`  ${what}`, `  To do: ${todo}`]),
        '',
      ]);
}

function aboutOf(item: Item): AboutPayment | null {
  switch (item.type) {
    case 'dead_letter':
      return item.letter.payment;
    case 'book':
      return null;
    default:
      return item.about;
  }
}

function aboutLines(about: AboutPayment | null): readonly string[] {
  if (about === null) {
    return [];
  }
  const { kind, method, amountMinor, currency, transactionIds } = about;
  const parts = [kind, method ?? 'no method', `${majorText(amountMinor)} ${currency}`];
  return [`  ${[...parts, ...transactionIds].join(', ')}`];
}

const LETTER_COLUMNS = 'id queue kind status storedAtMs timesGivenUp uniqueId payment';

function letterLines(letters: readonly DescribedLetter[]): readonly string[] {
  const rows = letters.map(({ payment, ...letter }) => ({
    ...letter,
    uniqueId: payment?.uniqueId,
    payment: aboutLines(payment).join().trim(),
  }));
  return linesOf(rows, [LETTER_COLUMNS]);
}

/** Each check, and what to do where something is wrong. */
function checkLines({ checks }: CheckReport): readonly string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.flatMap(({ name, state, detail, remedy }) => [
    `${state.padEnd('waiting'.length)}  ${name.padEnd(width)}  ${plain(detail)}`,
    ...(remedy === null ? [] : [`  To do: ${remedy}`]),
  ]);
}

/** 1 when a subject is open, or when a message about one would not arrive. */
function alertsExitCode({ open, channels, heartbeat }: AlertsState): number {
  const isFailing = channels.some(({ isSetUp, error }) => isSetUp && error !== null);
  const isWrong = [heartbeat, ...channels].some(({ problem }) => problem !== null);
  return open.length > 0 || isFailing || isWrong ? EXIT_FOUND : 0;
}

function placeOf(item: Item): string {
  if (item.type === 'dead_letter') {
    return `dead letter ${item.letter.id} of ${item.letter.queue}`;
  }
  if (item.type === 'book') {
    return `book ${item.id}`;
  }
  const { environment, merchantId, uniqueId } = paymentOf(item);
  const refund = item.type === 'refund' ? ` ${item.refund.refundUniqueId}` : '';
  return `${environment} ${merchantId} ${uniqueId}${refund}`;
}
