import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NewPaymentLink, RefundRequest } from '../../../clients/typescript/api-types.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { type Command, type Driver, isSpecialNumber, type Result } from './driver.ts';
import { typescriptDriver } from './typescript.ts';

/**
 * The command line, for the calls that it has. It makes no payments of the merchant's own and verifies
 * nothing, so the client that it is built on does the rest.
 */
export const cliDriver: Driver = {
  run: async (command) => {
    const words = isExpressible(command) ? wordsOf(command) : null;
    return words === null ? typescriptDriver.run(command) : kefel(words, command);
  },
};

/** It takes no limits of time. `cli-errors.test.ts` has the keys and addresses that it refuses. */
function isExpressible({ args, client }: Command): boolean {
  const { deadlineSeconds, apiKey, baseUrl } = client;
  const isUsable =
    /^\s*kfl_(?:test|live)_[0-9A-Za-z]+\s*$/.test(apiKey) &&
    /^https?:\/\/[\w.:]+\/?$/i.test(baseUrl);
  const hasLimits = args.some((value) => Object.hasOwn(Object(value), 'deadlineSeconds'));
  return deadlineSeconds === undefined && !hasLimits && isUsable;
}

const PROGRAM = join(PROJECT_DIRECTORY, 'clients', 'cli', 'kefel.ts');
const run = promisify(execFile);

/** The option of each filter. */
const FILTER_OPTIONS: Readonly<Record<string, string>> = {
  createdFrom: 'from',
  createdTo: 'to',
  paidFrom: 'paid-from',
  deliveryState: 'state',
  customerPhone: 'phone',
  paymentLinkUniqueId: 'link',
  paymentIntentUniqueId: 'payment',
  isActive: 'active',
};

/** What it says of what it does not send. */
const REFUSALS = /^(?:--amount-minor takes|Use https for|The id must)/;

/** The words after `kefel`; null for a call without a command. */
function wordsOf({ call, args: [first, options] }: Command): readonly string[] | null {
  switch (call) {
    case 'payments.cancel':
      return ['cancel', String(first), '--json'];
    case 'refunds.cancel':
      return ['cancel', String(first), '--refund', '--json'];
    case 'webhookEndpoints.list':
      return ['endpoints', '--json'];
    case 'webhookEndpoints.get':
      return ['endpoints', String(first), '--json'];
    case 'webhookEndpoints.delete':
      return ['endpoints', String(first), '--delete', '--json'];
    case 'payments.get':
      return ['payments', String(first), '--json'];
    case 'events.get':
      return ['events', String(first), '--json'];
    case 'payments.list':
      return ['payments', '--json', ...filterWords(first as object)];
    case 'refunds.create':
      // It takes no idempotency key of the caller's.
      return options === undefined
        ? ['refund', '--json', ...refundWords(first as RefundRequest)]
        : null;
    case 'refunds.get':
      return ['refunds', String(first), '--json'];
    case 'refunds.list':
      return ['refunds', '--json', ...filterWords(first as object)];
    case 'paymentLinks.create':
      return options === undefined ? ['links', 'create', ...linkWords(first as object)] : null;
    case 'paymentLinks.get':
      return ['links', 'show', String(first)];
    case 'paymentLinks.list':
      return ['links', 'list', '--json', ...filterWords(first as object)];
    case 'paymentLinks.update':
      return isInOptions(options)
        ? ['links', 'change', String(first), ...linkWords(options)]
        : null;
    case 'paymentLinks.deactivate':
      return ['links', 'deactivate', String(first), '--json'];
    case 'events.list':
      return ['events', '--json', ...filterWords(first as object)];
    case 'events.resend':
      return ['resend', String(first)];
    case 'events.resendUndelivered':
      return ['resend', '--since', String(first)];
    default:
      return null;
  }
}

function refundWords(request: RefundRequest) {
  const { paymentIntentUniqueId, refundUniqueId, amountMinor, reason } = request;
  const amount = isSpecialNumber(amountMinor) ? amountMinor.$number : amountMinor;
  return [
    paymentIntentUniqueId,
    ...['--id', refundUniqueId],
    ...(amount === undefined ? [] : ['--amount-minor', String(amount)]),
    ...(reason == null ? [] : ['--reason', reason]),
  ];
}

/** The option of each field of a link. A file has the others, which `cli.test.ts` tries. */
const LINK_OPTIONS: Readonly<Partial<Record<keyof NewPaymentLink, string>>> = {
  paymentLinkUniqueId: 'id',
  title: 'title',
  amount: 'amount',
  isActive: 'active',
};

function isInOptions(change: unknown): change is object {
  return Object.entries(Object(change)).every(
    ([name, value]) => Object.hasOwn(LINK_OPTIONS, name) && value !== null,
  );
}

function linkWords(fields: object): readonly string[] {
  const words = Object.entries(fields).flatMap(([name, value]) => [
    `--${LINK_OPTIONS[name as keyof NewPaymentLink]}`,
    String(value),
  ]);
  return ['--json', ...words];
}

function filterWords(filter: object): string[] {
  return Object.entries(filter).flatMap(([name, value]) =>
    name === 'metadata'
      ? Object.entries(value).flatMap(([key, text]) => ['--metadata', `${key}=${text}`])
      : [`--${FILTER_OPTIONS[name] ?? name}`, String(value)],
  );
}

async function kefel(words: readonly string[], command: Command): Promise<Result> {
  const { apiKey, baseUrl } = command.client;
  const environment = { ...process.env, KEFEL_API_KEY: apiKey, KEFEL_URL: baseUrl };
  try {
    const { stdout } = await run(process.execPath, [PROGRAM, ...words], { env: environment });
    return { value: returnedBy(words, stdout) };
  } catch (error) {
    return printedFailure(command, String((error as { stderr?: unknown }).stderr));
  }
}

/** What the client returns for the same call. */
function returnedBy(words: readonly string[], printed: string): unknown {
  if (words[0] !== 'resend') {
    return JSON.parse(printed);
  }
  const [, resent] = /^(\d+) sent again$/m.exec(printed) ?? [];
  return resent === undefined
    ? { id: printed.split(':')[0] }
    : { resent: Number(resent), unreachable: 0, hasMore: false, nextCursor: null };
}

/** The error that the command line printed. */
async function printedFailure(command: Command, printed: string): Promise<Result> {
  if (printed.startsWith('The gateway does not answer')) {
    return { error: { kind: 'connection', message: printed } };
  }
  if (REFUSALS.test(printed)) {
    return { error: { kind: 'argument', message: printed } };
  }
  const [, message, status, code] = /^(.*) \((\d{3}) (\w+)\)$/m.exec(printed) ?? [];
  if (message === undefined || code === undefined) {
    throw new Error(`kefel printed: ${printed}`);
  }
  if (code === 'validation_failed') {
    // It prints the fields' messages, and the client has their codes.
    return typescriptDriver.run(command);
  }
  const error = {
    kind: 'api' as const,
    status: Number(status),
    code,
    message,
    requestId: /^Request: +(\S+)$/m.exec(printed)?.[1] ?? null,
    docs: /^What to do: (\S+)$/m.exec(printed)?.[1] ?? null,
    validationErrorCodes: {},
    retryAfterSeconds: null,
    payment: null,
  };
  return { error };
}
