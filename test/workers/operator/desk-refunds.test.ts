import { describe, expect, it, test } from 'vitest';
import { auditLog } from '../dashboard/support.ts';
import { ALPHA, clientOf, execute, intentOf, payHosted, useGateway } from '../support.ts';
import {
  deskOf,
  hiddenFields,
  PERSONAL_SECRETS,
  project,
  refundByHand,
  refundRequest,
  TWO_OPERATORS,
} from './support.ts';

/**
 * Goal: support staff read on the payment's page what to do about a refund, and record it there;
 * above the limit the page shows who recorded what and asks another person. Method: pages and forms
 * as a browser sends them.
 */

const caught = useGateway();

const PAYMENT = `/operator/payments/sandbox/${ALPHA.id}/order-1`;

type Person = keyof typeof PERSONAL_SECRETS | 'Abebe';

/** Abebe shares his secret with others; the others have one of their own. */
const DESKS = {
  Abebe: deskOf('Abebe', { bindings: TWO_OPERATORS }),
  Hana: deskOf('Hana', { secret: PERSONAL_SECRETS.Hana, bindings: TWO_OPERATORS }),
  Dawit: deskOf('Dawit', { secret: PERSONAL_SECRETS.Dawit, bindings: TWO_OPERATORS }),
};

function pageOf(path: string, name: Person = 'Hana'): Promise<string> {
  return DESKS[name].pageOf(path);
}

/** Opens the page of a decision, sends its form and returns where that leads. */
async function decide(decision: string, fields: Record<string, string>, name: Person = 'Hana') {
  return DESKS[name].change(await pathOf(decision), fields);
}

async function pathOf(decision: string): Promise<string> {
  const { reference } = await refund();
  return `${PAYMENT}/refunds/${reference}/${decision}`;
}

async function refund() {
  const [first] = (await intentOf()).refunds;
  if (first === undefined) {
    throw new Error('no refund');
  }
  return first;
}

const FOUND = { reference: 'RF-9', note: 'Returned in the portal' };

test('the list of what needs attention leads to the refund', async () => {
  await refundByHand({ amountMinor: 4_000 });
  await project(caught);
  const html = await pageOf('/operator?environment=sandbox');
  for (const part of ['Refund by hand', '40.00', 'telebirr', ALPHA.name, `href="${PAYMENT}"`]) {
    expect(html).toContain(part);
  }
});

describe('the payment’s page', () => {
  test('shows all that is needed to return the money, and the phone number nowhere', async () => {
    await refundByHand({ amountMinor: 4_000, reason: 'Wrong size' });
    const html = await pageOf(PAYMENT);
    const [attempt] = (await intentOf()).attempts;
    const { reference } = await refund();
    for (const part of [
      'Waits for the operator',
      'no automatic refunds',
      '40.00',
      reference,
      attempt?.reference ?? '',
      'Wrong size',
      'API key',
      'This is the sandbox',
      `${PAYMENT}/refunds/${reference}/returned`,
      `${PAYMENT}/refunds/${reference}/not-returned`,
    ]) {
      expect(html).toContain(part);
    }
  });

  test('offers nothing for a refund that has an outcome', async () => {
    await refundByHand();
    await decide('returned', FOUND);
    await decide('confirm', { note: 'Seen too' }, 'Dawit');
    const html = await pageOf(PAYMENT);
    expect(html).toContain('RF-9');
    expect(html).not.toContain('returned"');
  });
});

describe('one operator', () => {
  it.each([
    ['returned', FOUND, { status: 'succeeded', railReference: 'RF-9' }],
    ['not-returned', { note: 'Closed' }, { status: 'failed' }],
  ])('records it as %s', async (decision, fields, outcome) => {
    await refundByHand({ amountMinor: 4_000 });
    const page = await pageOf(await pathOf(decision), 'Abebe');
    expect(page).toContain('40.00');
    expect(await auditLog()).toEqual([]);
    const location = await decide(decision, fields, 'Abebe');
    expect(await refund()).toMatchObject(outcome);
    expect(await pageOf(location)).toContain('The outcome of the refund was recorded');
    expect(await auditLog()).toMatchObject([{ action: 'refund.decided', actor_id: 'Abebe' }]);
    expect((await clientOf().history()).at(-1)?.detail).toMatchObject({
      operator: 'Abebe',
      note: fields.note,
    });
  });

  test('sends the same form twice: one decision', async () => {
    await refundByHand({ amountMinor: 4_000 });
    const path = await pathOf('returned');
    const fields = { ...hiddenFields(await pageOf(path, 'Abebe')), ...FOUND };
    const { send } = DESKS.Abebe;
    expect(await send(path, fields)).toBe(await send(path, fields));
    expect(await auditLog()).toHaveLength(1);
  });

  test('records it for the refund of the page, even if another one has the id in its place', async () => {
    await refundByHand({ amountMinor: 4_000 });
    const { reference } = await refund();
    await execute(await refundRequest(reference, { amountMinor: 5_000 }));
    await decide('returned', FOUND, 'Abebe');
    const { refunds } = await intentOf();
    expect(refunds.map(({ status }) => status)).toEqual(['succeeded', 'requires_action']);
  });
});

