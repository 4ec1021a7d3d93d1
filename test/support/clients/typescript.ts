import { vi } from 'vitest';
import {
  type CallOptions,
  Kefel,
  KefelConnectionError,
  KefelError,
  type RefundRequest,
  verifyWebhook,
  WebhookVerificationError,
} from '../../../clients/typescript/kefel.ts';
import { type Command, type Driver, isSpecialNumber, type Result } from './driver.ts';

/** The TypeScript client, in the process of the test. */
export const typescriptDriver: Driver = {
  run: async (command) => {
    try {
      return { value: await resultOf(command) };
    } catch (error) {
      return { error: failureOf(error) };
    }
  },
};

async function resultOf({ call, args, client }: Command): Promise<unknown> {
  const { timeoutSeconds, ...options } = client;
  const kefel = new Kefel({ ...options, timeoutMs: timeoutSeconds * 1_000 });
  const calls: Readonly<Record<string, (...values: never[]) => Promise<unknown>>> = {
    'payments.create': kefel.payments.create.bind(kefel.payments),
    'payments.express': kefel.payments.express.bind(kefel.payments),
    'payments.get': kefel.payments.get.bind(kefel.payments),
    'payments.list': (filter: object) => kefel.payments.list(withTimes(filter)),
    'payments.cancel': kefel.payments.cancel.bind(kefel.payments),
    'refunds.create': (request: RefundRequest, options?: CallOptions) =>
      kefel.refunds.create(withSpecialNumbers(request), options),
    'refunds.get': kefel.refunds.get.bind(kefel.refunds),
    'refunds.list': (filter: object) => kefel.refunds.list(withTimes(filter)),
    'refunds.cancel': kefel.refunds.cancel.bind(kefel.refunds),
    'events.list': (filter: object) => kefel.events.list(withTimes(filter)),
    'events.get': kefel.events.get.bind(kefel.events),
    'events.resend': kefel.events.resend.bind(kefel.events),
    'events.resendUndelivered': (since: string) => kefel.events.resendUndelivered(new Date(since)),
    verifyWebhook,
    'verifyWebhook.warnings': (...webhook: Parameters<typeof verifyWebhook>) =>
      warningsOf(...webhook),
  };
  const run = calls[call];
  if (run === undefined) {
    throw new Error(`no call ${call}`);
  }
  return run(...(args as never[]));
}

/** By a copy of the client of its own, which has not warned yet: it warns once in a process. */
async function warningsOf(
  ...webhook: Parameters<typeof verifyWebhook>
): Promise<readonly string[]> {
  const path = `../../../clients/typescript/kefel.ts?copy=${crypto.randomUUID()}`;
  const copy: { readonly verifyWebhook: typeof verifyWebhook } = await import(path);
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  try {
    await copy.verifyWebhook(...webhook);
    return warn.mock.calls.map(String);
  } finally {
    warn.mockRestore();
  }
}

/** `createdFrom` and the like as dates. */
function withTimes(filter: object): object {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      /(?:From|To)$/.test(name) ? new Date(value) : value,
    ]),
  );
}

function withSpecialNumbers(request: RefundRequest): RefundRequest {
  const entries = Object.entries(request).map(([name, value]) => [
    name,
    isSpecialNumber(value) ? Number(value.$number) : value,
  ]);
  return Object.fromEntries(entries);
}

function failureOf(error: unknown): Extract<Result, { error: unknown }>['error'] {
  if (error instanceof KefelError) {
    const { status, code, message, requestId, docs } = error;
    const { validationErrorCodes, retryAfterSeconds } = error;
    const fields = { validationErrorCodes, retryAfterSeconds };
    return { kind: 'api', status, code, message, requestId, docs, ...fields };
  }
  if (error instanceof KefelConnectionError) {
    return { kind: 'connection' };
  }
  if (error instanceof WebhookVerificationError) {
    return { kind: 'webhook' };
  }
  if (error instanceof RangeError) {
    return { kind: 'argument' };
  }
  throw error;
}
