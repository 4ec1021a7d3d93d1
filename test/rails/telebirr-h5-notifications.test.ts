import { createPrivateKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CustomerAct, Fault } from '../../scripts/stand-ins/stand-in.ts';
import { rsaSign, signedText, type Texts } from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import {
  bodyText,
  type CallbackReading,
  type CallbackSuspicion,
} from '../../src/engine/rails/callback.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import { canonicalText, verifier } from '../../src/engine/rails/telebirr-h5/signature.ts';
import vectors from '../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };
import { notification, type TelebirrScene, telebirrScene } from '../support/rails/telebirr-h5.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

/** Goal: a notification changes a payment only if telebirr signed it and a query confirms it. */

let scene: TelebirrScene;
beforeAll(async () => {
  scene = await telebirrScene();
});
afterAll(() => scene.stop());
afterEach(() => {
  Object.assign(scene.standIn.behavior.notification, {
    scheme: 'pss32',
    keepsEmpties: false,
    as: 'json',
    transIdAs: 'transId',
  });
});

async function started(changed: Parameters<TelebirrScene['order']>[1] = {}): Promise<RailOrder> {
  const order = scene.order({}, changed);
  expect((await scene.rail.start(order)).type).toBe('accepted');
  return order;
}

async function acted(
  act: CustomerAct,
  changed?: Parameters<TelebirrScene['order']>[1],
): Promise<RailOrder> {
  const order = await started(changed);
  await (await scene.standIn.order(order.attempt.reference)).act(act);
  return order;
}

interface Handled {
  readonly result: CallbackReading;
  readonly status: number;
  readonly answer: unknown;
}

async function handled(order: RailOrder, request = scene.lastReport): Promise<Handled> {
  const result = await scene.rail.readCallback?.(request, order);
  if (result === undefined) {
    throw new Error('telebirr has notifications');
  }
  const { status, body } = result.reply;
  return { result, status, answer: JSON.parse(body ?? '') };
}

function refusedFor(suspicion: CallbackSuspicion) {
  return { type: 'refused', suspicion, reply: expect.anything() };
}

const ACCEPTED = { status: 200, answer: { code: 0, msg: 'success' } };
const SUCCEEDED = {
  type: 'succeeded',
  receipt: expect.stringMatching(/^[A-Z0-9]{10}$/),
  paidAtMs: expect.any(Number),
  providerCode: 'PAY_SUCCESS',
};

describe('genuine', () => {
  const forms = ['json', 'wrapped_json', 'form', 'json_as_form_name'] as const;
  const schemes = ['pss32', 'pssmax', 'pkcs1'] as const;
  const all = forms.flatMap((as) =>
    schemes.flatMap((scheme) =>
      [true, false].map((keepsEmpties) => ({ as, scheme, keepsEmpties })),
    ),
  );

  test.each(all)('$as, signed by $scheme, empty values signed: $keepsEmpties', async (form) => {
    Object.assign(scene.standIn.behavior.notification, form);
    const { result, ...answer } = await handled(await acted('pays'));
    expect(result).toMatchObject({ type: 'outcome' });
    expect(result.type === 'outcome' && result.outcome).toEqual(SUCCEEDED);
    expect(answer).toEqual(ACCEPTED);
  });

  test.each(['trans_id', 'transId', 'signed_transId'] as const)(
    'the id of the transaction as %s',
    async (transIdAs) => {
      scene.standIn.behavior.notification.transIdAs = transIdAs;
      const { result, ...answer } = await handled(await acted('pays'));
      expect(result.type === 'outcome' && result.outcome).toEqual(SUCCEEDED);
      expect(answer).toEqual(ACCEPTED);
    },
  );

  test('pending: accepted, but proves nothing', async () => {
    const order = await started();
    await (await scene.standIn.order(order.attempt.reference)).callback();
    const { result, ...answer } = await handled(order);
    expect(result.type === 'outcome' && result.outcome.type).toBe('unknown');
    expect(answer).toEqual(ACCEPTED);
  });
});

