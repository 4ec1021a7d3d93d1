import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { ProviderFile } from '../../../src/control/rpc/operator.ts';
import { base64FromBytes, utf8 } from '../../../src/kit/crypto/encoding.ts';
import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { content, deskOf, hiddenFields, operateApi, SECRET, sendTo } from './support.ts';

/** Files of a provider, by the operator's API. `at`: the environment and the method of the paths. */

export const PORTAL = {
  name: 'Portal',
  delimiter: 'comma',
  headerRow: 1,
  dateFormat: 'yyyy-MM-dd HH:mm:ss',
  decimal: 'point',
  currency: 'ETB',
  columns: { amount: 'Amount', fee: 'Fee', date: 'Time', receipt: 'Receipt', reference: 'Order' },
};
export const FILE_HEAD = 'Time,Receipt,Order,Amount,Fee\n';

/** As the clock of the test has it. */
export function yesterday(): string {
  return dayText(businessDay(Date.now()) - 1);
}

export async function storePortal(at: string): Promise<void> {
  await content(operateApi(`/provider-profiles/${at}`, PORTAL));
}

/** Runs one alarm of the object of the files. */
export function fireFilesAlarm(at: string): Promise<boolean> {
  return runDurableObjectAlarm(env.PROVIDER_FILES.get(env.PROVIDER_FILES.idFromName(at)));
}

/** Uploads a file in pieces, and starts to read it. */
export async function uploadFile(at: string, rows: string): Promise<string> {
  const begun = { name: 'day.csv', profile: PORTAL.name };
  const { fileId, pieceBytes } = await content<{ fileId: string; pieceBytes: number }>(
    operateApi(`/provider-files/${at}`, begun),
  );
  const bytes = utf8(`${FILE_HEAD}${rows}`);
  const path = `/provider-files/${at}/${fileId}`;
  for (let number = 0; number * pieceBytes < bytes.length; number += 1) {
    const piece = bytes.subarray(number * pieceBytes, (number + 1) * pieceBytes);
    await content(operateApi(`${path}/pieces`, { number, base64: base64FromBytes(piece) }));
  }
  await content(operateApi(`${path}/finish`, {}));
  return fileId;
}

export function fileOf(at: string, id: string): Promise<ProviderFile> {
  return content<ProviderFile>(operateApi(`/provider-files/${at}/${id}`));
}

const ALARMS_MAX = 200;

/** Runs one alarm after another until the file is compared or refused. */
export async function workOn(
  at: string,
  fileId: string,
  afterEach: () => Promise<void> = async () => {},
): Promise<void> {
  for (let alarms = 0; alarms < ALARMS_MAX; alarms += 1) {
    await fireFilesAlarm(at);
    await afterEach();
    if (['done', 'refused'].includes((await fileOf(at, fileId)).status)) {
      return;
    }
  }
  throw new Error('the file is not done');
}

export interface Sent {
  readonly fields?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly bytes: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts the desk's form with a file, as browsers do, in chunks of a size. */
export async function postFileTo(
  at: string,
  { fields = {}, name = 'day.csv', bytes, headers = {} }: Sent,
  size = 997,
  page = 'upload',
): Promise<Response> {
  const path = `/operator/provider-files/${at}/${page}`;
  const { csrf = '' } = hiddenFields(await deskOf('Hana').pageOf(path));
  const form = new FormData();
  for (const [field, value] of Object.entries({ csrf, profile: PORTAL.name, ...fields })) {
    form.set(field, value);
  }
  form.set('file', new File([bytes as string], name, { type: 'text/csv' }));
  const whole = new Response(form);
  const all = new Uint8Array(await whole.arrayBuffer());
  let from = 0;
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(all.slice(from, from + size));
      from += size;
      if (from >= all.length) {
        controller.close();
      }
    },
  });
  return sendTo(env, path, {
    method: 'POST',
    body,
    headers: {
      ...{ authorization: `Bearer ${SECRET}`, 'x-operator': 'Hana' },
      ...{ 'sec-fetch-site': 'same-origin' },
      'content-type': whole.headers.get('content-type') ?? '',
      ...headers,
    },
  });
}
