import { equal } from 'node:assert/strict';
import { insertDeadLetter } from '../../../src/control/dead-letters/store.ts';
import { keyRing } from '../../../src/engine/config.ts';
import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import {
  contentOf,
  eventually,
  hiddenFields,
  includes,
  type Play,
  postForm,
  send,
  shows,
} from './play.ts';

/** What operators do by the API and on the desk: every function of the interface that they use. */

const NAME = 'Hana';

function secretOf({ secrets }: Play): string {
  return secrets.OPERATOR_SECRETS.split(',')[0] ?? '';
}

export async function operate<Content>(
  play: Play,
  path: string,
  body?: object,
  status = 200,
): Promise<Content> {
  const headers = {
    authorization: `Bearer ${secretOf(play)}`,
    'x-operator': NAME,
    'content-type': 'application/json',
  };
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  return contentOf(path, await send(play, `/operator/v1${path}`, { headers, ...sent }), status);
}

function deskHeaders(play: Play): Readonly<Record<string, string>> {
  const authorization = `Bearer ${secretOf(play)}`;
  return { authorization, 'x-operator': NAME, 'accept-language': 'en' };
}

async function desk(play: Play, path: string, ...texts: readonly string[]): Promise<string> {
  return shows(path, await send(play, path, { headers: deskHeaders(play) }), texts);
}

/** Sends a form of the desk with the hidden fields of its page. */
async function changeOnDesk(
  play: Play,
  path: string,
  fields: Readonly<Record<string, string>>,
  page = path,
): Promise<string> {
  const hidden = hiddenFields(await desk(play, page));
  const answer = await postForm(
    play,
    path,
    { ...hidden, ...fields },
    { headers: deskHeaders(play) },
  );
  return answer.headers.get('location') ?? '';
}

/** A merchant with the settings that the other scenes expect. */
export async function createMerchant(play: Play): Promise<void> {
  const { merchantId: id } = play;
  const merchant = `/merchants/${id}`;
  includes(await operate(play, '/merchants', { id, name: 'First name' }), {
    id,
    name: 'First name',
  });
  includes(await operate(play, `${merchant}/rename`, { name: `Shop ${id}` }), {
    name: `Shop ${id}`,
  });
  includes(await operate(play, `${merchant}/app-schemes`, { schemes: ['myshop'] }), {
    appSchemes: ['myshop'],
  });
  const limits = { refundAgeDaysMax: 90, refundDailyMaxMinor: 500_000 };
  includes(await operate(play, `${merchant}/refund-limits`, limits), limits);
  const telebirr = `${merchant}/sandbox/methods/TELE_BIRR`;
  await operate(play, `${telebirr}/offer`, { offered: false });
  await operate(play, `${telebirr}/offer`, { offered: true });
  await operate(play, `${telebirr}/commission`, { basisPoints: 250, fixedMinor: 0 });
  await operate(play, `${merchant}/sandbox/limits/ETB`, { amountMinorMax: 9_000_000 });
  await operate(play, `${merchant}/suspend`, { reason: 'Checked' });
  includes(await operate(play, `${merchant}/reactivate`, { reason: 'Fine' }), { status: 'active' });
  includes(await operate(play, merchant), { id, name: `Shop ${id}` });
  const { items } = await operate<{ readonly items: readonly { readonly id: string }[] }>(
    play,
    '/merchants',
  );
  equal(items.filter((one) => one.id === id).length, 1);
}

/** A merchant that is exported and closed, with one key that is revoked before. */
export async function closeMerchant(play: Play): Promise<void> {
  const keys = await operate<readonly { readonly environment: string; readonly digest: string }[]>(
    play,
    `/merchants/${play.merchantId}/keys`,
  );
  const unused = keys.filter(({ environment }) => environment === 'sandbox').at(-1);
  const reason = { reason: 'Contract ended' };
  await operate(
    play,
    `/merchants/${play.merchantId}/sandbox/keys/${unused?.digest}/revoke`,
    reason,
  );
  const id = `${play.merchantId}-closed`;
  await operate(play, '/merchants', { id, name: 'Closed' });
  await operate(play, `/merchants/${id}/suspend`, reason);
  includes(await operate(play, `/merchants/${id}/production/export`, {}), { next: null });
  includes(await operate(play, `/merchants/${id}/close`, reason), { status: 'closed' });
  await operate(play, '/statements/production/export', { period: '2026-11' });
  await operate(play, '/audit/export', { month: '2026-11' });
}

