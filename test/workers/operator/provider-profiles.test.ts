import { expect, test } from 'vitest';
import type { ProviderProfile } from '../../../src/control/rpc/operator.ts';
import { auditLog } from '../dashboard/support.ts';
import { useGateway } from '../support.ts';
import { PORTAL, postFileTo } from './provider-file-support.ts';
import { content, deskOf, operateApi } from './support.ts';

/**
 * Goal: an operator makes, changes, moves and deletes the profiles of providers' files on the desk, and
 * the desk's form says as much as the document. Method: forms as browsers send them, and the API beside
 * them.
 */

useGateway();

const AT = 'production/CBE';
const PATH = `/operator/provider-files/${AT}`;
const LIST = `${PATH}/profiles`;
const STORED = `${LIST}?done=profile_stored`;
const { open, pageOf, change } = deskOf('Hana');

const profiles = () => content<ProviderProfile[]>(operateApi(`/provider-profiles/${AT}`));

/** All that a profile can say. */
const WHOLE: ProviderProfile = {
  ...{ name: 'Portal 50% / ቀን', delimiter: 'semicolon', encoding: 'windows-1252', headerRow: 3 },
  ...{ footer: 'Total', dateFormat: 'dd/MM/yyyy HH:mm', decimal: 'comma', currency: 'USD' },
  columns: {
    ...{ amount: 'Credit', refundAmount: 'Debit', date: 1, time: 2, fee: 'Fee', net: 'Net' },
    ...{ receipt: 'No.', type: 9 },
  },
  types: { payment: ['Pay, C2B', 'Sale'], refund: ['Back'] },
  fee: { basisPoints: 125, fixedMinor: 50 },
};

/** What the browser sends of a form. */
async function fieldsOf(path: string): Promise<Record<string, string>> {
  const html = await pageOf(path);
  const inputs = [...html.matchAll(/<input (?=[^>]*type="text")[^>]*>/g)].map(([input]) => {
    const [, name = ''] = /name="([^"]*)"/.exec(input) ?? [];
    return [name, /value="([^"]*)"/.exec(input)?.[1] ?? ''] as const;
  });
  const selects = [...html.matchAll(/<select[^>]*name="([^"]*)".*?<\/select>/gs)].map(
    ([select, name = '']) => {
      const [option = ''] = /<option[^>]*selected[^>]*>/.exec(select) ?? [];
      return [name, /value="([^"]*)"/.exec(option)?.[1] ?? ''] as const;
    },
  );
  return Object.fromEntries([...inputs, ...selects]);
}

test('the form of a profile has all that the document says, and stores the same', async () => {
  await content(operateApi(`/provider-profiles/${AT}`, WHOLE));
  const path = `${LIST}/${encodeURIComponent(WHOLE.name)}`;
  expect(await pageOf(LIST)).toContain(path);
  const fields = await fieldsOf(path);
  expect(await change(path, fields)).toBe(STORED);
  expect(await profiles()).toEqual([WHOLE]);
  expect(await change(path, { ...fields, name: 'Copy', 'columns.net': '' })).toBe(STORED);
  const { net, ...columns } = WHOLE.columns;
  expect(await profiles()).toEqual([{ ...WHOLE, name: 'Copy', columns }, WHOLE]);
});

test('the form of a new profile needs little, and the audit log names the change', async () => {
  const fields = {
    ...(await fieldsOf(`${PATH}/new-profile`)),
    ...{ name: 'Small', dateFormat: 'yyyy-MM-dd' },
    ...{ 'columns.amount': '4', 'columns.date': 'Time', 'columns.reference': 'Order' },
  };
  expect(await change(`${PATH}/new-profile`, fields)).toBe(STORED);
  expect(await profiles()).toEqual([
    {
      ...{ name: 'Small', delimiter: 'comma', encoding: 'utf-8', headerRow: 1, decimal: 'point' },
      ...{ currency: 'ETB', dateFormat: 'yyyy-MM-dd' },
      columns: { amount: 4, date: 'Time', reference: 'Order' },
    },
  ]);
  const changes = (await auditLog()).filter(({ action }) => action === 'provider_profile.changed');
  expect(changes).toMatchObject([{ target: 'Small' }]);
});

test.each([
  ['headerRow', { headerRow: 'x' }],
  ['dateFormat', { dateFormat: 'HH:mm' }],
  ['columns.amount', { 'columns.amount': '' }],
  ['columns.receipt', { 'columns.receipt': '' }],
  ['types.payment', { 'types.payment': '' }],
  ['types.payment', { 'types.payment': '', 'types.refund': '' }],
  ['types.payment', { 'types.payment': `Sale | ${'a'.repeat(61)}` }],
  ['types.refund', { 'types.refund': '|' }],
  ['fee.basisPoints', { 'fee.basisPoints': '101' }],
])('marks %s of %o, keeps what was typed, and stores nothing', async (wrong, typed) => {
  await content(operateApi(`/provider-profiles/${AT}`, WHOLE));
  const path = `${LIST}/${encodeURIComponent(WHOLE.name)}`;
  const at = await change(path, { ...(await fieldsOf(path)), name: 'Other', ...typed });
  const { searchParams } = new URL(at, 'https://desk.example');
  expect([searchParams.get('refused'), searchParams.get('wrong')]).toEqual([
    'validation_failed',
    wrong,
  ]);
  expect(await fieldsOf(at)).toMatchObject({ name: 'Other' });
  expect(await pageOf(at)).toMatch(new RegExp(`id="${wrong}-error"`));
  expect(await profiles()).toEqual([WHOLE]);
});

test('an exported profile can be imported, pasted or as a file', async () => {
  await content(operateApi(`/provider-profiles/${AT}`, WHOLE));
  const at = `${LIST}/${encodeURIComponent(WHOLE.name)}`;
  const file = await open(`${at}/profile.json`);
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="profile-CBE.json"');
  const json = await file.text();
  for (const sent of [{ bytes: json }, { bytes: '', name: '', fields: { json } }]) {
    expect(await change(`${at}/delete`)).toBe(`${LIST}?done=profile_deleted`);
    expect(await profiles()).toEqual([]);
    const answer = await postFileTo(AT, sent, 997, 'import-profile');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, STORED]);
    expect(await profiles()).toEqual([WHOLE]);
  }
});

test.each<[string, string, RegExp]>([
  ['nothing', '', /no profile in JSON/],
  ['no JSON', '{', /no profile in JSON/],
  ['a list', '[]', /no profile in JSON.*body/s],
  [
    'a wrong field',
    JSON.stringify({ ...PORTAL, decimal: 'x' }),
    /<code>decimal<\/code>.*&quot;decimal&quot;:/s,
  ],
  ['a large file', `{"name":"${'x'.repeat(10_000)}"}`, /no profile in JSON/],
])('an import of %s stores nothing and says why', async (_, bytes, expected) => {
  const answer = await postFileTo(AT, { bytes }, 997, 'import-profile');
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(expected)]);
  expect(await profiles()).toEqual([]);
});

test('a pasted text that is longer than any profile is refused as too large', async () => {
  const sent = { bytes: '', name: '', fields: { json: 'x'.repeat(10_000) } };
  const answer = await postFileTo(AT, sent, 997, 'import-profile');
  expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('Too large')]);
});

test('has no page of a profile that does not exist', async () => {
  for (const rest of ['', '/delete', '/profile.json']) {
    expect((await open(`${LIST}/x${rest}`)).status).toBe(404);
  }
});
