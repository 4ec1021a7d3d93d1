import { describe, expect, test } from 'vitest';
import { readSale, type SaleProblem, saleBody } from '../../../src/control/till/sale.ts';
import type { Config } from '../../../src/engine/config.ts';

/** Goal: a sale's form is read as the seller means it, and one form makes one payment of one till. */

const NONCE = crypto.randomUUID();

describe('a form', () => {
  test.each<[amount: string, note: string, amountMinor: number, note: string | null]>([
    ['250', '', 25_000, null],
    [' 1,500.50 birr ', ' Table 4 ', 150_050, 'Table 4'],
    ['ብር 99.5', 'ቡና', 9_950, 'ቡና'],
    ['1', 'x'.repeat(100), 100, 'x'.repeat(100)],
  ])('that says %j and %j is a sale', (amount, note, amountMinor, read) => {
    expect(readSale({ nonce: NONCE, amount, note })).toEqual({ amountMinor, note: read });
  });

  test.each<[amount: string, note: string, problem: SaleProblem]>([
    ['', '', 'amount_missing'],
    ['  ', '', 'amount_missing'],
    ['75,5', '', 'amount_invalid'],
    ['-5', '', 'amount_invalid'],
    ['1e3', '', 'amount_invalid'],
    ['10.005', '', 'amount_invalid'],
    ['10', 'x'.repeat(101), 'note_invalid'],
    ['10', 'two\nlines', 'note_invalid'],
    ['10', 'turned \u202e round', 'note_invalid'],
  ])('that says %j and %j is refused: %s', (amount, note, problem) => {
    expect(readSale({ nonce: NONCE, amount, note })).toBe(problem);
  });
});

describe('a payment', () => {
  const config = { expireInSecondsMin: 60, expireInSecondsMax: 86_400 } as Config;
  const made = (changes: Partial<Record<string, string | number>> = {}) => {
    const is = { environment: 'sandbox', merchant: 'mer_1', till: 'mem_1', nonce: NONCE };
    const { environment, merchant, till, nonce, amountMinor, note } = {
      ...{ ...is, amountMinor: 25_000, note: null },
      ...changes,
    };
    return saleBody(
      { environment: environment as 'sandbox', merchantId: String(merchant) },
      { id: String(till), name: 'Till 2' },
      String(nonce),
      { amountMinor: Number(amountMinor), note },
      config,
      'https://pay.example.com',
    );
  };

  test('is the same for the same form', async () => {
    const { uniqueId, body, added } = await made();
    expect(await made()).toEqual({ uniqueId, body, added });
    expect(uniqueId).toMatch(/^TILL-[A-Z2-7]{16}$/);
    expect(body.value).toMatchObject({ amount: 250, metadata: { till: 'Till 2' } });
    expect(added).toEqual({ tillId: 'mem_1', description: null, returnUrl: null });
  });

  test.each([
    { environment: 'production' },
    { merchant: 'mer_2' },
    { till: 'mem_2' },
    { nonce: 'another' },
    { amountMinor: 25_001 },
    { note: 'Table 4' },
  ])('is another one with %j', async (change) => {
    expect((await made(change)).uniqueId).not.toBe((await made()).uniqueId);
  });
});
