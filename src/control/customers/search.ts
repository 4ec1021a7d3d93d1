import * as v from 'valibot';
import { phoneFrom } from '../../engine/domain/phone.ts';
import { emailFrom } from '../../engine/domain/search-key.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { REQUIRED } from '../../kit/http/fields.ts';
import { parsed } from '../../kit/http/list-request.ts';
import { validationProblem } from '../../kit/http/problem.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { ENVIRONMENTS, type Environment } from '../../kit/tenant.ts';
import { bookOf } from '../../lists/book/client.ts';
import type { CustomersPayment } from '../../lists/book/queries/customers.ts';
import { digestChoices } from '../../lists/book/search-digests.ts';

/**
 * Finds all payments of a customer, of every merchant, in both environments and all volumes. Unlike a
 * search on the desk, this one goes on from page to page until it has asked every book.
 */

/** A phone number as `251XXXXXXXXX`, or an e-mail address in lower case. */
export interface Customer {
  readonly kind: 'phone' | 'email';
  readonly text: string;
}

/** The books and payments of one request: a Worker may make 1,000 calls. */
const PAGE_BOOKS = 60;
const PAGE_PAYMENTS = 20;

/** A payment in its merchant's book. */
export interface FoundPayment extends CustomersPayment {
  readonly tenant: Tenant;
  readonly volume: number;
}

/** A place in a book: the payment after which the search goes on. */
export interface SearchPlace extends Tenant {
  readonly volume: number;
  readonly after: number;
}

const END_OF_BOOK = Number.MAX_SAFE_INTEGER;

const PLACE = /^([A-Za-z0-9_-]{1,64})\/(sandbox|production)\/(\d{1,4})\/(\d{1,16})$/;

function placeFrom(text: string): SearchPlace | null {
  const [, merchantId = '', environment, volume, after] = PLACE.exec(text) ?? [];
  return environment === undefined
    ? null
    : {
        merchantId,
        environment: environment as Environment,
        volume: Number(volume),
        after: Number(after),
      };
}

/** Contains nothing about the customer. */
export function placeText({ merchantId, environment, volume, after }: SearchPlace): string {
  return `${merchantId}/${environment}/${volume}/${after}`;
}

/** The fields of a request about one customer. */
export const customerEntries = {
  phone: v.optional(
    parsed(phoneFrom, fieldError('invalid_format', 'Must be an Ethiopian mobile number.')),
  ),
  email: v.optional(parsed(emailFrom, fieldError('invalid_format', 'Must be an e-mail address.'))),
  after: v.optional(
    parsed(placeFrom, fieldError('invalid_format', 'Is not the place after a page.')),
  ),
};

/** Problem 400 unless exactly one of the two is given. */
export function customerIn(fields: {
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}): Customer {
  const { phone, email } = fields;
  if (phone !== undefined && email !== undefined) {
    throw validationProblem({ email: fieldError('mismatch', 'Only one of phone and email.') });
  }
  if (phone !== undefined) {
    return { kind: 'phone', text: phone };
  }
  if (email !== undefined) {
    return { kind: 'email', text: email };
  }
  throw validationProblem({ phone: REQUIRED });
}

interface Book {
  readonly tenant: Tenant;
  readonly volume: number;
}

/** The next books after a place, by merchant, environment and volume; the place's own book is first. */
async function booksFrom(env: Env, place: SearchPlace | null): Promise<readonly Book[]> {
  const sql = `SELECT merchants.id AS merchantId, place.value AS environment
      , (SELECT json_group_array(volume) FROM book_volumes
        WHERE merchant_id = merchants.id AND environment = place.value) AS volumes
    FROM merchants CROSS JOIN json_each(?1) AS place
    WHERE (merchants.id, place.value) >= (?2, ?3)
    ORDER BY merchants.id, place.value LIMIT ?4`;
  const { merchantId = '', environment = '', volume = 0 } = place ?? {};
  const params = [JSON.stringify(ENVIRONMENTS), merchantId, environment, PAGE_BOOKS];
  const { results } = await prepare(env.DB, { sql, params }).all<
    Tenant & { readonly volumes: string }
  >();
  return results
    .flatMap(({ volumes, ...tenant }) =>
      [0, ...(JSON.parse(volumes) as number[])]
        .sort((one, other) => one - other)
        .map((number) => ({ tenant, volume: number })),
    )
    .filter((book) => !isBook(book, place) || book.volume >= volume)
    .slice(0, PAGE_BOOKS);
}

/** Whether the book is one of the place's tenant. */
function isBook({ tenant }: Book, place: SearchPlace | null): boolean {
  return tenant.merchantId === place?.merchantId && tenant.environment === place.environment;
}

/**
 * A page of the customer's payments, oldest merchants' ids first. `next` is the place after it, and
 * null when every book was asked. Throws Unavailable when a book does not answer.
 */
export async function customersPayments(
  env: Env,
  { kind, text }: Customer,
  place: SearchPlace | null,
): Promise<{ readonly found: readonly FoundPayment[]; readonly next: SearchPlace | null }> {
  const books = await booksFrom(env, place);
  const answers = await concurrently([...books.entries()], async ([index, { tenant, volume }]) => {
    const keys = await digestChoices(env, tenant, kind, text);
    const isPlace = index === 0 && isBook({ tenant, volume }, place) && volume === place?.volume;
    const after = isPlace ? place.after : 0;
    const book = bookOf(env, tenant, volume);
    return { index, page: await book.ask('customersPayments', keys, after, PAGE_PAYMENTS) };
  });
  const found: FoundPayment[] = [];
  for (const { index, page } of answers.toSorted((one, other) => one.index - other.index)) {
    const { tenant, volume } = books[index] as Book;
    const own = (page?.payments ?? []).slice(0, PAGE_PAYMENTS - found.length);
    found.push(...own.map((payment) => ({ ...payment, tenant, volume })));
    const hasMore = own.length < (page?.payments.length ?? 0);
    const after = hasMore ? (own.at(-1)?.id ?? null) : (page?.next ?? null);
    if (hasMore && after === null) {
      // The page was full before this book.
      return { found, next: { ...tenant, volume, after: 0 } };
    }
    if (after !== null) {
      return { found, next: { ...tenant, volume, after } };
    }
  }
  const last = books.at(-1);
  const next =
    books.length < PAGE_BOOKS || last === undefined
      ? null
      : { ...last.tenant, volume: last.volume, after: END_OF_BOOK };
  return { found, next };
}
