import { describe, expect, test } from 'vitest';
import { ONLY_EXPRESS, ONLY_HOSTED } from '../../../src/engine/api/schema/common.ts';
import { expressSchema } from '../../../src/engine/api/schema/express.ts';
import { hostedSchema } from '../../../src/engine/api/schema/hosted.ts';
import { express, type Fields, hosted, ITEM, SANDBOX, SPLIT } from './validation-fixture.ts';

/**
 * Goal: a misspelled field does not vanish silently (docs/decisions.md#6). Every field that a
 * request does not have is named, at every depth, with the field that was probably meant.
 */

const IGNORED = 'is not a known field and was ignored.';
const ONLY = (kind: string) => `is for ${kind} payments only and was ignored.`;

describe('names what a body has too many', () => {
  test.each<[string, Fields, string[]]>([
    ['no unknown field', {}, []],
    ['another case', { customerinfo: {} }, [`customerinfo ${IGNORED} Did you mean customerInfo?`]],
    ['snake_case', { callback_url: 'x' }, [`callback_url ${IGNORED} Did you mean callbackUrl?`]],
    ['a missing letter', { amout: 1 }, [`amout ${IGNORED} Did you mean amount?`]],
    ['swapped letters', { itmes: [] }, [`itmes ${IGNORED}`]],
    ['of express', { method: 'CBE' }, [`method ${ONLY('express')} Did you mean methods?`]],
    ['nothing alike', { orderNumber: 7 }, [`orderNumber ${IGNORED}`]],
    [
      'a long name, which is cut inside an emoji',
      { [`${'x'.repeat(59)}😀`]: 1 },
      [`${'x'.repeat(59)}\ufffd… ${IGNORED}`],
    ],
    ['null', { returnURL: null }, [`returnURL ${IGNORED} Did you mean returnUrl?`]],
    [
      'in the customer',
      { customerInfo: { e_mail: 'a@b.et' } },
      [`customerInfo.e_mail ${IGNORED} Did you mean customerInfo.email?`],
    ],
    [
      'in an item and a split',
      {
        amount: 10,
        items: [ITEM, { ...ITEM, quantity: 1, price: 1, sku: 1, Desc: '' }],
        splitPayment: [{ ...SPLIT, amount: 1, creditaccount: '1' }],
      },
      [
        `items[1].sku ${IGNORED}`,
        `items[1].Desc ${IGNORED}`,
        `splitPayment[0].creditaccount ${IGNORED} Did you mean splitPayment[0].creditAccount?`,
      ],
    ],
  ])('%s', (_name, changes, warnings) => {
    expect(hosted(changes).warnings).toEqual(warnings);
  });

  test('also beside errors', () => {
    expect(hosted({ returnUrl: undefined, return_url: 'https://a.et' })).toMatchObject({
      ok: false,
      errors: { returnUrl: 'required: This field is required.' },
      warnings: [`return_url ${IGNORED} Did you mean returnUrl?`],
    });
  });

  test('of an express payment, whose testMode production ignores by rule', () => {
    expect(express({ testMode: { anything: 1 } }).warnings).toEqual([]);
    const testMode = { testModeType: 'ACTUAL_TEST', simulation_status: 'FAILED' };
    expect(express({ testMode }, SANDBOX).warnings).toEqual([
      `testMode.simulation_status ${IGNORED} Did you mean testMode.simulationStatus?`,
    ]);
    expect(express({ methods: ['CBE'] }).warnings).toEqual([
      `methods ${ONLY('hosted')} Did you mean method?`,
    ]);
  });

  test('and which fields only the other kind of payment has', () => {
    const namesOf = (schema: ReturnType<typeof hostedSchema> | ReturnType<typeof expressSchema>) =>
      Object.keys(schema.pipe[1].entries);
    const [ofHosted, ofExpress] = [hostedSchema(SANDBOX), expressSchema(SANDBOX)].map(namesOf);
    const without = (names: string[] = [], others: string[] = []) =>
      names.filter((name) => !others.includes(name)).sort();
    expect([...ONLY_EXPRESS.paths].sort()).toEqual(without(ofExpress, ofHosted));
    const inBody = ONLY_HOSTED.paths.filter((path) => !path.includes('.'));
    expect(inBody).toEqual(without(ofHosted, ofExpress));
    // The published interface has this one "for hosted checkout only".
    const customerInfo = { name: 'Abebe', isPhoneUpdatable: false };
    expect(express({ customerInfo }).warnings).toEqual([
      `customerInfo.isPhoneUpdatable ${ONLY('hosted')}`,
    ]);
    expect(hosted({ customerInfo }).warnings).toEqual([]);
  });

  test('of names that every object inherits', () => {
    expect(hosted({ constructor: 1 }).warnings).toEqual([`constructor ${IGNORED}`]);
  });

  test('but at most 20 of them, shortened, then their number', () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`x${index}`, 0]));
    const { warnings } = hosted(many);
    expect(warnings).toHaveLength(21);
    expect(warnings[20]).toBe('8980 more unknown fields were ignored.');
    const long = 'callbackUrl'.repeat(5_000);
    expect(hosted({ [long]: 1 }).warnings).toEqual([`${long.slice(0, 60)}… ${IGNORED}`]);
  });
});
