import { readFile } from 'node:fs/promises';
import type {
  NewPaymentLink,
  PaymentLink,
  PaymentLinkChanges,
  PaymentLinkFilter,
} from '../typescript/kefel.ts';
import { accessOf, clientOf } from './access.ts';
import { type Command, type Given, type Options, UsageError } from './command.ts';
import { PAGE_OPTIONS, pageFilter, present, printJson, printPage } from './lists.ts';
import { inOneLine, print } from './output.ts';

const ID = 'ID: your paymentLinkUniqueId.';
const JSON_OPTION: Options = {
  json: { value: null, about: 'print the answer as JSON, for programs' },
};
const ACTIVE = 'true|false';

/** What a link has. `--file` has the fields that would be long in a command. */
const FIELD_OPTIONS: Options = {
  title: { value: 'TEXT', about: 'what is paid for: the headline of the page' },
  description: { value: 'TEXT', about: 'more about it; customers read it' },
  amount: { value: 'AMOUNT', about: 'a fixed amount in major units: 450 is 450.00' },
  'amount-minor': {
    value: 'N',
    about: 'use --amount, in major units: 450 is 450.00',
    isRefused: true,
  },
  open: { value: null, about: 'the customer types the amount' },
  min: { value: 'AMOUNT', about: 'the least amount with --open (default: 1.00)' },
  max: { value: 'AMOUNT', about: 'the largest amount with --open' },
  'valid-until': {
    value: 'TIME',
    about: 'from then on, the page takes no payment: 2027-06-30T21:00:00Z',
  },
  'payments-max': { value: 'N', about: 'how many payments it takes (default: any number)' },
  'paid-text': { value: 'TEXT', about: 'what the page says after a payment' },
  active: { value: ACTIVE, about: 'whether the page takes payments' },
  file: { value: 'FILE', about: 'a JSON object with other fields: items, methods, askFor, …' },
};

const create: Command = {
  arguments: '',
  argumentsMin: 0,
  argumentsMax: 0,
  summary: 'Create a payment link and print its address',
  about: 'A link needs a title and one kind of price: --amount, --open, or items in --file.',
  options: {
    id: { value: 'ID', about: 'its paymentLinkUniqueId, which works once (default: a new one)' },
    ...FIELD_OPTIONS,
    ...JSON_OPTION,
  },
  async run(given) {
    const request = {
      ...(await fieldsIn(given)),
      ...present({ paymentLinkUniqueId: given.text('id') }),
    };
    const { paymentLinks } = clientOf(await accessOf(given));
    // The gateway says which field is missing or wrong.
    printLink(given, await paymentLinks.create(request as NewPaymentLink));
  },
};

const list: Command = {
  arguments: '',
  argumentsMin: 0,
  argumentsMax: 0,
  summary: 'List payment links, newest first',
  about: 'A row has the time of creation, the id, the state, the price, the title and the address.',
  options: {
    active: { value: ACTIVE, about: 'only links that are active, or only those that are not' },
    ...PAGE_OPTIONS,
  },
  async run(given) {
    const filter = present({ isActive: activeIn(given), ...pageFilter(given) });
    const { paymentLinks } = clientOf(await accessOf(given));
    const page = await paymentLinks.list(filter as PaymentLinkFilter);
    printPage(given, page, (link) => [link.createdAt, ...cellsOf(link)]);
  },
};

const show: Command = {
  arguments: 'ID',
  argumentsMin: 1,
  argumentsMax: 1,
  summary: 'Show a payment link',
  about: ID,
  options: JSON_OPTION,
  async run(given) {
    const [id = ''] = given.arguments;
    const { paymentLinks } = clientOf(await accessOf(given));
    printJson(await paymentLinks.get(id));
  },
};

const change: Command = {
  arguments: 'ID',
  argumentsMin: 1,
  argumentsMax: 1,
  summary: 'Change a payment link, or activate it again',
  about: `${ID} What you do not name stays as it is, and so do the payments that exist.
--open, --min and --max replace the amount, or both old limits. To give up items, the file has [].`,
  options: { ...FIELD_OPTIONS, ...JSON_OPTION },
  async run(given) {
    const [id = ''] = given.arguments;
    const fields = await fieldsIn(given);
    if (Object.keys(fields).length === 0) {
      throw new UsageError('Name what changes: kefel links change ID --amount 500');
    }
    const { paymentLinks } = clientOf(await accessOf(given));
    printLink(given, await paymentLinks.update(id, fields as PaymentLinkChanges));
  },
};

