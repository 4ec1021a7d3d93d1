import { objectNameOf } from '../../../src/kit/crypto/object-name.ts';
import * as members from './members.ts';
import * as merchants from './merchants.ts';
import * as operators from './operators.ts';
import type { Play } from './play.ts';
import * as providers from './providers.ts';

/**
 * Everything that the parts of a deployment say to each other: a merchant's life from its creation by
 * the operator, with payments, refunds, webhooks and settings. Each scene checks the values that the
 * next part shows. Resolves with the merchant, whose payments a later run reads. Throws at the first
 * scene that fails, with its name.
 */
export async function playScenario(
  play: Play,
  older: readonly merchants.Merchant[],
): Promise<merchants.Merchant> {
  const scene = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  };
  const prefix = play.merchantId;
  await scene('operators create a merchant', () => operators.createMerchant(play));
  const owner = await scene('an owner joins', () => members.Owner.join(play));
  const keys = await scene('an owner creates keys', () => members.createKeys(owner));
  const merchant = { play, ...keys };
  await scene('payments are made', () => merchants.makePayments(merchant, prefix));
  await scene('payments are listed', () => merchants.listPayments(merchant, prefix));
  await scene('payments are refunded', () => merchants.refundPayments(merchant, prefix));
  await scene('events are handled', () => merchants.handleEvents(merchant, prefix));
  await scene('endpoints are managed', () => merchants.manageEndpoints(merchant, prefix));
  await scene('a customer pays at a link', () => merchants.sellByLink(merchant, prefix));
  await scene('a slow provider is paid', () => providers.payByQueue(merchant, `${prefix}-slow`));
  await scene('a provider reports to its shared address', () =>
    providers.payBySharedAddress(merchant, `${prefix}-shared`),
  );
  await scene('an owner manages keys', () => members.manageKeys(owner));
  await scene('an owner changes settings', () => members.changeSettings(owner));
  await scene('an owner handles payments', () => members.handlePayments(owner, prefix));
  await scene('an owner sells at a till', () => members.sellAtTill(owner, play, prefix));
  await scene('an owner manages links', () => members.manageLinks(owner));
  await scene('an owner connects people', () => members.connectPeople(owner));
  await scene('an owner handles webhooks', () => members.handleWebhooks(owner, play, prefix));
  await scene('operators watch the gateway', () => operators.watchGateway(play));
  await scene('operators close a merchant', () => operators.closeMerchant(play));
  const paid = { environment: 'sandbox', merchantId: prefix, uniqueId: `${prefix}-paid` } as const;
  const objectName = await objectNameOf(paid);
  await scene('operators handle dead letters', () => operators.handleDeadLetters(play, objectName));
  await scene('operators handle payments', async () => {
    const attempted = await merchants.createHosted(merchant, `${prefix}-attempted`);
    await merchants.choose(merchant, attempted, 'TELE_BIRR');
    const ids = { paidId: `${prefix}-endpoint`, attemptedId: `${prefix}-attempted` };
    await operators.handlePayments(play, ids);
  });
  const objectId = await play.system.paymentObjectId(objectName);
  await scene('operators rebuild a book', () => operators.rebuildBook(play, objectId));
  await scene('operators switch modes', () => operators.switchModes(play));
  await scene('the gateway is backed up', () => operators.backUp(play, `${prefix}-paid`));
  await scene('operators handle a customer', async () => {
    const email = `${prefix}@example.com`;
    const customerInfo = { name: 'Abebe', email, phone: '922334455' };
    // Without an attempt, no report of a provider can come late.
    await merchants.cancelHosted(merchant, `${prefix}-erased`, { customerInfo });
    await operators.handleCustomers(play, `${prefix}-erased`, email);
  });
  for (const other of older) {
    await scene(`payments of ${other.play.merchantId} are read and refunded`, () =>
      merchants.readOlder({ ...other, play }, other.play.merchantId),
    );
  }
  return merchant;
}
