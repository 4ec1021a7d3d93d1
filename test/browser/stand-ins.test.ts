import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DeskOrder, deskPage } from '../../scripts/stand-ins/desk.ts';
import { startPhones } from '../../scripts/stand-ins/phones.ts';
import { CUSTOMER_ACTS, type Prompts, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import { axeViolations, overflowOf } from '../support/page-checks.ts';
import { SIZES, useStage } from './support.ts';

/** The stand-ins' pages, which an evaluator sees in place of the providers. */

const stage = useStage();
const ORDER: DeskOrder = {
  orderId: 'H7K2M9QX4T0B8ZC3VN5D',
  amountText: 'ETB 1,500.00',
  phone: null,
  action: '/act',
  acts: CUSTOMER_ACTS,
};
let provider: StandInServer;
let phones: StandInServer;
const pressed: string[] = [];

function promptsOf(orderId: string): Prompts {
  let isWaiting = true;
  return {
    waiting: () => (isWaiting ? [{ ...ORDER, orderId, phone: '251911234567' }] : []),
    press: async (body) => {
      pressed.push(body);
      isWaiting = false;
      return true;
    },
  };
}

beforeAll(async () => {
  provider = await StandInServer.start(async () => deskPage('telebirr', [ORDER]));
  phones = await startPhones(
    new Map([
      ['M_PESA', { prompts: promptsOf('one'), dayLines: () => [] }],
      ['E_BIRR', { prompts: promptsOf('two'), dayLines: () => [] }],
    ]),
  );
});

afterAll(async () => {
  await Promise.all([provider.stop(), phones.stop()]);
});

describe.each([
  ['phone', 'light'],
  ['desktop', 'dark'],
] as const)('on a %s, %s', (size, colorScheme) => {
  test.each(['provider', 'phones'])(
    '%s: axe finds nothing, and a thumb hits each button',
    async (name) => {
      const page = await (await stage.context({ ...SIZES[size], colorScheme })).newPage();
      await page.goto((name === 'phones' ? phones : provider).baseUrl);
      expect(await axeViolations(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      for (const button of await page.getByRole('button').all()) {
        expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(48);
      }
    },
  );
});

test('one address has the prompts of all phones', async () => {
  const page = await (await stage.context(SIZES.phone)).newPage();
  await page.goto(phones.baseUrl);
  expect(await page.locator('form h2').allTextContents()).toEqual(['M\u2011PESA', 'eBirr']);
  await page.locator('form[action="/E_BIRR"] [value=pays]').click();
  await page.locator('form[action="/E_BIRR"]').waitFor({ state: 'detached' });
  expect(pressed).toEqual(['orderId=two&act=pays']);
  expect(await page.locator('form[action="/M_PESA"]').count()).toBe(1);
});