const deactivate: Command = {
  arguments: 'ID',
  argumentsMin: 1,
  argumentsMax: 1,
  summary: 'End a payment link: its page takes no more payments',
  about: `${ID} Deactivating twice changes nothing; kefel links change ID --active true undoes it.`,
  options: JSON_OPTION,
  async run(given) {
    const [id = ''] = given.arguments;
    const { paymentLinks } = clientOf(await accessOf(given));
    printLink(given, await paymentLinks.deactivate(id));
  },
};

export const LINK_COMMANDS: Readonly<Record<string, Command>> = {
  'links create': create,
  'links list': list,
  'links show': show,
  'links change': change,
  'links deactivate': deactivate,
};

/** Those of the file and of the options, which override the file. */
async function fieldsIn(given: Given): Promise<object> {
  const file = given.text('file');
  return {
    ...(file === undefined ? {} : await objectIn(file)),
    ...priceIn(given),
    ...present({
      title: given.text('title'),
      description: given.text('description'),
      validUntil: given.text('valid-until'),
      paymentsMax: paymentsMaxIn(given),
      paidText: given.text('paid-text'),
      isActive: activeIn(given),
    }),
  };
}

/** A fixed amount replaces an open one, and the reverse. Items stay, so the gateway refuses both. */
function priceIn(given: Given): object {
  const amount = amountIn(given, 'amount');
  const openAmount = ['open', 'min', 'max'].some((name) => given.has(name))
    ? present({ min: amountIn(given, 'min'), max: amountIn(given, 'max') })
    : undefined;
  if (amount === undefined && openAmount === undefined) {
    return {};
  }
  return { amount: amount ?? null, openAmount: openAmount ?? null };
}

async function objectIn(file: string): Promise<object> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--file ${file}: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`--file ${file} must have a JSON object, such as {"title": "Honey"}`);
  }
  return value;
}

/** In major units, as the API has amounts of links. */
function amountIn(given: Given, name: string): number | undefined {
  const text = given.text(name);
  if (text !== undefined && !/^\d{1,9}(?:\.\d{1,2})?$/.test(text)) {
    throw new UsageError(
      `--${name} takes an amount in major units, such as 450 or 450.50, not "${text}"`,
    );
  }
  return text === undefined ? undefined : Number(text);
}

function paymentsMaxIn(given: Given): number | undefined {
  const text = given.text('payments-max');
  if (text !== undefined && !/^\d{1,9}$/.test(text)) {
    throw new UsageError(`--payments-max takes a whole number, not "${text}"`);
  }
  return text === undefined ? undefined : Number(text);
}

function activeIn(given: Given): boolean | undefined {
  const text = given.text('active');
  if (text !== undefined && text !== 'true' && text !== 'false') {
    throw new UsageError(`--active takes true or false, not "${text}"`);
  }
  return text === undefined ? undefined : text === 'true';
}

function printLink(given: Given, link: PaymentLink): void {
  if (given.has('json')) {
    printJson(link);
  } else {
    print(cellsOf(link).map(inOneLine).join('  '));
  }
}

function cellsOf(link: PaymentLink): readonly string[] {
  const { paymentLinkUniqueId, isActive, title, url } = link;
  return [paymentLinkUniqueId, isActive ? 'active' : 'inactive', priceOf(link), title, url];
}

function priceOf({ amount, openAmount, items, currency }: PaymentLink): string {
  if (amount !== null) {
    return `${amount.toFixed(2)} ${currency}`;
  }
  if (openAmount !== null) {
    const { min, max } = openAmount;
    const most = max === null ? 'or more' : `to ${max.toFixed(2)}`;
    return `${min.toFixed(2)} ${most} ${currency}`;
  }
  return items.length === 1 ? '1 item' : `${items.length} items`;
}
