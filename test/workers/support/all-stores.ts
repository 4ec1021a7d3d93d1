import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { configOf } from '../../../src/engine/config.ts';
import { digestOwner, nameWords } from '../../../src/engine/domain/search-key.ts';
import { derivedHmac } from '../../../src/kit/crypto/derived-key.ts';
import { base64UrlFromBytes } from '../../../src/kit/crypto/encoding.ts';
import { type DigestKind, keyedDigest } from '../../../src/kit/crypto/keyed-digest.ts';
import { ENVIRONMENTS } from '../../../src/kit/tenant.ts';
import { openPart } from '../../../src/recovery/backup/part.ts';
import { databaseRows } from '../../security/storage.ts';
import {
  reachedBookIds,
  reachedObjects,
  reachedRegisterIds,
  reachedShardStubs,
  reachRegister,
} from './gateway.ts';
import { ALPHA, BETA, tenantOf } from './merchants.ts';

/** Everything that the gateway stores, and where something of a customer is in it. */

export interface Person {
  /** `251XXXXXXXXX` */
  readonly phones: readonly string[];
  readonly email: string;
  readonly name: string;
}

type Rows = readonly (readonly [place: string, text: string])[];

/** One character for each byte, so that a search sees texts inside of binary values. */
function binaryText(bytes: ArrayBuffer | Uint8Array): string {
  let text = '';
  for (const byte of new Uint8Array(bytes)) {
    text += String.fromCharCode(byte);
  }
  return text;
}

function valueText(value: unknown): string {
  return value instanceof ArrayBuffer ? binaryText(value) : String(value);
}

/** Every row of every table of an object, with those of full-text indexes. */
function rowsIn(place: string, { sql }: DurableObjectStorage): Rows {
  const tables = sql
    .exec<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'
        AND name NOT IN ('payment_search', 'payment_search_term', 'payment_search_entry')`,
    )
    .toArray();
  return tables.flatMap(({ name }) =>
    sql
      .exec(`SELECT * FROM "${name}"`)
      .toArray()
      .map((row) => [`${place} ${name}`, Object.values(row).map(valueText).join(' ')] as const),
  );
}

async function bucketTexts(): Promise<Rows> {
  const texts: (readonly [string, string])[] = [];
  const { objects } = await env.BACKUPS.list();
  for (const { key } of objects) {
    const bytes = new Uint8Array((await (await env.BACKUPS.get(key))?.arrayBuffer()) ?? []);
    texts.push(['bucket', `${key} ${binaryText(bytes)}`]);
    const lines = await openPart(configOf(env).backupKeys, key, bytes);
    texts.push(['bucket', lines.map((line) => JSON.stringify(line)).join('\n')]);
  }
  return texts;
}

/** Each stored row or part as text, with its place. */
async function storedTexts(): Promise<Rows> {
  const databases = Object.entries(await databaseRows()).flatMap(([table, rows]) =>
    rows.map((row) => [`D1 ${table}`, row] as const),
  );
  const stubs = [
    ...reachedObjects().map((id) => ['object', env.PAYMENT_INTENT.get(id)] as const),
    ...reachedBookIds().map((id) => ['book', env.MERCHANT_BOOK.get(id)] as const),
    ...reachedRegisterIds().map((id) => ['register', reachRegister(id)] as const),
    ...reachedShardStubs().map((stub) => ['receipts', stub] as const),
  ];
  const objects = await Promise.all(
    stubs.map(([place, stub]) =>
      runInDurableObject(stub as DurableObjectStub, (_object, { storage }) =>
        rowsIn(place, storage),
      ),
    ),
  );
  return [...databases, ...objects.flat(), ...(await bucketTexts())];
}

/** How people and providers write a phone number. */
function spellingsOf(phone: string): readonly string[] {
  const digits = phone.slice(3);
  const groups = [
    [2, 3, 2, 2],
    [2, 3, 4],
    [3, 2, 2, 2],
    [3, 6],
    [3, 3, 3],
  ];
  return [
    digits,
    ...groups.flatMap((sizes) =>
      [' ', '-'].map((separator) => {
        const starts = sizes.map((_, index) => sizes.slice(0, index).reduce((a, b) => a + b, 0));
        return starts
          .map((from, index) => digits.slice(from, from + (sizes[index] ?? 0)))
          .join(separator);
      }),
    ),
  ];
}

/** A text that base64 contains with any text before it. */
function base64Forms(text: string): readonly string[] {
  return ['', '-', '--'].map((before) =>
    btoa(before + text)
      .slice(before.length === 0 ? 0 : 4)
      .replace(/.{2}=*$/, ''),
  );
}

const requestHmac = derivedHmac('kefel/customer-request');

/** The digests of each owner and key. */
async function digestsOf({ phones, email, name }: Person): Promise<readonly string[]> {
  const owners = [ALPHA, BETA].flatMap((merchant) =>
    ENVIRONMENTS.flatMap((environment) => [
      digestOwner(tenantOf(merchant, environment)),
      environment,
    ]),
  );
  const texts: readonly (readonly [DigestKind, string])[] = [
    ...phones.flatMap((phone): readonly (readonly [DigestKind, string])[] => [
      ['phone', phone],
      ['phoneEnd', phone.slice(-4)],
      ['id', phone],
      ['id', phone.slice(3)],
    ]),
    ['email', email],
    ...nameWords(name).map((word) => ['name', word] as const),
  ];
  const keys = configOf(env).dataEncryptionKeys;
  const digests = keys.flatMap((key) => [
    ...owners.flatMap((owner) => texts.map(([kind, text]) => keyedDigest(key, owner, kind, text))),
    ...[...phones.map((phone) => `phone:${phone}`), `email:${email}`].map(async (text) =>
      base64UrlFromBytes(await requestHmac(key, text)),
    ),
  ]);
  return Promise.all(digests);
}

/** A full-text index leaves out the beginning that a term shares with the one before it. */
const SHARED_CHARACTERS = 4;

/** The places where something of the person is stored, each once. */
export async function placesOf(person: Person): Promise<readonly string[]> {
  const { phones, email, name } = person;
  const plain = [...phones.flatMap(spellingsOf), email, name, ...name.split(' ')];
  const wanted = [
    ...plain,
    ...plain.filter((text) => text.length > 8).flatMap(base64Forms),
    ...(await digestsOf(person)).map((digest) => digest.slice(SHARED_CHARACTERS)),
  ].map((text) => text.toLowerCase());
  const found = (await storedTexts()).flatMap(([place, text]) => {
    const folded = text.toLowerCase();
    return wanted.some((one) => folded.includes(one)) ? [place] : [];
  });
  return [...new Set(found)].sort();
}