/** A provider's file that names no payment, and a decision about its line. */
async function compareFile(play: Play): Promise<void> {
  const at = 'sandbox/E_BIRR';
  const profile = {
    ...{ name: 'Portal', delimiter: 'comma', headerRow: 0, dateFormat: 'yyyy-MM-dd' },
    ...{ decimal: 'point', currency: 'ETB', columns: { date: 1, receipt: 2, amount: 3 } },
  };
  const day = dayText(businessDay(Date.now()));
  const base64 = Buffer.from(`${day},${play.merchantId},1.00\n`).toString('base64');
  await operate(play, `/provider-profiles/${at}`, profile);
  includes(await operate(play, `/provider-profiles/${at}`), [{ name: 'Portal' }]);
  const preview = { profile: 'Portal', base64 };
  includes(await operate(play, `/provider-files/${at}/preview`, preview), { problem: null });
  const { fileId } = await operate<{ readonly fileId: string }>(play, `/provider-files/${at}`, {
    name: 'day.csv',
    profile: 'Portal',
  });
  const file = `/provider-files/${at}/${fileId}`;
  await operate(play, `${file}/pieces`, { number: 0, base64 });
  await operate(play, `${file}/finish`, {});
  await eventually('the file is compared', () => operate(play, file), { status: 'done' });
  const { items } = await operate<{ readonly items: readonly { readonly key: string }[] }>(
    play,
    `/provider-lines/${at}?outcome=not_ours`,
  );
  const key = items.at(-1)?.key ?? '';
  includes(await operate(play, `/provider-line/${at}?key=${encodeURIComponent(key)}`), { key });
  const decision = { key, decision: 'not_ours', reason: 'Another gateway' };
  await operate(play, `/provider-lines/${at}/decide`, decision);
  await operate(play, `/provider-files/${at}`);
  await operate(play, '/provider-board/sandbox');
  await operate(play, `/provider-profiles/${at}/delete`, { name: 'Portal' });
}

/** Settings of the whole gateway, and its state. */
export async function watchGateway(play: Play): Promise<void> {
  const code = `B${play.merchantId.replace(/\D/g, '')}`;
  await operate(play, '/banks', { code, name: 'A Bank', supportsWithdrawal: true });
  await operate(play, `/banks/${code}`, { name: 'Another Bank' });
  const banks = await operate<readonly { readonly code: string; readonly name: string }[]>(
    play,
    '/banks',
  );
  includes(
    banks.find((bank) => bank.code === code),
    { name: 'Another Bank' },
  );
  const rails = await operate<readonly object[]>(play, '/rails');
  equal(JSON.stringify(rails).includes('"E_BIRR"'), true);
  includes(await operate(play, '/rails/production/E_BIRR/probe', {}), { outcome: 'accepted' });
  const method = '/methods/production/CBE';
  await operate(play, `${method}/switch-off`, { text: 'Back at about 15:00' });
  await operate(play, `${method}/switch-on`, {});
  await compareFile(play);
  includes(await operate(play, '/alerts/webhook/test', {}), { isSent: false });
  includes(await operate(play, '/alerts'), { open: [] });
  await operate(play, '/health');
  await operate(play, '/health/now');
  await operate(play, '/attention');
  await operate(play, `/merchants/${play.merchantId}/members`);
  await desk(play, '/operator');
  await desk(play, '/operator/merchants', `Shop ${play.merchantId}`);
  await desk(play, `/operator/merchants/${play.merchantId}`, `Shop ${play.merchantId}`);
  await desk(play, '/operator/rails', 'eBirr');
  await desk(play, '/operator/audit', 'merchant');
  await desk(play, '/operator/health');
}

