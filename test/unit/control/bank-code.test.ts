import { describe, expect, test } from 'vitest';
import { checksumOf, isNameOf, readBankCode } from '../../../src/control/merchants/bank-code.ts';

/**
 * Goal: Kefel prints no code that bank apps refuse, and shows the name that they show. The texts are
 * samples of EthSwitch and of NBE's document, and texts built by their rules.
 */

const ACCOUNT = '28610032581b314e257f41bfbbdc6384daa31d160107ETSETAA02101234567890';
const STATIC =
  '00020101021128610032581b314e257f41bfbbdc6384daa31d160107ETSETAA021012345678905204541153032305802ET5913Test Merchant6011Addis Ababa6304305A';
const DYNAMIC =
  '00020101021228610032581b314e257f41bfbbdc6384daa31d160107ETSETAA021012345678905204581253032305406450.005802ET5913Test Merchant6011Addis Ababa62530112INV-2026-0010512KF7Q2M9X4T1B0707TILL-030806RETNTP63049A51';
const AMHARIC =
  '00020101021228610032581b314e257f41bfbbdc6384daa31d160107ETSETAA02101234567890520458125303230540599.505802ET5918Habesha Restaurant6011Addis Ababa62200506KF00010806RETNTP64310002AM0110ሐበሻ ምግብ ቤት0207አዲስ አበባ63046EA8';
const BILL =
  '00020101021228610032581b314e257f41bfbbdc6384daa31d160107ETSETAA021012345678905204490053032305406350.005802ET5911Addis Water6011Addis Ababa62660110UTIL-888210805UTSBP1010001234567811031115008301120265106385.00630466F0';
const WITH_UETR =
  '00020101021228620032581b314e257f41bfbbdc6384daa31d160108CBETETAA0210123456789052045411530323054071200.005802ET5913Test Merchant6011Addis Ababa62170806ONLPUR11035218011Kefel order8436f81d4fae-7dec-41d0-a765-00a0c91e6bf66304C280';
const ETHSWITCH =
  '00020101021128610032581b314e257f41bfbbdc6384daa31d160107ETSETAA021012345678905204541153032305406100.00550202560510.005802ET5913Merchant Name6014A.A Merch City62920103***0214+251-9222222220308STORE-010403***0707TERM-010806ONLPUR0903AEM1009TAX-ID-0111034006304E781';

/** A text whose checksum is right. */
function signed(fields: string): string {
  const text = `${fields}6304`;
  return text + checksumOf(text);
}

const without = (text: string, field: string) => signed(text.slice(0, -8).replace(field, ''));
const MINIMUM = STATIC.slice(0, -8);

const PLAIN = {
  name: 'Test Merchant',
  city: 'Addis Ababa',
  otherName: null,
  amount: null,
  isForOnePayment: false,
};

test.each([
  [
    'of EthSwitch',
    ETHSWITCH,
    { ...PLAIN, name: 'Merchant Name', city: 'A.A Merch City', amount: '100.00' },
  ],
  ['with the least', STATIC, PLAIN],
  ['for one payment', DYNAMIC, { ...PLAIN, amount: '450.00', isForOnePayment: true }],
  [
    'with an Amharic name',
    AMHARIC,
    {
      ...PLAIN,
      name: 'Habesha Restaurant',
      otherName: 'ሐበሻ ምግብ ቤት',
      amount: '99.50',
      isForOnePayment: true,
    },
  ],
  ['of a bill', BILL, { ...PLAIN, name: 'Addis Water', amount: '350.00', isForOnePayment: true }],
  ['with a UETR', WITH_UETR, { ...PLAIN, amount: '1200.00', isForOnePayment: true }],
  ['with a checksum in lower case', STATIC.replace(/305A$/, '305a'), PLAIN],
  ['with a short account', signed(MINIMUM.replace(ACCOUNT, '28150003CBE01041234')), PLAIN],
  ['in another order', signed(`${MINIMUM.replace('5802ET', '')}5802ET`), PLAIN],
  [
    'of characters of four bytes',
    signed(MINIMUM.replace('5913Test Merchant', '5902🐝x')),
    { ...PLAIN, name: '🐝x' },
  ],
])('reads a code %s', (_name, text, expected) => {
  expect(readBankCode(text)).toEqual(expected);
});