describe('two operators', () => {
  test('the page shows who recorded what, and another one confirms it', async () => {
    await refundByHand();
    expect(await pageOf(PAYMENT)).toContain('Two operators must agree');
    const proposed = await decide('returned', FOUND);
    expect(await pageOf(proposed)).toContain('Another operator must confirm it');
    const own = await pageOf(PAYMENT);
    expect(own).toContain('Another operator must confirm this');
    expect(own).not.toContain('/confirm"');
    const other = await pageOf(PAYMENT, 'Dawit');
    for (const part of [
      '<bdi>Hana (name proved by a secret of their own)</bdi>',
      'RF-9',
      FOUND.note,
      '/confirm"',
    ]) {
      expect(other).toContain(part);
    }
    const done = await decide('confirm', { note: 'Seen too' }, 'Dawit');
    expect(await pageOf(done)).toContain('The outcome of the refund was recorded');
    expect(await refund()).toMatchObject({ status: 'succeeded', railReference: 'RF-9' });
    expect((await auditLog()).map(({ actor_id }) => actor_id)).toEqual(['Hana', 'Dawit']);
  });

  test('a form for one proposal does not confirm another that replaced it', async () => {
    await refundByHand();
    await decide('returned', FOUND);
    const path = await pathOf('confirm');
    const open = hiddenFields(await pageOf(path, 'Dawit'));
    await decide('returned', { reference: 'RF-10', note: 'Mistyped before' });
    const location = await DESKS.Dawit.send(path, { ...open, note: 'Seen RF-9' });
    expect(await pageOf(location)).toContain('Another operator must confirm it');
    expect(await refund()).toMatchObject({
      status: 'requires_action',
      proposal: { operator: 'Dawit', outcome: { railReference: 'RF-9' } },
    });
  });

  test('an operator with a shared secret sees why there is no button, and is refused', async () => {
    await refundByHand();
    await decide('returned', FOUND);
    const html = await pageOf(PAYMENT, 'Abebe');
    expect(html).toContain('your name must be proved');
    expect(html).not.toContain('/confirm"');
    const location = await decide('confirm', { note: 'x' }, 'Abebe');
    expect(await pageOf(location, 'Abebe')).toContain('This needs a proved name, and yours is not');
    expect((await refund()).status).toBe('requires_action');
  });
});

it.each(['returned', 'confirm', 'maybe'])(
  '%s of a refund that is none is 404',
  async (decision) => {
    await refundByHand();
    const name = decision === 'returned' ? 'OTHER' : (await refund()).reference;
    const response = await DESKS.Hana.open(`${PAYMENT}/refunds/${name}/${decision}`);
    expect(response.status).toBe(404);
  },
);

describe('a refund that the operator requests', () => {
  async function pathOfRequest(): Promise<string> {
    const [attempt] = (await intentOf()).attempts;
    return `${PAYMENT}/refund/${attempt?.reference}`;
  }

  test('is offered at the paid attempt, and the same form asks once', async () => {
    await payHosted();
    const path = await pathOfRequest();
    expect(await pageOf(PAYMENT)).toContain(`href="${path}"`);
    const page = await pageOf(path);
    expect(page).toContain('value="100.50"');
    const fields = { ...hiddenFields(page), amountMinor: '40.00', reason: 'Paid twice' };
    const first = await DESKS.Hana.send(path, fields);
    expect(await pageOf(first)).toContain('The refund was requested');
    expect(await DESKS.Hana.send(path, fields)).toBe(first);
    expect((await intentOf()).refunds).toMatchObject([
      { amountMinor: 4_000, reason: 'Paid twice', requester: { operator: 'Hana' } },
    ]);
    expect(await auditLog()).toMatchObject([{ action: 'refund.requested', actor_id: 'Hana' }]);
  });

  test('of more than what is left leads back to the form', async () => {
    await payHosted();
    const typed = { amountMinor: '100.51', reason: 'x' };
    const html = await pageOf(await DESKS.Hana.change(await pathOfRequest(), typed));
    expect(html).toContain('more than what is left');
    expect(html).toContain('value="100.51"');
    expect((await intentOf()).refunds).toEqual([]);
  });

  test('is not offered once all is refunded', async () => {
    await refundByHand();
    expect(await pageOf(PAYMENT)).not.toContain(await pathOfRequest());
  });
});