/** Decisions about several items of the attention list, which by now lists none of them. */
async function decideAboutItems(play: Play): Promise<void> {
  const ids = [`${crypto.randomUUID()}.1`];
  const group = `/operator/attention/sandbox/anomaly/${play.merchantId}`;
  await desk(play, group);
  await desk(play, `${group}/review?item=${ids[0]}`);
  const finding = { reason: 'timed_out', note: 'Not in the portal' };
  for (const [path, fields] of [
    ['/attention/review', { note: 'Seen' }],
    ['/attention/record-unpaid', finding],
    ['/attention/resend', {}],
  ] as const) {
    const { outcomes } = await operate<{ readonly outcomes: readonly object[] }>(play, path, {
      ids,
      ...fields,
    });
    includes(outcomes[0], { outcome: 'not_listed' });
  }
}

/** A message that its queue gave up is read, sent back and discarded. */
export async function handleDeadLetters(play: Play, objectName: string): Promise<void> {
  const { merchantId, secrets, system } = play;
  const ids = ['sent-back', 'dropped'].map((name) => `${merchantId}-${name}`);
  const keys = keyRing('DATA_ENCRYPTION_KEYS', secrets.DATA_ENCRYPTION_KEYS);
  const statements = ids.map((id, index) => {
    const body = { type: 'start', objectName, attemptId: `${id}` };
    const message = { id, timestamp: new Date(1_000 + index), body };
    return insertDeadLetter(keys, 'kefel-provider-reports', message, Date.now());
  });
  await system.payments.batch(await Promise.all(statements));
  const [sentBack = '', dropped = ''] = ids;
  const { items } = await operate<{ readonly items: readonly { readonly id: string }[] }>(
    play,
    '/dead-letters',
  );
  equal(items.filter(({ id }) => ids.includes(id)).length, 2);
  includes(await operate(play, `/dead-letters/${sentBack}`), {
    id: sentBack,
    body: { objectName },
  });
  await operate(play, '/dead-letters/retry', { ids: [sentBack] });
  await operate(play, '/dead-letters/discard', { ids: [dropped], reason: 'Known' });
  includes(await operate(play, `/dead-letters/${dropped}`), { status: 'discarded' });
  await desk(play, '/operator/dead-letters');
  await decideAboutItems(play);
  await desk(play, `/operator/dead-letters/${sentBack}`, objectName);
}

/** What an operator does to payments. `unresolvedId`: its attempt is in progress. */
export async function handlePayments(
  play: Play,
  { paidId, attemptedId }: { readonly paidId: string; readonly attemptedId: string },
): Promise<void> {
  const { merchantId } = play;
  const path = (id: string) => `/payments/sandbox/${merchantId}/${id}`;
  await changeOnDesk(play, '/operator/payments', { search: paidId }).then((found) =>
    desk(play, found, paidId),
  );
  const before = await operate<{ readonly attempts: readonly { readonly id: string }[] }>(
    play,
    path(attemptedId),
  );
  const attemptId = before.attempts[0]?.id ?? '';
  const resolution = { outcome: 'succeeded', receipt: `R-${merchantId}`, note: 'In the portal' };
  includes(await operate(play, `${path(attemptedId)}/attempts/${attemptId}/resolve`, resolution), {
    status: 'succeeded',
  });
  await operate(play, `${path(attemptedId)}/review`, { note: 'Seen' });
  await desk(play, `/operator${path(attemptedId)}`, attemptedId, `R-${merchantId}`);
  await changeOnDesk(play, `/operator${path(attemptedId)}/review`, { note: 'Seen again' });

  // The simulator asks for a person with this amount.
  const refundUniqueId = `${paidId}-by-hand`;
  const refund = { reason: 'Paid twice', refundUniqueId, amountMinor: 100_25 };
  includes(await operate(play, `${path(paidId)}/refunds`, refund), { uniqueId: paidId });
  await eventually(
    'the refund needs a person',
    () =>
      operate<object>(play, path(paidId))
        .then(JSON.stringify)
        .then((text) => ({ text })),
    { text: /requires_action/ },
  );
  await operate(
    play,
    `${path(paidId)}/refunds/${refundUniqueId}/repeat`,
    { note: 'Again' },
    409,
  ).catch(() => undefined);
  includes(
    await operate(play, `${path(paidId)}/refunds/${refundUniqueId}/resolve`, {
      outcome: 'not_returned',
      note: 'The account is closed',
    }),
    { uniqueId: paidId },
  );
}