const UNREADABLE = { kind: 'unreadable' };
const field = (id: string) => ({ kind: 'field', field: id });

test.each([
  ['a wrong checksum', DYNAMIC.replace(/9A51$/, '0000'), { kind: 'checksum' }],
  ['a checksum over UTF-16', AMHARIC.replace(/6EA8$/, '15F9'), { kind: 'checksum' }],
  ['a changed account', STATIC.replace('1234567890', '1234567891'), { kind: 'checksum' }],
  [
    'lengths in bytes',
    `${AMHARIC.slice(0, AMHARIC.indexOf('6431'))}64590002AM0126ሐበሻ ምግብ ቤት0219አዲስ አበባ6304B69C`,
    UNREADABLE,
  ],
  [
    'an account that takes the fields behind it',
    signed(MINIMUM.replace('2861', '2876')),
    field('52'),
  ],
  [
    'an inner field that runs over',
    signed(MINIMUM.replace('02101234567890', '02991234567890')),
    field('28'),
  ],
  ['nothing after the checksum’s length', STATIC.slice(0, -4), UNREADABLE],
  ['half a checksum', STATIC.slice(0, -2), UNREADABLE],
  ['a text behind the checksum', `${STATIC}5802ET`, UNREADABLE],
  ['no checksum', MINIMUM, UNREADABLE],
  ['a field twice', signed(`${MINIMUM}5802ET`), UNREADABLE],
  ['a line break', STATIC.replace('Test Merchant', 'Test\nMerchant'), UNREADABLE],
  ['half a character', STATIC.replace('Test Merchant', 'Test\ud83dMerchant'), UNREADABLE],
  ['the bare digits of telebirr', '5123456789', UNREADABLE],
  ['nothing', '', UNREADABLE],
  ['no version', without(STATIC, '000201'), field('00')],
  ['no kind', without(STATIC, '010211'), field('01')],
  ['no account', without(STATIC, ACCOUNT), field('28')],
  ['no network', signed(MINIMUM.replace(ACCOUNT, '28250107ETSETAA02101234567890')), field('28')],
  ['no category', without(STATIC, '52045411'), field('52')],
  ['a currency by name', signed(MINIMUM.replace('5303230', '5303ETB')), field('53')],
  ['rupees', signed(MINIMUM.replace('5303230', '5303586')), field('53')],
  ['a wrong amount', signed(DYNAMIC.slice(0, -8).replace('450.00', '450.0x')), field('54')],
  ['another country', signed(MINIMUM.replace('5802ET', '5802KE')), field('58')],
  ['no name', without(STATIC, '5913Test Merchant'), field('59')],
  ['a name of spaces', signed(MINIMUM.replace('Test Merchant', ' '.repeat(13))), field('59')],
  ['no city', without(STATIC, '6011Addis Ababa'), field('60')],
  ['a broken part of its details', signed(`${MINIMUM}6203010`), field('62')],
  [
    '513 characters',
    signed(
      `${MINIMUM}${'8099'.padEnd(103, 'x')}8199${'x'.repeat(99)}8299${'x'.repeat(99)}8371${'x'.repeat(71)}`,
    ),
    { kind: 'too_long' },
  ],
  ['a flood', '0'.repeat(1_000_000), { kind: 'too_long' }],
])('refuses a code with %s', (_name, text, expected) => {
  expect(readBankCode(text)).toEqual(expected);
});

test.each([
  ['123456789', '29B1'],
  ['', 'FFFF'],
])('computes the checksum of %j', (text, expected) => {
  expect(checksumOf(text)).toBe(expected);
});

describe('names', () => {
  test.each([
    ['Addis Books', null, ['Addis Books', null], true],
    ['ADDIS BOOKS P.L.C.', null, ['Addis Books', null], true],
    // Cut to 25 characters.
    ['Habesha Traditional Resta', null, ['x', 'Habesha Traditional Restaurant'], true],
    ['Habesha', 'ሐበሻ ምግብ ቤት', ['ሐበሻ ምግብ ቤት', null], true],
    ['Abebe Kebede', null, ['Addis Books', null], false],
    ['...', null, ['Addis Books', null], false],
    ['Addis Books', null, ['—', null], false],
  ] as const)('%s, %s of %j: %s', (name, otherName, own, expected) => {
    expect(isNameOf({ name, otherName }, own)).toBe(expected);
  });
});
