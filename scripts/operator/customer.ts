import type { CustomersPage, ErasedPage } from '../../src/control/rpc/operator.ts';
import { send } from './client.ts';
import type { Gateway } from './command.ts';
import { type Given, UsageError } from './command.ts';
import { openNew } from './export.ts';

/** Exports and erasures of customers, from page to page until every merchant's book was asked. */

/** Progress, and the result. */
type Lines = AsyncGenerator<Readonly<Record<string, unknown>>>;

/** Writes all that is stored about a customer as one JSON document. Replaces no file. */
export async function* exportCustomer(gateway: Gateway, given: Given): Lines {
  const path = given.option('to') ?? '';
  const body = customerIn(given);
  // Opened first, because what was exported must not be lost for want of a place.
  const file = await openNew(path);
  try {
    const payments: unknown[] = [];
    let elsewhere: readonly string[] = [];
    for await (const page of pagesOf<CustomersPage>(gateway, '/customers/export', body)) {
      payments.push(...page.payments);
      ({ elsewhere } = page);
    }
    const { reason: _reason, ...customer } = body;
    const exportedAt = new Date().toISOString();
    await file.writeFile(
      `${JSON.stringify({ customer, exportedAt, payments, keptElsewhere: elsewhere }, null, 2)}\n`,
    );
    yield { file: path, payments: payments.length };
  } finally {
    await file.close();
  }
}

/** Erases a customer's payments, and shows what must be kept until when. */
export async function* eraseCustomer(gateway: Gateway, given: Given): Lines {
  const body = { ...customerIn(given), refundableToo: given.has('refundable-too') };
  const total = { erased: 0, failed: 0 };
  let last: ErasedPage | null = null;
  for await (const page of pagesOf<ErasedPage>(gateway, '/customers/erase', body)) {
    total.erased += page.erased;
    total.failed += page.failed;
    last = page;
  }
  yield { request: last?.request, ...total, kept: last?.kept ?? [] };
}

async function* pagesOf<Page extends { readonly next: string | null }>(
  gateway: Gateway,
  path: string,
  body: Readonly<Record<string, unknown>>,
): AsyncGenerator<Page> {
  for (let after: string | null | undefined; after !== null; ) {
    const given = after === undefined ? body : { ...body, after };
    const page = (await send(gateway, { path, body: given })) as Page;
    yield page;
    after = page.next;
  }
}

function customerIn(given: Given): Readonly<Record<string, string>> {
  const named = ['phone', 'email'].filter((name) => given.has(name));
  if (named.length !== 1) {
    throw new UsageError('give either --phone, or --email');
  }
  return Object.fromEntries(
    [...named, 'reason'].map((name) => [name, given.option(name) ?? ''] as const),
  );
}