/** Rebuilds the merchant's book, and asks for a restore, which the local runtime cannot do. */
export async function rebuildBook(play: Play, objectId: string): Promise<void> {
  const book = `/books/sandbox/${play.merchantId}`;
  includes(await operate(play, `${book}/rebuild`, {}), { failed: 0 });
  includes(await operate(play, '/books/rebuild', { objectIds: [objectId] }), { rebuilt: 1 });
  const at = new Date().toISOString().replace(/\.\d+/, '');
  await operate(play, `${book}/restore`, { at }, 500).catch(() => undefined);
}

/** Maintenance and the pause of members' changes, and the gateway's look at itself. */
export async function switchModes(play: Play): Promise<void> {
  await operate(play, '/maintenance/begin', { reason: 'A restore' });
  await desk(play, '/operator', 'A restore');
  await operate(play, '/maintenance/end', {});
  await operate(play, '/members/pause-changes', {});
  await operate(play, '/members/resume-changes', {});
  // A check starts at most once a minute.
  await emptyTables(play, 'self_check_results', 'self_check');
  await operate(play, '/check', {});
  // What an unfinished check says depends on the moment, and runs are compared.
  await eventually(
    'the self-check ends',
    async () => {
      const { finishedAt } = await operate<{ finishedAt: string | null }>(play, '/check');
      return { isOver: finishedAt !== null };
    },
    { isOver: true },
  );
  await desk(play, '/operator/check');
}

/** A payment is held and released; what is left of a customer is exported and erased. */
export async function handleCustomers(play: Play, uniqueId: string, email: string): Promise<void> {
  const payment = `/payments/sandbox/${play.merchantId}/${uniqueId}`;
  await operate(play, `${payment}/hold`, { reason: 'Court order 12', until: '2027-12-31' });
  await operate(play, `${payment}/release`, { reason: 'Case closed' });
  const request = { email, reason: 'Request 7' };
  const exported = JSON.stringify(await operate(play, '/customers/export', request));
  equal(exported.includes(uniqueId), true);
  const erased = await operate(play, '/customers/erase', { ...request, refundableToo: true });
  equal(JSON.stringify(erased).includes('"erased":1'), true, JSON.stringify(erased));
  await operate(play, '/customers/requests');
}

interface Backup {
  readonly run: string;
  readonly isFinished: boolean;
}

/** A backup now, once more for each run, and what a restore reads of it. */
export async function backUp(play: Play, uniqueId: string): Promise<void> {
  await emptyTables(play, 'backup_runs', 'backup_parts');
  // The registers of books that report refunds are exported.
  await operate(play, '/health/now');
  const begun = await operate<Backup>(play, '/backups', {});
  const { run } = begun.isFinished
    ? begun
    : await eventually(
        'the backup is finished',
        () => operate<Backup>(play, '/backups', { continues: true }),
        { isFinished: true },
      );
  await operate(play, '/backups');
  await operate(play, `/backups/${run}/verify`);
  const { parts } = await operate<{ readonly parts: readonly { readonly name: string }[] }>(
    play,
    `/backups/${run}/parts`,
  );
  const name = parts[0]?.name ?? '';
  const part = await operate<{ readonly base64: string }>(
    play,
    `/backup-part?name=${encodeURIComponent(name)}`,
  );
  await operate(play, '/restore/parts', { name, base64: part.base64 });
  // Only an empty gateway restores, and the local runtime has no point-in-time recovery.
  await operate(play, '/restore', { run }).catch(() => undefined);
  const payment = `/payments/sandbox/${play.merchantId}/${uniqueId}`;
  const at = new Date().toISOString().replace(/\.\d+/, '');
  await operate(play, `${payment}/restore`, { at }).catch(() => undefined);
}

/** So that what happens once a day or a minute happens in each run. */
async function emptyTables({ system }: Play, ...tables: readonly string[]): Promise<void> {
  await system.payments.batch(tables.map((table) => ({ sql: `DELETE FROM ${table}`, params: [] })));
}
