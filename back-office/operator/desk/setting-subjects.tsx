import { found } from '../../../src/kit/http/problem.ts';
import { majorText } from '../../../src/kit/money.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import type { Role } from '../../members/permissions.ts';
import { shownText } from '../../ui/untrusted-text.ts';
import { knownLink, knownMember } from '../members.ts';
import type { DeskCall, Shown } from './call.ts';
import { commissionText } from './setting-texts.ts';

/** What forms about merchants, their keys and members, methods and banks show. */

export async function readMerchant(call: DeskCall): Promise<Shown> {
  const merchant = await call.payments.operator.merchantContent(call.params);
  const { id, name, status, refundAgeDaysMax, refundDailyMaxMinor } = merchant;
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        [text.merchant, <bdi>{shownText(name)}</bdi>],
        [text.id, <code>{id}</code>],
        [text.state, text.status[status]],
      ];
    },
    values: {
      refundAgeDaysMax: String(refundAgeDaysMax),
      refundDailyMaxMinor: refundDailyMaxMinor === null ? '' : majorText(refundDailyMaxMinor),
    },
  };
}

export async function readKey(call: DeskCall): Promise<Shown> {
  const [merchant, keys] = await Promise.all([
    readMerchant(call),
    call.payments.operator.merchantKeys(call.params),
  ]);
  const { environment, digest } = call.params;
  const key = found(keys.find((one) => one.environment === environment && one.digest === digest));
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        ...merchant.useFacts(),
        [text.apiKey, <code>{key.label}</code>],
        [text.name, <bdi>{shownText(key.name)}</bdi>],
        [text.environmentLabel, text.environment[key.environment]],
      ];
    },
    values: {},
  };
}

export async function readMember(call: DeskCall): Promise<Shown> {
  const { merchantId, memberId } = call.params;
  return personOf(call, await knownMember(call, found(merchantId), memberId));
}

export async function readInvitation(call: DeskCall): Promise<Shown> {
  const { merchantId, invitationId } = call.params;
  return personOf(call, await knownLink(call, found(merchantId), invitationId));
}

async function personOf(
  call: DeskCall,
  { name, role }: { readonly name: string; readonly role: Role },
): Promise<Shown> {
  const merchant = await readMerchant(call);
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        ...merchant.useFacts(),
        [text.name, <bdi>{shownText(name)}</bdi>],
        [text.role, useTexts(DASHBOARD_TEXTS).frame.role[role]],
      ];
    },
    values: {},
  };
}

export async function readMethod({ payments, params }: DeskCall): Promise<Shown> {
  const { environment, method } = params;
  const rails = await payments.operator.rails();
  const rail = found(rails.find((one) => one.environment === environment && one.method === method));
  const switches = await payments.operator.readSwitchedOff();
  const off = switches.find((one) => one.environment === environment && one.method === method);
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        [text.method, useTexts(CHECKOUT_TEXTS).methodName[rail.method]],
        [text.environmentLabel, text.environment[rail.environment]],
        [text.secret, text.railStates[rail.state]],
      ];
    },
    values: { text: off?.text ?? '' },
  };
}

/** The rail's state shows whether a method that is offered can take a payment. */
export async function readMerchantMethod(call: DeskCall): Promise<Shown> {
  // First, so that an unknown method leaves no other read under way.
  const method = await readMethod(call);
  const [merchant, { sandbox, production }] = await Promise.all([
    readMerchant(call),
    call.payments.operator.merchantContent(call.params),
  ]);
  const { methods } = call.params.environment === 'sandbox' ? sandbox : production;
  const settings = found(methods.find((one) => one.method === call.params.method));
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        ...merchant.useFacts(),
        ...method.useFacts(),
        [text.offered, settings.offered ? text.yes : text.no],
        [text.commission, commissionText(settings)],
      ];
    },
    values: {
      basisPoints: majorText(settings.basisPoints),
      fixedMinor: settings.fixedMinor === 0 ? '' : majorText(settings.fixedMinor),
    },
  };
}

export async function readBank({ payments, params }: DeskCall): Promise<Shown> {
  const banks = await payments.operator.listBanks();
  const { code, name, supportsWithdrawal } = found(banks.find((one) => one.code === params.code));
  return {
    useFacts: () => {
      const text = useTexts(DESK_TEXTS).pages;
      return [
        [text.bankCode, <code>{code}</code>],
        [text.name, <bdi>{shownText(name)}</bdi>],
        [text.bankPayouts, supportsWithdrawal ? text.yes : text.no],
      ];
    },
    values: { name, supportsWithdrawal: supportsWithdrawal ? 'yes' : 'no' },
  };
}
