import { vi } from 'vitest';
import {
  type HostedPaymentRequest,
  Kefel,
  KefelConnectionError,
  KefelError,
  type KefelOptions,
  signTestWebhook,
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
  const warnings: string[] = [];
  const kefel = new Kefel({
    ...(withTimes(client) as KefelOptions),
    onWarning: (warning) => warnings.push(warning),
  });
  const values = args.map((value) => withTimes(value)) as never[];
  switch (call) {
    case 'verifyWebhook':
      return verifyWebhook(...(values as unknown as Parameters<typeof verifyWebhook>));
    case 'verifyWebhook.warnings':
      return warningsOf(...(values as unknown as Parameters<typeof verifyWebhook>));
    case 'signTestWebhook':
      return signTestWebhook(...(values as unknown as Parameters<typeof signTestWebhook>));
    case 'payments.create.warnings':
      await kefel.payments.create(...(values as unknown as [HostedPaymentRequest]));
      return warnings;
    case 'events.resendUndelivered':
      return kefel.events.resendUndelivered(new Date(String(values[0])));
  }
  const [part = '', name = ''] = call.split('.');
  const functions = Object(kefel)[part];
  const value = functions[name](...values);
  return name === 'all' ? allOf(value) : value;
}

async function allOf(items: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
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

/** Times as dates, limits in milliseconds, and the numbers that JSON cannot write. */
function withTimes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (/(?:From|To)$|^at$/.test(name)) {
        return [name, new Date(member)];
      }
      return /^(?:timeout|deadline)Seconds$/.test(name)
        ? [name.replace('Seconds', 'Ms'), member * 1_000]
        : [name, isSpecialNumber(member) ? Number(member.$number) : member];
    }),
  );
}

function failureOf(error: unknown): Extract<Result, { error: unknown }>['error'] {
  if (error instanceof KefelError) {
    const { status, code, message, requestId, docs } = error;
    const { validationErrorCodes, retryAfterSeconds, payment } = error;
    const fields = { validationErrorCodes, retryAfterSeconds, payment };
    return { kind: 'api', status, code, message, requestId, docs, ...fields };
  }
  if (error instanceof KefelConnectionError) {
    return { kind: 'connection', message: error.message };
  }
  if (error instanceof WebhookVerificationError) {
    return { kind: 'webhook', message: error.message };
  }
  if (error instanceof RangeError) {
    return { kind: 'argument', message: error.message };
  }
  throw error;
}
