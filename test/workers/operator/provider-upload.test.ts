import { expect, test } from 'vitest';
import { PIECE_BYTES } from '../../../src/control/provider-files/file-table.ts';
import type { ProviderFile } from '../../../src/control/rpc/operator.ts';
import { auditLog } from '../dashboard/support.ts';
import { useGateway } from '../support.ts';
import {
  FILE_HEAD,
  postFileTo,
  type Sent,
  storePortal,
  workOn,
  yesterday,
} from './provider-file-support.ts';
import { content, deskOf, operateApi } from './support.ts';

/**
 * Goal: an operator uploads a provider's file on the desk without a program, sees what its first lines
 * would become, and only then is it read; the desk never holds the file as a whole. Method: forms as
 * browsers send them, in chunks that cut everywhere.
 */

useGateway();

const AT = 'production/TELE_BIRR';
const PATH = `/operator/provider-files/${AT}`;
const postFile = (sent: Sent, size?: number) => postFileTo(AT, sent, size);
const { open, pageOf, change } = deskOf('Hana');

const filesOf = async () =>
  (await content<{ items: ProviderFile[] }>(operateApi(`/provider-files/${AT}`))).items;

async function locationOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  expect(response.status).toBe(303);
  return response.headers.get('location') ?? '';
}

const row = (receipt: string, amount = '100.00') =>
  `${yesterday()} 12:00:01,${receipt},,${amount},2.00\r\n`;

test('a file is uploaded, previewed, confirmed and read, and the audit log names it', async () => {
  await storePortal(AT);
  const at = await locationOf(postFile({ bytes: FILE_HEAD + row('CK1'), name: 'ቀን 1.csv' }));
  expect(at).toMatch(new RegExp(`^${PATH}/upload/[0-9a-f-]{36}$`));
  const preview = await pageOf(at);
  expect(preview).toMatch(/CK1.*No such payment/s);
  expect(await filesOf()).toMatchObject([{ status: 'uploading', name: 'ቀን 1.csv' }]);
  expect(await pageOf(PATH)).toContain('Not confirmed');
  expect(await change(at)).toBe(`${PATH}?done=provider_file_reading`);
  const [{ id = '' } = {}] = await filesOf();
  const reading = await pageOf(`${PATH}?done=provider_file_reading`);
  expect(reading).toMatch(/Kefel is reading the file.*data-live="reading 0"/s);
  await workOn(AT, id);
  expect(await filesOf()).toMatchObject([{ status: 'done', lines: 1, operator: 'Hana' }]);
  const done = await pageOf(PATH);
  expect(done).toMatch(/1 of 1/);
  expect(done).not.toContain('data-live');
  // What was confirmed has no preview any more.
  expect((await open(at)).headers.get('location')).toBe(PATH);
  expect((await auditLog()).map(({ action }) => action)).toContain('provider_file.uploaded');
});

test.each([1, 7, PIECE_BYTES + 1])('chunks of %i bytes make the same file', async (size) => {
  await storePortal(AT);
  const rows = Array.from({ length: size > PIECE_BYTES ? 16_000 : 20 }, (_, index) =>
    row(`CK${index}`),
  );
  // Begins like the boundary of the form, inside the file.
  const bytes = `${FILE_HEAD}${rows.join('')}${row('--')}`;
  const at = await locationOf(postFile({ bytes }, size));
  await change(at);
  const [{ id = '' } = {}] = await filesOf();
  expect(await filesOf()).toMatchObject([{ bytes: new TextEncoder().encode(bytes).length }]);
  expect(id).toBe(at.split('/').at(-1));
});

test('a mistake in the first lines is shown with its line and column, and cannot be confirmed', async () => {
  await storePortal(AT);
  const at = await locationOf(postFile({ bytes: FILE_HEAD + row('CK1', 'a lot') }));
  const html = await pageOf(at);
  expect(html).toContain('Line 2, column 4: “a lot”'.replaceAll(/[“”]/g, '&quot;'));
  expect(html).not.toContain('Read the whole file');
});

test('a mistake behind the first lines refuses the file, and the list says where', async () => {
  await storePortal(AT);
  const rows = Array.from({ length: 1_000 }, (_, index) => row(`CK${index}`)).join('');
  const at = await locationOf(postFile({ bytes: FILE_HEAD + rows + row('CX', '-') }, PIECE_BYTES));
  await change(at);
  await workOn(AT, at.split('/').at(-1) ?? '');
  expect(await pageOf(PATH)).toMatch(/Refused.*Line 1002, column 4: .* Nothing was changed/s);
});

test.each<[string, Sent, string]>([
  ['no file', { bytes: '', name: '' }, `${PATH}/upload?wrong=file`],
  ['an empty file', { bytes: '' }, `${PATH}/upload?wrong=file`],
  ['a long name', { bytes: 'a', name: 'a'.repeat(201) }, `${PATH}/upload?wrong=file`],
  ['no profile', { bytes: 'a', fields: { profile: '' } }, `${PATH}/upload?wrong=profile`],
  ['an unknown profile', { bytes: 'a', fields: { profile: 'x' } }, `${PATH}/upload?wrong=profile`],
])('asks again after %s', async (_, sent, location) => {
  await storePortal(AT);
  expect(await locationOf(postFile(sent))).toBe(location);
  expect((await filesOf()).filter(({ status }) => status !== 'uploading')).toEqual([]);
  expect(await pageOf(location)).toContain('aria-invalid="true"');
});

test.each<[string, Sent, number]>([
  ['announced as larger', { bytes: 'a', headers: { 'content-length': '80000000' } }, 413],
  ['from another site', { bytes: 'a', headers: { 'sec-fetch-site': 'cross-site' } }, 403],
  ['without the token of its page', { bytes: 'a', fields: { csrf: 'x' } }, 403],
])(
  'refuses a file that is %s',
  async (_, sent, status) => {
    await storePortal(AT);
    const response = await postFile(sent);
    const html = await response.text();
    expect([response.status, html.includes('at most 64 MB')]).toEqual([status, status === 413]);
    expect((await filesOf()).filter((file) => file.status !== 'uploading')).toEqual([]);
  },
  120_000,
);

test('has no pages of other methods and files', async () => {
  for (const path of [`${PATH}X`, `${PATH}/upload/12345678`]) {
    expect((await open(path)).status).toBe(404);
  }
});
