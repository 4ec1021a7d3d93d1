import { utf8 } from '../../kit/crypto/encoding.ts';
import { isPrintable } from '../../kit/text.ts';

/**
 * Reads the text of a national QR code (EthQR, an EMVCo merchant-presented code), which a bank gives a
 * merchant. Kefel prints the text unchanged; reading only finds what a bank app would refuse, and the
 * name that it shows. Fields are two digits of an id, two of a length, and a value.
 */

/** The longest text that bank apps read. */
export const BANK_CODE_CHARACTERS_MAX = 512;

/** What a bank app shows the customer. */
export interface BankCode {
  readonly name: string;
  readonly city: string;
  /** The name in another language, mostly Amharic; null: none. */
  readonly otherName: string | null;
  /** As written, in birr; null: the customer types it. */
  readonly amount: string | null;
  /** The bank means it for one payment: a printed sign is read by many. */
  readonly isForOnePayment: boolean;
}

/** `unreadable`: not such a text, or cut off. `field`: the id of the field that is missing or wrong. */
export type BankCodeFault =
  | { readonly kind: 'too_long' | 'unreadable' | 'checksum' }
  | { readonly kind: 'field'; readonly field: string };

const CHECKSUM_FIELD = '63';
const CHECKSUM_LENGTH = 4;

/** The account at the bank: the network's id, then the bank and the account. */
const ACCOUNT_FIELD = '28';
const OTHER_LANGUAGE_FIELD = '64';
/** Their values are fields again. */
const TEMPLATES = [ACCOUNT_FIELD, '62', OTHER_LANGUAGE_FIELD];

/** What each field must be, in the order in which problems are told. */
const RULES: readonly (readonly [field: string, rule: RegExp, isOptional?: true])[] = [
  ['00', /^01$/],
  ['01', /^1[12]$/],
  // The merchant's category and the currency, which is ETB.
  ['52', /^\d{4}$/],
  ['53', /^230$/],
  ['54', /^\d{1,10}(?:\.\d{1,2})?$/, true],
  ['58', /^ET$/],
  ['59', /\S/],
  ['60', /\S/],
];

type Fields = ReadonlyMap<string, string>;

export function readBankCode(text: string): BankCode | BankCodeFault {
  // In UTF-16 units, of which a text has at least as many as characters: bounds all that follows.
  if (text.length > 2 * BANK_CODE_CHARACTERS_MAX) {
    return { kind: 'too_long' };
  }
  const characters = Array.from(text);
  if (characters.length > BANK_CODE_CHARACTERS_MAX) {
    return { kind: 'too_long' };
  }
  const fields = isPrintable(text) ? fieldsIn(characters) : null;
  const checksum = fields?.get(CHECKSUM_FIELD);
  const signed = text.slice(0, -CHECKSUM_LENGTH);
  if (fields === null || !signed.endsWith(`${CHECKSUM_FIELD}0${CHECKSUM_LENGTH}`)) {
    return { kind: 'unreadable' };
  }
  if (checksum?.toUpperCase() !== checksumOf(signed)) {
    return { kind: 'checksum' };
  }
  const templates = new Map(
    TEMPLATES.map((id) => [id, fieldsIn(Array.from(fields.get(id) ?? ''))] as const),
  );
  const account = templates.get(ACCOUNT_FIELD);
  const wrong =
    [...templates].find(([, inner]) => inner === null)?.[0] ??
    (account?.get('00') && account.get('01') ? undefined : ACCOUNT_FIELD) ??
    RULES.find(([id, rule, isOptional]) => {
      const value = fields.get(id);
      return value === undefined ? !isOptional : !rule.test(value);
    })?.[0];
  return wrong === undefined
    ? {
        name: fields.get('59') ?? '',
        city: fields.get('60') ?? '',
        otherName: templates.get(OTHER_LANGUAGE_FIELD)?.get('01') ?? null,
        amount: fields.get('54') ?? null,
        isForOnePayment: fields.get('01') === '12',
      }
    : { kind: 'field', field: wrong };
}

/** Lengths count characters: each is at most 99. Null for anything but whole fields, each once. */
function fieldsIn(characters: readonly string[]): Fields | null {
  const fields = new Map<string, string>();
  for (let at = 0; at < characters.length; ) {
    const [, id, length] = /^(\d\d)(\d\d)$/.exec(characters.slice(at, at + 4).join('')) ?? [];
    const end = at + 4 + Number(length);
    if (id === undefined || end > characters.length || fields.has(id)) {
      return null;
    }
    fields.set(id, characters.slice(at + 4, end).join(''));
    at = end;
  }
  return fields;
}

/** CRC-16/CCITT-FALSE over UTF-8, in four digits. */
export function checksumOf(text: string): string {
  let crc = 0xffff;
  for (const byte of utf8(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    }
    crc &= 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(CHECKSUM_LENGTH, '0');
}

/** Whether a code's name is one of the merchant's: banks cut names, and drop case and signs. */
export function isNameOf(
  { name, otherName }: Pick<BankCode, 'name' | 'otherName'>,
  own: readonly (string | null)[],
): boolean {
  const named = [name, otherName].map(comparable).filter((text) => text !== '');
  const known = own.map(comparable).filter((text) => text !== '');
  return named.some((one) => known.some((other) => one.startsWith(other) || other.startsWith(one)));
}

function comparable(name: string | null): string {
  return (name ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');
}