describe('paid, and not confirmed', () => {
  test.each<Fault>(['http_500', 'reset', 'hang', 'truncated'])(
    'asks telebirr to notify again and queries again soon when the query fails by %s',
    async (fault) => {
      endTimeoutsOnSilence();
      const order = await acted('pays', { attempt: { checks: 9 } });
      scene.standIn.plan((order.chargedMinor / 100).toFixed(2), { query: fault });
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => {
        vi.useRealTimers();
      });
      const { result, status } = await handled(order);
      const outcome = { type: 'unknown', checkAtMs: Date.now() + 5_000 };
      expect(result).toMatchObject({ type: 'outcome', outcome });
      expect(status).toBe(503);
    },
  );

  test('is unknown when the query contradicts it', async () => {
    for (const act of ['declines', 'times_out'] as const) {
      const order = await acted(act);
      const fields = JSON.parse(bodyText(scene.lastReport));
      const signed = signedByPlatform({ ...Object(fields), trade_status: 'Completed' });
      const rail = scene.railWith({ telebirrPublicKey: vectors.platformKey.spki_b64_der });
      const result = await rail.readCallback?.(notification(JSON.stringify(signed)), order);
      expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'unknown' } });
      // A resolved attempt is not queried again: an operator must look at it.
      const failed = { ...order, attempt: { ...order.attempt, status: 'failed' } } as const;
      expect(await rail.readCallback?.(notification(JSON.stringify(signed)), failed)).toMatchObject(
        {
          type: 'refused',
          suspicion: 'not_confirmed',
          reply: { status: 503 },
        },
      );
    }
  });
});

/** A key whose private half the tests have. */
const PLATFORM_KEY = createPrivateKey({
  key: Buffer.from(vectors.platformKey.pkcs8_b64_der, 'base64'),
  format: 'der',
  type: 'pkcs8',
});

function signedByPlatform(fields: Texts): Texts {
  return { ...fields, sign: rsaSign(signedText(fields), PLATFORM_KEY, 'pss32') };
}

describe('wrong', () => {
  test('refuses a genuine notification of one payment at the URL of another', async () => {
    const other = await started();
    await acted('pays');
    expect((await handled(other)).result).toEqual(refusedFor('other_order'));
  });

  test.each<[string, Texts, CallbackSuspicion]>([
    ['another merchant', { merch_code: '999999' }, 'other_order'],
    ['another app', { appid: '999999' }, 'other_order'],
    ['another amount', { total_amount: '1500.1' }, 'wrong_amount'],
    ['a malformed amount', { total_amount: 'free' }, 'wrong_amount'],
    ['another currency', { trans_currency: 'USD' }, 'wrong_amount'],
    ['an unknown state', { trade_status: 'Settling' }, 'unknown_state'],
    ['an empty state', { trade_status: '' }, 'unknown_state'],
  ])('signed by telebirr: %s', async (_what, changed, suspicion) => {
    const order = scene.order({}, { order: { chargedMinor: 150_000 } });
    const { settings } = scene.standIn;
    const rail = scene.railWith({ telebirrPublicKey: vectors.platformKey.spki_b64_der });
    const fields = {
      appid: settings.merchantAppId ?? '',
      merch_code: settings.merchantCode ?? '',
      merch_order_id: order.attempt.reference,
      total_amount: '1500.00',
      trans_currency: 'ETB',
      trade_status: 'Completed',
    };
    const reading = await rail.readCallback?.(
      notification(JSON.stringify(signedByPlatform(fields))),
      order,
    );
    expect(reading?.type).toBe('outcome');
    const result = await rail.readCallback?.(
      notification(JSON.stringify(signedByPlatform({ ...fields, ...changed }))),
      order,
    );
    expect(result).toEqual(refusedFor(suspicion));
  });

  test('refuses a change to any member after signing', async () => {
    const order = await acted('pays');
    const fields = Object(JSON.parse(bodyText(scene.lastReport)));
    for (const name of Object.keys(fields).filter((key) => key !== 'sign_type')) {
      const changed = JSON.stringify({ ...fields, [name]: `${fields[name]}0` });
      const { result } = await handled(order, notification(changed));
      expect(result, name).toMatchObject({ type: 'refused' });
    }
    const added = JSON.stringify({ ...fields, biz_content: { total_amount: '0.01' } });
    expect((await handled(order, notification(added))).result).toEqual(refusedFor('unreadable'));
  });

  test('rejects a transaction id that was added or wrapped beside other fields', async () => {
    scene.standIn.behavior.notification.transIdAs = 'trans_id';
    const order = await acted('pays');
    const fields = Object(JSON.parse(bodyText(scene.lastReport)));
    const added = notification(JSON.stringify({ ...fields, transId: 'AAAAAAAAAA' }));
    expect((await handled(order, added)).result).toEqual(refusedFor('not_authentic'));
    const beside = notification(JSON.stringify({ data: fields, merch_code: fields.merch_code }));
    expect((await handled(order, beside)).result).toEqual(refusedFor('unreadable'));
    const twice = notification(JSON.stringify({ data: { data: fields } }));
    expect((await handled(order, twice)).result).toEqual(refusedFor('unreadable'));
  });

  describe('genuine, wrapped in another', () => {
    const { body, canonical } = vectors.notify;
    const platformKey = { telebirrPublicKey: vectors.platformKey.spki_b64_der };

    /** A genuine notification of another order, nested under fields that name this one. */
    function wrapped(order: RailOrder) {
      return {
        ...body,
        appid: scene.standIn.settings.merchantAppId,
        merch_code: scene.standIn.settings.merchantCode,
        merch_order_id: order.attempt.reference,
        total_amount: (order.chargedMinor / 100).toFixed(2),
        biz_content: body,
      };
    }

    test('is refused although its signature is valid', async () => {
      const order = await started();
      const attack = wrapped(order);
      expect(canonicalText(attack)).toBe(canonical);
      expect(await verifier(platformKey.telebirrPublicKey)(attack)).toBe(true);
      const callsBefore = scene.standIn.calls.length;
      const rail = scene.railWith(platformKey);
      const json = JSON.stringify(attack);
      const form = 'application/x-www-form-urlencoded';
      for (const request of [
        notification(json),
        notification(`${encodeURIComponent(json)}=`, form),
        notification(JSON.stringify({ ...attack, biz_content: Object.entries(body) })),
      ]) {
        expect(await rail.readCallback?.(request, order)).toEqual(refusedFor('unreadable'));
      }
      expect(scene.standIn.calls.length, 'telebirr is not queried').toBe(callsBefore);
    });

    test.each([null, '', '{}', JSON.stringify(body)])(
      '%j as its biz_content is ignored',
      async (value) => {
        const rail = scene.railWith(platformKey);
        const order = await started();
        const genuine = notification(JSON.stringify({ ...body, biz_content: value }));
        expect(await rail.readCallback?.(genuine, order)).toEqual(refusedFor('other_order'));
        const attack = notification(JSON.stringify({ ...wrapped(order), biz_content: value }));
        expect(await rail.readCallback?.(attack, order)).toEqual(refusedFor('not_authentic'));
      },
    );
  });
});

describe('hostile bodies', () => {
  const BYTES = 64 * 1024;
  const reference = 'H7K2M9QX4T0B8ZC3VN5D';
  const known = `"merch_order_id":"${reference}","sign":"AAAA"`;

  function filled(head: string, piece: string, tail = ''): string {
    const room = BYTES - head.length - tail.length;
    return head + piece.repeat(Math.floor(room / piece.length)) + tail;
  }

  test.each<[string, string]>([
    ['empty', ''],
    ['nested', filled('', '[')],
    ['nested objects', filled('', '{"a":')],
    ['members', filled(`{${known}`, ',"a":""', '}')],
    ['one long value', filled(`{${known},"a":"`, '=', '"}')],
    ['form fields', filled(`sign=AAAA&merch_order_id=${reference}`, '&a=b')],
    ['separators', filled('', '&')],
    ['broken escapes', filled('', '%')],
    ['escapes', filled('', '%7B')],
    ['plus signs', filled('', '+')],
    ['a long signature', filled(`{"merch_order_id":"${reference}","sign":"`, 'A', '"}')],
    ['not UTF-8', filled('', '\u0000')],
    ['prototypes', `{"__proto__":{"sign":"AAAA","merch_order_id":"${reference}"}}`],
    ['numbers for strings', `{"sign":1,"merch_order_id":${Number.MAX_SAFE_INTEGER}}`],
  ])('%s', async (_what, body) => {
    const order = scene.order({}, { attempt: { reference } });
    const { result } = await handled(order, notification(body));
    expect(result.type).toBe('refused');
  });

  test('reads JSON as the name of a badly encoded form', async () => {
    const { body } = vectors.notify;
    const rail = scene.railWith({
      telebirrPublicKey: vectors.platformKey.spki_b64_der,
    });
    const json = JSON.stringify(body);
    const form = 'application/x-www-form-urlencoded';
    for (const text of [json, `${json}=`, `${encodeURIComponent(json)}=`, encodeURI(json)]) {
      const result = await rail.readCallback?.(notification(text, form), scene.order());
      // Authentic, but about another order.
      expect(result).toEqual(refusedFor('other_order'));
    }
  });
});
